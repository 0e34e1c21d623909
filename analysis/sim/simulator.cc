#include "analysis/sim/simulator.h"

#include <algorithm>
#include <utility>

#include "analysis/model/placement.h"

namespace samcl::analysis {
namespace {

constexpr int kNowhere = -1;

struct Subtask {
  Time remaining = 0;
  Time started = 0;  // of the segment at hand
  int element = kNowhere;
  // While it runs on a PCI link or GPU: what is left of the section, how long it goes on before it needs a CPU, and
  // for how long it does then.
  Time section = kNoInstant, before_host = 0, host = 0;
  bool has_cpu = false;
  bool yields = false;

  bool running() const { return element != kNowhere; }
  bool needs_cpu() const { return running() && host > 0 && before_host == 0; }
  bool goes_on() const { return running() && (!needs_cpu() || has_cpu); }
  // Until something about it changes, if it goes on.
  Time next() const {
    Time least = std::min(remaining, section);
    if (host > 0) least = std::min(least, before_host > 0 ? before_host : host);
    return least;
  }
  void pass(Time time) {
    remaining -= time;
    if (section != kNoInstant) section -= time;
    if (needs_cpu())
      host -= time;
    else if (host > 0)
      before_host -= time;
  }
};

// A task has at most one job at work, and that job one stage.
struct TaskState {
  size_t index = 0;
  const Task* task = nullptr;
  int mode = 1;
  std::vector<int> devices;  // bound: of each subtask
  Time next_release = 0;
  int64_t released = 0;  // jobs so far
  int64_t job = 0;       // the one at work, if busy; else the next
  bool busy = false;
  size_t stage = 0;
  Time release = 0;
  Time dropped = kNoInstant;  // if it is busy then
  std::vector<Time> waiting;  // releases of jobs after `job`, oldest first
  std::vector<Subtask> subtasks;
  std::vector<Time> execution;    // [subtask]: of all requests
  std::vector<Time> host_budget;  // [subtask]: CPU time that its sections may still need
  std::span<const Pause> pauses;
  size_t request = 0;
  bool pausing = false;  // before the next request

  const Stage& now_in() const { return task->stages[stage]; }
  Resource resource() const { return pausing ? Resource::cpu : now_in().resource; }
};

class Simulation {
 public:
  Simulation(const TaskSet& set, std::span<const size_t> order, std::span<const int> modes, Behaviour& behaviour,
             Observer& observer, Time horizon)
      : set_(set), behaviour_(behaviour), observer_(observer), horizon_(horizon) {
    const Placement placement = place_devices(set, {order.begin(), order.end()}, modes);
    for (const size_t index : order) {
      TaskState state;
      state.index = index;
      state.task = &set.tasks[index];
      state.mode = modes[index];
      state.devices = placement[index];
      state.next_release = behaviour.release(index, 0);
      if (state.next_release >= horizon) state.next_release = kNoInstant;
      tasks_.push_back(std::move(state));
    }
    for (const Resource resource : kResources)
      taken_[static_cast<size_t>(resource)].resize(static_cast<size_t>(set.platform.elements(resource)));
  }

  Time run(Time give_up) {
    while (true) {
      const Time next = next_event();
      if (next == kNoInstant || next > give_up) break;
      advance(next);
      for (TaskState& state : tasks_) {
        take_releases(state);
        drop(state);
        progress(state);
      }
      give_out_sections(Resource::link);
      give_out_sections(Resource::gpu);
      give_out_cpus();
    }
    return now_;
  }

 private:
  Time next_event() const {
    Time next = kNoInstant;
    for (const TaskState& state : tasks_) {
      next = std::min(next, state.next_release);
      if (state.busy) next = std::min(next, state.dropped);
      for (const Subtask& subtask : state.subtasks)
        if (subtask.goes_on()) next = std::min(next, now_ + subtask.next());
    }
    return next;
  }

  void advance(Time to) {
    const Time passed = to - now_;
    now_ = to;
    for (TaskState& state : tasks_)
      for (Subtask& subtask : state.subtasks) {
        if (!subtask.goes_on()) continue;
        subtask.pass(passed);
        if (subtask.remaining == 0 || subtask.section == 0) stop(state, subtask);
      }
  }

