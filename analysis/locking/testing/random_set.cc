#include "analysis/locking/testing/random_set.h"

#include <algorithm>

namespace samcl::analysis::locking {
namespace {

Time draw(Random& random, Time low, Time high) { return std::uniform_int_distribution<Time>(low, high)(random); }

Time random_period(const Shape& shape, Random& random) {
  while (true) {
    const Time period = draw(random, 2, shape.period);
    if (!shape.full || shape.period % period == 0) return period;
  }
}

Task random_task(const Shape& shape, bool uses_gpu, Random& random) {
  Task task;
  task.period = random_period(shape, random);
  const Time execution = draw(random, uses_gpu ? 2 : 1, draw(random, 2, task.period));
  if (uses_gpu) task.gpu = draw(random, 1, std::max<Time>(1, execution / 2));
  task.cpu = execution - task.gpu;
  if (uses_gpu) task.section = draw(random, task.gpu, execution);
  return task;
}

// The same task on a GPU with parts: nothing is copied, and each part more makes it faster by something or nothing.
Task on_parts(Task task, int parts, Random& random) {
  task.on_parts = {task.gpu};
  while (task.on_parts.size() < static_cast<size_t>(parts))
    task.on_parts.push_back(draw(random, std::max<Time>(1, task.on_parts.back() / 2), task.on_parts.back()));
  task.gpu = task.section = task.on_parts.back();
  return task;
}

// What the job takes of a worst-case time.
Time taken(Time worst, bool always_worst, Random& random) { return always_worst ? worst : draw(random, 0, worst); }

Job random_job(const Task& task, Time release, bool always_worst, Random& random) {
  Job job;
  job.release = release;
  const Time outside = taken(task.cpu - task.communication(), always_worst, random);
  const Time copying = taken(task.communication(), always_worst, random);
  job.before = task.uses_gpu() ? draw(random, 0, outside) : outside;
  job.after = outside - job.before;
  job.copying_in = draw(random, 0, copying);
  job.copying_out = copying - job.copying_in;
  job.gpu = taken(task.gpu, always_worst, random);
  return job;
}

}  // namespace

TaskSet random_set(const Shape& shape, Random& random) {
  TaskSet set;
  set.cpus = static_cast<int>(draw(random, 1, shape.cpus));
  set.gpus = static_cast<int>(draw(random, 1, shape.gpus));
  set.parts = shape.parts;
  const Time users = draw(random, 0, 4);  // of 4 tasks
  const Time capacity = set.cpus * shape.period;
  Time load = 0;  // within the longest period, rounded up
  const auto add = [&](Task task) {
    task.name = "T" + std::to_string(set.tasks.size() + 1);
    load += (task.execution() * shape.period + task.period - 1) / task.period;
    set.tasks.push_back(std::move(task));
  };
  while (set.tasks.size() < static_cast<size_t>(shape.tasks) &&
         load < static_cast<Time>(shape.load * static_cast<double>(capacity))) {
    Task task = random_task(shape, draw(random, 1, 4) <= users, random);
    if (shape.parts > 1 && task.uses_gpu()) task = on_parts(task, shape.parts, random);
    if (shape.full && load + task.execution() * shape.period / task.period > capacity) break;
    add(task);
  }
  while (shape.full && load < capacity) {
    Task rest;
    rest.period = shape.period;
    rest.cpu = draw(random, 1, std::min(shape.period, capacity - load));
    add(rest);
  }
  if (set.parts > 1 && draw(random, 0, 1) == 0) {
    Time longest = 0;
    for (const Task& task : set.tasks) longest = std::max(longest, task.gpu_on(1));
    set.slice = longest + draw(random, 1, 2 * longest + 1);
  }
  return set;
}

JobSequences random_plan(const TaskSet& set, int jobs, Random& random) {
  JobSequences plan;
  const bool at_once = draw(random, 0, 1) == 0, periodic = draw(random, 0, 2) > 0;
  const bool always_worst = draw(random, 0, 2) > 0;
  for (const Task& task : set.tasks) {
    std::vector<Job>& list = plan.emplace_back();
    Time release = at_once ? 0 : draw(random, 0, 2 * task.period);
    for (int n = 0; n < jobs; ++n) {
      list.push_back(random_job(task, release, always_worst, random));
      release += task.period + (periodic ? 0 : draw(random, 0, task.period / 2));
    }
  }
  return plan;
}

JobSequences mutated(const TaskSet& set, const JobSequences& plan, Random& random) {
  JobSequences changed = plan;
  const auto i = static_cast<size_t>(draw(random, 0, static_cast<Time>(set.tasks.size()) - 1));
  const Task& task = set.tasks[i];
  std::vector<Job>& jobs = changed[i];
  const auto from = static_cast<size_t>(draw(random, 0, static_cast<Time>(jobs.size()) - 1));
  if (draw(random, 0, 2) == 0) {
    jobs[from] = random_job(task, jobs[from].release, draw(random, 0, 1) == 0, random);
    return changed;
  }
  const Time earliest = from == 0 ? 0 : jobs[from - 1].release + task.period;
  const Time later =
      draw(random, 0, 1) == 0 ? draw(random, 1, task.period) : -draw(random, 0, jobs[from].release - earliest);
  for (size_t n = from; n < jobs.size(); ++n) jobs[n].release += later;
  return changed;
}

}  // namespace samcl::analysis::locking
