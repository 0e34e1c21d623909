// How estimates of T(W) come down with the number of warps y that T(y) was computed for (the paper's Figures
// 5 to 7).
//
// The paper estimates T(W) <= min over y of ceil(W / y) T(y): as if y warps at a time ran to their end. With
// a work-conserving scheduler this need not hold: for LCL with Lambda = 1, T(2) = 4 but T(4) = 9 > 2 * 4,
// because the second pair can hold the first one up in ways in which it can't hold up itself. It holds for y
// = 1 if each capacity is 1. What is proven for every W is worst_case().bound.
#pragma once

#include <functional>

#include "analysis/makespan/worst_case.h"

namespace samcl::analysis::makespan {

struct ConvergencePoint {
  int warps = 0;       // y
  Slots makespan = 0;  // T(y), exact
  Slots estimate = 0;  // ceil(W / y) T(y)
  Slots least = 0;     // estimate, of this and all smaller y
  double seconds = 0;  // that T(y) took, if there was a clock
};

struct Convergence {
  int warps = 0;        // W
  Slots published = 0;  // published_bound
  Slots safe = 0;       // safe_bound
  WorstCase worst;      // of all W
  std::vector<ConvergencePoint> points;

  // A schedule takes longer than the paper's estimate.
  bool estimate_exceeded() const { return !points.empty() && points.back().least < worst.attained; }
};

// Points for y = 1, 2, ..., most, ending before the first whose T(y) is not found exactly with this effort.
// `clock`: seconds so far.
Convergence convergence(const Kernel& kernel, int warps, int most, const Effort& effort = {},
                        const std::function<double()>& clock = {});

}  // namespace samcl::analysis::makespan
