// Depth-first branch and bound over modes: tasks are decided from the most urgent down. A partial choice
// whose bound (every undecided task counts with its least, see kUndecided) is not schedulable is left, since
// none of its completions is. What is found is schedulable; if all branches are left, nothing is.
#pragma once

#include "analysis/modes/candidates.h"

namespace samcl::analysis {

enum class Found { modes, nothing, gave_up };

class Branches {
 public:
  // Gives up after so many bounds; 0: never.
  Branches(Candidates& candidates, int64_t most_bounds);

  Found explore() { return explore(0); }
  const Modes& modes() const { return modes_; }  // if found

 private:
  Found explore(size_t depth);

  Candidates& candidates_;
  int64_t most_bounds_;
  int64_t bounds_ = 0;
  Modes modes_;
};

}  // namespace samcl::analysis
