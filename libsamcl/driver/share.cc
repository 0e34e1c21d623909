#include "libsamcl/driver/share.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "libsamcl/driver/query.h"
#include "libsamcl/driver/vendor.h"

namespace samcl::driver {
namespace {

bool divides_by_counts(cl_device_id device) {
  size_t bytes = 0;
  if (real().clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, 0, nullptr, &bytes) != CL_SUCCESS) return false;
  std::vector<cl_device_partition_property> schemes(bytes / sizeof(cl_device_partition_property));
  return !schemes.empty() &&
         real().clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, bytes, schemes.data(), nullptr) == CL_SUCCESS &&
         std::find(schemes.begin(), schemes.end(), CL_DEVICE_PARTITION_BY_COUNTS) != schemes.end();
}

}  // namespace

Result<double> parse_share(const std::string& text) {
  const bool percent = text.ends_with('%');
  const char* const end = text.data() + text.size() - (percent ? 1 : 0);
  double share = 0;
  const auto [read, error] = std::from_chars(text.data(), end, share);
  if (percent) share /= 100;
  if (error != std::errc() || read != end || !(share > 0 && share < 1)) {
    return fail("expects a part of each device, more than 0 and less than 1 (0.5 or 50%), not '" + text + "'");
  }
  return share;
}

cl_uint units_of_share(cl_uint units, double share) {
  return std::max<cl_uint>(1, static_cast<cl_uint>(static_cast<double>(units) * share));
}

ShareWay share_way(cl_device_id device, double share) {
  const auto units = value<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS, 1);
  if (units_of_share(units, share) < units && divides_by_counts(device)) return ShareWay::units;
  return vendor_facts(device).vendor == Vendor::nvidia && mps_runs() ? ShareWay::mps : ShareWay::slices;
}

cl_device_id part_of(cl_device_id device, double share) {
  const cl_uint units = units_of_share(value<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS, 1), share);
  const cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, static_cast<intptr_t>(units),
                                                 CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  cl_device_id part = nullptr;
  return real().clCreateSubDevices(device, counts, 1, &part, nullptr) == CL_SUCCESS ? part : nullptr;
}

bool mps_runs() {
  const char* const directory = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
  std::error_code error;
  return std::filesystem::exists(std::filesystem::path(directory ? directory : "/tmp/nvidia-mps") / "control", error);
}

}  // namespace samcl::driver
