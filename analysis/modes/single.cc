#include "analysis/modes/candidates.h"

namespace samcl::analysis {

Choice choose_single(Candidates& candidates) { return candidates.choice(Modes(candidates.size(), 1)); }

}  // namespace samcl::analysis
