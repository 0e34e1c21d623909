// What differs between vendors beyond what OpenCL lets one ask.
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <string>
#include <vector>

namespace samcl::driver {

enum class Vendor : uint8_t { pocl, nvidia, amd, intel, other };

struct VendorFacts {
  Vendor vendor = Vendor::other;

  // "pocl", "nvidia", "amd", "intel", or the platform's name in lower case without blanks.
  std::string short_name;

  // One source, built for two devices, must not be run on both at once. PoCL keeps its compiled kernels in
  // one cache for all devices, found by the hash of source and options and by the local size alone, while
  // entries also differ by NDRange; two devices then free each other's (assertion in
  // pocl_release_dlhandle_cache). Comments and blanks do not count in that hash, a macro given as an option
  // does: see distinct_option(). A linked program is found by its objects' bitcode, which names the temporary
  // file that each was compiled from; so objects compiled apart for each device serve.
  bool needs_distinct_source_per_device = false;

  // CL_DEVICE_OPENCL_C_VERSION does not tell the language of a build without -cl-std: PoCL 3.1 and NVIDIA's
  // driver 580 say 1.2 and compile for 3.0, the device's own version.
  bool compiles_for_device_version = false;

  // Devices of this name compute inside a call, and only one call may at a time: PoCL's basic devices in the one that
  // enqueues a command, which returns when that is done; Oclgrind in whichever call waits, and an assertion ends the
  // program where two threads do.
  std::string computes_in_caller;  // beginning of CL_DEVICE_NAME; empty: none

  // Commands on images in the queue of a sub-device end the program (PoCL 3.1: an assertion in clEnqueueWriteImage).
  bool parts_take_no_images = false;

  // Memory under a CL_MEM_USE_HOST_PTR buffer moves at the link's full speed, also by other contexts than the
  // buffer's (driver 580 on H200: 54 GB/s instead of 7); to lock it takes 0.08 ms for each MB.
  bool locks_host_memory = false;

  // A write that nobody waits for returns at once, and the driver copies from the program's memory on a thread of its
  // own while it is given more: up to so many bytes that is quicker than pinned chunks behind which the rest waits.
  // Driver 580 on an H200, with 40 launches behind: 4 MiB 0.49 ms (through chunks 0.87), 8 MiB 0.89 (1.19), 16 MiB 1.69
  // (1.30).
  uint64_t uploads_beside = 0;

  // After a command that failed while it ran every later one of its context fails, too.
  bool fails_for_good = false;

  // The local size for a launch without one is chosen by the algorithm of pocl_local_size().
  bool pocl_chooses_local_size = false;

  // A kernel is compiled when it is launched, for each local size anew, which takes 0.1 s and more.
  bool compiles_for_each_local_size = false;
};

// From CL_PLATFORM_NAME, CL_PLATFORM_VENDOR and CL_PLATFORM_VERSION.
VendorFacts vendor_facts(const std::string& name, const std::string& vendor, const std::string& version);

// The same for a real platform or for a real device's platform; remembered. Thread-safe.
const VendorFacts& vendor_facts(cl_platform_id platform);
const VendorFacts& vendor_facts(cl_device_id device);

bool is_gpu(cl_device_id device);

// Whether the device computes inside the call that enqueues a command.
bool computes_in_caller(cl_device_id device);

// Whether it is a device of another machine, behind PoCL's remote driver. In versions up to the present 8.0-pre that
// loses what a sub-buffer shows of a buffer that was written before (pocl_remote_alloc_subbuffer() forgets which
// version of the bytes the device has), and crashes when it then looks for them elsewhere; also for the sub-buffers
// that it makes by itself between those of the program. What a device is given before its first write is right.
bool is_remote(cl_device_id device);

// Where the server of such a device is, "ADDRESS:PORT": devices of one server are in one machine. Empty for others.
std::string server_address(cl_device_id device);

// The same for all servers of one machine, as far as their addresses tell: those of this machine may be the ends of
// tunnels to several.
std::string machine_of(const std::string& server);

// Whether the driver takes rows of host memory for a rectangle of a buffer or an image to lie without gaps, whatever
// their pitch: PoCL's remote driver does (8.0-pre: the server is not told the pitch), and overwrites what lies between
// and behind them.
inline bool packs_host_rows(cl_device_id device) { return is_remote(device); }

// Whether it is a part of a device on which images cannot be used.
bool is_part_without_images(cl_device_id device);

// What to add to the build options for the device of that index so that its kernels are its own; empty for
// the first device and for vendors that do not need it. Begins with a blank otherwise. A remote device never goes
// without: its server may run under samcl, too, which rewrites the same source for its own device.
std::string distinct_option(const VendorFacts& facts, unsigned device_index, bool remote = false);

}  // namespace samcl::driver
