#include "libsamcl/driver/parts.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <unordered_map>

#include "libsamcl/driver/query.h"

namespace samcl::driver {
namespace {

struct Parts {
  std::mutex mutex;
  std::unordered_map<cl_device_id, cl_device_id> wholes;  // of all that the driver has not been told to end
  std::deque<cl_device_id> kept;
};

Parts& parts() {
  static Parts* const parts = new Parts;
  return *parts;
}

}  // namespace

cl_int create_parts(cl_device_id whole, const cl_device_partition_property* properties, cl_uint room,
                    cl_device_id* made, cl_uint* count) {
  cl_uint found = 0;
  const cl_int error = real().clCreateSubDevices(whole, properties, room, made, &found);
  if (error != CL_SUCCESS) return error;
  if (count) *count = found;
  const std::lock_guard lock(parts().mutex);
  for (cl_uint i = 0; made && i < std::min(found, room); ++i) parts().wholes[made[i]] = whole;
  return CL_SUCCESS;
}

cl_device_id whole_of(cl_device_id part) {
  const std::lock_guard lock(parts().mutex);
  const auto found = parts().wholes.find(part);
  return found == parts().wholes.end() ? nullptr : found->second;
}

cl_int release_device(cl_device_id device) {
  auto& [mutex, wholes, kept] = parts();
  const std::lock_guard lock(mutex);
  if (std::find(kept.begin(), kept.end(), device) != kept.end()) return CL_INVALID_DEVICE;
  const bool is_last = wholes.contains(device) && value<cl_uint>(device, CL_DEVICE_REFERENCE_COUNT) == 1;
  if (!is_last) return real().clReleaseDevice(device);
  kept.push_back(device);
  if (kept.size() <= kKeptParts) return CL_SUCCESS;
  const cl_device_id oldest = kept.front();
  kept.pop_front();
  wholes.erase(oldest);
  return real().clReleaseDevice(oldest);
}

}  // namespace samcl::driver
