#include "analysis/rta/core.h"

#include <limits>

namespace samcl::analysis {
namespace {

constexpr size_t at(Resource resource) {
  return static_cast<size_t>(resource);
}

double ratio(Time response, Time deadline) {
  if (response == kUnbounded) return std::numeric_limits<double>::infinity();
  return static_cast<double>(response) / static_cast<double>(deadline);
}

}  // namespace

StageBound stage_bound(double response, double interference, double blocking, double jitter, double finish) {
  if (response >= kForever) return {kUnbounded, kUnbounded, kUnbounded, kUnbounded, kUnbounded};
  return {static_cast<Time>(response), static_cast<Time>(interference), static_cast<Time>(blocking),
          static_cast<Time>(jitter), static_cast<Time>(finish)};
}

ResponseTimeAnalysis::Core::Core(const TaskSet& set, PriorityOrder order, std::vector<int> modes)
    : set_(&set),
      order_(order.empty() ? priority_order(set) : std::move(order)),
      modes_(std::move(modes)),
      longest_{Longest(static_cast<size_t>(set.platform.cpus)),
               Longest(static_cast<size_t>(set.platform.pci)),
               Longest(static_cast<size_t>(set.platform.gpus))},
      responses_(set.tasks.size(), kUnbounded) {
  for (const Resource resource : kResources) elements_[at(resource)] = set.platform.elements(resource);
  for (const Task& task : set.tasks) stages_ += task.stages.size();
  lay_out();
}

void ResponseTimeAnalysis::Core::lay_out() {
  rows_.assign(order_.size(), TaskRow{});
  std::array<size_t, 3> next = {0, 0, 0};
  for (size_t position = 0; position < order_.size(); ++position) {
    TaskRow& row = rows_[position];
    row.index = order_[position];
    row.task = &set_->tasks[row.index];
    row.first = next;
    for (const Stage& stage : row.task->stages) {
      StageRow entry;
      entry.resource = stage.resource;
      entry.row = next[at(stage.resource)]++;
      row.uses[at(stage.resource)] = true;
      row.stages.push_back(entry);
    }
    for (const Resource resource : kResources) row.blocking[at(resource)] = longest_[at(resource)].times();
  }
  for (const Resource resource : kResources) demand_[at(resource)] = Demand(next[at(resource)]);
  for (const TaskRow& row : rows_) {
    const double period = static_cast<double>(row.task->period);
    std::array<uint32_t, 3> end = {0, 0, 0};
    for (const StageRow& stage : row.stages) end[at(stage.resource)] = static_cast<uint32_t>(stage.row + 1);
    for (const StageRow& stage : row.stages) {
      Demand& demand = demand_[at(stage.resource)];
      demand.period[stage.row] = period;
      demand.rate[stage.row] = 1 / period;
      demand.first[stage.row] = static_cast<uint32_t>(row.first[at(stage.resource)]);
      demand.end[stage.row] = end[at(stage.resource)];
    }
  }
  for (const Resource resource : kResources) cycles_[at(resource)] = Cycles(demand_[at(resource)]);
}

void ResponseTimeAnalysis::Core::take_mode(TaskRow& row, int mode) {
  row.mode = mode;
  for (size_t j = 0; j < row.stages.size(); ++j) {
    const Stage& stage = row.task->stages[j];
    StageRow& entry = row.stages[j];
    entry.worst = static_cast<double>(stage.worst_in(mode));
    entry.best = static_cast<double>(stage.best_in(mode));
    entry.subtasks = set_->platform.subtasks(stage.resource, mode);
    entry.section = static_cast<double>(stage.section_in(mode));
    entry.whole = stage.whole();
  }
}

void ResponseTimeAnalysis::Core::take_modes(std::span<const int> modes) {
  const bool partial = std::find(modes.begin(), modes.end(), kUndecided) != modes.end();
  if (partial != partial_)
    for (TaskRow& row : rows_) row.current = false;
  partial_ = partial;
  for (TaskRow& row : rows_) {
    const int mode = modes[row.index];
    if (row.mode == mode) continue;
    row.current = false;
    if (mode == kUndecided)
      row.mode = mode;
    else
      take_mode(row, mode);
  }
}

// For each rank the least of all modes: none of them blocks by less.
void ResponseTimeAnalysis::Core::least_sections(TaskRow& row, Resource resource, Longest& longest) {
  std::vector<double> least;
  for (const int mode : modes_) {
    take_mode(row, mode);
    Longest of_mode(longest.times().size());
    sections(row, resource, of_mode);
    const auto& times = of_mode.times();
    if (least.empty()) least = times;
    for (size_t n = 0; n < least.size(); ++n) least[n] = std::min(least[n], times[n]);
  }
  row.mode = kUndecided;
  for (const double time : least) longest.add(time);
}

// R in the best mode. To less urgent tasks each stage brings its least work and jitter, as one subtask that
// is never at work already: no mode brings less.
Time ResponseTimeAnalysis::Core::least_response(TaskRow& row) {
  constexpr double kMost = std::numeric_limits<double>::infinity();
  Time least = kUnbounded;
  std::vector<std::pair<double, double>> effect(row.stages.size(), {kMost, kMost});  // work, jitter
  for (const int mode : modes_) {
    take_mode(row, mode);
    least = std::min(least, respond(row, false));
    for (size_t j = 0; j < row.stages.size(); ++j) {
      const Demand& demand = demand_[at(row.stages[j].resource)];
      effect[j].first = std::min(effect[j].first, demand.work[row.stages[j].row]);
      effect[j].second = std::min(effect[j].second, demand.jitter[row.stages[j].row]);
    }
  }
  for (size_t j = 0; j < row.stages.size(); ++j) {
    const auto [work, jitter] = effect[j];
    demand_[at(row.stages[j].resource)].set(row.stages[j].row, work, 1, jitter, jitter);
  }
  row.mode = kUndecided;
  return least;
}

// From the least urgent task up: what a task cannot interrupt is what those below it run.
void ResponseTimeAnalysis::Core::take_blocking() {
  for (Longest& longest : longest_) longest.clear();
  for (size_t position = rows_.size(); position-- > 0;) {
    TaskRow& row = rows_[position];
    for (const Resource resource : kResources) {
      if (!row.uses[at(resource)]) continue;
      if (row.blocking[at(resource)] != longest_[at(resource)].times()) {
        row.blocking[at(resource)] = longest_[at(resource)].times();
        row.current = false;
      }
      if (row.mode == kUndecided)
        least_sections(row, resource, longest_[at(resource)]);
      else
        sections(row, resource, longest_[at(resource)]);
    }
  }
}

// Computes the task if anything it depends on changed, and notes on which resources it changed itself.
void ResponseTimeAnalysis::Core::settle(TaskRow& row, std::array<bool, 3>& changed, bool detail) {
  for (const Resource resource : kResources)
    if (changed[at(resource)] && row.uses[at(resource)]) row.current = false;
  if (row.current) return;
  row.response = row.mode == kUndecided ? least_response(row) : respond(row, detail);
  row.current = true;
  for (const Resource resource : kResources) {
    if (!row.uses[at(resource)]) continue;
    changed[at(resource)] = true;
    cycles_[at(resource)].sort(demand_[at(resource)],
                               cycles_[at(resource)].tasks_before(row.first[at(resource)]));
  }
  responses_[row.index] = row.response;
}

std::span<const Time> ResponseTimeAnalysis::Core::responses(std::span<const int> modes) {
  worst_ratio(modes, std::numeric_limits<double>::infinity());
  return responses_;
}

double ResponseTimeAnalysis::Core::worst_ratio(std::span<const int> modes, double enough) {
  take_modes(modes);
  take_blocking();
  std::array<bool, 3> changed = {false, false, false};
  double worst = 0;
  bool stopped = false;
  for (TaskRow& row : rows_) {
    if (stopped) {
      for (const Resource resource : kResources)
        if (changed[at(resource)] && row.uses[at(resource)]) row.current = false;
      // What depends on a task not computed is not current either.
      if (!row.current)
        for (const Resource resource : kResources) changed[at(resource)] |= row.uses[at(resource)];
      continue;
    }
    settle(row, changed, false);
    worst = std::max(worst, ratio(row.response, row.task->deadline));
    stopped = worst >= enough && enough != std::numeric_limits<double>::infinity();
  }
  return worst;
}

Bounds ResponseTimeAnalysis::Core::bounds(std::span<const int> modes) {
  take_modes(modes);
  take_blocking();
  std::array<bool, 3> changed = {false, false, false};
  for (TaskRow& row : rows_) {
    row.current = false;
    settle(row, changed, true);
  }
  return report();
}

Bounds ResponseTimeAnalysis::Core::report() const {
  Bounds bounds;
  bounds.tasks.resize(rows_.size());
  bounds.schedulable = true;
  std::array<bool, 3> doubtful = {false, false, false};  // a more urgent task there has no proven bound
  for (const TaskRow& row : rows_) {
    TaskBound& bound = bounds.tasks[row.index];
    bound.response = row.response;
    bound.proven = proves() && row.response <= row.task->period;
    for (const Resource resource : kResources)
      if (doubtful[at(resource)] && row.uses[at(resource)]) bound.proven = false;
    for (const StageRow& stage : row.stages) bound.stages.push_back(stage.bound);
    if (!bound.proven)
      for (const Resource resource : kResources) doubtful[at(resource)] |= row.uses[at(resource)];
    bounds.schedulable = bounds.schedulable && row.response <= row.task->deadline;
  }
  return bounds;
}

void ResponseTimeAnalysis::Core::reorder(PriorityOrder order) {
  order_ = order.empty() ? priority_order(*set_) : std::move(order);
  lay_out();
}

}  // namespace samcl::analysis
