// How much one connection, or one user, may ask of the daemon, which does everything at the highest priority: so much a
// second, and some at once. Pure logic.
#pragma once

#include <algorithm>
#include <cstdint>

namespace samcl::daemon {

class RateLimit {
 public:
  // In small messages (protocol/messages.h). A program that is contended for sends two for each slice or chunk.
  static constexpr uint64_t kPerSecond = 20'000;
  static constexpr uint64_t kAtOnce = 2'000;
  // A document is read, answered and logged; for a thread's priority the kernel is asked.
  static constexpr uint64_t kDocument = 50;
  static constexpr uint64_t kAttachThread = 10;
  static constexpr uint64_t kConnection = 10;

  // Whether it may be heard now; times in ns.
  bool has_any(uint64_t now_ns) {
    const uint64_t earned = (now_ns - since_ns_) / kNsEach;
    since_ns_ += earned * kNsEach;
    left_ = std::min(left_ + static_cast<int64_t>(std::min(earned, kAtOnce)), static_cast<int64_t>(kAtOnce));
    return left_ > 0;
  }
  bool is_full(uint64_t now_ns) { return has_any(now_ns) && left_ == static_cast<int64_t>(kAtOnce); }
  // It was heard. What is taken beyond what was left has to be earned first.
  void take(uint64_t cost) { left_ -= static_cast<int64_t>(cost); }

 private:
  static constexpr uint64_t kNsEach = 1'000'000'000 / kPerSecond;
  uint64_t since_ns_ = 0;
  int64_t left_ = kAtOnce;
};

}  // namespace samcl::daemon
