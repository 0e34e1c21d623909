// Upper bounds of end-to-end response times: from a task set, a priority order and one mode per task to
// R_i of every task, and to what each stage contributes. Three forms of the analysis:
//
//   gpu_sam    as printed in Han et al., "GPU-SAM", JSS 117 (2016): not safe, see PROOF.md
//   gpu_sparc  as printed in the GPU-SPARC paper (mode 1, or all GPUs): not safe either
//   safe       a bound on every schedule of the model in model/task_set.h; its proof is PROOF.md
//
// An object belongs to one thread; several may read one TaskSet, which must outlive them unchanged.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "analysis/model/task_set.h"

namespace samcl::analysis {

enum class Form { gpu_sam, gpu_sparc, safe };
inline constexpr std::array kPublishedForms = {Form::gpu_sam, Form::gpu_sparc};

// The modes that a form knows: 1..M_G, or 1 and M_G for gpu_sparc.
std::vector<int> modes_of(const Platform& platform, Form form);

// The published forms know no bound devices, no stages of several requests and no threads, and no form what sections
// need of CPUs where devices are not bound: an error that says so.
Result<void> check(const TaskSet& set, Form form);

// In place of a mode, for responses() and worst_ratio(): not chosen yet. The numbers are then no more than
// those of any choice: of every such task the least over its modes counts, for itself and for others. (The
// safe form rounds, so there it may be a nanosecond or two.) Where devices are bound, those that a task gets
// in any case are loaded, and one whose devices depend on what is undecided waits as on the least loaded.
inline constexpr int kUndecided = 0;

// No fixed point below kLimit periods.
inline constexpr Time kUnbounded = std::numeric_limits<Time>::max();
inline constexpr Time kLimit = 16;

struct StageBound {
  Time response = 0;      // r: from ready to the end of the stage's last subtask, with all between requests
  Time interference = 0;  // I: the part of r due to more urgent tasks and the stage's own other subtasks
  Time blocking = 0;      // B: the part of r due to sections of less urgent tasks
  Time jitter = 0;        // J: how much the stage's ready time varies relative to its job's release
  // From the job's release to the end of the stage. Published forms: the sum of r so far. Safe form: may be
  // less, since a look at the whole job can tell more than its stages one by one.
  Time finish = 0;
  int device = -1;  // bound: whose subtask the other numbers belong to, the one that may take longest
};

struct TaskBound {
  Time response = kUnbounded;  // R: from release to the end of the last stage
  // The number is proven. Never for the published forms; for the safe one where R <= T and the same
  // holds for all more urgent tasks that can reach this one. Where it is false there is no bound: the
  // number only serves to compare modes.
  bool proven = false;
  std::vector<StageBound> stages;  // as far as they are bounded
  std::vector<int> devices;        // bound: those in use, subtask by subtask
  // Bound, the safe form: how long a job can have each of its links, and each of its GPUs, also while it waits for a
  // CPU that it needs there.
  Time holds_link = 0, holds_gpu = 0;
};

struct Bounds {
  std::vector<TaskBound> tasks;  // in the order of TaskSet::tasks
  bool schedulable = false;      // every R_i <= D_i
  bool together = false;         // the safe form's, of all tasks together: rta/together.h
};

// For many analyses of one task set: no allocation after construction.
class ResponseTimeAnalysis {
 public:
  // The set has passed check(), also the form's. An empty order means priority_order(set).
  ResponseTimeAnalysis(const TaskSet& set, Form form, PriorityOrder order = {});
  ~ResponseTimeAnalysis();
  ResponseTimeAnalysis(ResponseTimeAnalysis&&) noexcept;
  ResponseTimeAnalysis& operator=(ResponseTimeAnalysis&&) noexcept;

  // R_i of every task in the order of TaskSet::tasks, kUnbounded where there is no fixed point; a number
  // above the period only serves to compare modes. The span is valid until the next call.
  // Remembers the last call: only tasks that a changed mode can reach are computed again.
  std::span<const Time> responses(std::span<const int> modes);

  // max R_i / D_i; infinity if one is unbounded. Stops early, with any value >= `enough`, as soon as the
  // maximum is known to be at least that.
  double worst_ratio(std::span<const int> modes, double enough = std::numeric_limits<double>::infinity());

  // Everything that explains the numbers; slower.
  Bounds bounds(std::span<const int> modes);

  // Another priority order for the same set.
  void reorder(PriorityOrder order);

  class Core;  // one per form

 private:
  std::unique_ptr<Core> core_;
};

// One analysis, everything told.
Bounds analyse(const TaskSet& set, std::span<const int> modes, Form form, PriorityOrder order = {});

}  // namespace samcl::analysis
