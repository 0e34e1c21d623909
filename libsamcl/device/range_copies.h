// Copies many ranges between two memory objects of a device by one kernel of ours: a driver takes 5 us and more for
// each copy command, serves one thread at a time, and a halo has many ranges.
#pragma once

#include <CL/cl.h>

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>

#include "base/rectangle.h"

namespace samcl {

class RealDevice;

class RangeCopies {
 public:
  explicit RangeCopies(const RealDevice& device) : device_(device) {}
  ~RangeCopies();
  RangeCopies(const RangeCopies&) = delete;
  RangeCopies& operator=(const RangeCopies&) = delete;

  // What one kernel takes at most; fewer than the least are left to copy commands.
  static constexpr size_t kLeast = 3, kMost = 32;

  // Enqueues the copies of `pairs` (source, target), none of which overlap, without waiting. event: of the last of
  // them. The driver's code; nothing if that is left to copy commands: rows that are no runs, few or many of them, or a
  // driver that does not build the kernel. Any thread; the first call builds it.
  std::optional<cl_int> enqueue(cl_command_queue queue, cl_mem from, cl_mem to,
                                std::span<const RectanglePairs::value_type> pairs, cl_event* event);

 private:
  cl_kernel kernel_for(uint64_t unit);

  const RealDevice& device_;
  std::mutex mutex_;                       // guards what follows, and the kernels' arguments
  std::map<uint64_t, cl_kernel> kernels_;  // by bytes that a work-item copies at once; nullptr: it does not build
};

}  // namespace samcl
