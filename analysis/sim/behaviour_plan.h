// A behaviour written down: every release, execution time and section length. Random ones are made here,
// and changed bit by bit in search of worse ones; counterexamples are kept as plans.
#pragma once

#include <random>
#include <vector>

#include "analysis/sim/simulator.h"

namespace samcl::analysis {

struct PlannedJob {
  Time release = 0;
  // [stage][subtask]; stages without an entry, and subtasks beyond, run for their worst-case time.
  std::vector<std::vector<Time>> execution;
  // [stage]; stages without an entry make a single request.
  std::vector<std::vector<Pause>> pauses = {};
  Time dropped = kNoInstant;  // when it is ended, wherever it is by then
};

struct BehaviourPlan {
  std::vector<std::vector<PlannedJob>> jobs;  // [task], in the order of TaskSet::tasks
  // Lengths of sections, taken in turn as parts of 256 of the longest, at least 1 ns; empty: the longest. Likewise
  // how long they need a CPU; where the part is odd, at their ends.
  std::vector<uint8_t> sections;
  // Instead: one of a stage's subtasks in each request, in turn, needs a CPU for as long as it may but for a tick, the
  // others for a tick in each section, and after that one.
  bool in_turn = false;
};

// After the last planned job nothing is released. A job whose stages would take more together than its task's may
// (Task::work) has less of the later ones: no less than they take at best, and fewer requests.
class PlannedBehaviour : public Behaviour {
 public:
  PlannedBehaviour(const TaskSet& set, std::span<const int> modes, const BehaviourPlan& plan)
      : set_(set), modes_(modes), plan_(plan), works_(set.tasks.size()) {}
  Time release(size_t task, int64_t job) override;
  Time execution(size_t task, int64_t job, size_t stage, int subtask) override;
  std::span<const Pause> pauses(size_t task, int64_t job, size_t stage) override;
  Time section(size_t task, size_t stage, Time longest) override;
  Host host(size_t task, size_t stage, int subtask, size_t request, Time longest) override;
  Time dropped(size_t task, int64_t job) override { return plan_.jobs[task][static_cast<size_t>(job)].dropped; }

 private:
  const TaskSet& set_;
  std::span<const int> modes_;
  const BehaviourPlan& plan_;
  // What is left of a job's work for the stage it is at, and those after that.
  struct Work {
    int64_t job = -1;
    size_t stage = 0;
    Time left = 0;
    Time executed = 0;  // of the stage at hand: its longest subtask so far
  };
  Work& work(size_t task, int64_t job, size_t stage);
  Time planned(size_t task, int64_t job, size_t stage, int subtask) const;
  std::span<const Pause> planned_pauses(size_t task, int64_t job, size_t stage) const;

  std::vector<Work> works_;  // [task]
  size_t next_section_ = 0;
};

using Random = std::mt19937_64;

inline Time draw(Random& random, Time low, Time high) { return std::uniform_int_distribution<Time>(low, high)(random); }
inline bool coin(Random& random, double probability) { return std::bernoulli_distribution(probability)(random); }

// About `jobs` jobs of the task with the longest period, and of the others what fits into that time.
// Temperaments, drawn anew for each plan: all released at once, or at random, or each just before a more
// urgent one; as often as allowed, or sporadically; always the worst time, or the best, or a mix; as many
// requests as there may be, or fewer, of equal lengths or at random.
BehaviourPlan random_plan(const TaskSet& set, std::span<const int> modes, int jobs, Random& random);

// The same with one thing changed: a task's phase, a separation, or a job's execution times and requests.
BehaviourPlan mutated(const TaskSet& set, std::span<const int> modes, const BehaviourPlan& plan, Random& random);

// Likewise, but by times of any magnitude, the small ones as often as the large ones: where periods are long.
BehaviourPlan shifted(const TaskSet& set, std::span<const int> modes, const BehaviourPlan& plan, Random& random);

// The longest response of each task under the plan (0 if none of its jobs ended), and how many ended.
struct Responses {
  std::vector<Time> longest;
  std::vector<int64_t> jobs;
};
Responses play(const TaskSet& set, std::span<const size_t> order, std::span<const int> modes,
               const BehaviourPlan& plan);

}  // namespace samcl::analysis
