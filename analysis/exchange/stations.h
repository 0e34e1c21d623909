// Task sets as tools for distributed systems know them: each stage on one station, which is a processor
// scheduled by fixed priority, or a link or GPU that nobody interrupts.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/model/task_set.h"

namespace samcl::analysis {

struct Station {
  std::string name;  // "CPU_0", "PCI_0", "GPU_0"
  bool preemptive = false;
};

struct StationStage {
  size_t station = 0;
  Time best = 0, worst = 0;
};

struct StationTask {
  std::string name;
  Time period = 0, deadline = 0, jitter = 0;
  std::optional<Time> offset;
  int rank = 0;  // 1 is the most urgent
  std::vector<StationStage> stages;
};

struct StationSet {
  std::vector<Station> stations;  // those in use, in the order of their first use
  std::vector<StationTask> tasks;
};

// What `tool` cannot express is an error that names it: CPUs, links or GPUs of which a task may use any,
// subtasks, sections, requests, CPU time of sections, busy waiting, priorities of GPUs alone. The set has
// passed check() for either model.
Result<StationSet> stations_of(const TaskSet& set, std::span<const int> modes, const std::string& tool);

// The way back: tasks whose stages are each on a station that has a name.
class FromStations {
 public:
  // The task's next stage: on a CPU, or where nothing is preempted on a link, if the station's name begins with PCI, or
  // else a GPU. A link belongs to the GPU of the same name behind the first underscore. An error if the task is on
  // another CPU or GPU already.
  Result<void> add_stage(Task& task, const std::string& station, bool preemptive, Time best, Time worst);

  // These tasks and the platform that they need; it has passed check() for Model::partitioned.
  Result<TaskSet> with(std::vector<Task> tasks) const;

 private:
  std::map<std::string, int> cpus_, gpus_;  // by name, and by what is behind the first _
};

}  // namespace samcl::analysis
