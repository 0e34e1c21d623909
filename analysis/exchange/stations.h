// Task sets as tools for distributed systems know them: each stage on one station, which is a processor
// scheduled by fixed priority, or a link or GPU that nobody interrupts.
#pragma once

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

}  // namespace samcl::analysis
