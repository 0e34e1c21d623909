// Where to cut the launches of a kernel whose work-groups have not all equally much to do, on devices that are alike
// and have memories of their own: what the longest part takes more than the mean of all, the others are idle.
//
// Where the work lies is learned from what parts of launches took. Kernels that use the same bytes may go on being cut
// evenly, and then what lies between the cuts has to move before each launch and after it: launches are cut elsewhere
// only where more is won. Several in a row that were cut alike have to show it, ever more of them after each change:
// where the work is elsewhere each time, nothing changes for long.
//
// Threads: any.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "libsamcl/cost/work_along.h"

namespace samcl {

class UnevenWork {
 public:
  // The parts of a launch, from one end of the NDRange to the other, each took that long. moving_ns: all bytes that it
  // uses would take to another device. The first launch is left out: many drivers compile for it.
  void took(std::span<const Covered> parts, std::span<const uint64_t> ns, uint64_t moving_ns);

  // Whether the times of the next launch's parts should be taken: the last ones were uneven.
  bool wants_times() const { return wants_times_.load(std::memory_order_relaxed); }

  // How to cut a launch in so many parts along that dimension, as weights; empty: as if all work-groups had equally
  // much to do.
  std::vector<double> shares(size_t parts, unsigned dimension) const;

  // The longest part takes so many times as long as the mean of all, where they are cut as if all had equally much to
  // do and where they are not, and so many ns longer; so many launches in a row, the first time.
  static constexpr double kUneven = 1.2, kStillUneven = 1.08;
  static constexpr uint64_t kWorthwhileNs = 30'000;
  static constexpr unsigned kPatience = 2;

 private:
  struct Along {
    WorkAlong work;
    std::vector<double> ends;  // where the launches were cut that were uneven last
    unsigned uneven = 0, patience = kPatience;
    size_t parts = 0;  // are cut as the work lies; 0: none
  };
  static std::vector<double> ends(const WorkAlong& work, size_t parts);
  std::atomic<bool> wants_times_{false};
  mutable std::mutex mutex_;
  bool has_begun_ = false;
  std::array<Along, 3> along_;
};

}  // namespace samcl
