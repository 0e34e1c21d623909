#include "analysis/access/experiment/draw_set.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/generator/draw.h"

namespace samcl::analysis::access {
namespace {

// UUniFast (Bini & Buttazzo 2005): each way to divide the sum is as likely.
std::vector<double> divide(double sum, int64_t count, Draw& draw) {
  std::vector<double> parts;
  for (int64_t left = count - 1; left > 0; --left) {
    const double rest = sum * std::pow(draw.unit(), 1.0 / static_cast<double>(left));
    parts.push_back(sum - rest);
    sum = rest;
  }
  parts.push_back(sum);
  return parts;
}

std::vector<Time> pieces(double sum, int64_t count, Draw& draw) {
  std::vector<double> weights;
  for (int64_t n = 0; n < count; ++n) weights.push_back(1 - draw.unit());
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<Time> times;
  for (const double weight : weights) times.push_back(std::max<Time>(1, static_cast<Time>(sum * weight / all)));
  return times;
}

void add(analysis::Task& task, Resource resource, Time worst, Time host = 0) {
  Stage& stage = task.stages.emplace_back();
  stage.resource = resource;
  stage.worst = {worst};
  if (host > 0) stage.host = {host};
}

analysis::Task draw_task(const RandomSets& wanted, double utilisation, Draw& draw) {
  analysis::Task task;
  task.period = task.deadline = draw.whole(Time{30'000'000}, Time{500'000'000});
  const double execution = std::max(1e-3, utilisation) * static_cast<double>(task.period);
  if (!draw.chance(draw.between(wanted.least_users, wanted.most_users))) {
    add(task, Resource::cpu, std::max<Time>(1, static_cast<Time>(execution)));
    return task;
  }
  const double cpu = execution / (1 + draw.between(wanted.least_ratio, wanted.most_ratio));
  const int64_t segments = draw.whole(1, 3);
  const std::vector<Time> gpu = pieces(execution - cpu, segments, draw), between = pieces(cpu, segments + 1, draw);
  for (size_t j = 0; j < gpu.size(); ++j) {
    add(task, Resource::cpu, between[j]);
    const Time misc = static_cast<Time>(static_cast<double>(gpu[j]) * draw.between(0.1, 0.3));
    add(task, Resource::gpu, gpu[j], misc);
  }
  add(task, Resource::cpu, between.back());
  return task;
}

double utilisation(const analysis::Task& task) {
  Time sum = 0;
  for (const Stage& stage : task.stages) sum += stage.worst_in(1);
  return static_cast<double>(sum) / static_cast<double>(task.period);
}

// The largest first, each to the CPU with the least.
void distribute(analysis::TaskSet& set) {
  std::vector<size_t> order(set.tasks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return utilisation(set.tasks[a]) > utilisation(set.tasks[b]); });
  std::vector<double> load(static_cast<size_t>(set.platform.cpus), 0);
  for (const size_t i : order) {
    const auto least = std::min_element(load.begin(), load.end());
    set.tasks[i].cpu = static_cast<int>(least - load.begin());
    *least += utilisation(set.tasks[i]);
  }
}

}  // namespace

analysis::TaskSet draw_set(const RandomSets& wanted, uint64_t seed) {
  Draw draw(seed);
  analysis::TaskSet set;
  set.platform.cpus = wanted.cpus;
  for (int cpu = 0; cpu < wanted.cpus; ++cpu)
    for (const double part : divide(wanted.utilisation, draw.whole(3, 6), draw)) {
      set.tasks.push_back(draw_task(wanted, part, draw));
      set.tasks.back().name = "T" + std::to_string(set.tasks.size());
    }
  distribute(set);
  return set;
}

}  // namespace samcl::analysis::access
