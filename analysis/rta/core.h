// What the forms share: the stages laid out for demand.h in priority order, the modes of the last call,
// and which tasks a change can reach. A form adds one function: the bounds of one task, given those of
// all more urgent ones.
//
// A lane is what is scheduled as one: all CPUs, all PCI links and all GPUs, or, where devices are bound, each
// link and each GPU. A stage has a row in every lane of its resource, of no work where its task is not, and
// one more in the CPUs' lane if it has several requests, sections need CPUs, or the task's CPU budget is enforced: for
// what the job executes between and in them.
//
// What a task executes on CPUs in several threads at once is laid out thread by thread: rows that lie together are of
// one that executes on one CPU at a time. The first thread has all of the task's CPU work, the n-th that of the stages
// with n threads (PROOF.md, "Threads").
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/model/placement.h"
#include "analysis/rta/cycles.h"
#include "analysis/rta/demand.h"
#include "analysis/rta/response_time.h"

namespace samcl::analysis {

// One stage in its task's current mode.
struct StageRow {
  Resource resource = Resource::cpu;
  size_t row = 0;    // in the Demand of each of the resource's lanes
  double worst = 0;  // of one subtask
  double best = 0;
  double subtasks = 1;  // in a lane
  double threads = 1;   // on CPUs, in it or between its requests
  double section = 0;   // longest non-preemptive section
  bool whole = false;   // one section: nothing interrupts a subtask that has started
  double requests = 1;
  double between = 0;
  double host = 0;     // CPU time of one subtask's sections
  double foreign = 0;  // the most CPU time in a less urgent task's section on the resource
  // In the CPUs' Demand, if the job executes there while it is at this stage: between requests, and in
  // sections, its own and those that are lent its priority.
  bool on_cpu = false;
  size_t between_row = 0;
  std::vector<size_t> thread_rows;  // in the CPUs' Demand, of its second thread, its third, ...
  StageBound bound;
};

// Whole nanoseconds; kUnbounded all of them if r is not below kForever.
StageBound stage_bound(double response, double interference, double blocking, double jitter, double finish);

struct TaskRow {
  const Task* task = nullptr;
  size_t index = 0;  // in TaskSet::tasks
  int mode = -1;     // kUndecided: the least of every mode; -1: not set yet
  double work = 0;   // of a job's stages together, at most
  std::vector<StageRow> stages;
  std::array<size_t, 3> first = {0, 0, 0};  // its first row in a resource's lanes: the prefix that interferes
  std::array<bool, 3> uses = {false, false, false};
  // The lanes of each resource that its stages' subtasks run in, and in how many of them: in all, unless its
  // devices are not known, because they depend on an undecided mode.
  std::array<std::vector<size_t>, 3> lanes;
  std::array<size_t, 3> taken = {1, 1, 1};
  std::vector<std::vector<int>> devices;  // [mode], bound: of the modes that it may be in
  // [lane]: the longest sections that less urgent tasks can be in the midst of, longest first, one per
  // element; 0: none.
  std::vector<std::vector<double>> blocking;
  int cpus = 0;   // on how many at once it can execute, in its mode
  int crowd = 0;  // and all more urgent tasks
  Time response = kUnbounded;
  std::array<Time, 3> holds = {0, 0, 0};  // TaskBound::holds_link, holds_gpu
  bool current = false;                   // response belongs to the modes at hand

  bool placed(Resource resource) const {
    const auto r = static_cast<size_t>(resource);
    return lanes[r].size() == taken[r];
  }
  // May it be in the lane, which is one of the resource?
  bool reads(Resource resource, size_t lane) const {
    const auto& all = lanes[static_cast<size_t>(resource)];
    return mode == kUndecided || std::find(all.begin(), all.end(), lane) != all.end();
  }
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

struct Lane {
  Lane(int elements_, size_t rows_)
      : elements(elements_),
        rows(rows_),
        demand(rows_),
        longest(static_cast<size_t>(elements_)),
        longest_above(static_cast<size_t>(elements_)) {}
  double elements;
  size_t rows;
  Demand demand;
  Cycles cycles;
  Longest longest, longest_above;  // sections, while they are collected
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
  // Longest sections of a task's subtasks that can run at the same time in one of a resource's lanes that it
  // is in: adds them to `longest`.
  virtual void sections(const TaskRow& row, Resource resource, Longest& longest) const = 0;

  // The most of any lane: rows, and sets of rows that lie together.
  size_t most_rows() const;
  size_t most_groups() const;
  Lane& lane(size_t index) { return lanes_[index]; }
  size_t first_lane(Resource resource) const { return first_lane_[static_cast<size_t>(resource)]; }
  size_t end_lane(Resource resource) const { return first_lane_[static_cast<size_t>(resource) + 1]; }
  const TaskSet& set() const { return *set_; }
  // Sections need CPUs, of whatever task.
  bool hosted() const { return hosted_; }
  // Some task's CPU budget is enforced (Task::late).
  bool enforced() const { return enforced_; }
  // The task never waits for a CPU: PROOF.md, "Enough CPUs".
  bool has_cpus(const TaskRow& row) const { return row.crowd + row.cpus <= set_->platform.cpus; }
  // Some task is undecided: bounds have to grow with what interferes and blocks, so that they are below
  // those of every choice.
  bool partial() const { return partial_; }

 private:
  void lay_out();
  void lay_out_threads(TaskRow& row, size_t& next, std::vector<uint32_t>& ends);
  void take_modes(std::span<const int> modes);
  bool find_devices(TaskRow& row, int mode, bool& known);
  void take_mode(TaskRow& row, int mode);
  std::array<double, 3> longest_host(const TaskRow& row) const;
  void take_foreign();
  int cpus_at_once(const Task& task, int mode) const;
  void take_crowds();
  void take_blocking();
  void take_sections(TaskRow& row, Resource resource, Longest Lane::* kept_in);
  std::vector<std::vector<Longest>> sections_above();
  template <typename Visit>
  void each_mode(TaskRow& row, Visit visit);
  template <typename Visit>
  void each_row(const TaskRow& row, Visit visit);
  Time least_response(TaskRow& row);
  bool reached(const TaskRow& row, const std::array<bool, 3>& changed) const;
  void settle(TaskRow& row, std::array<bool, 3>& changed, bool detail);
  Bounds report() const;

  const TaskSet* set_;
  PriorityOrder order_;
  std::vector<int> modes_;  // that an undecided task may get
  bool partial_ = false;
  bool hosted_ = false;
  bool enforced_ = false;
  std::array<size_t, 4> first_lane_ = {0, 1, 2, 3};  // [resource], and behind the last
  std::vector<Lane> lanes_;
  std::vector<TaskRow> rows_;
  std::optional<Placer> placer_;  // where devices are bound
  std::vector<Time> responses_;
};

// The forms.
std::unique_ptr<ResponseTimeAnalysis::Core> make_published(const TaskSet& set, Form form, PriorityOrder order);
// What else is known of a stage's end after the release, given what the safe form found (kForever: nothing). Asked in
// the order of priority, stage by stage; no more than the third argument.
using Tighter = std::function<double(size_t task, size_t stage, double end)>;
std::unique_ptr<ResponseTimeAnalysis::Core> make_safe(const TaskSet& set, PriorityOrder order, Tighter tighter = {});

}  // namespace samcl::analysis
