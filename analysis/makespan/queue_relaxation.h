// An upper bound on the slots until all warps have ended, from a relaxation that forgets where warps stand
// and remembers only how many are ready for each unit, and that only up to the largest capacity.
//
// In the relaxation a slot moves warps from unit to unit (or to their end) as the kernel string has such
// pairs of neighbours, any pair at any time. What ties it to the kernel is how often each kind of move is
// left to be made. These counts enter with prices (Lagrange multipliers), so that a state's bound is
//
//     sum over kinds of moves of price * moves left  +  potential(class of the warps that are ready)
//
// where every slot lowers this value by at least 1. Once few warps are left, each of them may add all of its
// own slots. Any prices and potentials that satisfy the inequalities give a right bound; the best ones for
// the start are the optimum of a small linear program, solved exactly when the
// relaxation is made.
//
// For kernels without latencies above 1.
#pragma once

#include <optional>

#include "analysis/makespan/chain.h"

namespace samcl::analysis::makespan {

// How many warps are ready for each unit. In a class `kept` stands for that many or more.
using Ready = std::vector<int>;

class QueueRelaxation {
 public:
  // The best for that many warps at the start of the chain. Nothing if the chain has latencies, there are too
  // few warps, or the linear program would be too large.
  static std::optional<QueueRelaxation> make(const Chain& chain, int warps);

  // Nothing where it does not apply: few warps are left.
  std::optional<Slots> bound(const Chain& chain, const Count* counts) const;

 private:
  size_t code(const Ready& ready) const;

  int kept_ = 1;
  int few_ = 1;
  int64_t denominator_ = 1;
  std::vector<int64_t> price_from_;  // per place: all moves of a warp that stands there, in 1/denominator
  std::vector<int64_t> potential_;   // per code of a class, in 1/denominator
};

}  // namespace samcl::analysis::makespan
