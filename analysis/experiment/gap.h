// How far bounds are from what simulation cannot disprove: of GPU-SAM's random sets at some U_G, those that the safe
// form makes schedulable, those that rta/together.h does, those that rta/exact.h finds to be, and those in which no
// deadline was seen missed.
#pragma once

#include "analysis/generator/paper_sets.h"

namespace samcl::analysis {

struct GapOptions {
  int64_t sets = 40;  // at each U_G
  uint64_t seed = 1;
  double most_share = 1;   // of its period that a task executes
  int plans = 24000;       // simulated for each choice of modes, a third at random and the others changed step by step
  double utilisation = 0;  // U_G is above this, and by no more than kTargetStep
};

struct Gap {
  int64_t sets = 0, tasks = 0;
  int64_t safe = 0;      // schedulable in some modes
  int64_t together = 0;  // likewise, or safe
  int64_t exact = 0;     // likewise, or together
  int64_t possible = 0;  // in some modes no deadline was missed in any plan, nor exactly; or exact
};

// Modes: what policies choose, and for sets of at most four tasks all there are. Exact: sets of two tasks.
Gap find_gap(const GapOptions& options);

}  // namespace samcl::analysis
