// Which devices every task uses where they are bound (Platform::bound): device d is GPU d with its PCI link.
// The manager tells its clients what is computed here, and the analyses count on it.
//
// A task's own list wins. A task in the mode of all GPUs takes them all. Every other task gets the devices
// with the least utilisation by the task itself and all more urgent ones, on the busier of link and GPU if it
// uses both; among equals those where link and GPU together have less of it, then those used least by tasks
// with lists. So a task's devices depend on the modes of more urgent tasks and its own, and on no other's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/model/task_set.h"

namespace samcl::analysis {

// [task][l]: the device of subtask l, one for each GPU of the task's mode. Empty lists if nothing is bound.
using Placement = std::vector<std::vector<int>>;

Placement place_devices(const TaskSet& set, const PriorityOrder& order, std::span<const int> modes);

// "1 0"
std::string format_devices(const std::vector<int>& devices);

// place_devices() task by task, for those who try several modes. Tasks come most urgent first.
class Placer {
 public:
  // The set is bound, and outlives this unchanged.
  explicit Placer(const TaskSet& set);

  // Nothing is placed.
  void restart();
  std::vector<int> choose(size_t task, int mode) const;
  // Tasks placed later find these devices loaded.
  void place(size_t task, int mode, std::span<const int> devices);

 private:
  // Utilisation in parts of 10^9.
  struct Load {
    int64_t link = 0;
    int64_t gpu = 0;
  };
  static Load load_of(const Task& task, int mode);

  const TaskSet* set_;
  std::vector<Load> placed_;    // [device]
  std::vector<int64_t> lists_;  // [device]: by tasks that have it in their list, each in its largest mode
};

}  // namespace samcl::analysis
