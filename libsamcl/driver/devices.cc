#include "libsamcl/driver/devices.h"

#include <CL/cl_ext.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <string_view>

#include "libsamcl/driver/query.h"
#include "libsamcl/driver/vendor.h"

namespace samcl::driver {
namespace {

// cl_nv_device_attribute_query; not in Debian's headers.
constexpr cl_device_info kPciBusNv = 0x4008;
constexpr cl_device_info kPciSlotNv = 0x4009;
constexpr cl_device_info kPciDomainNv = 0x400A;

std::string pci_address_of(cl_device_id device) {
  cl_device_pci_bus_info_khr pci{};
  if (real().clGetDeviceInfo(device, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof(pci), &pci, nullptr) == CL_SUCCESS)
    return pci_address(pci.pci_domain, pci.pci_bus, pci.pci_device, pci.pci_function);
  cl_uint bus = 0, slot = 0;
  if (real().clGetDeviceInfo(device, kPciBusNv, sizeof(bus), &bus, nullptr) == CL_SUCCESS &&
      real().clGetDeviceInfo(device, kPciSlotNv, sizeof(slot), &slot, nullptr) == CL_SUCCESS)
    return pci_address(value<cl_uint>(device, kPciDomainNv), bus, slot >> 3, slot & 7);
  return {};
}

// PoCL's remote driver is told the server of each of its devices in the environment, by their number among these.
std::string server_of(unsigned remote_index) {
  const char* const server = std::getenv(("POCL_REMOTE" + std::to_string(remote_index) + "_PARAMETERS").c_str());
  return server ? server : "";
}

// Names that the manager takes are shorter than 64 bytes; what tells servers apart stands at the end.
std::string remote_name(const std::string& server) {
  constexpr size_t kMost = 48;
  return "remote:" + (server.size() > kMost ? server.substr(server.size() - kMost) : server);
}

Device describe(cl_platform_id platform, cl_device_id id) {
  Device device;
  device.platform = platform;
  device.id = device.listed = id;
  device.name = text(id, CL_DEVICE_NAME);
  device.vendor = text(id, CL_DEVICE_VENDOR);
  device.version = text(id, CL_DEVICE_VERSION);
  device.driver_version = text(id, CL_DRIVER_VERSION);
  device.type = value<cl_device_type>(id, CL_DEVICE_TYPE);
  device.global_memory = value<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_SIZE);
  device.compute_units = value<cl_uint>(id, CL_DEVICE_MAX_COMPUTE_UNITS);
  device.address_bits = value<cl_uint>(id, CL_DEVICE_ADDRESS_BITS);
  device.little_endian = value<cl_bool>(id, CL_DEVICE_ENDIAN_LITTLE, CL_TRUE);
  return device;
}

std::vector<cl_platform_id> platforms() {
  cl_uint count = 0;
  if (real().clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_platform_id> result(count);
  if (count && real().clGetPlatformIDs(count, result.data(), nullptr) != CL_SUCCESS) return {};
  return result;
}

std::vector<cl_device_id> devices_of(cl_platform_id platform) {
  cl_uint count = 0;
  if (real().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_device_id> result(count);
  if (count && real().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, result.data(), nullptr) != CL_SUCCESS)
    return {};
  return result;
}

// Two partitions of one GPU have one PCI address: the later ones get a number.
void make_unique(std::vector<Device>& devices) {
  std::map<std::string, unsigned> seen;
  for (Device& device : devices)
    if (const unsigned before = seen[device.stable_name]++) device.stable_name += "#" + std::to_string(before);
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string catalogue(const std::vector<Device>& devices) {
  if (devices.empty()) return "; there is no OpenCL device here";
  std::string list = "; the devices here are";
  for (const Device& d : devices)
    list += "\n  " + std::to_string(d.index) + "  " + std::to_string(d.platform_index) + "." +
            std::to_string(d.device_index) + "  " + d.name;
  return list;
}

bool matches(const Device& device, const std::string& element) {
  const bool numeric = element.find_first_not_of("0123456789.") == std::string::npos;
  if (!numeric) return lower(device.name).find(lower(element)) != std::string::npos;
  const std::string pair = std::to_string(device.platform_index) + "." + std::to_string(device.device_index);
  return element == pair || element == std::to_string(device.index);
}

}  // namespace

bool alike(const Device& a, const Device& b) {
  return a.platform == b.platform && a.name == b.name && a.vendor == b.vendor && a.version == b.version &&
         a.driver_version == b.driver_version && a.type == b.type && a.global_memory == b.global_memory &&
         a.compute_units == b.compute_units;
}

namespace {

template <typename Together>
std::vector<std::vector<Device>> grouped(const std::vector<Device>& devices, Together together) {
  std::vector<std::vector<Device>> groups;
  for (const Device& device : devices) {
    const auto group =
        std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return together(g[0], device); });
    if (group == groups.end())
      groups.push_back({device});
    else
      group->push_back(device);
  }
  return groups;
}

// Smaller for what is likely to be faster.
int rank(cl_device_type type) {
  if (type & CL_DEVICE_TYPE_GPU) return 0;
  return type & CL_DEVICE_TYPE_CPU ? 2 : 1;
}

}  // namespace

