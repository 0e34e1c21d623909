#include "analysis/rta/exact.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "analysis/model/task_set.h"

namespace samcl::analysis {
namespace {

// Sets of values of clocks, given by how far any two of them are apart at most, with zero as the first clock (Dill
// 1989).
class Zone {
 public:
  static constexpr Time kAny = Time{1} << 60;

  // All values of clocks 1 to `clocks`.
  explicit Zone(size_t clocks) : size_(clocks + 1), apart_(size_ * size_, kAny) {
    for (size_t n = 0; n < size_; ++n) apart(0, n) = apart(n, n) = 0;
  }

  Time most(size_t clock) const { return apart_[clock * size_]; }
  bool within(const Zone& other) const {
    return std::equal(apart_.begin(), apart_.end(), other.apart_.begin(), std::less_equal<>());
  }

  void delay() {
    for (size_t a = 1; a < size_; ++a) apart(a, 0) = kAny;
  }

  void reset(size_t clock) {
    for (size_t b = 0; b < size_; ++b) {
      apart(clock, b) = apart(0, b);
      apart(b, clock) = apart(b, 0);
    }
    apart(clock, clock) = 0;
  }

  // Any value.
  void forget(size_t clock) {
    for (size_t b = 0; b < size_; ++b) {
      apart(clock, b) = kAny;
      apart(b, clock) = apart(b, 0);
    }
    apart(clock, clock) = 0;
  }

  // If that leaves any value.
  void at_most(size_t clock, Time time) { limit(clock, 0, time); }

  // False: none is left.
  bool at_least(size_t clock, Time time) {
    if (most(clock) < time) return false;
    limit(0, clock, -time);
    return true;
  }

  // Adds values from which nothing more can be reached, where clocks are only asked whether they are at least one of
  // `lower` or beyond, at most one of `upper`: [clock - 1]. (Behrmann, Bouyer, Larsen & Pelanek 2006, Extra LU+.)
  void widen(const std::vector<Time>& lower, const std::vector<Time>& upper) {
    const std::vector<Time> least(apart_.begin(), apart_.begin() + static_cast<std::ptrdiff_t>(size_));  // negated
    for (size_t a = 1; a < size_; ++a)
      for (size_t b = 0; b < size_; ++b)
        if (a != b && (apart(a, b) > lower[a - 1] || -least[a] > lower[a - 1] || (b > 0 && -least[b] > upper[b - 1])))
          apart(a, b) = kAny;
    for (size_t b = 1; b < size_; ++b) apart(0, b) = std::max(apart(0, b), -upper[b - 1]);
    for (size_t k = 0; k < size_; ++k)
      for (size_t a = 0; a < size_; ++a)
        for (size_t b = 0; b < size_; ++b) apart(a, b) = std::min(apart(a, b), apart(a, k) + apart(k, b));
  }

 private:
  Time& apart(size_t a, size_t b) { return apart_[a * size_ + b]; }
  void limit(size_t a, size_t b, Time most) {
    if (most >= apart(a, b)) return;
    apart(a, b) = most;
    for (size_t i = 0; i < size_; ++i)
      for (size_t j = 0; j < size_; ++j) apart(i, j) = std::min(apart(i, j), apart(i, a) + most + apart(b, j));
  }

  size_t size_;
  std::vector<Time> apart_;  // [a, b]: the most that a is above b
};

// Subtasks that can be on the resource at once.
int most_at_once(const TaskSet& set, std::span<const int> modes, Resource resource) {
  int sum = 0;
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    int most = 0;
    for (const Stage& stage : set.tasks[i].stages)
      if (stage.resource == resource) most = std::max(most, set.platform.subtasks(stage, modes[i]));
    sum += most;
  }
  return sum;
}

bool is_shared(const TaskSet& set, std::span<const int> modes, Resource resource) {
  return most_at_once(set, modes, resource) > set.platform.elements(resource);
}

class Search {
 public:
  Search(const TaskSet& set, std::span<const int> modes, PriorityOrder order)
      : set_(set), modes_(modes.begin(), modes.end()), order_(std::move(order)) {
    for (const Resource resource : kResources) shared_[at(resource)] = is_shared(set, modes, resource);
    found_.response.assign(set.tasks.size(), 0);
  }

  Exact run(int64_t most_states) {
    const size_t tasks = set_.tasks.size();
    keep(Places(tasks, kIdle), Zone(2 * tasks));
    while (!open_.empty() && found_.schedulable) {
      if (found_.states >= most_states) return found_;
      const auto state = std::move(open_.front());
      open_.pop_front();
      if (!state->covered) follow(*state);
    }
    found_.finished = true;
    return found_;
  }

 private:
  // Where each task's job is: 2 j while it waits for its stage j, 2 j + 1 while that executes.
  using Places = std::vector<uint16_t>;
  static constexpr uint16_t kIdle = 0xffff;
  struct State {
    Places places;
    Zone zone;
    bool covered = false;  // by another one
  };
  struct Hash {
    size_t operator()(const Places& places) const {
      size_t hash = 0;
      for (const uint16_t place : places) hash = hash * 1000003 + place;
      return hash;
    }
  };

  // The clocks of a task: since its last release, and since its stage began to execute.
  static size_t released(size_t task) { return 1 + 2 * task; }
  static size_t begun(size_t task) { return 2 + 2 * task; }
  const Stage& stage(size_t task, uint16_t place) const { return set_.tasks[task].stages[place / 2]; }
  bool executes(uint16_t place) const { return place != kIdle && place % 2 == 1; }

