#include "analysis/sim/testing/every_schedule.h"

#include <algorithm>
#include <array>
#include <deque>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/model/placement.h"

namespace samcl::analysis {
namespace {

using Byte = uint8_t;

// Of the request or pause at hand.
struct Subtask {
  Byte executed;
  Byte section, host_in_section;  // since the section began
  Byte host;                      // CPU time that its sections may still need, in all of the stage
  bool done, holds, needs_cpu;
};

struct TaskState {
  Byte since;  // the last release; no more than the period
  Byte stage, request;
  Byte most;    // of the request or pause: its longest subtask
  Byte used;    // longest subtasks of the stage's earlier requests
  Byte paused;  // before
  Byte worked;  // by the job before the request or pause, where that is limited
  bool busy, pausing;
  std::array<Subtask, kMostSubtasks> subtasks;
};

struct State {
  std::array<TaskState, kMostTasks> tasks;  // most urgent first
};
static_assert(std::is_trivially_copyable_v<State> && sizeof(State) == kMostTasks * (9 + 7 * kMostSubtasks));

std::string_view bytes_of(const State& state) { return {reinterpret_cast<const char*>(&state), sizeof(State)}; }
struct Hash {
  size_t operator()(const State& state) const { return std::hash<std::string_view>()(bytes_of(state)); }
};
struct Same {
  bool operator()(const State& a, const State& b) const { return bytes_of(a) == bytes_of(b); }
};

// Every sequence of choices, one after the other.
class Choices {
 public:
  size_t among(size_t count) {
    if (count < 2) return 0;
    if (at_ == taken_.size()) taken_.push_back({0, count});
    return taken_[at_++].first;
  }
  bool yes() { return among(2) == 1; }
  bool next() {
    at_ = 0;
    while (!taken_.empty() && ++taken_.back().first == taken_.back().second) taken_.pop_back();
    return !taken_.empty();
  }

 private:
  std::vector<std::pair<size_t, size_t>> taken_;
  size_t at_ = 0;
};

class Search {
 public:
  Search(const SmallSet& small, const Bounds& bounds)
      : set_(small.set), bounds_(bounds), order_(priority_order(small.set)) {
    const Placement placement = place_devices(set_, order_, small.modes);
    for (const size_t index : order_) {
      tasks_.push_back(&set_.tasks[index]);
      modes_.push_back(small.modes[index]);
      devices_.push_back(placement[index]);
    }
    followed_.longest.resize(tasks_.size());
  }

  Followed run(size_t most) {
    State first = {};
    for (size_t n = 0; n < tasks_.size(); ++n) first.tasks[n].since = static_cast<Byte>(tasks_[n]->period);
    note(first, nullptr);
    while (!left_.empty() && states_.size() < most && !followed_.beyond) {
      const State* from = left_.front();
      left_.pop_front();
      Choices choices;
      do {
        State state = *from;
        pass_tick(state, choices);
        note(state, from);
      } while (!followed_.beyond && choices.next());
    }
    followed_.states = states_.size();
    followed_.whole = left_.empty() && !followed_.beyond;
    return std::move(followed_);
  }

 private:
  const Stage& stage_of(size_t n, const TaskState& task) const { return tasks_[n]->stages[task.stage]; }
  Resource resource_of(size_t n, const TaskState& task) const {
    return task.pausing ? Resource::cpu : stage_of(n, task).resource;
  }
  size_t count_of(size_t n, const TaskState& task) const {
    const Stage& stage = stage_of(n, task);
    return static_cast<size_t>(task.pausing ? stage.threads_in(modes_[n]) : set_.platform.subtasks(stage, modes_[n]));
  }
  Time best_from(size_t n, size_t stage) const {
    Time sum = 0;
    for (; stage < tasks_[n]->stages.size(); ++stage) sum += tasks_[n]->stages[stage].best_in(modes_[n]);
    return sum;
  }

  // A nanosecond more of the request or pause at hand, for a subtask that has so much of it.
  bool may_execute(size_t n, const TaskState& task, Time executed) const {
    const Stage& stage = stage_of(n, task);
    const Time in_stage =
        task.pausing ? stage.between_in(modes_[n]) - task.paused : stage.worst_in(modes_[n]) - task.used;
    if (executed >= in_stage) return false;
    if (tasks_[n]->work.empty()) return true;
    const Time needed = task.pausing ? std::max<Time>(0, stage.best_in(modes_[n]) - task.used) : 0;
    return task.worked + executed + 1 + needed + best_from(n, task.stage + 1U) <= tasks_[n]->work_in(modes_[n]);
  }

