#include "analysis/rta/response_time.h"

#include <numeric>

#include "analysis/rta/core.h"

namespace samcl::analysis {
namespace {

std::unique_ptr<ResponseTimeAnalysis::Core> make(const TaskSet& set, Form form, PriorityOrder order) {
  return form == Form::safe ? make_safe(set, std::move(order)) : make_published(set, form, std::move(order));
}

}  // namespace

std::vector<int> modes_of(const Platform& platform, Form form) {
  if (form == Form::gpu_sparc) return platform.gpus == 1 ? std::vector{1} : std::vector{1, platform.gpus};
  std::vector<int> modes(static_cast<size_t>(platform.gpus));
  std::iota(modes.begin(), modes.end(), 1);
  return modes;
}

Result<void> check(const TaskSet& set, Form form) {
  if (set.platform.bound && form != Form::safe)
    return fail(
        "platform, bound: true, expected false for the published forms, in which a subtask may run on any "
        "GPU");
  for (const Task& task : set.tasks) {
    if (task.late > 0 && form != Form::safe)
      return fail("task \"" + task.name +
                  "\", late: expected none for the published forms, in which jobs keep to their stages");
    if (!task.work.empty() && form != Form::safe)
      return fail("task \"" + task.name + "\", work: expected none for the published forms, which add up the stages'");
    for (size_t j = 0; j < task.stages.size(); ++j) {
      const Stage& stage = task.stages[j];
      if (stage.longest_host() > 0 && !set.platform.bound)
        return fail(name_of(task, j) + ", host: expected none unless the platform is bound");
      if (stage.requests > 1 && form != Form::safe)
        return fail(name_of(task, j) + ", requests: " + std::to_string(stage.requests) +
                    ", expected 1 for the published forms, in which a stage waits once");
      if (stage.most_threads() > 1 && form != Form::safe)
        return fail(name_of(task, j) + ", threads: " + std::to_string(stage.most_threads()) +
                    ", expected 1 for the published forms, in which a CPU stage is one subtask");
    }
  }
  return {};
}

ResponseTimeAnalysis::ResponseTimeAnalysis(const TaskSet& set, Form form, PriorityOrder order)
    : core_(make(set, form, std::move(order))) {}
ResponseTimeAnalysis::~ResponseTimeAnalysis() = default;
ResponseTimeAnalysis::ResponseTimeAnalysis(ResponseTimeAnalysis&&) noexcept = default;
ResponseTimeAnalysis& ResponseTimeAnalysis::operator=(ResponseTimeAnalysis&&) noexcept = default;

std::span<const Time> ResponseTimeAnalysis::responses(std::span<const int> modes) { return core_->responses(modes); }
double ResponseTimeAnalysis::worst_ratio(std::span<const int> modes, double enough) {
  return core_->worst_ratio(modes, enough);
}
Bounds ResponseTimeAnalysis::bounds(std::span<const int> modes) { return core_->bounds(modes); }
void ResponseTimeAnalysis::reorder(PriorityOrder order) { core_->reorder(std::move(order)); }

Bounds analyse(const TaskSet& set, std::span<const int> modes, Form form, PriorityOrder order) {
  return ResponseTimeAnalysis(set, form, std::move(order)).bounds(modes);
}

}  // namespace samcl::analysis
