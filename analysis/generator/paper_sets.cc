#include "analysis/generator/paper_sets.h"

#include <algorithm>
#include <numeric>

#include "analysis/generator/draw.h"
#include "analysis/generator/mode_costs.h"

namespace samcl::analysis {
namespace {

constexpr Time kMs = 1'000'000;

// Which resource a task of GPU-SAM's experiments mostly uses.
Resource bound_to(Draw& draw) {
  const double kind = draw.unit();
  return kind < 0.7 ? Resource::gpu : kind < 0.9 ? Resource::link : Resource::cpu;
}

std::vector<Resource> pipeline(int kernels) {
  std::vector<Resource> resources = {Resource::cpu};
  for (int n = 0; n < kernels; ++n)
    resources.insert(resources.end(), {Resource::link, Resource::gpu, Resource::link, Resource::cpu});
  return resources;
}

// Parts of 1, one per stage.
std::vector<double> shares(size_t count, Split split, Draw& draw) {
  std::vector<double> parts(count);
  if (split == Split::cuts) {
    for (double& cut : parts) cut = draw.unit();
    parts.back() = 1;
    std::sort(parts.begin(), parts.end());
    std::adjacent_difference(parts.begin(), parts.end(), parts.begin());
    return parts;
  }
  for (double& part : parts) part = 1 - draw.unit();
  const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
  for (double& part : parts) part /= sum;
  return parts;
}

// The same parts, but those of one resource add up to `most`.
void prefer(std::vector<double>& parts, const std::vector<Resource>& resources, Resource bound, double most) {
  double sum = 0;
  for (size_t j = 0; j < parts.size(); ++j) sum += resources[j] == bound ? parts[j] : 0;
  for (size_t j = 0; j < parts.size(); ++j) parts[j] *= resources[j] == bound ? most / sum : (1 - most) / (1 - sum);
}

// Stages by their times on one GPU; each in all modes.
std::vector<Stage> stages(const std::vector<Resource>& resources, const std::vector<Time>& single, int gpus,
                          bool dependent) {
  std::vector<Stage> all;
  for (size_t j = 0; j < resources.size(); ++j) {
    Stage stage;
    stage.resource = resources[j];
    if (stage.resource == Resource::gpu)
      stage.worst = kernel_times(single[j], gpus);
    else if (stage.resource == Resource::link)
      stage.worst = resources[j + 1] == Resource::gpu ? upload_times(single[j], gpus, dependent)
                                                      : download_times(single[j], gpus, dependent);
    else
      stage.worst = merging_times(single[j], j == 0 ? 0 : single[j - 1], gpus, dependent);
    all.push_back(std::move(stage));
  }
  return all;
}

Task random_task(const PaperSet& wanted, Draw& draw) {
  Task task;
  task.period = task.deadline = draw.whole(100 * kMs, 1000 * kMs);
  const auto resources = pipeline(static_cast<int>(draw.whole(1, 5)));
  const double sum = draw.between(5.0 * kMs, static_cast<double>(task.period) * wanted.most_share);
  const bool dependent = draw.chance(wanted.dependency);
  std::vector<double> parts = shares(resources.size(), wanted.split, draw);
  if (wanted.classes) {
    const Resource bound = bound_to(draw);
    prefer(parts, resources, bound, draw.between(0.885, 0.998));
  }
  std::vector<Time> single;
  for (const double share : parts) single.push_back(std::max<Time>(1, static_cast<Time>(share * sum)));
  task.stages = stages(resources, single, wanted.platform.gpus, dependent);
  return task;
}

}  // namespace

double gpu_utilisation(const Task& task) {
  Time sum = 0;
  for (const Stage& stage : task.stages)
    if (stage.resource == Resource::gpu) sum += stage.worst_in(1);
  return static_cast<double>(sum) / static_cast<double>(task.period);
}

TaskSet paper_set(const PaperSet& wanted, uint64_t seed) {
  Draw draw(seed);
  TaskSet set;
  set.platform = wanted.platform;
  double load = 0;
  while (set.tasks.size() < wanted.most_tasks &&
         (set.tasks.size() < wanted.least_tasks || load <= wanted.gpu_utilisation)) {
    set.tasks.push_back(random_task(wanted, draw));
    set.tasks.back().name = "P" + std::to_string(set.tasks.size());
    load += gpu_utilisation(set.tasks.back());
  }
  return set;
}

}  // namespace samcl::analysis
