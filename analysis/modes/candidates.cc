#include "analysis/modes/candidates.h"

#include <algorithm>
#include <utility>

namespace samcl::analysis {
namespace {

// What an unbounded response counts as: more than any bounded one.
constexpr double kUnboundedRatio = 64 * kLimit;

double ratio_of(const Task& task, Time response) {
  if (response == kUnbounded) return kUnboundedRatio;
  return static_cast<double>(response) / static_cast<double>(task.deadline);
}

bool indifferent(const Task& task, const Platform& platform) {
  if (task.uses(Resource::gpu) || (platform.bound && task.uses(Resource::link))) return false;
  const auto same = [](const auto& by_mode) {
    return std::all_of(by_mode.begin(), by_mode.end(), [&](const auto& value) { return value == by_mode.front(); });
  };
  return std::all_of(task.stages.begin(), task.stages.end(), [&](const Stage& stage) {
    return same(stage.worst) && same(stage.best) && same(stage.between) && same(stage.host) && same(stage.threads);
  });
}

}  // namespace

Lateness lateness_of(const TaskSet& set, std::span<const Time> responses) {
  Lateness lateness;
  for (size_t i = 0; i < responses.size(); ++i) {
    const double ratio = ratio_of(set.tasks[i], responses[i]);
    lateness.late += std::max(0.0, ratio - 1);
    lateness.full += ratio;
  }
  return lateness;
}

size_t latest_of(const TaskSet& set, std::span<const Time> responses) {
  size_t latest = 0;
  for (size_t i = 1; i < responses.size(); ++i)
    if (ratio_of(set.tasks[i], responses[i]) > ratio_of(set.tasks[latest], responses[latest])) latest = i;
  return latest;
}

Candidates::Candidates(const TaskSet& set, Form form, PriorityOrder order)
    : set_(&set),
      order_(order.empty() ? priority_order(set) : std::move(order)),
      analysis_(set, form, order_),
      exact_bounds_(form != Form::safe) {
  const std::vector<int> known = modes_of(set.platform, form);
  for (const Task& task : set.tasks) {
    auto& modes = modes_.emplace_back(indifferent(task, set.platform) ? std::vector{1} : known);
    std::erase_if(modes, [most = task.largest_mode(set.platform)](int mode) { return mode > most; });
  }
}

int Candidates::fastest(size_t task) const {
  const auto time = [&](int mode) {
    Time sum = 0;
    for (const Stage& stage : set_->tasks[task].stages) sum += stage.length_in(mode);
    return sum;
  };
  return *std::min_element(modes_[task].begin(), modes_[task].end(), [&](int a, int b) { return time(a) < time(b); });
}

double Candidates::ratio(const Modes& modes, double enough) {
  ++analyses_;
  // Nothing is worse than unbounded: the analysis may stop at the first task that is.
  return analysis_.worst_ratio(modes, std::min(enough, std::numeric_limits<double>::max()));
}

Lateness Candidates::lateness(const Modes& modes) {
  ++analyses_;
  return lateness_of(*set_, analysis_.responses(modes));
}

size_t Candidates::latest(const Modes& modes) {
  ++analyses_;
  return latest_of(*set_, analysis_.responses(modes));
}

Choice Candidates::choice(const Modes& modes) { return choice(modes, modes); }

Choice Candidates::choice(const Modes& start, const Modes& modes) {
  Choice choice;
  choice.start = start;
  choice.start_ratio = choice.ratio = ratio(start);
  choice.modes = start;
  for (const size_t task : order_) {
    if (choice.modes[task] == modes[task]) continue;
    choice.modes[task] = modes[task];
    choice.ratio = ratio(choice.modes);
    choice.steps.push_back({task, modes[task], choice.ratio});
  }
  choice.schedulable = choice.ratio < kLate;
  return choice;
}

void take(Choice& choice, const ModeStep& step) {
  if (choice.modes[step.task] != step.mode) choice.steps.push_back(step);
  choice.modes[step.task] = step.mode;
  choice.ratio = step.ratio;
  choice.schedulable = step.ratio < kLate;
}

}  // namespace samcl::analysis
