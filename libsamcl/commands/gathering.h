// Launches on their way to a driver's queue that are given to it as one.
//
// A driver takes some us for a launch, however little it computes. While it takes one, the next ones wait
// (device/launch_ring.h). Those of one kernel that differ in integers alone which grow by constant steps, and are known
// to be independent (program/launch_series.h), are given to it together when it is their turn, as one launch of a
// variant of the kernel that has one dimension more. As long as the device is expected to have enough to do, they wait
// a little for more: the more there is to do, the more is done at once, and a device that such launches do not fill is
// filled, too.
//
// Programs launch several kernels in turn for each plane. A launch joins those of its kernel also where others were put
// behind them, if it may change places with these.
//
// Of one operation (commands/following.h). Under the lock of the context's graph.
#pragma once

#include <cstdint>
#include <optional>

#include "base/small_vector.h"
#include "libsamcl/device/real_device.h"
#include "libsamcl/plan/launch_plan.h"

namespace samcl {

class Context;

class Gathering {
 public:
  // Whether launches of that kernel may be gathered, on a device that it runs on.
  static bool may_gather(const LaunchRequest& launch, const Context& context, const RealDevice& device);

  // Of a launch of such a kernel, each: what is known of its series. Whether it may run together with others.
  bool observe(const LaunchRequest& launch, Context& context, const RealDevice& device);
  // When that was, of one that may.
  uint64_t observed_ns() const { return now_ns_; }

  // Where it may: the launch that was observed last runs with one that waits for the driver. False: it has to be put
  // there itself.
  bool join(const LaunchRequest& launch, RealDevice& device);
  // Until when it may wait there: as long as the device has enough to do. And: it is expected to take so long.
  uint64_t may_wait_until_ns() const;
  void expect(uint64_t ns);
  // It was put there, as the last of what waits; or some other launch was, beside which none that come later may run.
  void was_put(const LaunchRequest& launch, RealDevice& device);
  void other_was_put() { waiting_.clear(); }

 private:
  // What was put there: launches `first` and those after it, of a kernel's series.
  struct Waiting {
    Kernel* kernel;  // kept by the operation
    uint64_t version, put;
    uint64_t first, count;
  };
  static bool join(const LaunchRequest& launch, RealDevice& device, Waiting& waiting);

  uint64_t now_ns_ = 0, busy_until_ns_ = 0;  // as far as is expected
  static constexpr size_t kMostWaiting = 4;
  SmallVector<Waiting, kMostWaiting> waiting_;  // in their order
  std::optional<uint64_t> number_;              // of the launch that was observed last, in its series
};

}  // namespace samcl
