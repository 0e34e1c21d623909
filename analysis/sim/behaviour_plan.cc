#include "analysis/sim/behaviour_plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace samcl::analysis {
namespace {

// How a task's subtasks use the room between best and worst case. One resource: there the worst, elsewhere the best, so
// that all of a job's stages come there as close together as they can.
enum class Temper { worst, best, either_by_job, either_by_stage, uniform, first_long_then_short, one_resource };

std::vector<std::vector<Time>> draw_execution(const Platform& platform, const Task& task, int mode, Temper temper,
                                              size_t job, Random& random) {
  std::vector<std::vector<Time>> times;
  const bool long_job = coin(random, 0.5);
  const Resource busy = kResources[static_cast<size_t>(draw(random, 0, 2))];
  for (const Stage& stage : task.stages) {
    std::vector<Time> subtasks;
    for (int k = 0; k < platform.subtasks(stage, mode); ++k) {
      const Time worst = stage.worst_in(mode), best = stage.best_in(mode);
      bool longest = true;
      switch (temper) {
        case Temper::worst: break;
        case Temper::best: longest = false; break;
        case Temper::either_by_job: longest = long_job; break;
        case Temper::either_by_stage: longest = coin(random, 0.5); break;
        case Temper::first_long_then_short: longest = job == 0; break;
        case Temper::one_resource: longest = stage.resource == busy; break;
        case Temper::uniform: subtasks.push_back(draw(random, best, worst)); continue;
      }
      subtasks.push_back(longest ? worst : best);
    }
    times.push_back(std::move(subtasks));
  }
  return times;
}

// `count` numbers that add up to `sum`: about equal, or at random.
std::vector<Time> draw_parts(Time sum, size_t count, Random& random) {
  std::vector<Time> ends;
  const bool equal = coin(random, 0.4);
  for (size_t n = 1; n < count; ++n)
    ends.push_back(equal ? sum / static_cast<Time>(count) * static_cast<Time>(n) : draw(random, 0, sum));
  ends.push_back(sum);
  std::sort(ends.begin(), ends.end());
  std::adjacent_difference(ends.begin(), ends.end(), ends.begin());
  return ends;
}

// Where the stage's longest subtask pauses, and for how long.
std::vector<Pause> draw_pauses(const Stage& stage, int mode, const std::vector<Time>& execution, Random& random) {
  if (stage.requests == 1) return {};
  const Time most = stage.requests - 1;
  const Time least = coin(random, 0.8) ? most : draw(random, 0, most);
  if (least == 0) return {};
  const auto count = static_cast<size_t>(least);
  const Time longest = *std::max_element(execution.begin(), execution.end());
  const Time between = coin(random, 0.2) ? least : stage.between_in(mode);
  const auto requests = draw_parts(longest, count + 1, random);
  const auto lengths = draw_parts(between - least, count, random);
  std::vector<Pause> pauses;
  Time after = 0;
  for (size_t n = 0; n < count; ++n) {
    after += requests[n];
    pauses.push_back({after, 1 + lengths[n]});
  }
  return pauses;
}

void draw_pauses(const Task& task, int mode, PlannedJob& job, Random& random) {
  job.pauses.clear();
  for (size_t j = 0; j < task.stages.size(); ++j)
    job.pauses.push_back(draw_pauses(task.stages[j], mode, job.execution[j], random));
}

Temper draw_temper(Random& random) { return static_cast<Temper>(draw(random, 0, 6)); }

// Up to `most`, forwards or back.
Time any_magnitude(Time most, Random& random) {
  const double exponent = std::uniform_real_distribution<double>(0, std::log(static_cast<double>(most)))(random);
  const Time time = static_cast<Time>(std::exp(exponent));
  return coin(random, 0.5) ? time : -time;
}

// Keeps jobs at least a period apart, moving later ones as far as needed.
void separate(std::vector<PlannedJob>& jobs, Time period) {
  for (size_t n = 1; n < jobs.size(); ++n) jobs[n].release = std::max(jobs[n].release, jobs[n - 1].release + period);
}

}  // namespace

Time PlannedBehaviour::release(size_t task, int64_t job) {
  const auto& jobs = plan_.jobs[task];
  return static_cast<size_t>(job) < jobs.size() ? jobs[static_cast<size_t>(job)].release : kNoInstant;
}

