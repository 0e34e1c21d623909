#include "analysis/rta/together.h"

#include <algorithm>
#include <optional>

#include "analysis/rta/core.h"
#include "analysis/rta/job_window.h"

namespace samcl::analysis {
namespace {

constexpr int kMostRounds = 100;

// The stages in their tasks' modes, most urgent task first; each ends as if nothing else ran.
std::vector<TimedTask> timed_tasks(const TaskSet& set, std::span<const int> modes, const PriorityOrder& order) {
  std::vector<TimedTask> tasks;
  for (const size_t i : order) {
    TimedTask& task = tasks.emplace_back();
    task.period = set.tasks[i].period;
    task.work = set.tasks[i].work_in(modes[i]);
    Time earliest = 0, end = 0;
    for (const Stage& stage : set.tasks[i].stages) {
      TimedStage timed;
      timed.resource = stage.resource;
      timed.worst = stage.worst_in(modes[i]);
      timed.section = stage.section_in(modes[i]);
      timed.subtasks = set.platform.subtasks(stage, modes[i]);
      timed.whole = stage.whole_in(modes[i]);
      timed.earliest = earliest;
      timed.end = end += timed.worst;
      earliest += stage.best_in(modes[i]);
      task.stages.push_back(timed);
    }
  }
  return tasks;
}

bool applies(const TaskSet& set) {
  if (set.platform.bound) return false;
  for (const Task& task : set.tasks) {
    if (task.late > 0) return false;
    for (const Stage& stage : task.stages)
      if (stage.requests > 1 || stage.most_threads() > 1) return false;
  }
  return true;
}

// Ends of stages are assumed, and found under that assumption, until no end found is beyond the one assumed.
class Together {
 public:
  Together(const TaskSet& set, std::span<const int> modes, const PriorityOrder& order, const Bounds& safe)
      : set_(set),
        modes_(modes),
        order_(order),
        safe_(safe),
        tasks_(timed_tasks(set, modes, order)),
        position_(order.size()) {
    for (size_t at = 0; at < order.size(); ++at) position_[order[at]] = at;
  }

  // Nothing if some task may exceed its period.
  std::optional<Bounds> solve() {
    for (int round = 0; round < kMostRounds; ++round) {
      const std::vector<TimedTask> assumed = tasks_;
      Bounds bounds = make_safe(set_, order_, [this](size_t task, size_t stage, double end) {
                        return tighter(task, stage, end);
                      })->bounds(modes_);
      if (!kept_) break;
      if (!grow(assumed)) {
        for (TaskBound& task : bounds.tasks) task.proven = true;
        bounds.together = true;
        return bounds;
      }
    }
    return std::nullopt;
  }

 private:
  // The stage's end: by the safe form as it was and as it is now, or by theorem 4 for the stages from any earlier one
  // on, whichever is the earliest.
  double tighter(size_t i, size_t j, double end) {
    if (!kept_) return end;
    const size_t at = position_[i];
    TimedTask& task = tasks_[at];
    Time least = std::min(safe_.tasks[i].stages[j].finish, task.period + 1);
    if (end < static_cast<double>(least)) least = static_cast<Time>(end);
    for (size_t first = j + 1; first-- > 0;) {
      const Time ready = first == 0 ? 0 : task.stages[first - 1].end;
      JobWindow window(set_.platform, tasks_, at);
      for (size_t n = first; n <= j; ++n) window.append(task.stages[n]);
      least = std::min(least, ready + window.end(least - ready));
    }
    task.stages[j].ready = j == 0 ? 0 : task.stages[j - 1].end;
    task.stages[j].end = least;
    kept_ = least <= task.period;
    return static_cast<double>(least);
  }

  // Assumes the later end, where one was found beyond the one assumed. Was there one?
  bool grow(const std::vector<TimedTask>& assumed) {
    bool grown = false;
    for (size_t n = 0; n < tasks_.size(); ++n)
      for (size_t j = 0; j < tasks_[n].stages.size(); ++j) {
        Time& end = tasks_[n].stages[j].end;
        grown = grown || end > assumed[n].stages[j].end;
        end = std::max(end, assumed[n].stages[j].end);
      }
    return grown;
  }

  const TaskSet& set_;
  std::span<const int> modes_;
  const PriorityOrder& order_;
  const Bounds& safe_;
  std::vector<TimedTask> tasks_;  // in the order of priority
  std::vector<size_t> position_;  // [index in the set]
  bool kept_ = true;              // as far as was seen, all tasks keep to their periods
};

}  // namespace

Bounds analyse_together(const TaskSet& set, std::span<const int> modes, PriorityOrder order) {
  if (order.empty()) order = priority_order(set);
  Bounds safe = analyse(set, modes, Form::safe, order);
  if (!applies(set)) return safe;
  auto tightened = Together(set, modes, order, safe).solve();
  return tightened ? *std::move(tightened) : safe;
}

}  // namespace samcl::analysis
