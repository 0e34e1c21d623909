#include "analysis/csv/bounds_csv.h"

#include "analysis/csv/rows.h"
#include "analysis/json/bounds_json.h"

namespace samcl::analysis {
namespace {

std::string text(Time time) { return time == kUnbounded ? "" : std::to_string(time); }

}  // namespace

std::string format_bounds_csv(const TaskSet& set, std::span<const int> modes, Form form, const Bounds& bounds) {
  std::string csv =
      "task,mode,deadline,task_response,stage,resource,response,interference,blocking,jitter,finish,beyond_proof\n";
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    const Task& task = set.tasks[i];
    const Time response = bounds.tasks[i].response;
    const bool bounded = is_bounded(bounds.tasks[i], form);
    for (size_t j = 0; j < bounds.tasks[i].stages.size(); ++j) {
      const StageBound& stage = bounds.tasks[i].stages[j];
      csv += format_row({task.name, std::to_string(modes[i]), std::to_string(task.deadline),
                         bounded ? text(response) : "", std::to_string(j + 1), name(task.stages[j].resource),
                         text(stage.response), text(stage.interference), text(stage.blocking), text(stage.jitter),
                         text(stage.finish), bounded ? "" : text(response)});
    }
  }
  return csv;
}

}  // namespace samcl::analysis
