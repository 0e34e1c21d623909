// On how many of its devices a context's launches run in parts. Each device more leaves the others less to compute, and
// costs the host the time to give it a part: of many short launches two parts pay where four do not.
//
// What launches would cost on other numbers of devices, once these have what they need, is followed beside what they
// are predicted to cost on this one. When another one would have saved as much as moving to it costs, it is taken (rent
// or buy, as in cost/ways.h). One that was measured to be slower than one device is not taken again, and no larger one.
//
// now(): any thread. The rest: under the lock of the context's graph.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace samcl {

class Width {
 public:
  // devices: those in use, at most. All of them at first.
  explicit Width(size_t devices);

  // The numbers of devices that are considered, ascending: two, three, four, six, eight and so on, and all. One at
  // least.
  std::span<const size_t> all() const { return all_; }
  size_t now() const { return now_.load(std::memory_order_relaxed); }

  // A launch would cost costs[i] on all()[i] devices; to have its bytes on another number of devices takes so many ns.
  // Whether another one is now taken.
  bool add(std::span<const uint64_t> costs, uint64_t moving_ns);

  // Parts on so many devices as now were slower than one device. Whether fewer are now taken.
  bool failed();

  // Predictions err: what another number of devices is to save beyond moving there, ns; four times as much each time.
  static constexpr uint64_t kMargin = 100'000;

 private:
  void take(size_t index);

  std::vector<size_t> all_;
  std::vector<uint64_t> saved_;  // by each of these against the one that is taken, ns
  size_t index_;                 // of that
  size_t allowed_;               // so many of the first ones
  uint64_t margin_ = kMargin;
  std::atomic<size_t> now_;
};

}  // namespace samcl
