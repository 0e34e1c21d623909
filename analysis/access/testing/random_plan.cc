#include "analysis/access/testing/random_plan.h"

#include <algorithm>
#include <numeric>

namespace samcl::analysis::access {
namespace {

Task random_task(const Shape& shape, int number, Draw& draw) {
  Task task;
  task.name = "T" + std::to_string(number + 1);
  task.index = static_cast<size_t>(number);
  task.period = draw.whole(8, 60);
  task.deadline = shape.late ? draw.whole(task.period, 2 * task.period) : draw.whole(task.period * 2 / 3, task.period);
  if (shape.jitter && draw.chance(0.25)) task.jitter = draw.whole(1, 3);
  task.cpu = static_cast<int>(draw.whole(0, shape.cpus - 1));
  task.device = shape.own_devices ? number : static_cast<int>(draw.whole(0, shape.devices - 1));
  task.busy = draw.chance(0.3);
  const Time most = std::max<Time>(1, task.period / 8);
  task.between = {draw.whole(1, most)};
  for (int left = static_cast<int>(draw.whole(0, 2)); left > 0; --left) {
    task.segments.push_back({draw.whole(0, most), draw.whole(1, most)});
    task.between.push_back(draw.whole(1, most));
  }
  return task;
}

// The worst with `bound`, else anything up to it.
Time part(Time most, bool bound, Draw& draw) { return bound ? most : draw.whole(0, most); }

SimulatedJob random_job(const Task& task, bool at_bounds, Draw& draw) {
  SimulatedJob job;
  for (const Time most : task.between) job.between.push_back(part(most, at_bounds || draw.chance(0.5), draw));
  for (const Segment& segment : task.segments) {
    const Time misc = part(segment.misc, at_bounds || draw.chance(0.5), draw), before = draw.whole(0, misc);
    job.segment.push_back({before, part(segment.pure, at_bounds || draw.chance(0.5), draw), misc - before});
  }
  return job;
}

// As on the CPUs, or another order of the CPUs' tasks; those of one CPU stay in theirs.
void rank_on_gpu(TaskSet& set, Draw& draw) {
  const bool other = draw.chance(0.3);
  std::vector<size_t> left(set.tasks.size());
  std::iota(left.begin(), left.end(), size_t{0});
  for (int rank = 0; !left.empty(); ++rank) {
    const int cpu =
        set.tasks[left[other ? static_cast<size_t>(draw.whole(0, static_cast<int64_t>(left.size()) - 1)) : 0]].cpu;
    const auto next = std::find_if(left.begin(), left.end(), [&](size_t i) { return set.tasks[i].cpu == cpu; });
    set.tasks[*next].gpu_rank = rank;
    left.erase(next);
  }
}

}  // namespace

TaskSet random_set(const Shape& shape, Draw& draw) {
  TaskSet set;
  set.cpus = shape.cpus;
  const int count = static_cast<int>(draw.whole(2, shape.tasks));
  set.devices = shape.own_devices ? count : shape.devices;
  for (int i = 0; i < count; ++i) set.tasks.push_back(random_task(shape, i, draw));
  if (draw.chance(0.8))
    std::stable_sort(set.tasks.begin(), set.tasks.end(),
                     [](const Task& a, const Task& b) { return a.deadline < b.deadline; });
  rank_on_gpu(set, draw);
  return set;
}

std::vector<SimulatedJob> random_plan(const TaskSet& set, Draw& draw) {
  Time longest = 0;
  for (const Task& task : set.tasks) longest = std::max(longest, task.period);
  const bool at_once = draw.chance(0.3), sporadic = draw.chance(0.4), at_bounds = draw.chance(0.6);
  std::vector<SimulatedJob> jobs;
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    const Task& task = set.tasks[i];
    for (Time arrival = at_once ? longest : draw.whole(0, longest); arrival <= 3 * longest;
         arrival += task.period + (sporadic ? draw.whole(0, task.period / 3) : 0)) {
      jobs.push_back(random_job(task, at_bounds, draw));
      jobs.back().task = i;
      jobs.back().arrival = arrival;
      jobs.back().release = arrival + (draw.chance(0.5) ? task.jitter : draw.whole(0, task.jitter));
    }
  }
  return jobs;
}

}  // namespace samcl::analysis::access