  // After the request at hand.
  bool may_ask_again(size_t n, const TaskState& task) const {
    const Stage& stage = stage_of(n, task);
    if (task.request + 1 >= stage.requests || task.paused >= stage.between_in(modes_[n])) return false;
    if (tasks_[n]->work.empty()) return true;
    const Time needed = std::max<Time>(0, stage.best_in(modes_[n]) - task.used - task.most);
    return task.worked + task.most + 1 + needed + best_from(n, task.stage + 1U) <= tasks_[n]->work_in(modes_[n]);
  }

  // The subtask could end with what it has executed.
  bool may_end(size_t n, const TaskState& task, size_t k) const {
    const Stage& stage = stage_of(n, task);
    if (task.pausing) return k > 0 || task.subtasks[k].executed > 0;
    if (stage.requests == 1) return task.subtasks[k].executed >= stage.best_in(modes_[n]);
    if (task.used + task.most >= stage.best_in(modes_[n]) || may_ask_again(n, task)) return true;
    for (size_t other = 0; other < count_of(n, task); ++other)
      if (other != k && !task.subtasks[other].done) return true;
    return false;
  }

  static void end(Subtask& subtask) { subtask = {0, 0, 0, subtask.host, true, false, false}; }

  // The request or pause begins: subtasks that have nothing to execute are over.
  void ask(size_t n, TaskState& task, Choices& choices) {
    const size_t count = count_of(n, task);
    task.most = 0;
    for (size_t k = 0; k < kMostSubtasks; ++k)
      task.subtasks[k] = {0, 0, 0, task.subtasks[k].host, k >= count, false, false};
    for (size_t k = 0; k < count; ++k)
      if (!may_execute(n, task, 0) || (may_end(n, task, k) && choices.yes())) end(task.subtasks[k]);
  }

  void enter(size_t n, TaskState& task, size_t stage, Choices& choices) {
    task.stage = static_cast<Byte>(stage);
    task.request = task.used = task.paused = 0;
    task.pausing = false;
    const Byte host = set_.platform.bound ? static_cast<Byte>(stage_of(n, task).host_in(modes_[n])) : Byte{0};
    for (Subtask& subtask : task.subtasks) subtask.host = host;
    ask(n, task, choices);
  }

  // From request to request, stage to stage, as far as nothing is left to run.
  void progress(size_t n, TaskState& task, Choices& choices) {
    const auto all_done = [&] {
      return std::all_of(task.subtasks.begin(), task.subtasks.end(),
                         [](const Subtask& subtask) { return subtask.done; });
    };
    while (task.busy && all_done()) {
      const bool limited = !tasks_[n]->work.empty();
      if (task.pausing) {
        task.paused = static_cast<Byte>(task.paused + task.most);
        if (limited) task.worked = static_cast<Byte>(task.worked + task.most);
        task.pausing = false;
        ++task.request;
        ask(n, task, choices);
        continue;
      }
      const bool enough =
          stage_of(n, task).requests == 1 || task.used + task.most >= stage_of(n, task).best_in(modes_[n]);
      const bool again = may_ask_again(n, task) && (!enough || choices.yes());
      task.used = static_cast<Byte>(task.used + task.most);
      if (limited) task.worked = static_cast<Byte>(task.worked + task.most);
      if (again) {
        task.pausing = true;
        ask(n, task, choices);
      } else if (task.stage + 1U < tasks_[n]->stages.size()) {
        enter(n, task, task.stage + 1U, choices);
      } else {
        Time& longest = followed_.longest[order_[n]];
        longest = std::max<Time>(longest, task.since);
        const Byte since = task.since;
        task = {};
        task.since = since;
      }
    }
  }

  void release(size_t n, TaskState& task, Choices& choices) {
    if (task.busy || task.since < tasks_[n]->period || !choices.yes()) return;
    task = {};
    task.busy = true;
    enter(n, task, 0, choices);
    progress(n, task, choices);
  }

  bool same_element(size_t n, size_t k, size_t m, size_t l) const {
    return !set_.platform.bound || devices_[n][k] == devices_[m][l];
  }

  // The place of the most urgent task that waits for what the subtask holds, or the number of tasks.
  size_t first_waiting(const State& state, size_t n, size_t k) const {
    for (size_t m = 0; m < tasks_.size(); ++m) {
      const TaskState& other = state.tasks[m];
      if (!other.busy || resource_of(m, other) != resource_of(n, state.tasks[n])) continue;
      for (size_t l = 0; l < count_of(m, other); ++l)
        if (!other.subtasks[l].done && !other.subtasks[l].holds && same_element(n, k, m, l)) return m;
    }
    return tasks_.size();
  }