  void stop(const TaskState& state, Subtask& subtask) {
    const Resource resource = state.resource();
    taken_[static_cast<size_t>(resource)][static_cast<size_t>(subtask.element)] = false;
    if (now_ > subtask.started)
      observer_.ran({resource, subtask.element, state.index, state.job, state.stage,
                     static_cast<int>(&subtask - state.subtasks.data()), subtask.started, now_});
    subtask.element = kNowhere;
    subtask.section = kNoInstant;
    subtask.before_host = subtask.host = 0;
    subtask.has_cpu = subtask.yields = false;
  }

  // The element that a subtask of the stage at hand could start on now.
  int free_element(const TaskState& state, const Subtask& subtask) const {
    const Resource resource = state.resource();
    const auto& taken = taken_[static_cast<size_t>(resource)];
    if (set_.platform.bound && resource != Resource::cpu) {
      const int device = state.devices[static_cast<size_t>(&subtask - state.subtasks.data())];
      return taken[static_cast<size_t>(device)] ? kNowhere : device;
    }
    const auto free = std::find(taken.begin(), taken.end(), false);
    return free == taken.end() ? kNowhere : static_cast<int>(free - taken.begin());
  }

  void start(Subtask& subtask, Resource resource, int element) {
    taken_[static_cast<size_t>(resource)][static_cast<size_t>(element)] = true;
    subtask.element = element;
    subtask.started = now_;
  }

  void take_releases(TaskState& state) {
    while (state.next_release == now_) {
      state.waiting.push_back(now_);
      ++state.released;
      state.next_release = behaviour_.release(state.index, state.released);
      if (state.next_release >= horizon_) state.next_release = kNoInstant;
    }
  }

  void drop(TaskState& state) {
    if (!state.busy || state.dropped > now_) return;
    for (Subtask& subtask : state.subtasks)
      if (subtask.running()) stop(state, subtask);
    state.subtasks.clear();
    state.busy = false;
    ++state.job;
  }

  void enter(TaskState& state, size_t stage) {
    state.stage = stage;
    const int count = set_.platform.subtasks(state.now_in(), state.mode);
    state.execution.clear();
    for (int k = 0; k < count; ++k) state.execution.push_back(behaviour_.execution(state.index, state.job, stage, k));
    const Time host = set_.platform.bound ? state.now_in().host_in(state.mode) : 0;
    state.host_budget.assign(static_cast<size_t>(count), host);
    state.pauses = behaviour_.pauses(state.index, state.job, stage);
    state.request = 0;
    ask(state);
  }

  // For the resource, once more: each subtask for what it executes up to the next pause.
  static void ask(TaskState& state) {
    const auto& pauses = state.pauses;
    const Time from = state.request == 0 ? 0 : pauses[state.request - 1].after;
    const Time to = state.request < pauses.size() ? pauses[state.request].after : kNoInstant;
    state.pausing = false;
    state.subtasks.assign(state.execution.size(), Subtask{});
    for (size_t k = 0; k < state.execution.size(); ++k)
      state.subtasks[k].remaining = std::max<Time>(0, std::min(state.execution[k], to) - from);
  }

  // What follows in the same stage, if anything does.
  static bool next_in_stage(TaskState& state) {
    if (state.pausing) {
      ++state.request;
      ask(state);
      return true;
    }
    if (state.request >= state.pauses.size()) return false;
    state.pausing = true;
    state.subtasks.assign(static_cast<size_t>(state.now_in().threads_in(state.mode)), Subtask{});
    for (Subtask& thread : state.subtasks) thread.remaining = state.pauses[state.request].length;
    return true;
  }

  // From stage to stage and job to job, as far as nothing is left to run.
  void progress(TaskState& state) {
    while (true) {
      if (!state.busy) {
        if (state.waiting.empty()) return;
        state.busy = true;
        state.release = state.waiting.front();
        state.waiting.erase(state.waiting.begin());
        state.dropped = behaviour_.dropped(state.index, state.job);
        enter(state, 0);
        if (state.dropped <= now_) {
          drop(state);
          continue;
        }
      }
      if (std::any_of(state.subtasks.begin(), state.subtasks.end(),
                      [](const Subtask& subtask) { return subtask.remaining > 0; }))
        return;
      if (next_in_stage(state)) continue;
      if (state.stage + 1 < state.task->stages.size()) {
        enter(state, state.stage + 1);
        continue;
      }
      observer_.finished({state.index, state.job, state.release, now_});
      state.subtasks.clear();
      state.busy = false;
      ++state.job;
    }
  }

