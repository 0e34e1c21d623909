#include "analysis/modes/candidates.h"

namespace samcl::analysis {

Choice choose_local(Candidates& candidates) {
  Modes modes(candidates.size(), 1);
  for (size_t task = 0; task < modes.size(); ++task) modes[task] = candidates.fastest(task);
  return candidates.choice(modes);
}

}  // namespace samcl::analysis
