#include "analysis/sim/aligned_plan.h"

#include <algorithm>
#include <optional>

#include "analysis/sim/study.h"

namespace samcl::analysis {
namespace {

size_t any_below(size_t count, Random& random) {
  return static_cast<size_t>(draw(random, 0, static_cast<Time>(count) - 1));
}

std::optional<FinishedJob> longest(const Schedule& seen, size_t task) {
  std::optional<FinishedJob> longest;
  for (const FinishedJob& job : seen.jobs)
    if (job.task == task && (!longest || job.response() > longest->response())) longest = job;
  return longest;
}

// When the job came to its stage: with the end of what it executed before.
Time ready(const Schedule& seen, const FinishedJob& job, size_t stage) {
  Time ready = job.release;
  for (const Segment& segment : seen.segments)
    if (segment.task == job.task && (segment.job < job.job || (segment.job == job.job && segment.stage < stage)))
      ready = std::max(ready, segment.end);
  return ready;
}

// How long after its release the job comes to its stage, if nothing delays it.
Time time_before(const PlannedJob& job, size_t stage) {
  Time sum = 0;
  for (size_t j = 0; j < stage; ++j) sum += *std::max_element(job.execution[j].begin(), job.execution[j].end());
  return sum;
}

// Everywhere up to a stage, and from there on the resource alone.
void execute_longest(const Task& task, int mode, PlannedJob& job, size_t stage, Resource resource = Resource::cpu) {
  for (size_t j = 0; j < task.stages.size(); ++j) {
    const bool longest = j < stage || task.stages[j].resource == resource;
    for (Time& time : job.execution[j]) time = longest ? task.stages[j].worst_in(mode) : task.stages[j].best_in(mode);
  }
}

void add(std::vector<Time>& times, Time more, Time least, Time most) {
  for (Time& time : times) time = std::clamp(time + more, least, most);
}

// Others of the task where they are, as far as a period lies between any two; or, of those after it, as early as can
// be.
void move(std::vector<PlannedJob>& jobs, size_t moved, Time release, Time period, bool at_once) {
  jobs[moved].release = release;
  for (size_t n = moved; n-- > 0;) jobs[n].release = std::min(jobs[n].release, jobs[n + 1].release - period);
  for (size_t n = moved + 1; n < jobs.size(); ++n) {
    const Time least = jobs[n - 1].release + period;
    jobs[n].release = at_once ? least : std::max(jobs[n].release, least);
  }
}

// All of the plan later, so that nothing is released before 0.
void from_zero(BehaviourPlan& plan) {
  Time first = 0;
  for (const auto& jobs : plan.jobs)
    if (!jobs.empty()) first = std::min(first, jobs.front().release);
  for (auto& jobs : plan.jobs)
    for (PlannedJob& job : jobs) job.release -= first;
}

// Of one of the task's jobs a stage comes for the resource at that time: the job is released earlier or later, or an
// earlier stage of it takes another time.
void meet(const TaskSet& set, size_t task, int mode, std::vector<PlannedJob>& jobs, const Schedule& seen,
          Resource resource, Time when, Random& random) {
  const auto& stages = set.tasks[task].stages;
  std::vector<size_t> there;
  for (size_t j = 0; j < stages.size(); ++j)
    if (stages[j].resource == resource) there.push_back(j);
  if (there.empty() || jobs.empty()) return;
  const size_t stage = there[any_below(there.size(), random)];
  when -= draw(random, 0, 2);  // a less urgent section has to begin before
  const auto distance = [&](const PlannedJob& job) { return std::abs(job.release + time_before(job, stage) - when); };
  auto moved = std::min_element(jobs.begin(), jobs.end(),
                                [&](const PlannedJob& a, const PlannedJob& b) { return distance(a) < distance(b); });
  if (moved != jobs.begin() && coin(random, 0.2)) --moved;
  if (coin(random, 0.5)) {
    const FinishedJob as_it_was = {task, moved - jobs.begin(), moved->release, 0};
    const Time later = when - ready(seen, as_it_was, stage);
    if (stage > 0 && coin(random, 0.7)) {
      const size_t before = any_below(stage, random);
      add(moved->execution[before], later, stages[before].best_in(mode), stages[before].worst_in(mode));
      add(moved->execution[stage], stages[stage].worst_in(mode), 0, stages[stage].worst_in(mode));
      return;
    }
    when = moved->release + later + time_before(*moved, stage);
  } else if (coin(random, 0.7)) {
    // This job late and the next ones early brings most work together.
    execute_longest(set.tasks[task], mode, *moved, coin(random, 0.5) ? stage : 0, resource);
    if (coin(random, 0.3))
      for (auto next = moved + 1; next != jobs.end(); ++next)
        execute_longest(set.tasks[task], mode, *next, 0, resource);
  }
  move(jobs, static_cast<size_t>(moved - jobs.begin()), when - time_before(*moved, stage), set.tasks[task].period,
       coin(random, 0.5));
}

}  // namespace

BehaviourPlan aligned(const TaskSet& set, std::span<const size_t> order, std::span<const int> modes,
                      const BehaviourPlan& plan, size_t late, Random& random) {
  const Schedule seen = schedule(set, order, modes, plan);
  const auto job = longest(seen, late);
  if (!job) return plan;
  const size_t stage = any_below(set.tasks[late].stages.size(), random);
  const Resource resource = set.tasks[late].stages[stage].resource;
  const Time when = ready(seen, *job, stage);
  const size_t surely = any_below(set.tasks.size(), random);
  BehaviourPlan next = plan;
  for (size_t i = 0; i < set.tasks.size(); ++i)
    if (i != late && (i == surely || coin(random, 0.5)))
      meet(set, i, modes[i], next.jobs[i], seen, resource, when, random);
  if (coin(random, 0.5))
    execute_longest(set.tasks[late], modes[late], next.jobs[late][static_cast<size_t>(job->job)],
                    set.tasks[late].stages.size());
  from_zero(next);
  return next;
}

}  // namespace samcl::analysis
