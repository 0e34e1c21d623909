#include "analysis/exchange/stations.h"

#include <algorithm>
#include <cctype>

namespace samcl::analysis {
namespace {

Result<void> check_task(const Task& task, int mode, const std::string& tool) {
  const std::string where = "task \"" + task.name + "\", ", why = " for " + tool;
  if (task.busy_waits) return fail(where + "busy_waits: true, expected false" + why);
  if (task.gpu_priority) return fail(where + "gpu_priority: expected none" + why);
  if (mode > 1) return fail(where + "mode: " + std::to_string(mode) + ", expected 1" + why);
  for (size_t j = 0; j < task.stages.size(); ++j) {
    const Stage& stage = task.stages[j];
    const std::string at = name_of(task, j) + ", ";
    if (stage.resource != Resource::cpu && !stage.whole_in(mode))
      return fail(at + "section: expected none" + why + ", where nothing is cut");
    if (stage.requests > 1) return fail(at + "requests: expected 1" + why);
    if (stage.longest_host() > 0) return fail(at + "host: expected none" + why);
    if (stage.most_threads() > 1) return fail(at + "threads: expected 1" + why);
  }
  return {};
}

// Which of its resource's elements the task uses.
Result<int> element_of(const Platform& platform, const Task& task, Resource resource, const std::string& tool) {
  const std::string where = "task \"" + task.name + "\", ";
  if (platform.elements(resource) == 1) return 0;
  if (resource == Resource::cpu) {
    if (task.cpu) return *task.cpu;
    return fail(where + "cpu: missing, expected one of " + std::to_string(platform.cpus) + " for " + tool);
  }
  if (!platform.bound) return fail("platform, bound: false, expected true or one link and one GPU for " + tool);
  if (task.devices.empty()) return fail(where + "devices: none, expected the one it uses for " + tool);
  return task.devices.front();
}

size_t station_of(StationSet& set, const std::string& name, bool preemptive) {
  const auto found = std::find_if(set.stations.begin(), set.stations.end(),
                                  [&](const Station& station) { return station.name == name; });
  if (found == set.stations.end()) set.stations.push_back({name, preemptive});
  return static_cast<size_t>(std::find_if(set.stations.begin(), set.stations.end(),
                                          [&](const Station& station) { return station.name == name; }) -
                             set.stations.begin());
}

}  // namespace

Result<StationSet> stations_of(const TaskSet& set, std::span<const int> modes, const std::string& tool) {
  StationSet result;
  std::vector<int> rank(set.tasks.size());
  const PriorityOrder order = priority_order(set);
  for (size_t n = 0; n < order.size(); ++n) rank[order[n]] = static_cast<int>(n) + 1;
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    const Task& task = set.tasks[i];
    if (auto good = check_task(task, modes[i], tool); !good) return tl::unexpected(good.error());
    StationTask& placed = result.tasks.emplace_back();
    placed.name = task.name;
    placed.period = task.period;
    placed.deadline = task.deadline;
    placed.jitter = task.jitter;
    placed.offset = task.offset;
    placed.rank = rank[i];
    for (const Stage& stage : task.stages) {
      const auto element = element_of(set.platform, task, stage.resource, tool);
      if (!element) return tl::unexpected(element.error());
      const std::string station = std::string(name(stage.resource)) + "_" + std::to_string(*element);
      placed.stages.push_back(
          {station_of(result, station, stage.resource == Resource::cpu), stage.best_in(1), stage.worst_in(1)});
    }
  }
  return result;
}

Result<void> FromStations::add_stage(Task& task, const std::string& station, bool preemptive, Time best, Time worst) {
  Stage& stage = task.stages.emplace_back();
  stage.worst = {worst};
  stage.best = {best};
  if (preemptive) {
    const int cpu = cpus_.emplace(station, static_cast<int>(cpus_.size())).first->second;
    if (task.cpu && *task.cpu != cpu) return fail("on '" + station + "', expected the processor of the stages before");
    task.cpu = cpu;
    return {};
  }
  std::string kind = station.substr(0, 3);
  for (char& letter : kind) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  stage.resource = kind == "PCI" ? Resource::link : Resource::gpu;
  const std::string device = station.substr(station.find('_') + 1);
  const int gpu = gpus_.emplace(device, static_cast<int>(gpus_.size())).first->second;
  if (!task.devices.empty() && task.devices.front() != gpu)
    return fail("on '" + station + "', expected the GPU, and its link, of the stages before");
  task.devices = {gpu};
  return {};
}

Result<TaskSet> FromStations::with(std::vector<Task> tasks) const {
  TaskSet set;
  set.tasks = std::move(tasks);
  set.platform.cpus = std::max(1, static_cast<int>(cpus_.size()));
  set.platform.gpus = std::max(1, static_cast<int>(gpus_.size()));
  set.platform.bound = gpus_.size() > 1;
  if (set.platform.bound) set.platform.links = set.platform.gpus;
  for (Task& task : set.tasks) {
    if (!set.platform.bound) task.devices.clear();
    for (Stage& stage : task.stages) {
      stage.worst.resize(static_cast<size_t>(set.platform.gpus), stage.worst.front());
      stage.best.resize(stage.worst.size(), stage.best.front());
    }
  }
  if (auto good = check(set, Model::partitioned); !good) return tl::unexpected(good.error());
  return set;
}

}  // namespace samcl::analysis
