// Whether splitting a kernel pays, found out by its launches' times: one whose launches spend more time on moving
// and merging bytes, or on being split, than on computing is tried on one device, and stays where it is faster.
// A launch for which nothing had to move is only suspected if it is very short: what the program uploads and
// downloads, each device over its own link, is not in the launch's time, and gains by splitting.
//
// Threads: any.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>

namespace samcl {

class SplitChoice {
 public:
  // Whether to split the next launch of so many work-items.
  bool split(uint64_t work_items) const;

  // Whether the next launch, which does as split() says, is to be timed and told of by one of the functions below.
  // Timing keeps the devices' queues from running ahead: once enough is known only some split launches are, and
  // those on one device not before splitting is tried again. To be asked once for every launch.
  bool wants_time(uint64_t work_items);

  // How long a split launch took from its start to its end, and how much of that its parts computed, summed over
  // the parts: about what one device would have computed. ns. moved: bytes had to move for it.
  void split_took(uint64_t work_items, uint64_t total_ns, uint64_t computing_ns, bool moved);

  // The same for a launch on one device because split() said so.
  void whole_took(uint64_t work_items, uint64_t total_ns);

 private:
  struct Launch {
    uint64_t total_ns = 0;
    uint64_t computing_ns = 0;
    bool burdened = false;  // took longer than computing, for which splitting is to blame
  };
  struct Sum {
    uint32_t launches = 0, burdened = 0;
    uint64_t total_ns = 0, computing_ns = 0;
    void add(const Launch& launch);
    void remove(const Launch& launch);
    double mean_ns() const { return static_cast<double>(total_ns) / launches; }
  };
  // Launches of sizes within a factor of two.
  struct Case {
    bool whole = false;
    uint32_t launches = 0;    // since `whole` last changed; split ones only if timed
    uint32_t untimed = 0;     // split ones
    std::array<Launch, 8> recent{};  // split ones, the oldest overwritten
    Sum many{};                      // split ones, up to kMany
    double split_ns = 0, whole_ns = 0;  // 0: not known
    uint32_t review = 0;                // launches on one device until splitting is tried again
  };
  static Sum recent_of(const Case& here);
  Case& of(uint64_t work_items);

  mutable std::mutex mutex_;
  std::array<Case, 64> cases_;
};

}  // namespace samcl
