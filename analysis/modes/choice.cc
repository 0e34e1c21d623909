#include "analysis/modes/choice.h"

#include "analysis/modes/candidates.h"

namespace samcl::analysis {

const char* name(ModePolicy policy) {
  switch (policy) {
    case ModePolicy::single: return "single";
    case ModePolicy::local: return "local";
    case ModePolicy::gema: return "gema";
    case ModePolicy::gpa: return "gpa";
    case ModePolicy::search: return "search";
    case ModePolicy::optimal: return "optimal";
  }
  return "?";
}

Choice choose_modes(const TaskSet& set, Form form, ModePolicy policy, PriorityOrder order) {
  Candidates candidates(set, form, std::move(order));
  switch (policy) {
    case ModePolicy::single: return choose_single(candidates);
    case ModePolicy::local: return choose_local(candidates);
    case ModePolicy::gema: return choose_gema(candidates);
    case ModePolicy::gpa: return choose_gpa(candidates);
    case ModePolicy::search: return choose_search(candidates);
    case ModePolicy::optimal: return choose_optimal(candidates);
  }
  return {};
}

}  // namespace samcl::analysis
