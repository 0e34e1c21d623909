#include "libsamcl/driver/local_size.h"

#include <CL/cl_ext.h>

#include <algorithm>
#include <numeric>

#include "libsamcl/driver/query.h"

namespace samcl::driver {
namespace {

// Dimensions in the order in which they are made smaller: x is kept long for vectorisation.
constexpr size_t kShrinkOrder[] = {2, 1, 0};

size_t product(const Size3& s) { return s[0] * s[1] * s[2]; }

size_t largest_divisor(size_t n, size_t at_most) {
  size_t divisor = std::min(n, at_most);
  while (n % divisor) --divisor;
  return divisor;
}

class PoclChoice {
 public:
  PoclChoice(const Size3& global, const LocalSizeLimits& limits) : global_(global), limits_(limits) {
    limits_.preferred_multiple = std::max<size_t>(limits_.preferred_multiple, 1);
    for (size_t d = 0; d < 3; ++d) {
      grain_[d] = std::gcd(limits_.preferred_multiple, global[d]);
      const size_t longest = std::min(limits.max_item_sizes[d], global[d]);
      local_[d] = grain_[d] * largest_divisor(global[d] / grain_[d], std::max<size_t>(longest / grain_[d], 1));
    }
  }

  Size3 choose() {
    while (product(local_) > limits_.max_group_size && (halve() || drop_smallest_grain() || drop_any())) {
    }
    occupy_all_units();
    return local_;
  }

 private:
  // local_[d] / divisor keeps the grain and divides the global size.
  bool divides(size_t d, size_t divisor) const {
    if (local_[d] % divisor) return false;
    const size_t part = local_[d] / divisor;
    return part % grain_[d] == 0 && global_[d] % part == 0;
  }

  bool halve() {
    for (const size_t d : kShrinkOrder)
      if (divides(d, 2)) {
        local_[d] /= 2;
        return true;
      }
    return false;
  }

  bool drop_smallest_grain() {
    const size_t smallest = std::min({grain_[0], grain_[1], grain_[2]});
    return drop_if([&](size_t d) { return grain_[d] == smallest; });
  }

  bool drop_any() {
    return drop_if([](size_t) { return true; });
  }

  template <typename Condition>
  bool drop_if(Condition condition) {
    for (const size_t d : kShrinkOrder)
      if (local_[d] > 1 && condition(d)) {
        local_[d] = 1;
        return true;
      }
    return false;
  }

  size_t groups() const { return global_[0] / local_[0] * (global_[1] / local_[1]) * (global_[2] / local_[2]); }

  void occupy_all_units() {
    const size_t enough = std::min(4 * limits_.preferred_multiple, limits_.max_group_size);
    for (;;) {
      const size_t parts = limits_.compute_units / groups();
      if (parts <= 1 || product(local_) < parts * enough) return;
      if (!split(parts) && !drop_shortest(enough)) return;
    }
  }

  bool split(size_t at_most) {
    for (size_t parts = at_most; parts > 1; --parts)
      for (const size_t d : kShrinkOrder)
        if (divides(d, parts)) {
          local_[d] /= parts;
          return true;
        }
    return false;
  }

  bool drop_shortest(size_t enough) {
    const size_t shortest = std::min({local_[0], local_[1], local_[2]});
    return drop_if([&](size_t d) { return local_[d] == shortest && product(local_) / local_[d] >= enough; });
  }

  const Size3 global_;
  LocalSizeLimits limits_;
  Size3 grain_{1, 1, 1};
  Size3 local_{1, 1, 1};
};

LocalSizeLimits limits_of(cl_device_id device, cl_kernel kernel) {
  LocalSizeLimits limits;
  limits.max_item_sizes = value<Size3>(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, {1, 1, 1});
  limits.max_group_size = value<size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, 1);
  limits.compute_units = value<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS, 1);
  real().clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                  sizeof(limits.preferred_multiple), &limits.preferred_multiple, nullptr);
  return limits;
}

}  // namespace

Size3 pocl_local_size(const Size3& global, const LocalSizeLimits& limits) {
  return PoclChoice(global, limits).choose();
}

size_t row_for_all_pieces(const Size3& global) {
  constexpr size_t kShortest = 16, kUsual = 64, kLongest = 512, kGroups = 256;
  if (global[0] == 0) return 0;
  const size_t row = largest_divisor(global[0], std::clamp(product(global) / kGroups, kUsual, kLongest));
  return row >= kShortest ? row : 0;
}

std::optional<Size3> local_size_choice(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                       const size_t* offset, const size_t* global) {
  cl_device_id device = nullptr;
  if (real().clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(device), &device, nullptr) != CL_SUCCESS)
    return std::nullopt;
  const auto platform = value<cl_platform_id>(device, CL_DEVICE_PLATFORM);
  const auto suggested = reinterpret_cast<clGetKernelSuggestedLocalWorkSizeKHR_fn>(
      real().clGetExtensionFunctionAddressForPlatform(platform, "clGetKernelSuggestedLocalWorkSizeKHR"));
  Size3 local{1, 1, 1};
  if (suggested && suggested(queue, kernel, dimensions, offset, global, local.data()) == CL_SUCCESS) return local;
  if (!vendor_facts(platform).pocl_chooses_local_size) return std::nullopt;
  Size3 whole{1, 1, 1};
  std::copy(global, global + dimensions, whole.begin());
  if (product(whole) == 0) return std::nullopt;
  return pocl_local_size(whole, limits_of(device, kernel));
}

}  // namespace samcl::driver
