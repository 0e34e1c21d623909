#include "analysis/dbf/staircase.h"

#include <algorithm>

namespace samcl::analysis::dbf {

Time value_at(const Staircase& steps, Time t) {
  const auto after =
      std::upper_bound(steps.begin(), steps.end(), t, [](Time value, const Step& step) { return value < step.at; });
  return after == steps.begin() ? 0 : std::prev(after)->demand;
}

Staircase larger_of(const Staircase& steps, const Staircase& moved, Time later, Time more) {
  Staircase merged;
  merged.reserve(steps.size() + moved.size());
  const auto add = [&](const Step& step) {
    if (!merged.empty() && step.demand <= merged.back().demand) return;
    if (!merged.empty() && step.at == merged.back().at)
      merged.back().demand = step.demand;
    else
      merged.push_back(step);
  };
  auto a = steps.begin();
  for (const Step& b : moved) {
    const Step step{b.at + later, b.demand + more};
    for (; a != steps.end() && a->at <= step.at; ++a) add(*a);
    add(step);
  }
  for (; a != steps.end(); ++a) add(*a);
  return merged;
}

}  // namespace samcl::analysis::dbf
