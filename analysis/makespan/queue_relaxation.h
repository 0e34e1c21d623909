// An upper bound on the slots until all warps have ended, from a relaxation that joins places of one unit to
// stations (see queue_classes.h) and remembers only how many warps stand at each, and that only up to `kept`.
//
// In the relaxation a slot moves warps from station to station (or to their end) as the kernel string has such
// pairs of neighbours, any pair at any time. What ties it to the kernel is how often each kind of move is left to
// be made. These counts enter with prices (Lagrange multipliers), so that a state's bound is
//
//     sum over kinds of moves of price * moves left  +  potential(warps at each station, cut off at `kept`)
//
// where no slot lowers this value by less than 1. Once `few` warps are left, each of them may add all of its own
// slots. Any prices give a right bound; the best ones and the potentials are the optimum of a small linear program,
// solved exactly, and every inequality is checked again in integers when the relaxation is made.
//
// For kernels without latencies above 1.
#pragma once

#include <optional>

#include "analysis/makespan/queue_classes.h"

namespace samcl::analysis::makespan {

class QueueRelaxation {
 public:
  // The best for that many warps at the start of the chain. Nothing if the chain has latencies, there are too few
  // warps, or the linear program would be too large.
  static std::optional<QueueRelaxation> make(const Chain& chain, int warps, Stations stations, int kept);

  // Nothing where it does not apply: few warps are left.
  std::optional<Slots> bound(const Count* counts) const;

 private:
  size_t code(const Ready& ready) const;

  Stations stations_;
  int kept_ = 1;
  int few_ = 0;
  int64_t denominator_ = 1;
  std::vector<int64_t> price_from_;  // per place: all moves of a warp that stands there, in 1/denominator
  std::vector<int64_t> potential_;   // per class, in 1/denominator; kUnknown if none is reached
};

}  // namespace samcl::analysis::makespan
