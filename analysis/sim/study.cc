#include "analysis/sim/study.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/sim/aligned_plan.h"

namespace samcl::analysis {
namespace {

constexpr int kJobsPerPlan = 8;  // of the slowest task

double ratio(const TaskSet& set, const FinishedJob& job) {
  return static_cast<double>(job.response()) / static_cast<double>(set.tasks[job.task].deadline);
}

struct Jobs : Observer {
  std::vector<FinishedJob> jobs;
  void finished(const FinishedJob& job) override { jobs.push_back(job); }
};

struct Everything : Observer {
  Schedule schedule;
  void ran(const Segment& segment) override { schedule.segments.push_back(segment); }
  void finished(const FinishedJob& job) override { schedule.jobs.push_back(job); }
};

}  // namespace

Study study(const TaskSet& set, std::span<const size_t> order, std::span<const int> modes,
            const StudyOptions& options) {
  Study result;
  result.tasks.resize(set.tasks.size());
  Random random(options.seed);
  double worst = -1;
  const auto attempt = [&](BehaviourPlan plan, bool counted) {
    Jobs seen;
    PlannedBehaviour behaviour(set, modes, plan);
    simulate(set, order, modes, behaviour, seen, kNoInstant, kNoInstant);
    result.jobs += static_cast<int64_t>(seen.jobs.size());
    bool is_worst = false;
    for (const FinishedJob& job : seen.jobs) {
      TaskStudy& task = result.tasks[job.task];
      task.longest = std::max(task.longest, job.response());
      if (counted) task.responses.push_back(job.response());
      if (ratio(set, job) <= worst) continue;
      worst = ratio(set, job);
      result.worst = job;
      is_worst = true;
    }
    if (is_worst) result.worst_plan = std::move(plan);
  };
  do {
    attempt(random_plan(set, modes, kJobsPerPlan, random), true);
  } while (result.jobs < options.jobs);
  for (int n = 0; n < options.searches; ++n)
    attempt(n % 2 == 0 ? mutated(set, modes, result.worst_plan, random)
                       : aligned(set, order, modes, result.worst_plan, result.worst.task, random),
            false);
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    auto& responses = result.tasks[i].responses;
    std::sort(responses.begin(), responses.end());
    result.tasks[i].misses =
        responses.end() - std::upper_bound(responses.begin(), responses.end(), set.tasks[i].deadline);
  }
  return result;
}

Time quantile(const std::vector<Time>& sorted, double share) {
  if (sorted.empty()) return 0;
  const double rank = std::ceil(share * static_cast<double>(sorted.size()));
  return sorted[std::min(sorted.size(), static_cast<size_t>(std::max(1.0, rank))) - 1];
}

double mean(const std::vector<Time>& values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0,
                                     [](double so_far, Time value) { return so_far + static_cast<double>(value); });
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

Schedule schedule(const TaskSet& set, std::span<const size_t> order, std::span<const int> modes,
                  const BehaviourPlan& plan) {
  Everything seen;
  PlannedBehaviour behaviour(set, modes, plan);
  simulate(set, order, modes, behaviour, seen, kNoInstant, kNoInstant);
  return std::move(seen.schedule);
}

}  // namespace samcl::analysis
