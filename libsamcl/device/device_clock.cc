#include "libsamcl/device/device_clock.h"

#include <algorithm>
#include <cstdlib>

namespace samcl {
namespace {

// The clocks may drift apart by one part of so many.
constexpr uint64_t kDrift = 10'000;
constexpr int64_t kMostWrong = 1'000'000;

}  // namespace

void LearnedClock::learn(uint64_t device_time, uint64_t now) {
  const auto seen = static_cast<int64_t>(now - device_time);
  const auto drifted = static_cast<int64_t>((now - learned_ns_) / kDrift);
  ahead_ns_ = learned_ns_ == 0 ? seen : std::min(seen, ahead_ns_ + drifted);
  learned_ns_ = now;
}

void LearnedClock::set(uint64_t not_before_ns) {
  if (learned_ns_ == 0) return;
  std::lock_guard lock(mutex_);
  present_ = {ahead_ns_, not_before_ns};
}

bool LearnedClock::is_wrong() const {
  const std::optional<DeviceClock> told_by = present();
  return !told_by || std::abs(ahead_ns_ - told_by->ahead_ns) > kMostWrong;
}

std::optional<DeviceClock> LearnedClock::present() const {
  std::lock_guard lock(mutex_);
  return present_;
}

}  // namespace samcl
