#include "libsamcl/driver/vendor.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <mutex>

#include "libsamcl/driver/query.h"

namespace samcl::driver {
namespace {

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

std::string plain_name(const std::string& name) {
  std::string result;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)))
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result.empty() ? "opencl" : result;
}

}  // namespace

VendorFacts vendor_facts(const std::string& name, const std::string& vendor, const std::string& version) {
  VendorFacts facts;
  if (contains(version, "PoCL") || name == "Portable Computing Language") {
    facts.vendor = Vendor::pocl;
    facts.short_name = "pocl";
    facts.needs_distinct_source_per_device = true;
    facts.compiles_for_device_version = true;
    facts.computes_in_caller = "basic";
    facts.pocl_chooses_local_size = true;
    facts.compiles_for_each_local_size = true;
    facts.parts_take_no_images = true;
  } else if (contains(vendor, "NVIDIA")) {
    facts.vendor = Vendor::nvidia;
    facts.short_name = "nvidia";
    facts.locks_host_memory = true;
    facts.uploads_beside = 8 << 20;
    facts.fails_for_good = true;
    facts.compiles_for_device_version = true;
  } else if (contains(vendor, "Advanced Micro Devices")) {
    facts.vendor = Vendor::amd;
    facts.short_name = "amd";
  } else if (contains(vendor, "Intel")) {
    facts.vendor = Vendor::intel;
    facts.short_name = "intel";
  } else {
    facts.short_name = plain_name(name);
    if (name == "Oclgrind") facts.computes_in_caller = name;
  }
  return facts;
}

const VendorFacts& vendor_facts(cl_platform_id platform) {
  static std::mutex& lock = *new std::mutex;
  static auto& known = *new std::map<cl_platform_id, VendorFacts>;
  const std::lock_guard guard(lock);
  const auto found = known.find(platform);
  if (found != known.end()) return found->second;
  return known[platform] = vendor_facts(text(platform, CL_PLATFORM_NAME), text(platform, CL_PLATFORM_VENDOR),
                                        text(platform, CL_PLATFORM_VERSION));
}

const VendorFacts& vendor_facts(cl_device_id device) {
  return vendor_facts(value<cl_platform_id>(device, CL_DEVICE_PLATFORM));
}

bool is_gpu(cl_device_id device) { return value<cl_device_type>(device, CL_DEVICE_TYPE, 0) & CL_DEVICE_TYPE_GPU; }

bool is_remote(cl_device_id device) { return contains(text(device, CL_DEVICE_VERSION), "pocl-remote"); }

std::string server_address(cl_device_id device) {
  constexpr cl_device_info kAddress = 0x4503, kPort = 0x4504;  // cl_ext_pocl.h: CL_DEVICE_REMOTE_SERVER_IP, _PORT
  const std::string address = text(device, kAddress);
  return address.empty() ? "" : address + ":" + std::to_string(value<cl_uint>(device, kPort));
}

std::string machine_of(const std::string& server) {
  return server.starts_with("127.") || server.starts_with("localhost:") ? server : server.substr(0, server.rfind(':'));
}

bool computes_in_caller(cl_device_id device) {
  const std::string& name = vendor_facts(device).computes_in_caller;
  return !name.empty() && !is_remote(device) && text(device, CL_DEVICE_NAME).starts_with(name);
}

bool is_part_without_images(cl_device_id device) {
  return vendor_facts(device).parts_take_no_images && value<cl_device_id>(device, CL_DEVICE_PARENT_DEVICE);
}

std::string distinct_option(const VendorFacts& facts, unsigned device_index, bool remote) {
  if (!facts.needs_distinct_source_per_device || (device_index == 0 && !remote)) return {};
  return (remote ? " -DSAMCL_REMOTE_DEVICE=" : " -DSAMCL_DEVICE=") + std::to_string(device_index);
}

}  // namespace samcl::driver
