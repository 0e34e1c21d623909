#include "analysis/rta/core.h"

#include <limits>
#include <numeric>
#include <utility>

namespace samcl::analysis {
namespace {

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
      responses_(set.tasks.size(), kUnbounded) {
  if (set.platform.bound) {
    const auto devices = static_cast<size_t>(set.platform.gpus);
    first_lane_ = {0, 1, 1 + devices, 1 + 2 * devices};
    placer_.emplace(set);
  }
  for (const Task& task : set.tasks) enforced_ = enforced_ || task.late > 0;
  for (const Task& task : set.tasks)
    for (const Stage& stage : task.stages) hosted_ = hosted_ || (set.platform.bound && stage.longest_host() > 0);
  lay_out();
}

// Of the task's threads but the first, one after the other.
void ResponseTimeAnalysis::Core::lay_out_threads(TaskRow& row, size_t& next, std::vector<uint32_t>& ends) {
  for (int thread = 2;; ++thread) {
    const size_t first = next;
    for (size_t j = 0; j < row.stages.size(); ++j)
      if (row.task->stages[j].most_threads() >= thread) row.stages[j].thread_rows.push_back(next++);
    if (next == first) return;
    ends.push_back(static_cast<uint32_t>(next));
  }
}

size_t ResponseTimeAnalysis::Core::most_rows() const {
  size_t most = 0;
  for (const Lane& lane : lanes_) most = std::max(most, lane.rows);
  return most;
}

size_t ResponseTimeAnalysis::Core::most_groups() const {
  size_t most = 0;
  for (const Lane& lane : lanes_) most = std::max(most, lane.cycles.tasks_before(lane.rows));
  return most;
}

void ResponseTimeAnalysis::Core::lay_out() {
  rows_.assign(order_.size(), TaskRow{});
  std::array<size_t, 3> next = {0, 0, 0};
  std::array<std::vector<uint32_t>, 3> ends;  // [resource]: of rows that lie together
  for (size_t position = 0; position < order_.size(); ++position) {
    TaskRow& row = rows_[position];
    row.index = order_[position];
    row.task = &set_->tasks[row.index];
    row.first = next;
    for (const Stage& stage : row.task->stages) {
      StageRow entry;
      entry.resource = stage.resource;
      entry.row = next[at(stage.resource)]++;
      entry.requests = stage.requests;
      row.uses[at(stage.resource)] = true;
      entry.on_cpu = stage.requests > 1 || ((hosted_ || row.task->late > 0) && stage.resource != Resource::cpu);
      if (entry.on_cpu) {
        entry.between_row = next[at(Resource::cpu)]++;
        row.uses[at(Resource::cpu)] = true;
      }
      row.stages.push_back(entry);
    }
    for (const Resource resource : kResources)
      if (next[at(resource)] > row.first[at(resource)])
        ends[at(resource)].push_back(static_cast<uint32_t>(next[at(resource)]));
    lay_out_threads(row, next[at(Resource::cpu)], ends[at(Resource::cpu)]);
    for (const Resource resource : kResources) row.lanes[at(resource)] = {first_lane(resource)};
    if (placer_) row.devices.resize(static_cast<size_t>(set_->platform.gpus) + 1);
  }
  lanes_.clear();
  for (const Resource resource : kResources) {
    Lane lane(set_->platform.bound && resource != Resource::cpu ? 1 : set_->platform.elements(resource),
              next[at(resource)]);
    for (size_t position = 0; position < rows_.size(); ++position) {
      const TaskRow& row = rows_[position];
      const double period = static_cast<double>(row.task->period);
      const size_t end = position + 1 < rows_.size() ? rows_[position + 1].first[at(resource)] : next[at(resource)];
      for (const StageRow& stage : row.stages)
        if (stage.resource == resource) lane.demand.requests[stage.row] = stage.requests;
      for (size_t n = row.first[at(resource)]; n < end; ++n) {
        lane.demand.period[n] = period;
        lane.demand.rate[n] = 1 / period;
      }
    }
    uint32_t begin = 0;
    for (const uint32_t end : ends[at(resource)])
      for (const uint32_t first = begin; begin < end; ++begin) {
        lane.demand.first[begin] = first;
        lane.demand.end[begin] = end;
      }
    lane.cycles = Cycles(lane.demand);
    lanes_.resize(end_lane(resource), lane);
  }
  for (TaskRow& row : rows_)
    for (const Lane& lane : lanes_) row.blocking.push_back(lane.longest.times());
}

// The devices of a bound task, in every mode if it is undecided. `known`: no undecided mode of a more urgent
// task can change them; from then on for those below. Returns whether they are others than before.
bool ResponseTimeAnalysis::Core::find_devices(TaskRow& row, int mode, bool& known) {
  if (!row.uses[at(Resource::link)] && !row.uses[at(Resource::gpu)]) return false;
  const auto in_mode = [&](int wanted) {
    if (known || !row.task->devices.empty() || wanted == set_->platform.gpus) return placer_->choose(row.index, wanted);
    std::vector<int> all(static_cast<size_t>(set_->platform.gpus));
    std::iota(all.begin(), all.end(), 0);
    return all;
  };
  bool others = false;
  const auto take = [&](int wanted) {
    auto devices = in_mode(wanted);
    auto& before = row.devices[static_cast<size_t>(wanted)];
    others = others || devices != before;
    before = std::move(devices);
  };
  if (mode == kUndecided) {
    for (const int wanted : modes_)
      if (wanted <= row.task->largest_mode(set_->platform)) take(wanted);
    known = false;
  } else {
    take(mode);
    if (known) placer_->place(row.index, mode, row.devices[static_cast<size_t>(mode)]);
  }
  return others;
}

void ResponseTimeAnalysis::Core::take_mode(TaskRow& row, int mode) {
  row.mode = mode;
  row.work = static_cast<double>(row.task->work_in(mode));
  row.cpus = cpus_at_once(*row.task, mode);
  for (size_t j = 0; j < row.stages.size(); ++j) {
    const Stage& stage = row.task->stages[j];
    StageRow& entry = row.stages[j];
    entry.worst = static_cast<double>(stage.worst_in(mode));
    entry.best = static_cast<double>(stage.best_in(mode));
    entry.threads = stage.threads_in(mode);
    entry.subtasks = placer_ && stage.resource != Resource::cpu ? 1 : set_->platform.subtasks(stage, mode);
    entry.section = static_cast<double>(stage.section_in(mode));
    entry.whole = stage.whole_in(mode);
    entry.between = static_cast<double>(stage.between_in(mode));
    entry.host = static_cast<double>(stage.host_in(mode));
  }
  if (!placer_) return;
  for (const Resource resource : {Resource::link, Resource::gpu}) {
    auto& lanes = row.lanes[at(resource)];
    lanes.clear();
    for (const int device : row.devices[static_cast<size_t>(mode)])
      lanes.push_back(first_lane(resource) + static_cast<size_t>(device));
    row.taken[at(resource)] = static_cast<size_t>(mode);
  }
}

// [resource]: the most CPU time in one of its sections; undecided: the least of all modes.
std::array<double, 3> ResponseTimeAnalysis::Core::longest_host(const TaskRow& row) const {
  std::array<double, 3> least = {kForever, kForever, kForever};
  for (const int mode : modes_) {
    if (row.mode == kUndecided ? mode > row.task->largest_mode(set_->platform) : mode != row.mode) continue;
    std::array<double, 3> longest = {0, 0, 0};
    for (const Stage& stage : row.task->stages)
      longest[at(stage.resource)] =
          std::max(longest[at(stage.resource)], static_cast<double>(stage.longest_host_in(mode)));
    for (const Resource resource : kResources)
      least[at(resource)] = std::min(least[at(resource)], longest[at(resource)]);
  }
  return least;
}

// CPU time in sections of less urgent tasks, and of those that can be made so.
void ResponseTimeAnalysis::Core::take_foreign() {
  if (!hosted_) return;
  std::array<double, 3> longest = {0, 0, 0};
  const auto raise = [&](const std::array<double, 3>& times) {
    for (const Resource resource : kResources)
      longest[at(resource)] = std::max(longest[at(resource)], times[at(resource)]);
  };
  std::vector<std::array<double, 3>> above;
  for (const TaskRow& row : rows_) {
    above.push_back(longest);
    if (row.task->late > 0) raise(longest_host(row));
  }
  longest = {0, 0, 0};
  for (size_t position = rows_.size(); position-- > 0;) {
    TaskRow& row = rows_[position];
    for (StageRow& stage : row.stages) {
      const double foreign = std::max(longest[at(stage.resource)], above[position][at(stage.resource)]);
      if (std::exchange(stage.foreign, foreign) != foreign) row.current = false;
    }
    raise(longest_host(row));
  }
}

// At the task's priority or above: its threads, or one on each of its lanes where sections need CPUs, its own or those
// that it finds.
int ResponseTimeAnalysis::Core::cpus_at_once(const Task& task, int mode) const {
  int most = 0;
  for (const Stage& stage : task.stages) {
    if (stage.resource == Resource::cpu || stage.requests > 1) most = std::max(most, stage.threads_in(mode));
    if (stage.resource != Resource::cpu && hosted_) most = std::max(most, set_->platform.subtasks(stage, mode));
  }
  return most;
}

// Undecided: in the mode with the fewest. Whose budget is enforced can execute on all.
void ResponseTimeAnalysis::Core::take_crowds() {
  const int all = set_->platform.cpus;
  int crowd = 0;
  for (TaskRow& row : rows_) {
    if (std::exchange(row.crowd, crowd) != crowd) row.current = false;
    int fewest = row.mode == kUndecided ? all : row.cpus;
    for (const int mode : modes_)
      if (row.mode == kUndecided && mode <= row.task->largest_mode(set_->platform))
        fewest = std::min(fewest, cpus_at_once(*row.task, mode));
    crowd = std::min(all, crowd + (row.task->late > 0 ? all : fewest));
  }
}

void ResponseTimeAnalysis::Core::take_modes(std::span<const int> modes) {
  const bool partial = std::find(modes.begin(), modes.end(), kUndecided) != modes.end();
  if (partial != partial_)
    for (TaskRow& row : rows_) row.current = false;
  partial_ = partial;
  if (placer_) placer_->restart();
  bool known = true;
  for (TaskRow& row : rows_) {
    const int mode = modes[row.index];
    const bool moved = placer_ && find_devices(row, mode, known);
    if (row.mode == mode && !moved) continue;
    row.current = false;
    if (mode == kUndecided)
      row.mode = mode;
    else
      take_mode(row, mode);
  }
  take_foreign();
  take_crowds();
}

// The row in each mode that it may get, and undecided afterwards.
template <typename Visit>
void ResponseTimeAnalysis::Core::each_mode(TaskRow& row, Visit visit) {
  for (const int mode : modes_) {
    if (mode > row.task->largest_mode(set_->platform)) continue;
    take_mode(row, mode);
    visit();
  }
  row.mode = kUndecided;
}

// Of a task in the lanes' demands, in the order in which they are to be set.
template <typename Visit>
void ResponseTimeAnalysis::Core::each_row(const TaskRow& row, Visit visit) {
  for (const StageRow& stage : row.stages) {
    for (size_t index = first_lane(stage.resource); index < end_lane(stage.resource); ++index)
      visit(lanes_[index].demand, stage.row);
    Demand& cpus = lanes_[first_lane(Resource::cpu)].demand;
    if (stage.on_cpu) visit(cpus, stage.between_row);
    for (const size_t thread : stage.thread_rows) visit(cpus, thread);
  }
}

// R in the best mode. To less urgent tasks each stage brings its least work and jitter, as one subtask that
// is never at work already: no mode brings less.
Time ResponseTimeAnalysis::Core::least_response(TaskRow& row) {
  constexpr double kMost = std::numeric_limits<double>::infinity();
  Time least = kUnbounded;
  struct Effect {
    double work = kMost, jitter = kMost, span = kMost;
  };
  std::vector<Effect> effect;  // of each of its rows in each lane
  each_mode(row, [&] {
    least = std::min(least, respond(row, false));
    size_t n = 0;
    each_row(row, [&](const Demand& demand, size_t index) {
      if (n == effect.size()) effect.emplace_back();
      effect[n].work = std::min(effect[n].work, demand.work[index]);
      effect[n].jitter = std::min(effect[n].jitter, demand.jitter[index]);
      effect[n].span = std::min(effect[n].span, demand.span[index]);
      ++n;
    });
  });
  size_t n = 0;
  each_row(row, [&](Demand& demand, size_t index) {
    demand.set(index, effect[n].work, 1, effect[n].jitter, effect[n].jitter);
    demand.span[index] = effect[n].span;
    ++n;
  });
  return least;
}

// Adds what the task cannot be interrupted in. Undecided: for each rank the least of all modes, none of which
// blocks by less.
void ResponseTimeAnalysis::Core::take_sections(TaskRow& row, Resource resource, Longest Lane::* kept_in) {
  const size_t first = first_lane(resource), end = end_lane(resource);
  if (row.mode != kUndecided) {
    if (row.placed(resource))
      for (const size_t index : row.lanes[at(resource)]) sections(row, resource, lanes_[index].*kept_in);
    return;
  }
  std::vector<std::vector<double>> least(end - first);
  each_mode(row, [&] {
    for (size_t index = first; index < end; ++index) {
      Longest of_mode(lanes_[index].longest.times().size());
      if (row.placed(resource) && row.reads(resource, index)) sections(row, resource, of_mode);
      const auto& times = of_mode.times();
      auto& kept = least[index - first];
      if (kept.empty()) kept = times;
      for (size_t n = 0; n < kept.size(); ++n) kept[n] = std::min(kept[n], times[n]);
    }
  });
  for (size_t index = first; index < end; ++index)
    for (const double time : least[index - first]) (lanes_[index].*kept_in).add(time);
}

// From the least urgent task up: what a task cannot interrupt is what those below it run, and those above it that can
// be made less urgent.
void ResponseTimeAnalysis::Core::take_blocking() {
  for (Lane& lane : lanes_) lane.longest.clear();
  std::vector<std::vector<Longest>> above = sections_above();
  for (size_t position = rows_.size(); position-- > 0;) {
    TaskRow& row = rows_[position];
    for (const Resource resource : kResources) {
      if (!row.uses[at(resource)]) continue;
      for (size_t index = first_lane(resource); index < end_lane(resource); ++index) {
        Longest all = lanes_[index].longest;
        if (enforced_)
          for (const double time : above[position][index].times()) all.add(time);
        if (row.blocking[index] == all.times()) continue;
        row.blocking[index] = all.times();
        if (row.reads(resource, index)) row.current = false;
      }
      take_sections(row, resource, &Lane::longest);
    }
  }
}

// [position][lane]: of more urgent tasks whose budgets are enforced. Empty: of none.
std::vector<std::vector<Longest>> ResponseTimeAnalysis::Core::sections_above() {
  std::vector<std::vector<Longest>> above;
  if (!enforced_) return above;
  for (Lane& lane : lanes_) lane.longest_above.clear();
  for (TaskRow& row : rows_) {
    std::vector<Longest>& lanes = above.emplace_back();
    for (const Lane& lane : lanes_) lanes.push_back(lane.longest_above);
    if (row.task->late == 0) continue;
    for (const Resource resource : kResources)
      if (row.uses[at(resource)]) take_sections(row, resource, &Lane::longest_above);
  }
  return above;
}

// Whether a change of more urgent tasks matters. Where devices are bound, what is current in one lane is not
// kept apart from what is not in others.
bool ResponseTimeAnalysis::Core::reached(const TaskRow& row, const std::array<bool, 3>& changed) const {
  for (const Resource resource : kResources)
    if (changed[at(resource)] && (row.uses[at(resource)] || placer_)) return true;
  return false;
}

// Computes the task if anything it depends on changed, and notes on which resources it changed itself.
void ResponseTimeAnalysis::Core::settle(TaskRow& row, std::array<bool, 3>& changed, bool detail) {
  if (reached(row, changed)) row.current = false;
  if (row.current) return;
  row.response = row.mode == kUndecided ? least_response(row) : respond(row, detail);
  row.current = true;
  for (const Resource resource : kResources) {
    if (!row.uses[at(resource)]) continue;
    changed[at(resource)] = true;
    for (size_t index = first_lane(resource); index < end_lane(resource); ++index) {
      Lane& lane = lanes_[index];
      const size_t end = &row == &rows_.back() ? lane.rows : (&row + 1)->first[at(resource)];
      for (size_t group = lane.cycles.tasks_before(row.first[at(resource)]); group < lane.cycles.tasks_before(end);
           ++group)
        lane.cycles.sort(lane.demand, group);
    }
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
      if (reached(row, changed)) row.current = false;
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
  std::vector<bool> doubtful(lanes_.size(), false);  // a more urgent task there has no proven bound
  for (const TaskRow& row : rows_) {
    TaskBound& bound = bounds.tasks[row.index];
    bound.response = row.response;
    bound.proven = proves() && row.response <= row.task->period;
    const auto each_lane = [&](auto visit) {
      for (const Resource resource : kResources)
        if (row.uses[at(resource)])
          for (const size_t index : row.lanes[at(resource)]) visit(index);
    };
    each_lane([&](size_t index) {
      if (doubtful[index]) bound.proven = false;
    });
    for (const StageRow& stage : row.stages) bound.stages.push_back(stage.bound);
    if (!bound.proven) each_lane([&](size_t index) { doubtful[index] = true; });
    if (placer_ && row.mode > 0) bound.devices = row.devices[static_cast<size_t>(row.mode)];
    bound.holds_link = row.holds[at(Resource::link)];
    bound.holds_gpu = row.holds[at(Resource::gpu)];
    bounds.schedulable = bounds.schedulable && row.response <= row.task->deadline;
  }
  return bounds;
}

void ResponseTimeAnalysis::Core::reorder(PriorityOrder order) {
  order_ = order.empty() ? priority_order(*set_) : std::move(order);
  lay_out();
}

}  // namespace samcl::analysis
