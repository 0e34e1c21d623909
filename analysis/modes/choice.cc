#include "analysis/modes/choice.h"

#include "analysis/modes/candidates.h"

namespace samcl::analysis {

const char* name(ModePolicy policy) {
  constexpr const char* kNames[] = {"single", "local", "gema", "gpa", "search", "optimal"};
  return kNames[static_cast<size_t>(policy)];
}

Choice choose_modes(const TaskSet& set, Form form, ModePolicy policy, PriorityOrder order) {
  constexpr Choice (*kChoose[])(Candidates&) = {choose_single, choose_local,  choose_gema,
                                                choose_gpa,    choose_search, choose_optimal};
  Candidates candidates(set, form, std::move(order));
  Choice choice = kChoose[static_cast<size_t>(policy)](candidates);
  choice.analyses = candidates.analyses();
  return choice;
}

}  // namespace samcl::analysis
