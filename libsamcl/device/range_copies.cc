#include "libsamcl/device/range_copies.h"

#include <algorithm>
#include <string>
#include <utility>

#include "libsamcl/device/real_device.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/owned.h"

namespace samcl {
namespace {

constexpr char kSource[] = R"(
typedef struct { ulong from[28], to[28]; uint size[28], rows[28], from_pitch[28], to_pitch[28]; } Ranges;

void wait_in_order(global volatile ulong* own, ulong position, global volatile const ulong* other, ulong awaited) {
  if (own && get_global_id(0) == 0 && get_global_id(1) == 0) *own = position;
  if (!other) return;
  if (get_local_id(0) == 0) {
    while (*other < awaited) {}
  }
  barrier(CLK_GLOBAL_MEM_FENCE);
}

#define COPIES(NAME, UNIT)                                                                                         \
  kernel void NAME(global const UNIT* from, global UNIT* to, const Ranges ranges, global volatile ulong* own,      \
                   ulong position, global volatile const ulong* other, ulong awaited) {                            \
    const size_t range = get_global_id(1);                                                                         \
    wait_in_order(own, position, other, awaited);                                                                  \
    from += ranges.from[range];                                                                                    \
    to += ranges.to[range];                                                                                        \
    const uint size = ranges.size[range];                                                                          \
    const ulong all = (ulong)size * ranges.rows[range];                                                            \
    if (all == size)                                                                                               \
      for (ulong i = get_global_id(0); i < all; i += get_global_size(0)) to[i] = from[i];                          \
    else                                                                                                           \
      for (ulong i = get_global_id(0); i < all; i += get_global_size(0)) {                                         \
        const ulong row = i / size, at = i - row * size;                                                           \
        to[row * ranges.to_pitch[range] + at] = from[row * ranges.from_pitch[range] + at];                         \
      }                                                                                                            \
  }
COPIES(samcl_copy_16, uint4)
COPIES(samcl_copy_4, uint)
COPIES(samcl_copy_1, uchar)
)";

// As the kernel has it, in units.
struct Ranges {
  std::array<cl_ulong, RangeCopies::kMost> from{}, to{};
  std::array<cl_uint, RangeCopies::kMost> size{}, rows{}, from_pitch{}, to_pitch{};
};
static_assert(RangeCopies::kMost == 28 && sizeof(Ranges) == 896, "as in the kernel's source; drivers take 1024 bytes");

constexpr size_t kGroup = 128;
// Copied by a work-item, one after another; work-groups of a range at most, and of all.
constexpr uint64_t kUnitsEach = 4, kMostGroups = 256, kMostOfAll = 1'792;

}  // namespace

RangeCopies::~RangeCopies() {
  for (const cl_kernel kernel : kernels_)
    if (kernel) driver::real().clReleaseKernel(kernel);
}

bool RangeCopies::build() {
  const std::lock_guard lock(mutex_);
  return build_locked();
}

bool RangeCopies::build_locked() {
  if (std::exchange(is_built_, true)) return kernels_.back() != nullptr;
  const auto& cl = driver::real();
  const char* text = kSource;
  cl_int error = CL_SUCCESS;
  const driver::Owned<cl_program> program(cl.clCreateProgramWithSource(device_.context(), 1, &text, nullptr, &error),
                                          cl.clReleaseProgram);
  if (!program || cl.clBuildProgram(program.get(), 1, &device_.id, "", nullptr, nullptr) != CL_SUCCESS) return false;
  for (size_t i = 0; i < kUnits.size() && error == CL_SUCCESS; ++i)
    kernels_[i] = cl.clCreateKernel(program.get(), ("samcl_copy_" + std::to_string(kUnits[i])).c_str(), &error);
  return error == CL_SUCCESS;
}

std::optional<cl_int> RangeCopies::enqueue(cl_command_queue queue, cl_mem from, cl_mem to,
                                           std::span<const RectanglePairs::value_type> pairs, cl_event* event,
                                           const InOrder* order) {
  if (pairs.size() < (order ? 1 : kLeast) || pairs.size() > kMost) return std::nullopt;
  uint64_t bits = 0, longest = 0;
  for (const auto& [source, target] : pairs) {
    if (source.region[2] > 1) return std::nullopt;
    if (std::max({source.region[0], source.row_pitch, target.row_pitch}) > UINT32_MAX) return std::nullopt;
    bits |= source.offset | target.offset | source.region[0];
    if (source.region[1] > 1) bits |= source.row_pitch | target.row_pitch;
    longest = std::max(longest, source.bytes());
  }
  const size_t which = bits % 16 == 0 ? 0 : bits % 4 == 0 ? 1 : 2;
  const uint64_t unit = kUnits[which];
  Ranges ranges;
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto& [source, target] = pairs[i];
    ranges.from[i] = source.offset / unit;
    ranges.to[i] = target.offset / unit;
    ranges.size[i] = static_cast<cl_uint>(source.region[0] / unit);
    ranges.rows[i] = static_cast<cl_uint>(source.region[1]);
    ranges.from_pitch[i] = static_cast<cl_uint>(source.row_pitch / unit);
    ranges.to_pitch[i] = static_cast<cl_uint>(target.row_pitch / unit);
  }
  const std::lock_guard lock(mutex_);
  if (!build_locked()) return std::nullopt;
  const cl_kernel kernel = kernels_[which];
  const InOrder in_order = order ? *order : InOrder{};
  const auto& cl = driver::real();
  cl_int error = cl.clSetKernelArg(kernel, 0, sizeof from, &from);
  if (error == CL_SUCCESS) error = cl.clSetKernelArg(kernel, 1, sizeof to, &to);
  if (error == CL_SUCCESS) error = cl.clSetKernelArg(kernel, 2, sizeof ranges, &ranges);
  if (error == CL_SUCCESS) error = cl.clSetKernelArg(kernel, 3, sizeof(cl_mem), &in_order.own);
  if (error == CL_SUCCESS) error = cl.clSetKernelArg(kernel, 4, sizeof(cl_ulong), &in_order.position);
  if (error == CL_SUCCESS) error = cl.clSetKernelArg(kernel, 5, sizeof(cl_mem), &in_order.other);
  if (error == CL_SUCCESS) error = cl.clSetKernelArg(kernel, 6, sizeof(cl_ulong), &in_order.awaited);
  if (error != CL_SUCCESS) return error;
  const uint64_t most = std::min(kMostGroups, kMostOfAll / pairs.size());
  const uint64_t groups = std::clamp<uint64_t>(longest / unit / kUnitsEach / kGroup, 1, most);
  const std::array<size_t, 2> global{groups * kGroup, pairs.size()}, local{kGroup, 1};
  return cl.clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, global.data(), local.data(), 0, nullptr, event);
}

}  // namespace samcl
