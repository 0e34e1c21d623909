#include "analysis/sim/testing/random_set.h"

#include <algorithm>
#include <numeric>

namespace samcl::analysis {
namespace {

Stage random_stage(const Shape& shape, int modes, Time longest, Random& random) {
  Stage stage;
  stage.resource = kResources[static_cast<size_t>(draw(random, 0, 2))];
  const Time single = draw(random, 1, longest);
  for (Time k = 1; k <= modes; ++k)
    stage.worst.push_back(stage.resource == Resource::gpu ? (single + k - 1) / k : single);
  if (shape.best_cases && draw(random, 0, 1) == 0)
    for (const Time worst : stage.worst) stage.best.push_back(draw(random, 0, 2) == 0 ? worst : draw(random, 0, worst));
  if (shape.sections && stage.resource != Resource::cpu && draw(random, 0, 1) == 0)
    for (int k = 0; k < modes; ++k)
      stage.section.push_back(draw(random, std::max<Time>(1, single / 40), std::max<Time>(4, single / 3)));
  if (shape.requests > 1 && stage.resource != Resource::cpu && draw(random, 0, 1) == 0) {
    stage.requests = static_cast<int>(draw(random, 2, shape.requests));
    for (Time k = 1; k <= modes && longest > Time{4} * stage.requests; ++k)
      stage.between.push_back(stage.requests - 1 + draw(random, 0, longest / 2));
  }
  if (shape.threads > 1 && (stage.resource == Resource::cpu || stage.requests > 1) && draw(random, 0, 1) == 0)
    for (int k = 0; k < modes; ++k) stage.threads.push_back(static_cast<int>(draw(random, 1, shape.threads)));
  if (shape.host && stage.resource != Resource::cpu && draw(random, 0, 3) > 0) {
    for (const Time worst : stage.worst) stage.host.push_back(draw(random, 0, worst));
    for (const Time section : stage.section) stage.host_section.push_back(draw(random, 1, section));
  }
  return stage;
}

// Between the least that it can be and what all stages take.
std::vector<Time> random_work(const Task& task, int modes, Random& random) {
  std::vector<Time> work;
  for (int mode = 1; mode <= modes; ++mode) {
    Time best = 0, longest = 0, all = 0;
    for (const Stage& stage : task.stages) {
      best += stage.best_in(mode);
      longest = std::max(longest, stage.length_in(mode));
      all += stage.length_in(mode);
    }
    work.push_back(draw(random, std::max(best, longest), all));
  }
  return work;
}

std::vector<int> random_list(int gpus, Random& random) {
  std::vector<int> list(static_cast<size_t>(gpus));
  std::iota(list.begin(), list.end(), 0);
  std::shuffle(list.begin(), list.end(), random);
  list.resize(static_cast<size_t>(draw(random, 1, gpus)));
  return list;
}

}  // namespace

SmallSet random_set(const Shape& shape, Random& random) {
  SmallSet small;
  const auto count = [&] { return static_cast<int>(draw(random, 1, shape.elements)); };
  small.set.platform = {count(), count(), count()};
  if (shape.bound) small.set.platform.links = small.set.platform.gpus;
  small.set.platform.bound = shape.bound;
  const Time tasks = draw(random, std::min(2, shape.tasks), shape.tasks);
  std::vector<int> priorities(static_cast<size_t>(tasks));
  std::iota(priorities.begin(), priorities.end(), 1);
  std::shuffle(priorities.begin(), priorities.end(), random);
  const bool given = draw(random, 0, 2) == 0;
  const Time load = draw(random, 1, 4);  // the larger the less
  for (size_t i = 0; i < static_cast<size_t>(tasks); ++i) {
    Task task;
    task.name = "P" + std::to_string(i + 1);
    task.period = task.deadline = draw(random, std::max<Time>(8, shape.period / 10), shape.period);
    if (given) task.priority = priorities[i];
    const Time stages = draw(random, 1, shape.stages);
    const Time longest = std::max<Time>(1, task.period / (stages * load) + draw(random, 0, 2));
    for (Time j = 0; j < stages; ++j)
      task.stages.push_back(random_stage(shape, small.set.platform.gpus, longest, random));
    if (shape.late && draw(random, 0, 3) > 0) {
      task.late = draw(random, 1, std::max<Time>(2, task.period / 20));
      task.late_lease = draw(random, 0, std::max<Time>(1, task.period / 40));
      if (draw(random, 0, 1) == 0) task.early = draw(random, 0, task.period / 2);
    }
    if (shape.bound && draw(random, 0, 3) == 0) task.devices = random_list(small.set.platform.gpus, random);
    if (shape.work && draw(random, 0, 3) > 0) task.work = random_work(task, small.set.platform.gpus, random);
    small.modes.push_back(static_cast<int>(draw(random, 1, task.largest_mode(small.set.platform))));
    small.set.tasks.push_back(std::move(task));
  }
  return small;
}

}  // namespace samcl::analysis
