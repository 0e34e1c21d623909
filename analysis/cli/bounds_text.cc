#include "analysis/cli/bounds_text.h"

#include <algorithm>

#include "analysis/json/bounds_json.h"
#include "analysis/model/placement.h"
#include "analysis/rta/waits.h"
#include "base/duration.h"
#include "base/text_table.h"

namespace samcl::analysis::cli {
namespace {

constexpr const char* kMark = " *";

std::string time(Time value) { return value == kUnbounded ? "above 16 periods" : format_duration(value); }

std::string list(const std::vector<std::string>& parts) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

std::string list_of(const std::vector<int>& devices) {
  std::vector<std::string> parts;
  for (const int device : devices) parts.push_back(std::to_string(device));
  return list(parts);
}

// "stage 3, GPU"
std::string place(const Task& task, size_t stage) {
  return "stage " + std::to_string(stage + 1) + ", " + name(task.stages[stage].resource);
}

std::string stage_in_words(const TaskSet& set, size_t task, size_t stage, const StageBound& bound,
                           const std::vector<int>& devices, const StageWaits& waits, int mode) {
  const Stage& described = set.tasks[task].stages[stage];
  std::string text = "  " + place(set.tasks[task], stage) + ": runs " + format_duration(described.worst_in(mode));
  const int subtasks = set.platform.subtasks(described, mode);
  if (bound.device >= 0)
    text += (subtasks > 1 ? " on each of devices " : " on device ") + list_of(devices);
  else if (subtasks > 1)
    text += described.resource == Resource::cpu ? " in each of " + std::to_string(subtasks) + " threads"
                                                : " on each of " + std::to_string(subtasks) + " GPUs";
  if (described.requests > 1)
    text += " in up to " + std::to_string(described.requests) + " requests, with " +
            format_duration(described.between_in(mode)) +
            (described.threads_in(mode) > 1 ? " in each of " + std::to_string(described.threads_in(mode)) + " threads"
                                            : std::string(" on a CPU")) +
            " between them";
  std::vector<std::string> parts;
  for (const Wait& wait : waits.urgent) {
    if (wait.task == task) {
      parts.push_back(format_duration(wait.time) + " for its own other subtasks");
      continue;
    }
    parts.push_back(format_duration(wait.time) + " for " + set.tasks[wait.task].name + " (" +
                    std::to_string(wait.stages) + (wait.stages == 1 ? " stage)" : " stages)"));
  }
  for (const Wait& wait : waits.sections)
    parts.push_back(format_duration(wait.time) + " until " + set.tasks[wait.task].name + " can be interrupted");
  const std::string where =
      subtasks > 1 && bound.device >= 0 ? ", on device " + std::to_string(bound.device) + "," : "";
  text += parts.empty() ? "; waits for nobody" : "; waits" + where + " up to " + list(parts);
  text += "; ends within " + format_duration(bound.finish) + " of the release";
  return text + ".\n";
}

}  // namespace

std::string verdict_text(const TaskSet& set, Form form, const Bounds& bounds, const PriorityOrder& order) {
  std::vector<std::string> late;
  for (const size_t i : order) {
    const TaskBound& bound = bounds.tasks[i];
    if (!is_bounded(bound, form))
      late.push_back(set.tasks[i].name + " (" + response_text(bound, form) + ")");
    else if (bound.response > set.tasks[i].deadline)
      late.push_back(set.tasks[i].name + " (by " + format_duration(bound.response - set.tasks[i].deadline) + ")");
  }
  const std::string published = form == Form::safe ? "" : ", by the published form, which is not proven";
  if (late.empty()) return "Schedulable" + published + ": every task meets its deadline.\n";
  return "Not schedulable" + published + ": " + list(late) + " may miss the deadline.\n";
}

std::string response_text(const TaskBound& bound, Form form) {
  return time(bound.response) + (is_bounded(bound, form) || bound.response == kUnbounded ? "" : kMark);
}

std::string mark_text(const Bounds& bounds, Form form) {
  for (const TaskBound& bound : bounds.tasks)
    if (!is_bounded(bound, form) && bound.response != kUnbounded)
      return "* beyond its proof, which ends where this task or one that it waits for exceeds its period: no "
             "bound.\n";
  return "";
}

std::string tasks_table(const TaskSetDocument& document, Form form, const Bounds& bounds, const PriorityOrder& order) {
  const auto& [set, modes] = document;
  std::vector<std::vector<std::string>> rows = {
      {"TASK", "MODE", "PERIOD", "DEADLINE", "RESPONSE", "SLACK", "MEETS IT"}};
  if (set.platform.bound) rows.front().insert(rows.front().begin() + 2, "DEVICES");
  for (const size_t i : order) {
    const Task& task = set.tasks[i];
    const TaskBound& bound = bounds.tasks[i];
    rows.push_back({task.name, std::to_string(modes[i]), format_duration(task.period), format_duration(task.deadline),
                    response_text(bound, form),
                    bound.response == kUnbounded ? "-" : format_duration(task.deadline - bound.response),
                    is_bounded(bound, form) && bound.response <= task.deadline ? "yes" : "no"});
    if (set.platform.bound) rows.back().insert(rows.back().begin() + 2, format_devices(bound.devices));
  }
  return table(rows);
}

std::string bounds_tables(const TaskSetDocument& document, Form form, const Bounds& bounds) {
  const TaskSet& set = document.set;
  const PriorityOrder order = priority_order(set);
  std::vector<std::vector<std::string>> stages = {
      {"TASK", "STAGE", "RESOURCE", "C", "r", "I", "B", "J", "ENDS WITHIN"}};
  for (const size_t i : order) {
    const Task& task = set.tasks[i];
    const TaskBound& bound = bounds.tasks[i];
    for (size_t j = 0; j < bound.stages.size(); ++j) {
      const StageBound& stage = bound.stages[j];
      if (bound.response == kUnbounded) break;
      const int requests = task.stages[j].requests;
      stages.push_back(
          {task.name + (is_bounded(bound, form) ? "" : kMark), std::to_string(j + 1),
           std::string(name(task.stages[j].resource)) + (requests > 1 ? " x" + std::to_string(requests) : ""),
           format_duration(task.stages[j].worst_in(document.modes[i])), time(stage.response), time(stage.interference),
           time(stage.blocking), time(stage.jitter), time(stage.finish)});
    }
  }
  std::string text = "Most urgent first; analysis: " + std::string(analysis_name(form, bounds)) + "\n\n" +
                     tasks_table(document, form, bounds, order) + "\n";
  if (stages.size() > 1) text += table(stages, 3) + "\n";
  return text + verdict_text(set, form, bounds, order) + mark_text(bounds, form);
}

std::string explanation(const TaskSetDocument& document, Form form, const Bounds& bounds, size_t index) {
  const TaskSet& set = document.set;
  const Task& task = set.tasks[index];
  const TaskBound& bound = bounds.tasks[index];
  const PriorityOrder order = priority_order(set);
  const auto position = std::find(order.begin(), order.end(), index) - order.begin();
  std::string text = task.name + ": period " + format_duration(task.period) + ", deadline " +
                     format_duration(task.deadline) + ", mode " + std::to_string(document.modes[index]) + "; " +
                     (position == 0 ? "the most urgent task" : std::to_string(position) + " more urgent") + ".\n";
  if (!is_bounded(bound, form))
    return text + "Its response has no bound" +
           (bound.response == kUnbounded ? "" : ", the number would be " + time(bound.response)) + ": " +
           (bound.response <= task.period ? "a more urgent task that it shares a resource with has no bound.\n"
                                          : "no bound up to its period was found.\n");
  const auto all = waits(set, document.modes, form, order, bounds, index);
  Time sum = 0;
  for (size_t j = 0; j < all.size(); ++j) {
    text += stage_in_words(set, index, j, bound.stages[j], bound.devices, all[j], document.modes[index]);
    sum += bound.stages[j].response;
  }
  if (sum > bound.response)
    text += "Stage by stage that is " + format_duration(sum) + "; but the same stages of more urgent tasks cannot " +
            "come in the way of every stage: over the whole job " + format_duration(sum - bound.response) + " less.\n";
  text += "Every job ends within " + format_duration(bound.response) + " of its release, ";
  return text + (bound.response <= task.deadline
                     ? format_duration(task.deadline - bound.response) + " before its deadline.\n"
                     : format_duration(bound.response - task.deadline) + " after its deadline.\n");
}

}  // namespace samcl::analysis::cli