  // A section may end whenever somebody waits. Where nobody does it is taken to begin again: whatever may come after
  // the old one may come after that.
  void end_sections(State& state, Choices& choices) {
    for (size_t n = 0; n < tasks_.size(); ++n) {
      TaskState& task = state.tasks[n];
      if (!task.busy || resource_of(n, task) == Resource::cpu || stage_of(n, task).whole_in(modes_[n])) continue;
      for (size_t k = 0; k < count_of(n, task); ++k) {
        Subtask& subtask = task.subtasks[k];
        if (!subtask.holds || subtask.needs_cpu) continue;
        if (first_waiting(state, n, k) == tasks_.size()) {
          subtask.section = subtask.host_in_section = 0;
        } else if (subtask.section > 0 &&
                   (subtask.section >= stage_of(n, task).section_in(modes_[n]) || choices.yes())) {
          subtask.section = subtask.host_in_section = 0;
          subtask.holds = false;
        }
      }
    }
  }

  void give_elements(State& state, Resource resource, Choices& choices) {
    const auto free_for = [&](size_t n, size_t k) {
      int held = 0;
      for (size_t m = 0; m < tasks_.size(); ++m) {
        const TaskState& other = state.tasks[m];
        if (!other.busy || resource_of(m, other) != resource) continue;
        for (size_t l = 0; l < count_of(m, other); ++l)
          held += other.subtasks[l].holds && same_element(n, k, m, l) ? 1 : 0;
      }
      return held < (set_.platform.bound ? 1 : set_.platform.elements(resource));
    };
    for (size_t n = 0; n < tasks_.size(); ++n) {
      TaskState& task = state.tasks[n];
      if (!task.busy || resource_of(n, task) != resource) continue;
      while (true) {
        std::vector<size_t> waiting;
        for (size_t k = 0; k < count_of(n, task); ++k)
          if (!task.subtasks[k].done && !task.subtasks[k].holds && free_for(n, k)) waiting.push_back(k);
        if (waiting.empty()) break;
        task.subtasks[waiting[set_.platform.bound ? 0 : choices.among(waiting.size())]].holds = true;
      }
    }
  }

  void need_cpus(State& state, Choices& choices) {
    for (size_t n = 0; n < tasks_.size(); ++n) {
      TaskState& task = state.tasks[n];
      if (!task.busy || resource_of(n, task) == Resource::cpu) continue;
      for (size_t k = 0; k < count_of(n, task); ++k) {
        Subtask& subtask = task.subtasks[k];
        if (subtask.holds && !subtask.needs_cpu && subtask.host > 0 &&
            subtask.host_in_section < stage_of(n, task).longest_host_in(modes_[n]))
          subtask.needs_cpu = choices.yes();
      }
    }
  }

  struct Contender {
    size_t urgency, task, subtask;
  };

  // Who has a CPU in the tick.
  std::vector<Contender> give_cpus(const State& state, Choices& choices) {
    std::vector<Contender> all;
    for (size_t n = 0; n < tasks_.size(); ++n) {
      const TaskState& task = state.tasks[n];
      if (!task.busy) continue;
      for (size_t k = 0; k < count_of(n, task); ++k) {
        if (resource_of(n, task) == Resource::cpu && !task.subtasks[k].done)
          all.push_back({n, n, k});
        else if (task.subtasks[k].needs_cpu)
          all.push_back({std::min(n, first_waiting(state, n, k)), n, k});
      }
    }
    std::vector<Contender> have;
    while (!all.empty() && have.size() < static_cast<size_t>(set_.platform.cpus)) {
      std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.urgency < b.urgency; });
      const auto equals = static_cast<size_t>(
          std::count_if(all.begin(), all.end(), [&](const auto& one) { return one.urgency == all.front().urgency; }));
      const bool enough = have.size() + equals <= static_cast<size_t>(set_.platform.cpus);
      const auto one = all.begin() + static_cast<std::ptrdiff_t>(enough ? 0 : choices.among(equals));
      have.push_back(*one);
      all.erase(one);
    }
    return have;
  }

