// Copies many ranges, or rows of ranges, between two memory objects of a device by one kernel of ours: a driver takes
// 5 us and more for each copy command, serves one thread at a time, and a halo has many ranges.
#pragma once

#include <CL/cl.h>

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>

#include "base/rectangle.h"

namespace samcl {

class RealDevice;

class RangeCopies {
 public:
  // What a kernel also does where devices order themselves (device/timelines.h): says before all else how far its own
  // queue has come, and copies when another one's has come so far.
  struct InOrder {
    cl_mem own = nullptr;  // the word that tells; nullptr: none does
    cl_ulong position = 0;
    cl_mem other = nullptr;  // likewise: waits for none
    cl_ulong awaited = 0;
  };

  explicit RangeCopies(const RealDevice& device) : device_(device) {}
  ~RangeCopies();
  RangeCopies(const RangeCopies&) = delete;
  RangeCopies& operator=(const RangeCopies&) = delete;

  // What one kernel takes at most; fewer than the least are left to copy commands.
  static constexpr size_t kLeast = 3, kMost = 28;

  // Enqueues the copies of `pairs` (source, target), none of which overlap, without waiting. event: of the last of
  // them. The driver's code; nothing if that is left to copy commands: slices that are no rows, few or many of them, or
  // a driver that does not build the kernels. Any thread; the first call builds them. order: likewise nothing, but few
  // are enough.
  std::optional<cl_int> enqueue(cl_command_queue queue, cl_mem from, cl_mem to,
                                std::span<const RectanglePairs::value_type> pairs, cl_event* event,
                                const InOrder* order = nullptr);
  // Builds them now. False: they do not build.
  bool build();

 private:
  // By how many bytes a work-item copies at once.
  static constexpr std::array<uint64_t, 3> kUnits{16, 4, 1};
  bool build_locked();

  const RealDevice& device_;
  std::mutex mutex_;  // guards what follows, and the kernels' arguments
  bool is_built_ = false;
  std::array<cl_kernel, kUnits.size()> kernels_{};  // nullptr: it does not build
};

}  // namespace samcl
