// Branch and bound to the end. The default search goes first: where it succeeds, or proves that there is
// nothing, nothing is left to do.
#include "analysis/modes/branches.h"

namespace samcl::analysis {

Choice choose_optimal(Candidates& candidates) {
  Choice choice = choose_search(candidates);
  if (choice.schedulable || choice.impossible) return choice;
  Branches branches(candidates, 0);
  if (branches.explore() == Found::modes) {
    choice = candidates.choice(choice.start, branches.modes());
  } else {
    choice.impossible = true;
  }
  choice.analyses = candidates.analyses();
  return choice;
}

}  // namespace samcl::analysis