  void execute(State& state, const std::vector<Contender>& have_cpus, Choices& choices) {
    for (size_t n = 0; n < tasks_.size(); ++n) {
      TaskState& task = state.tasks[n];
      if (!task.busy) continue;
      const bool on_cpu = resource_of(n, task) == Resource::cpu;
      std::array<bool, kMostSubtasks> executed = {};
      for (size_t k = 0; k < count_of(n, task); ++k) {
        Subtask& subtask = task.subtasks[k];
        const bool has_cpu = std::any_of(have_cpus.begin(), have_cpus.end(),
                                         [&](const auto& one) { return one.task == n && one.subtask == k; });
        executed[k] = on_cpu ? has_cpu : subtask.holds && (!subtask.needs_cpu || has_cpu);
        if (!executed[k]) continue;
        task.most = std::max(task.most, ++subtask.executed);
        if (on_cpu) continue;
        const Stage& stage = stage_of(n, task);
        if (!stage.whole_in(modes_[n])) ++subtask.section;
        if (!std::exchange(subtask.needs_cpu, false)) continue;
        --subtask.host;
        if (stage.longest_host_in(modes_[n]) < stage.host_in(modes_[n])) ++subtask.host_in_section;
      }
      for (size_t k = 0; k < kMostSubtasks; ++k)
        if (executed[k] && (!may_execute(n, task, task.subtasks[k].executed) || (may_end(n, task, k) && choices.yes())))
          end(task.subtasks[k]);
    }
  }

  void pass_tick(State& state, Choices& choices) {
    for (size_t n = 0; n < tasks_.size(); ++n) release(n, state.tasks[n], choices);
    end_sections(state, choices);
    give_elements(state, Resource::link, choices);
    give_elements(state, Resource::gpu, choices);
    need_cpus(state, choices);
    execute(state, give_cpus(state, choices), choices);
    for (size_t n = 0; n < tasks_.size(); ++n) {
      TaskState& task = state.tasks[n];
      task.since = static_cast<Byte>(std::min<Time>(task.since + 1, tasks_[n]->period));
      progress(n, task, choices);
    }
  }

  void note(const State& state, const State* from) {
    const auto [place, added] = states_.try_emplace(state, from);
    if (!added) return;
    left_.push_back(&place->first);
    for (size_t n = 0; n < tasks_.size(); ++n) {
      const TaskBound& bound = bounds_.tasks[order_[n]];
      if (!state.tasks[n].busy || !bound.proven || state.tasks[n].since < bound.response || followed_.beyond) continue;
      followed_.beyond = order_[n];
      tell(&place->first);
    }
  }

  void tell(const State* last) {
    std::vector<const State*> path;
    for (; last; last = states_.at(*last)) path.push_back(last);
    for (size_t instant = 0; instant < path.size(); ++instant) {
      followed_.schedule += std::to_string(instant) + ":";
      for (size_t n = 0; n < tasks_.size(); ++n) {
        const TaskState& task = path[path.size() - 1 - instant]->tasks[n];
        followed_.schedule += "  " + tasks_[n]->name;
        if (!task.busy) {
          followed_.schedule += " idle";
          continue;
        }
        followed_.schedule += " since " + std::to_string(task.since) + " " +
                              (task.pausing ? "pauses" : name(resource_of(n, task))) + " " +
                              std::to_string(task.stage + 1) + "." + std::to_string(task.request + 1);
        for (size_t k = 0; k < count_of(n, task); ++k) {
          const Subtask& subtask = task.subtasks[k];
          followed_.schedule += subtask.done ? " -" : " " + std::to_string(subtask.executed);
          if (subtask.holds) followed_.schedule += subtask.needs_cpu ? "?" : "!";
        }
      }
      followed_.schedule += "\n";
    }
  }

  const TaskSet& set_;
  const Bounds& bounds_;
  const PriorityOrder order_;
  std::vector<const Task*> tasks_;                              // most urgent first
  std::vector<int> modes_;                                      // likewise
  std::vector<std::vector<int>> devices_;                       // likewise
  std::unordered_map<State, const State*, Hash, Same> states_;  // and from where they were reached first
  std::deque<const State*> left_;
  Followed followed_;
};

}  // namespace

bool can_follow(const SmallSet& small) {
  if (small.set.tasks.size() > kMostTasks) return false;
  for (size_t i = 0; i < small.set.tasks.size(); ++i) {
    const Task& task = small.set.tasks[i];
    if (task.late > 0 || task.period > 200 || task.work_in(small.modes[i]) > 200) return false;
    for (const Stage& stage : task.stages)
      if (stage.length_in(small.modes[i]) > 200 || stage.threads_in(small.modes[i]) > static_cast<int>(kMostSubtasks) ||
          small.set.platform.subtasks(stage, small.modes[i]) > static_cast<int>(kMostSubtasks))
        return false;
  }
  return true;
}

Followed follow_every_schedule(const SmallSet& small, const Bounds& bounds, size_t most) {
  return Search(small, bounds).run(most);
}

}  // namespace samcl::analysis
