// Many simulated jobs of one task set: how long their responses are, and the worst that could be found.
#pragma once

#include "analysis/sim/behaviour_plan.h"

namespace samcl::analysis {

struct StudyOptions {
  int64_t jobs = 20000;  // at least so many
  int searches = 500;    // plans tried beyond these, each the worst so far with one thing changed
  uint64_t seed = 1;
};

struct TaskStudy {
  std::vector<Time> responses;  // of all jobs of random plans, shortest first
  int64_t misses = 0;           // of these
  Time longest = 0;             // also among those searched for
};

struct Study {
  std::vector<TaskStudy> tasks;
  int64_t jobs = 0;  // all that ran
  // The job with the largest response / deadline, and the plan in which it occurs.
  BehaviourPlan worst_plan;
  FinishedJob worst{};
};

Study study(const TaskSet& set, std::span<const size_t> order, std::span<const int> modes, const StudyOptions& options);

// The response that a share of them does not exceed, 0 < share <= 1; 0 if there is none.
Time quantile(const std::vector<Time>& sorted, double share);
double mean(const std::vector<Time>& values);

// What ran in one plan.
struct Schedule {
  std::vector<Segment> segments;
  std::vector<FinishedJob> jobs;
};
Schedule schedule(const TaskSet& set, std::span<const size_t> order, std::span<const int> modes,
                  const BehaviourPlan& plan);

}  // namespace samcl::analysis