  // What can happen next.
  void follow(const State& state) {
    for (size_t task = 0; task < state.places.size() && found_.schedulable; ++task) {
      const uint16_t place = state.places[task];
      Zone zone = state.zone;
      if (place == kIdle) {
        release(task, state.places, std::move(zone));
      } else if (executes(place) && zone.at_least(begun(task), stage(task, place).best_in(modes_[task]))) {
        enter(task, place / 2 + 1u, state.places, std::move(zone));
      }
    }
  }

  // The job comes to its stage, or, where this and others after it take no time, to a later one.
  void enter(size_t task, size_t first, Places places, Zone zone) {
    const auto& stages = set_.tasks[task].stages;
    zone.forget(begun(task));
    for (size_t j = first; j < stages.size(); ++j) {
      places[task] = static_cast<uint16_t>(2 * j);
      give_elements(places, zone);
      if (stages[j].best_in(modes_[task]) > 0) return;
    }
    found_.response[task] = std::max(found_.response[task], zone.most(released(task)));
    places[task] = kIdle;
    release(task, places, zone);  // at the same instant
    give_elements(std::move(places), std::move(zone));
  }

  // If it can be now.
  void release(size_t task, const Places& places, Zone zone) {
    if (!zone.at_least(released(task), set_.tasks[task].period)) return;
    zone.reset(released(task));
    enter(task, 0, places, std::move(zone));
  }

  // To who waits, in the order of priority.
  void give_elements(Places places, Zone zone) {
    std::array<int, 3> used{};
    for (size_t task = 0; task < places.size(); ++task)
      if (executes(places[task])) ++used[at(stage(task, places[task]).resource)];
    for (const size_t task : order_) {
      if (places[task] == kIdle || executes(places[task])) continue;
      const Resource resource = stage(task, places[task]).resource;
      if (shared_[at(resource)] && used[at(resource)] == set_.platform.elements(resource)) continue;
      ++used[at(resource)];
      ++places[task];
      zone.reset(begun(task));
    }
    keep(std::move(places), std::move(zone));
  }

  // Lets time pass, as long as no stage has to end.
  void keep(Places places, Zone zone) {
    zone.delay();
    std::vector<Time> lower, upper;
    for (size_t task = 0; task < places.size(); ++task) {
      const uint16_t place = places[task];
      lower.insert(lower.end(), {set_.tasks[task].period, 0});
      upper.insert(upper.end(), {0, 0});
      if (!executes(place)) continue;
      lower.back() = stage(task, place).best_in(modes_[task]);
      upper.back() = stage(task, place).worst_in(modes_[task]);
      zone.at_most(begun(task), upper.back());
    }
    for (size_t task = 0; task < places.size(); ++task) {
      if (places[task] == kIdle || zone.most(released(task)) <= set_.tasks[task].deadline) continue;
      found_.schedulable = false;
      found_.response[task] = zone.most(released(task));
    }
    zone.widen(lower, upper);
    auto& known = known_[places];
    for (const auto& state : known)
      if (zone.within(state->zone)) return;
    std::erase_if(known, [&](const auto& state) { return state->covered = state->zone.within(zone); });
    known.push_back(std::make_shared<State>(State{std::move(places), std::move(zone)}));
    open_.push_back(known.back());
    ++found_.states;
  }

  const TaskSet& set_;
  Modes modes_;
  PriorityOrder order_;
  std::array<bool, 3> shared_{};  // [resource]
  Exact found_;
  std::unordered_map<Places, std::vector<std::shared_ptr<State>>, Hash> known_;
  std::deque<std::shared_ptr<State>> open_;
};

}  // namespace

Result<void> check_exact(const TaskSet& set, std::span<const int> modes) {
  if (set.platform.bound) return fail("devices are bound: exact response times are known where they are not");
  for (const Task& task : set.tasks)
    if (task.late > 0)
      return fail("task \"" + task.name + "\", late: expected none, jobs that keep to their stages");
    else if (!task.work.empty())
      return fail("task \"" + task.name + "\", work: expected none, any times of a job's stages");
  for (size_t i = 0; i < set.tasks.size(); ++i)
    for (size_t j = 0; j < set.tasks[i].stages.size(); ++j) {
      const Stage& stage = set.tasks[i].stages[j];
      const std::string where = name_of(set.tasks[i], j);
      if (stage.requests > 1) return fail(where + ": several requests, expected one");
      if (!is_shared(set, modes, stage.resource)) continue;
      if (stage.resource == Resource::cpu)
        return fail(std::to_string(most_at_once(set, modes, stage.resource)) + " threads share " +
                    std::to_string(set.platform.cpus) + " CPUs: expected one for each");
      if (stage.section_in(modes[i]) < stage.worst_in(modes[i]))
        return fail(where + ": cut into sections on a resource that tasks share, expected never cut");
      if (set.platform.subtasks(stage, modes[i]) > 1)
        return fail(where + ": parallel subtasks on a resource that tasks share, expected one");
    }
  return {};
}

Exact analyse_exact(const TaskSet& set, std::span<const int> modes, int64_t most_states, PriorityOrder order) {
  return Search(set, modes, order.empty() ? priority_order(set) : std::move(order)).run(most_states);
}

}  // namespace samcl::analysis
