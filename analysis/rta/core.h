// What the forms share: the stages laid out for demand.h in priority order, the modes of the last call,
// and which tasks a change can reach. A form adds one function: the bounds of one task, given those of
// all more urgent ones.
#pragma once

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "analysis/rta/cycles.h"
#include "analysis/rta/demand.h"
#include "analysis/rta/response_time.h"

namespace samcl::analysis {

// One stage in its task's current mode.
struct StageRow {
  Resource resource = Resource::cpu;
  size_t row = 0;    // in the resource's Demand
  double worst = 0;  // of one subtask
  double best = 0;
  double subtasks = 1;
  double section = 0;  // longest non-preemptive section
  bool whole = false;  // one section: nothing interrupts a subtask that has started
  StageBound bound;
};

// Whole nanoseconds; kUnbounded all of them if r is not below kForever.
StageBound stage_bound(double response, double interference, double blocking, double jitter, double finish);

struct TaskRow {
  const Task* task = nullptr;
  size_t index = 0;  // in TaskSet::tasks
  int mode = -1;     // kUndecided: the least of every mode; -1: not set yet
  std::vector<StageRow> stages;
  std::array<size_t, 3> first = {0, 0, 0};  // its first row in each Demand: the prefix that interferes
  std::array<bool, 3> uses = {false, false, false};
  // On each resource the longest sections that less urgent tasks can be in the midst of, longest first,
  // one per element; 0: none.
  std::array<std::vector<double>, 3> blocking;
  Time response = kUnbounded;
  bool current = false;  // response belongs to the modes at hand
};

// The longest of the times added, longest first.
class Longest {
 public:
  explicit Longest(size_t count) : times_(count, 0) {}
  void clear() { std::fill(times_.begin(), times_.end(), 0.0); }
  void add(double time) {
    for (double& kept : times_)
      if (time > kept) std::swap(time, kept);
  }
  const std::vector<double>& times() const { return times_; }

 private:
  std::vector<double> times_;
};

class ResponseTimeAnalysis::Core {
 public:
  // `modes`: those that the form knows.
  Core(const TaskSet& set, PriorityOrder order, std::vector<int> modes);
  virtual ~Core() = default;

  std::span<const Time> responses(std::span<const int> modes);
  double worst_ratio(std::span<const int> modes, double enough);
  Bounds bounds(std::span<const int> modes);
  void reorder(PriorityOrder order);

 protected:
  // R of the task, given those of all more urgent ones; sets its rows of each Demand. Fills StageRow::bound
  // only if `detail`.
  virtual Time respond(TaskRow& row, bool detail) = 0;
  // Whether R is a proven bound, once all more urgent ones that matter are.
  virtual bool proves() const = 0;
  // Longest sections of a task's subtasks that can run at the same time on a resource: adds
  // them to `longest`.
  virtual void sections(const TaskRow& row, Resource resource, Longest& longest) const = 0;

  double elements(Resource resource) const { return elements_[static_cast<size_t>(resource)]; }
  size_t stages() const { return stages_; }  // of all tasks
  const Cycles& cycles(Resource resource) const { return cycles_[static_cast<size_t>(resource)]; }
  Demand& demand(Resource resource) { return demand_[static_cast<size_t>(resource)]; }
  const TaskSet& set() const { return *set_; }
  // Some task is undecided: bounds have to grow with what interferes and blocks, so that they are below
  // those of every choice.
  bool partial() const { return partial_; }

 private:
  void lay_out();
  void take_modes(std::span<const int> modes);
  void take_blocking();
  void take_mode(TaskRow& row, int mode);
  void least_sections(TaskRow& row, Resource resource, Longest& longest);
  Time least_response(TaskRow& row);
  void settle(TaskRow& row, std::array<bool, 3>& changed, bool detail);
  Bounds report() const;

  const TaskSet* set_;
  PriorityOrder order_;
  std::vector<int> modes_;  // that an undecided task may get
  bool partial_ = false;
  size_t stages_ = 0;
  std::array<double, 3> elements_;
  std::array<Demand, 3> demand_;
  std::array<Cycles, 3> cycles_;
  std::vector<TaskRow> rows_;
  std::array<Longest, 3> longest_;
  std::vector<Time> responses_;
};

// The forms.
std::unique_ptr<ResponseTimeAnalysis::Core> make_gpu_sam(const TaskSet& set, PriorityOrder order);
std::unique_ptr<ResponseTimeAnalysis::Core> make_gpu_sparc(const TaskSet& set, PriorityOrder order);
std::unique_ptr<ResponseTimeAnalysis::Core> make_safe(const TaskSet& set, PriorityOrder order);

}  // namespace samcl::analysis
