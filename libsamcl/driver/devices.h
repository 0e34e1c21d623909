// The real devices of this machine: listing them, telling which are alike, choosing among them, naming them.
#pragma once

#include <CL/cl.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "kernel-translator/client/translation.h"

namespace samcl::driver {

// One real device, with what decides whether another one is like it.
struct Device {
  cl_platform_id platform = nullptr;
  cl_device_id id = nullptr;
  cl_device_id listed = nullptr;  // as the platform lists it; `id` may be a part of it
  unsigned platform_index = 0;    // P and D as `clinfo -l` counts them
  unsigned device_index = 0;
  unsigned index = 0;  // over all platforms, in the same order
  std::string name, vendor, version, driver_version;
  cl_device_type type = 0;
  cl_ulong global_memory = 0;  // bytes
  cl_uint compute_units = 0;
  cl_uint address_bits = 0;
  bool little_endian = true;
  double time_share = 1;  // which part of its time is ours

  std::string server;  // "ADDRESS:PORT/NUMBER" of a device behind PoCL's remote driver; empty: it is this machine's

  // The same in every process: "<vendor>:<PCI address>" or "<vendor>:<ordinal in its platform>", "remote:<server>" for
  // a device of another machine. By it the manager knows that two programs use one GPU.
  std::string stable_name;
};

// Whether one NDRange may be spread over both: same platform, name, vendor, versions, type, memory and units.
bool alike(const Device& a, const Device& b);

// Devices of one group are alike; groups and their members keep the given order.
std::vector<std::vector<Device>> group_alike(const std::vector<Device>& devices);

// All devices as one group, for programs that may be spread over unlike ones: those that are likely to be the fastest
// come first (GPUs, then other accelerators, then CPUs; with more units before those with fewer). Devices whose memory
// cannot hold the same bytes, for another order of bytes in a word or another size of addresses, stay in groups of
// their own.
std::vector<std::vector<Device>> group_mixed(const std::vector<Device>& devices);

// The devices that a comma-separated list names, in its order. An element is an index over all platforms
// ("0"), platform and device as `clinfo -l` counts them ("0.1"), or a part of a device's name in any case,
// which stands for all such devices not named before. Empty: all. Errors name the element that is unknown or
// named twice and list what exists.
Result<std::vector<Device>> select_devices(const std::vector<Device>& devices, const std::string& selection);

// All real devices of a platform, or of all platforms.
std::vector<Device> list_devices();

// What the translator must know to read a source as this device's compiler would.
DeviceFacts translator_facts(cl_device_id device);

// "0000:3b:00.0"; PCI domain, bus, device, function.
std::string pci_address(cl_uint domain, cl_uint bus, cl_uint device, cl_uint function);

}  // namespace samcl::driver
