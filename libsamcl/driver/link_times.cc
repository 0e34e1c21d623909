#include "libsamcl/driver/link_times.h"

#include <algorithm>
#include <vector>

#include "base/clock.h"
#include "libsamcl/driver/driver.h"

namespace samcl::driver {
namespace {

constexpr int kTries = 3;  // the fastest counts: what else goes on only adds to it

std::optional<uint64_t> write_ns(cl_command_queue queue, cl_mem buffer, const std::vector<std::byte>& from,
                                 size_t bytes) {
  uint64_t least = UINT64_MAX;
  // The first one is not counted: some drivers provide the memory with it.
  for (int i = 0; i <= kTries; ++i) {
    const uint64_t begun = now_ns();
    if (real().clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, bytes, from.data(), 0, nullptr, nullptr) != CL_SUCCESS)
      return std::nullopt;
    if (i > 0) least = std::min(least, now_ns() - begun);
  }
  return least;
}

}  // namespace

std::optional<LinkTimes> measure_link(cl_context context, cl_command_queue queue) {
  cl_int error;
  const cl_mem buffer = real().clCreateBuffer(context, CL_MEM_READ_WRITE, LinkTimes::kMany, nullptr, &error);
  if (!buffer) return std::nullopt;
  const std::vector<std::byte> bytes(LinkTimes::kMany);
  const auto few = write_ns(queue, buffer, bytes, LinkTimes::kFew);
  const auto many = few ? write_ns(queue, buffer, bytes, LinkTimes::kMany) : std::nullopt;
  real().clReleaseMemObject(buffer);
  return many ? std::optional(LinkTimes{*few, *many}) : std::nullopt;
}

}  // namespace samcl::driver