Time PlannedBehaviour::planned(size_t task, int64_t job, size_t stage, int subtask) const {
  const auto& planned = plan_.jobs[task][static_cast<size_t>(job)].execution;
  const auto k = static_cast<size_t>(subtask);
  if (stage < planned.size() && k < planned[stage].size()) return planned[stage][k];
  return set_.tasks[task].stages[stage].worst_in(modes_[task]);
}

std::span<const Pause> PlannedBehaviour::planned_pauses(size_t task, int64_t job, size_t stage) const {
  const auto& planned = plan_.jobs[task][static_cast<size_t>(job)].pauses;
  return stage < planned.size() ? std::span<const Pause>(planned[stage]) : std::span<const Pause>();
}

PlannedBehaviour::Work& PlannedBehaviour::work(size_t task, int64_t job, size_t stage) {
  Work& work = works_[task];
  if (work.job != job) work = {job, 0, set_.tasks[task].work_in(modes_[task]), 0};
  if (work.stage != stage) work = {job, stage, work.left - std::exchange(work.executed, 0), 0};
  return work;
}

// What later stages take at best is theirs.
Time PlannedBehaviour::execution(size_t task, int64_t job, size_t stage, int subtask) {
  const Time wanted = planned(task, job, stage, subtask);
  const Task& known = set_.tasks[task];
  if (known.work.empty()) return wanted;
  Work& work = this->work(task, job, stage);
  Time most = work.left;
  for (size_t j = stage + 1; j < known.stages.size(); ++j) most -= known.stages[j].best_in(modes_[task]);
  const Time time = std::min(wanted, most);
  work.executed = std::max(work.executed, time);
  return time;
}

std::span<const Pause> PlannedBehaviour::pauses(size_t task, int64_t job, size_t stage) {
  const auto wanted = planned_pauses(task, job, stage);
  const Task& known = set_.tasks[task];
  if (known.work.empty()) return wanted;
  Work& work = this->work(task, job, stage);
  Time left = work.left - work.executed;
  for (size_t j = stage + 1; j < known.stages.size(); ++j) left -= known.stages[j].best_in(modes_[task]);
  size_t count = 0;
  for (; count < wanted.size() && wanted[count].length <= left; ++count) {
    left -= wanted[count].length;
    work.executed += wanted[count].length;
  }
  return wanted.first(count);
}

namespace {

// Multiplied in parts, so that it cannot overflow.
Time part_of(Time longest, Time part) { return longest / 256 * (part + 1) + longest % 256 * (part + 1) / 256; }

}  // namespace

Time PlannedBehaviour::section(size_t, size_t, Time longest) {
  if (plan_.sections.empty()) return longest;
  return std::max<Time>(1, part_of(longest, plan_.sections[next_section_++ % plan_.sections.size()]));
}

Behaviour::Host PlannedBehaviour::host(size_t task, size_t stage, int subtask, size_t request, Time longest) {
  if (plan_.in_turn) {
    const auto count = static_cast<size_t>(set_.platform.subtasks(set_.tasks[task].stages[stage], modes_[task]));
    const bool others = static_cast<size_t>(subtask) != request % count;
    return {others ? 1 : std::max<Time>(1, longest - 1), false, others};
  }
  if (plan_.sections.empty()) return {longest, false};
  const Time part = plan_.sections[next_section_++ % plan_.sections.size()];
  return {part < 128 ? longest : part_of(longest, part), part % 2 == 1};
}

BehaviourPlan random_plan(const TaskSet& set, std::span<const int> modes, int jobs, Random& random) {
  Time longest = 0;
  for (const Task& task : set.tasks) longest = std::max(longest, task.period);
  const Time span = longest * jobs;
  const int phases = static_cast<int>(draw(random, 0, 2));
  const bool sporadic = coin(random, 0.3);
  const bool one_temper = coin(random, 0.4);
  const Temper common = draw_temper(random);
  BehaviourPlan plan;
  plan.jobs.resize(set.tasks.size());
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    const Task& task = set.tasks[i];
    const Temper temper = one_temper ? common : draw_temper(random);
    Time release = phases == 0 ? 0 : phases == 1 ? draw(random, 0, task.period) : draw(random, 0, 2);
    while (release < span) {
      PlannedJob job;
      job.release = release;
      job.execution = draw_execution(set.platform, task, modes[i], temper, plan.jobs[i].size(), random);
      draw_pauses(task, modes[i], job, random);
      plan.jobs[i].push_back(std::move(job));
      release += task.period;
      if (sporadic && coin(random, 0.3)) release += draw(random, 0, task.period);
    }
  }
  if (coin(random, 0.5)) {
    plan.sections.resize(13);
    for (uint8_t& part : plan.sections) part = static_cast<uint8_t>(draw(random, 0, 255));
  }
  plan.in_turn = coin(random, 0.3);
  return plan;
}