  template <typename Visit>
  void each_unfinished(Resource resource, Visit visit) {
    for (TaskState& state : tasks_) {
      if (!state.busy || state.resource() != resource) continue;
      for (Subtask& subtask : state.subtasks)
        if (subtask.remaining > 0) visit(state, subtask);
    }
  }

  // The place in the order of the most urgent task that waits for the element.
  size_t first_waiting(Resource resource, int element) const {
    for (size_t position = 0; position < tasks_.size(); ++position) {
      const TaskState& state = tasks_[position];
      if (!state.busy || state.resource() != resource) continue;
      for (size_t k = 0; k < state.subtasks.size(); ++k)
        if (state.subtasks[k].remaining > 0 && !state.subtasks[k].running() && state.devices[k] == element)
          return position;
    }
    return tasks_.size();
  }

  struct Contender {
    size_t urgency;  // a place in the order: the task's, or one that its section is lent
    TaskState* state;
    Subtask* subtask;
    bool has_cpu() const { return state->resource() == Resource::cpu ? subtask->running() : subtask->has_cpu; }
  };

  // Whoever executes on a CPU, or could, the most urgent first.
  std::vector<Contender> contenders() {
    std::vector<Contender> all;
    for (size_t position = 0; position < tasks_.size(); ++position) {
      TaskState& state = tasks_[position];
      if (!state.busy) continue;
      const Resource resource = state.resource();
      for (Subtask& subtask : state.subtasks) {
        if (resource == Resource::cpu && subtask.remaining > 0)
          all.push_back({position, &state, &subtask});
        else if (resource != Resource::cpu && subtask.needs_cpu())
          all.push_back({std::min(position, first_waiting(resource, subtask.element)), &state, &subtask});
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const Contender& a, const Contender& b) {
      return std::pair(a.urgency, a.subtask->yields) < std::pair(b.urgency, b.subtask->yields);
    });
    return all;
  }

  void give_out_cpus() {
    std::vector<Contender> all = contenders();
    const size_t most = std::min(all.size(), static_cast<size_t>(set_.platform.cpus));
    for (size_t n = most; n < all.size(); ++n) {
      if (!all[n].has_cpu()) continue;
      if (all[n].state->resource() == Resource::cpu)
        stop(*all[n].state, *all[n].subtask);
      else
        all[n].subtask->has_cpu = false;
    }
    for (size_t n = 0; n < most; ++n) {
      if (all[n].has_cpu()) continue;
      if (all[n].state->resource() == Resource::cpu)
        start(*all[n].subtask, Resource::cpu, free_element(*all[n].state, *all[n].subtask));
      else
        all[n].subtask->has_cpu = true;
    }
  }

  void give_out_sections(Resource resource) {
    const auto& taken = taken_[static_cast<size_t>(resource)];
    if (std::find(taken.begin(), taken.end(), false) == taken.end()) return;
    each_unfinished(resource, [&](TaskState& state, Subtask& subtask) {
      if (subtask.running()) return;
      const int element = free_element(state, subtask);
      if (element == kNowhere) return;
      start(subtask, resource, element);
      const Stage& stage = state.now_in();
      if (!stage.whole_in(state.mode))
        subtask.section = behaviour_.section(state.index, state.stage, stage.section_in(state.mode));
      const auto k = &subtask - state.subtasks.data();
      Time& budget = state.host_budget[static_cast<size_t>(k)];
      const Time length = std::min(subtask.section, subtask.remaining);
      const Time longest = std::min({budget, stage.longest_host_in(state.mode), length});
      const auto host = budget == 0
                            ? Behaviour::Host{}
                            : behaviour_.host(state.index, state.stage, static_cast<int>(k), state.request, longest);
      subtask.host = host.length;
      subtask.yields = host.yields;
      subtask.before_host = host.late ? length - host.length : 0;
      budget -= host.length;
    });
  }

  const TaskSet& set_;
  Behaviour& behaviour_;
  Observer& observer_;
  const Time horizon_;
  Time now_ = 0;
  std::vector<TaskState> tasks_;  // most urgent first
  std::array<std::vector<bool>, 3> taken_;
};

}  // namespace

Time simulate(const TaskSet& set, std::span<const size_t> order, std::span<const int> modes, Behaviour& behaviour,
              Observer& observer, Time horizon, Time give_up) {
  return Simulation(set, order, modes, behaviour, observer, horizon).run(give_up);
}

}  // namespace samcl::analysis
