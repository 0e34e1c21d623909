#include "libsamcl/driver/parts.h"

#include <algorithm>
#include <deque>
#include <mutex>

#include "libsamcl/driver/query.h"

namespace samcl::driver {
namespace {

struct Kept {
  std::mutex mutex;
  std::deque<cl_device_id> parts;
};

Kept& kept() {
  static Kept* const kept = new Kept;
  return *kept;
}

bool is_last_reference(cl_device_id device) {
  return value<cl_device_id>(device, CL_DEVICE_PARENT_DEVICE) && value<cl_uint>(device, CL_DEVICE_REFERENCE_COUNT) == 1;
}

}  // namespace

cl_int release_device(cl_device_id device) {
  auto& [mutex, parts] = kept();
  const std::lock_guard lock(mutex);
  if (std::find(parts.begin(), parts.end(), device) != parts.end()) return CL_INVALID_DEVICE;
  if (!is_last_reference(device)) return real().clReleaseDevice(device);
  parts.push_back(device);
  if (parts.size() <= kKeptParts) return CL_SUCCESS;
  const cl_device_id oldest = parts.front();
  parts.pop_front();
  return real().clReleaseDevice(oldest);
}

}  // namespace samcl::driver
