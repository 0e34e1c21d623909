#include "analysis/modes/choice.h"

#include "analysis/modes/candidates.h"

namespace samcl::analysis {

const char* name(Policy policy) {
  switch (policy) {
    case Policy::single: return "single";
    case Policy::local: return "local";
    case Policy::gema: return "gema";
    case Policy::gpa: return "gpa";
    case Policy::search: return "search";
    case Policy::optimal: return "optimal";
  }
  return "?";
}

Choice choose_modes(const TaskSet& set, Form form, Policy policy, PriorityOrder order) {
  Candidates candidates(set, form, std::move(order));
  switch (policy) {
    case Policy::single: return choose_single(candidates);
    case Policy::local: return choose_local(candidates);
    case Policy::gema: return choose_gema(candidates);
    case Policy::gpa: return choose_gpa(candidates);
    case Policy::search: return choose_search(candidates);
    case Policy::optimal: return choose_optimal(candidates);
  }
  return {};
}

}  // namespace samcl::analysis