BehaviourPlan mutated(const TaskSet& set, std::span<const int> modes, const BehaviourPlan& plan, Random& random) {
  BehaviourPlan next = plan;
  const size_t i = static_cast<size_t>(draw(random, 0, static_cast<Time>(set.tasks.size()) - 1));
  const Task& task = set.tasks[i];
  auto& jobs = next.jobs[i];
  if (jobs.empty()) return next;
  const size_t n = static_cast<size_t>(draw(random, 0, static_cast<Time>(jobs.size()) - 1));
  switch (draw(random, 0, 3)) {
    case 0: {  // all jobs earlier or later
      const Time shift = coin(random, 0.5) ? draw(random, -2, 2) : draw(random, -task.period, task.period);
      for (PlannedJob& job : jobs) job.release = std::max<Time>(0, job.release + shift);
      break;
    }
    case 1:  // one job, and those after it, later
      for (size_t later = n; later < jobs.size(); ++later)
        jobs[later].release += draw(random, 0, std::min<Time>(task.period, 4));
      break;
    case 2:  // one job earlier, as far as its predecessor lets it
      jobs[n].release = n == 0 ? 0 : jobs[n - 1].release + task.period;
      break;
    default:
      if (jobs[n].pauses.empty() || coin(random, 0.7))
        jobs[n].execution = draw_execution(set.platform, task, modes[i], draw_temper(random), n, random);
      draw_pauses(task, modes[i], jobs[n], random);
  }
  separate(jobs, task.period);
  return next;
}

BehaviourPlan shifted(const TaskSet& set, std::span<const int> modes, const BehaviourPlan& plan, Random& random) {
  BehaviourPlan next = plan;
  const size_t i = static_cast<size_t>(draw(random, 0, static_cast<Time>(set.tasks.size()) - 1));
  const Task& task = set.tasks[i];
  auto& jobs = next.jobs[i];
  if (jobs.empty()) return next;
  const size_t n = static_cast<size_t>(draw(random, 0, static_cast<Time>(jobs.size()) - 1));
  auto& execution = jobs[n].execution;
  if (execution.empty() || coin(random, 0.67)) {  // all releases, or those from one on
    const Time shift = any_magnitude(task.period, random);
    for (size_t job = coin(random, 0.5) ? 0 : n; job < jobs.size(); ++job)
      jobs[job].release = std::max<Time>(0, jobs[job].release + shift);
    separate(jobs, task.period);
    return next;
  }
  const size_t j = static_cast<size_t>(draw(random, 0, static_cast<Time>(execution.size()) - 1));
  const Time worst = task.stages[j].worst_in(modes[i]), best = task.stages[j].best_in(modes[i]);
  for (Time& time : execution[j])
    time = coin(random, 0.5)   ? std::clamp(time + any_magnitude(worst, random), best, worst)
           : coin(random, 0.5) ? worst
                               : best;
  return next;
}

Responses play(const TaskSet& set, std::span<const size_t> order, std::span<const int> modes,
               const BehaviourPlan& plan) {
  struct Longest : Observer {
    Responses responses;
    void finished(const FinishedJob& job) override {
      ++responses.jobs[job.task];
      responses.longest[job.task] = std::max(responses.longest[job.task], job.response());
    }
  } longest;
  longest.responses.longest.resize(set.tasks.size());
  longest.responses.jobs.resize(set.tasks.size());
  PlannedBehaviour behaviour(set, modes, plan);
  simulate(set, order, modes, behaviour, longest, kNoInstant, kNoInstant);
  return longest.responses;
}

}  // namespace samcl::analysis
