#include "analysis/json/bounds_json.h"

#include <nlohmann/json.hpp>

#include "base/json_text.h"

namespace samcl::analysis {

using nlohmann::ordered_json;

bool is_bounded(const TaskBound& bound, Form form) {
  return form == Form::safe ? bound.proven : bound.response != kUnbounded;
}

const char* name(Form form) {
  constexpr const char* kNames[] = {"gpu-sam", "gpu-sparc", "safe"};
  return kNames[static_cast<size_t>(form)];
}

const char* analysis_name(Form form, const Bounds& bounds) { return bounds.together ? "together" : name(form); }

ordered_json number_or_null(Time time) { return time == kUnbounded ? ordered_json() : ordered_json(time); }

std::string format_bounds(const TaskSet& set, std::span<const int> modes, Form form, const Bounds& bounds) {
  ordered_json tasks = ordered_json::array();
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    const Task& task = set.tasks[i];
    const TaskBound& bound = bounds.tasks[i];
    ordered_json stages = ordered_json::array();
    for (size_t j = 0; j < bound.stages.size(); ++j) {
      const StageBound& stage = bound.stages[j];
      stages.push_back({{"resource", name(task.stages[j].resource)},
                        {"response", number_or_null(stage.response)},
                        {"interference", number_or_null(stage.interference)},
                        {"blocking", number_or_null(stage.blocking)},
                        {"jitter", number_or_null(stage.jitter)},
                        {"finish", number_or_null(stage.finish)}});
      if (task.stages[j].requests > 1) stages.back()["requests"] = task.stages[j].requests;
      if (stage.device >= 0) stages.back()["device"] = stage.device;
    }
    const bool bounded = is_bounded(bound, form);
    tasks.push_back({{"name", task.name},
                     {"mode", modes[i]},
                     {"response", bounded ? number_or_null(bound.response) : ordered_json()},
                     {"deadline", task.deadline},
                     {"meets_deadline", bounded && bound.response <= task.deadline},
                     {"proven", bound.proven},
                     {"beyond_proof", bounded ? ordered_json() : number_or_null(bound.response)},
                     {"stages", std::move(stages)}});
    if (set.platform.bound) tasks.back()["devices"] = bound.devices;
  }
  const ordered_json all = {
      {"analysis", analysis_name(form, bounds)}, {"schedulable", bounds.schedulable}, {"tasks", tasks}};
  return json_text(all, 2) + "\n";
}

}  // namespace samcl::analysis
