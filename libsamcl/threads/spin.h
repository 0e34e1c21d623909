// A short busy wait before a long sleep: waking a sleeping thread takes many times as long as most of what
// threads hand to each other here (a launch, a copy of a few bytes).
#pragma once

#include <sched.h>

#include <chrono>
#include <thread>

namespace samcl {

// Looks at `ready()` again and again, for at most 50 us, leaving the core to any other thread that can run.
// True as soon as it holds. With one core it only looks once.
template <typename Ready>
bool spin_until(Ready ready) {
  using Clock = std::chrono::steady_clock;
  static const bool alone = std::thread::hardware_concurrency() < 2;
  constexpr auto kLongest = std::chrono::microseconds(50);
  if (ready()) return true;
  if (alone) return false;
  for (const auto start = Clock::now(); Clock::now() - start < kLongest;) {
    sched_yield();
    if (ready()) return true;
  }
  return false;
}

}  // namespace samcl
