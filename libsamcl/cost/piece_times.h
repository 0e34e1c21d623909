// How long pieces of a kernel take on one device, by size: how large a slice of it may be, and whether a launch is
// short.
//
// More work-items never take less time, and n times as many at most n times as long (what launching costs by itself is
// then counted n times). So a size that was never measured takes at most what each measured one says; the least of
// these is expected. Of each size the least of the last two times counts: what else the machine does only adds to them.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace samcl {

class PieceTimes {
 public:
  // A piece of so many work-items took that long, as the device tells.
  void took(uint64_t work_items, uint64_t ns);

  // What a piece of so many work-items takes at most, ns; 0: nothing is known.
  uint64_t expect(uint64_t work_items) const;

  // How many work-items take about `ns`: at most kGrowth times as many as were measured, so that an error of a short
  // time does not grow; or, with a margin, as many as take that if they take so many times longer than is expected. 0:
  // nothing is known.
  uint64_t fitting(uint64_t ns, uint64_t margin = 0) const;
  // The same by one piece, which took `took_ns`.
  static uint64_t fitting(uint64_t work_items, uint64_t took_ns, uint64_t ns, uint64_t margin);
  static constexpr uint64_t kGrowth = 8;

  // Whether the time of the next piece should be taken, where that costs the driver something: now and then, seldom if
  // nobody else waits for the device, and when the last one says that the kernel has changed. One caller is told.
  bool wants_time(bool is_alone = false);
  // Some pieces took much longer than expected, as far as the host sees.
  void doubt() { doubted_.store(true, std::memory_order_relaxed); }

 private:
  struct Measured {
    uint64_t work_items, ns;
  };
  // Sizes within a factor of two.
  struct Class {
    Measured last, before;
    const Measured& least() const { return takes_less(last, before) ? last : before; }
  };
  static bool takes_less(const Measured& one, const Measured& other);
  static int class_of(uint64_t work_items);

  mutable std::mutex mutex_;
  std::vector<Class> classes_;  // guarded by the mutex; smaller sizes first
  std::atomic<uint32_t> since_{0};
  std::atomic<bool> doubted_{false};
};

}  // namespace samcl