std::vector<std::vector<Device>> group_alike(const std::vector<Device>& devices) { return grouped(devices, alike); }

std::vector<std::vector<Device>> group_mixed(const std::vector<Device>& devices) {
  std::vector<Device> fastest_first = devices;
  std::stable_sort(fastest_first.begin(), fastest_first.end(), [](const Device& a, const Device& b) {
    return std::pair(rank(a.type), b.compute_units) < std::pair(rank(b.type), a.compute_units);
  });
  return grouped(fastest_first, [](const Device& a, const Device& b) {
    return a.address_bits == b.address_bits && a.little_endian == b.little_endian;
  });
}

Result<std::vector<Device>> select_devices(const std::vector<Device>& devices, const std::string& selection) {
  if (trimmed(selection).empty()) return devices;
  std::vector<Device> chosen;
  std::istringstream list(selection);
  for (std::string part; std::getline(list, part, ',');) {
    const std::string element = trimmed(part);
    if (element.empty()) return fail("the device list '" + selection + "' has an empty element");
    bool known = false, added = false;
    for (const Device& device : devices) {
      if (!matches(device, element)) continue;
      known = true;
      if (std::any_of(chosen.begin(), chosen.end(), [&](const Device& c) { return c.index == device.index; })) continue;
      chosen.push_back(device);
      added = true;
    }
    if (!known) return fail("no device '" + element + "'" + catalogue(devices));
    if (!added) return fail("device '" + element + "' is named twice in '" + selection + "'");
  }
  return chosen;
}

std::vector<Device> list_devices() {
  std::vector<Device> result;
  unsigned platform_index = 0;
  for (cl_platform_id platform : platforms()) {
    unsigned device_index = 0, remote_index = 0;
    for (cl_device_id id : devices_of(platform)) {
      Device device = describe(platform, id);
      if (is_remote(id)) device.server = server_of(remote_index++);
      const std::string address = pci_address_of(id);
      device.stable_name = !device.server.empty() ? remote_name(device.server)
                                                  : vendor_facts(platform).short_name + ":" +
                                                        (address.empty() ? std::to_string(device_index) : address);
      device.platform_index = platform_index;
      device.device_index = device_index++;
      device.index = static_cast<unsigned>(result.size());
      result.push_back(std::move(device));
    }
    ++platform_index;
  }
  make_unique(result);
  return result;
}

namespace {

// Settings by which users give a driver's compiler further options.
bool is_for_a_compiler(std::string_view setting) {
  for (const char* prefix : {"POCL_", "AMD_OCL_", "IGC_", "CUDA_", "CL_CONFIG_"})
    if (setting.starts_with(prefix)) return true;
  return false;
}

std::string compiler_of(cl_device_id device) {
  const auto platform = value<cl_platform_id>(device, CL_DEVICE_PLATFORM);
  std::string compiler;
  for (const std::string& part :
       {text(platform, CL_PLATFORM_NAME), text(platform, CL_PLATFORM_VERSION), text(device, CL_DEVICE_NAME),
        text(device, CL_DEVICE_VERSION), text(device, CL_DRIVER_VERSION)})
    compiler += part + "\n";
  std::set<std::string> settings;
  for (char** entry = environ; entry && *entry; ++entry)
    if (is_for_a_compiler(*entry)) settings.insert(*entry);
  // Which devices there are does not change any.
  std::erase_if(settings, [](const std::string& setting) { return setting.starts_with("POCL_DEVICES="); });
  for (const std::string& setting : settings) compiler += setting + "\n";
  return compiler;
}

}  // namespace

DeviceFacts translator_facts(cl_device_id device) {
  const VendorFacts& vendor = vendor_facts(device);
  DeviceFacts facts;
  facts.device_version = text(device, CL_DEVICE_VERSION);
  facts.opencl_c_version = text(device, CL_DEVICE_OPENCL_C_VERSION);
  if (vendor.compiles_for_device_version && facts.device_version.starts_with("OpenCL "))
    facts.opencl_c_version = "OpenCL C " + facts.device_version.substr(7, 3);
  facts.extensions = text(device, CL_DEVICE_EXTENSIONS);
  facts.address_bits = value<cl_uint>(device, CL_DEVICE_ADDRESS_BITS, 64);
  facts.image_support = value<cl_bool>(device, CL_DEVICE_IMAGE_SUPPORT) == CL_TRUE;
  facts.little_endian = value<cl_bool>(device, CL_DEVICE_ENDIAN_LITTLE, CL_TRUE) == CL_TRUE;
  facts.compiler = compiler_of(device);
  return facts;
}

std::string pci_address(cl_uint domain, cl_uint bus, cl_uint device, cl_uint function) {
  char text[32];
  std::snprintf(text, sizeof(text), "%04x:%02x:%02x.%x", domain, bus, device, function);
  return text;
}

}  // namespace samcl::driver
