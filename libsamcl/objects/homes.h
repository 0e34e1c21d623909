// On which devices launches of several queues run whole, where these are at work at the same time: what one queue does
// is of no concern to the others, so that each has a device to itself, and none waits for another device's part.
//
// All are at home on the first device, until a queue's launches have met others there for as long as it takes to go to
// another device, with the bytes that they use; then it goes to the one with the fewest, if that leaves no device with
// fewer than the others. A queue whose launches then spend their time on bytes that other devices have comes back for
// good; one that does most of the work of all may have its launches in parts.
//
// Guarded by the graph's lock.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <span>

namespace samcl {

// A command queue's.
struct HomeUse {
  unsigned device = 0;
  bool meets_others = false;  // has, once: it counts
  bool stays = false;         // on the first device, from now on
  uint64_t waited_ns = 0;     // its launches beside others'
  uint64_t computed_ns = 0, moved_ns = 0;
  uint64_t unseen_ns = 0;             // of launches that Homes::of() was not asked of
  uint64_t recent_ns = 0, epoch = 0;  // of the work of late
};

class Homes {
 public:
  // What is known of a launch that runs whole.
  struct Launch {
    uint64_t ns = 0;            // that it computes
    bool meets_others = false;  // others' work runs on its queue's home now, which it would fill
    // ns of bytes that only other devices have, before it can run on that one.
    std::function<uint64_t(unsigned device)> moving_ns;
    // Whether it can run there; if not, that is seen to, once it is worth so many ns.
    std::function<bool(unsigned device, uint64_t worth_ns)> is_ready;
  };
  // Where it is at home, of these devices: the first one and others.
  unsigned of(HomeUse& use, const Launch& launch, std::span<const unsigned> devices);

  // A launch of that queue is about to follow another one, without being planned: whether it is to be planned after
  // all, since of() has not been asked for a while. ns: 0: what it takes is not known.
  static bool is_due(HomeUse& use, uint64_t ns) {
    use.unseen_ns += ns > 0 ? ns : kUnseenNs / 8;
    return use.unseen_ns >= kUnseenNs;
  }

  // Whether devices do better with other queues' work than with parts of that queue's launches.
  bool are_many(const HomeUse& use);
  // What that said last. Any thread.
  bool were_many() const { return were_many_.load(std::memory_order_relaxed); }

  // The queue is gone. Any thread.
  void left(const HomeUse& use) {
    if (use.meets_others) --queues_[use.device];
  }

  // A launch that is shorter does not gain by that.
  static constexpr uint64_t kLeastNs = 20'000;
  static constexpr uint64_t kUnseenNs = 400'000;
  // What moving may take beside computing, and always.
  static constexpr uint64_t kMostMoving = 2, kSomeMovingNs = 2'000'000;
  // A queue does most of the work with that part of it.
  static constexpr double kMost = 0.7;

 private:
  void count(HomeUse& use, uint64_t ns);
  void move(HomeUse& use, unsigned device);

  static constexpr uint64_t kRecentNs = 20'000'000;
  std::array<std::atomic<unsigned>, 30> queues_{};  // by device
  bool are_elsewhere_ = false, is_closed_ = false;
  std::atomic<bool> were_many_{false};
  uint64_t recent_ns_ = 0, epoch_ = 0;
  uint64_t waited_ns_ = 0;  // all together
};

}  // namespace samcl
