// Which of a device's in-order queues commands go to, so that what a program gives to several command queues runs at
// the same time, as a driver has it: small kernels of one beside those of another, and one's last work-groups beside
// the next one's first.
//
// All go to the first strand until a queue finds there what another queue has left to do, twice; then that one gets a
// strand of its own. What depends on something in another strand waits for it in the host, which takes longer than
// behind it in one queue: a strand whose commands often do so is closed, and its queues' commands go to the first
// again.
//
// A few are for launches that run beside others of their own queue: those that do not fill the device, and need nothing
// of what is in its strands.
//
// Guarded by the graph's lock.
#pragma once

#include <array>
#include <cstdint>

#include "libsamcl/device/real_device.h"

namespace samcl {

// A command queue's.
struct StrandUse {
  unsigned strand = 0, met_others = 0;
};

class Strands {
 public:
  // always: each queue but one has a strand of its own from the start, and none is closed.
  explicit Strands(bool always) : always_(always) {}

  bool are_always() const { return always_; }
  // The strand of the next command of that queue. is_busy: the first strand has something to do.
  unsigned of(StrandUse& use, bool is_busy);
  // Operations of a command that goes to the one wait for what is in the other.
  void waits(unsigned strand, unsigned other);

  // Strands, a bit for each.
  using Set = uint32_t;
  static_assert(RealDevice::kMostStrands <= 32);
  static constexpr Set only(unsigned strand) { return Set{1} << strand; }
  // What each has to do: operations.
  using Loads = std::array<size_t, RealDevice::kMostStrands>;
  // Where a launch goes that may run beside others. usual: where it would go else; before: those with something that it
  // comes after. The result may have to be made.
  static unsigned beside(unsigned usual, Set before, const Loads& loads);
  // ns that such a launch takes, at least: what depends on it may wait for it in the host.
  static constexpr uint64_t kLeastBesideNs = 200'000;
  static constexpr unsigned kMost = RealDevice::kMostStrands, kFirstBeside = kMost - 7;
  static constexpr Set kForBeside = ~((Set{1} << kFirstBeside) - 1);

 private:
  static constexpr unsigned kMeets = 2;
  // A strand is closed that one in so many of its commands connects with others, once there have been some.
  static constexpr uint64_t kSeldom = 4, kSome = 4;
  struct Strand {
    uint64_t commands = 0, waits = 0;
    bool is_closed = false;
  };
  unsigned next();

  const bool always_;
  std::array<Strand, kMost> strands_;
  const StrandUse* last_on_first_ = nullptr;  // only compared
  unsigned last_given_ = 0;
};

}  // namespace samcl
