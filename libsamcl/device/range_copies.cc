#include "libsamcl/device/range_copies.h"

#include <algorithm>
#include <string>

#include "libsamcl/device/real_device.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/owned.h"

namespace samcl {
namespace {

constexpr char kSource[] = R"(
typedef struct { ulong from[32], to[32], size[32]; } Ranges;

kernel void samcl_copy_ranges(global const UNIT* from, global UNIT* to, const Ranges ranges) {
  const size_t range = get_global_id(1);
  from += ranges.from[range];
  to += ranges.to[range];
  for (ulong i = get_global_id(0); i < ranges.size[range]; i += get_global_size(0)) to[i] = from[i];
}
)";

// As the kernel has it, in units.
struct Ranges {
  std::array<cl_ulong, RangeCopies::kMost> from{}, to{}, size{};
};
static_assert(RangeCopies::kMost == 32 && sizeof(Ranges) == 768, "as in the kernel's source; drivers take 1024 bytes");

constexpr size_t kGroup = 128;
// Copied by a work-item, one after another, and work-groups of a range at most.
constexpr uint64_t kUnitsEach = 4, kMostGroups = 64;

const char* type_of(uint64_t unit) { return unit == 16 ? "uint4" : unit == 4 ? "uint" : "uchar"; }

}  // namespace

RangeCopies::~RangeCopies() {
  for (const auto& [unit, kernel] : kernels_)
    if (kernel) driver::real().clReleaseKernel(kernel);
}

cl_kernel RangeCopies::kernel_for(uint64_t unit) {
  const auto [at, is_new] = kernels_.try_emplace(unit, nullptr);
  if (!is_new) return at->second;
  const auto& cl = driver::real();
  const char* text = kSource;
  cl_int error = CL_SUCCESS;
  const driver::Owned<cl_program> program(cl.clCreateProgramWithSource(device_.context(), 1, &text, nullptr, &error),
                                          cl.clReleaseProgram);
  const std::string options = std::string("-DUNIT=") + type_of(unit);
  if (!program || cl.clBuildProgram(program.get(), 1, &device_.id, options.c_str(), nullptr, nullptr) != CL_SUCCESS)
    return nullptr;
  return at->second = cl.clCreateKernel(program.get(), "samcl_copy_ranges", &error);
}

std::optional<cl_int> RangeCopies::enqueue(cl_command_queue queue, cl_mem from, cl_mem to,
                                           std::span<const RectanglePairs::value_type> pairs, cl_event* event) {
  if (pairs.size() < kLeast || pairs.size() > kMost) return std::nullopt;
  uint64_t bits = 0, longest = 0;
  for (const auto& [source, target] : pairs) {
    if (!source.is_run() || !target.is_run()) return std::nullopt;
    bits |= source.offset | target.offset | source.bytes();
    longest = std::max(longest, source.bytes());
  }
  const uint64_t unit = bits % 16 == 0 ? 16 : bits % 4 == 0 ? 4 : 1;
  Ranges ranges;
  for (size_t i = 0; i < pairs.size(); ++i) {
    ranges.from[i] = pairs[i].first.offset / unit;
    ranges.to[i] = pairs[i].second.offset / unit;
    ranges.size[i] = pairs[i].first.bytes() / unit;
  }
  const std::lock_guard lock(mutex_);
  const cl_kernel kernel = kernel_for(unit);
  if (!kernel) return std::nullopt;
  const auto& cl = driver::real();
  cl_int error = cl.clSetKernelArg(kernel, 0, sizeof from, &from);
  if (error == CL_SUCCESS) error = cl.clSetKernelArg(kernel, 1, sizeof to, &to);
  if (error == CL_SUCCESS) error = cl.clSetKernelArg(kernel, 2, sizeof ranges, &ranges);
  if (error != CL_SUCCESS) return error;
  const uint64_t groups = std::clamp<uint64_t>(longest / unit / kUnitsEach / kGroup, 1, kMostGroups);
  const std::array<size_t, 2> global{groups * kGroup, pairs.size()}, local{kGroup, 1};
  return cl.clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, global.data(), local.data(), 0, nullptr, event);
}

}  // namespace samcl
