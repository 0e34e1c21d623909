#include "analysis/experiment/running_time.h"

#include <algorithm>

#include "analysis/experiment/cpu_time.h"
#include "analysis/generator/draw.h"
#include "analysis/model/number_text.h"

namespace samcl::analysis {
namespace {

constexpr size_t kLeastTasks = 2, kMostTasks = 30;

void multiply(Task& task, double factor) {
  for (Stage& stage : task.stages)
    for (Time& time : stage.worst) time = std::max<Time>(1, static_cast<Time>(static_cast<double>(time) * factor));
}

// Of its period, in mode 1.
double share(const Task& task) {
  Time sum = 0;
  for (const Stage& stage : task.stages) sum += stage.worst_in(1);
  return static_cast<double>(sum) / static_cast<double>(task.period);
}

}  // namespace

TaskSet timed_set(const PaperSet& wanted, uint64_t seed, int64_t n) {
  PaperSet drawn = wanted;
  drawn.least_tasks = drawn.most_tasks = kLeastTasks + static_cast<size_t>(n) % (kMostTasks - kLeastTasks + 1);
  const uint64_t own = seed_of(seed, static_cast<uint64_t>(n));
  TaskSet set = paper_set(drawn, own);
  double load = 0, largest = 0;
  for (const Task& task : set.tasks) {
    load += gpu_utilisation(task);
    largest = std::max(largest, share(task));
  }
  const double factor = std::min(Draw(seed_of(own, 1)).between(0.1, 4) / load, 1 / largest);
  for (Task& task : set.tasks) multiply(task, factor);
  return set;
}

std::vector<RunningTimes> running_times(const PaperSet& wanted, Form form, int64_t sets, uint64_t seed) {
  std::vector<RunningTimes> all(kMostTasks - kLeastTasks + 1);
  for (int64_t n = 0; n < sets; ++n) {
    const TaskSet set = timed_set(wanted, seed, n);
    const int64_t start = cpu_time();
    const bool schedulable = choose_modes(set, form, ModePolicy::gpa).schedulable;
    const double time = static_cast<double>(cpu_time() - start) / 1e6;
    RunningTimes& times = all[set.tasks.size() - kLeastTasks];
    times.tasks = set.tasks.size();
    ++times.sets;
    times.schedulable += schedulable ? 1 : 0;
    times.mean += (time - times.mean) / static_cast<double>(times.sets);
    times.longest = std::max(times.longest, time);
  }
  std::erase_if(all, [](const RunningTimes& times) { return times.sets == 0; });
  return all;
}

std::string format_csv(const std::vector<RunningTimes>& times) {
  std::string csv = "tasks,sets,schedulable,mean_ms,longest_ms\n";
  for (const RunningTimes& row : times)
    csv += std::to_string(row.tasks) + "," + std::to_string(row.sets) + "," + std::to_string(row.schedulable) + "," +
           decimal(row.mean, 4) + "," + decimal(row.longest, 4) + "\n";
  return csv;
}

Chart chart(const std::vector<RunningTimes>& times) {
  Chart chart{"GPU-SAM, Fig. 11: running time of GPA", "tasks", {}, {{"mean", {}}, {"longest", {}}}};
  chart.measure = "ms of CPU time";
  chart.top = 0;
  for (int tick = 0; tick <= static_cast<int>(kMostTasks); tick += 5) chart.ticks.push_back(tick);
  for (const RunningTimes& row : times) {
    chart.curves[0].points.emplace_back(row.tasks, row.mean);
    chart.curves[1].points.emplace_back(row.tasks, row.longest);
    chart.top = std::max(chart.top, row.longest);
  }
  return chart;
}

}  // namespace samcl::analysis
