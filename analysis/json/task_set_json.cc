#include "analysis/json/task_set_json.h"

#include <algorithm>

#include "analysis/json/place.h"
#include "base/json_text.h"

namespace samcl::analysis {
namespace {

using nlohmann::ordered_json;

// One for all modes, or one for each. `what`: "times".
template <typename Value>
Result<void> read_by_mode(const Place& place, int modes, const char* what, std::vector<Value>& values) {
  const bool list = place.value.is_array();
  values.resize(static_cast<size_t>(modes));
  if (list && place.value.size() != values.size())
    return fail(place.path + ": " + std::to_string(place.value.size()) + " " + what +
                ", expected one for each of the " + std::to_string(modes) +
                " modes (1 to platform.gpus), or one number for all");
  for (size_t k = 0; k < values.size(); ++k)
    if (auto good = read(list ? place.at(k) : place, values[k]); !good) return good;
  return {};
}

Result<Stage> read_stage(const Place& place, int modes) {
  Stage stage;
  const auto times = [modes](std::vector<Time>& target) {
    return [modes, &target](const Place& list) { return read_by_mode(list, modes, "times", target); };
  };
  return Fields(place)
      .need("resource", stage.resource)
      .need("worst", times(stage.worst))
      .may("best", times(stage.best))
      .may("section", times(stage.section))
      .may("requests", stage.requests)
      .may("between", times(stage.between))
      .may("host", times(stage.host))
      .may("host_section", times(stage.host_section))
      .may("threads", [&](const Place& list) { return read_by_mode(list, modes, "numbers", stage.threads); })
      .finish(stage);
}

Result<int> read_device(const Place& place) {
  int device = 0;
  if (auto good = read(place, device); !good) return tl::unexpected(good.error());
  return device;
}

// "idle", "busy", or per cent.
Result<void> read_links(const Place& place, int& links) {
  if (place.value == "idle" || place.value == "busy") {
    links = place.value == "idle" ? kIdleLinks : kBusyLinks;
    return {};
  }
  if (!place.value.is_number_integer())
    return place.wrong("\"idle\", \"busy\", or a whole number of per cent, from 100");
  if (auto good = read(place, links); !good) return good;
  return links != kIdleLinks ? Result<void>() : place.wrong("at least 100 per cent, or \"idle\"");
}

Result<Task> read_task(const Place& place, TaskSetDocument& document) {
  Task task;
  std::optional<Time> deadline;
  int mode = 1;
  const auto good =
      Fields(place)
          .need("name", task.name)
          .need("period", task.period)
          .need("stages",
                [&](const Place& list) {
                  return read_list(list, task.stages, "a list of stages",
                                   [&](const Place& stage) { return read_stage(stage, document.set.platform.gpus); });
                })
          .may("deadline", deadline)
          .may("priority", task.priority)
          .may("mode", mode)
          .may("devices",
               [&](const Place& list) {
                 return read_list(list, task.devices, "a list of at least one GPU, from 0", read_device, 1);
               })
          .may("most_gpus", task.most_gpus)
          .may("work",
               [&](const Place& list) { return read_by_mode(list, document.set.platform.gpus, "times", task.work); })
          .may("links", [&](const Place& links) { return read_links(links, task.links); })
          .may("late", task.late)
          .may("late_lease", task.late_lease)
          .may("early", task.early)
          .may("cpu", task.cpu)
          .may("jitter", task.jitter)
          .may("offset", task.offset)
          .may("busy_waits", task.busy_waits)
          .may("gpu_priority", task.gpu_priority)
          .finish();
  if (!good) return tl::unexpected(good.error());
  task.deadline = deadline.value_or(task.period);
  document.modes.push_back(mode);
  return task;
}

Result<TaskSetDocument> read_document(const Place& place, Model model) {
  TaskSetDocument document;
  const auto tasks = [&](const Place& list) {
    return read_list(
        list, document.set.tasks, "a list of at least one task",
        [&](const Place& task) { return read_task(task, document); }, 1);
  };
  auto good = Fields(place).need("platform", document.set.platform).need("tasks", tasks).finish();
  if (good) good = check(document.set, model);
  if (good) good = check(document.set, document.modes);
  if (!good) return tl::unexpected(good.error());
  return document;
}

// One number where all modes agree.
template <typename Value>
ordered_json by_mode(const std::vector<Value>& values) {
  if (std::equal(values.begin() + 1, values.end(), values.begin())) return values.front();
  return values;
}

}  // namespace

Result<TaskSetDocument> parse_task_set(const std::string& text, Model model) {
  return parse_json(text).and_then([model](const nlohmann::json& document) { return task_set_of(document, model); });
}

Result<TaskSetDocument> task_set_of(const nlohmann::json& document, Model model) {
  return read_document({document, ""}, model);
}

ordered_json task_set_json(const TaskSetDocument& document) {
  const Platform& platform = document.set.platform;
  ordered_json tasks = ordered_json::array();
  for (size_t i = 0; i < document.set.tasks.size(); ++i) {
    const Task& task = document.set.tasks[i];
    ordered_json entry = {{"name", task.name}, {"period", task.period}, {"deadline", task.deadline}};
    if (task.priority) entry["priority"] = *task.priority;
    entry["mode"] = document.modes[i];
    if (!task.devices.empty()) entry["devices"] = task.devices;
    if (task.most_gpus > 0) entry["most_gpus"] = task.most_gpus;
    if (!task.work.empty()) entry["work"] = by_mode(task.work);
    if (task.links == kBusyLinks) entry["links"] = "busy";
    if (task.links > kBusyLinks) entry["links"] = task.links;
    if (task.late > 0) entry["late"] = task.late;
    if (task.late_lease > 0) entry["late_lease"] = task.late_lease;
    if (task.early > 0) entry["early"] = task.early;
    if (task.cpu) entry["cpu"] = *task.cpu;
    if (task.jitter > 0) entry["jitter"] = task.jitter;
    if (task.offset) entry["offset"] = *task.offset;
    if (task.busy_waits) entry["busy_waits"] = true;
    if (task.gpu_priority) entry["gpu_priority"] = *task.gpu_priority;
    entry["stages"] = ordered_json::array();
    for (const Stage& stage : task.stages) {
      ordered_json fields = {{"resource", name(stage.resource)}, {"worst", by_mode(stage.worst)}};
      if (!stage.best.empty()) fields["best"] = by_mode(stage.best);
      if (!stage.section.empty()) fields["section"] = by_mode(stage.section);
      if (stage.requests > 1) fields["requests"] = stage.requests;
      if (!stage.between.empty()) fields["between"] = by_mode(stage.between);
      if (!stage.host.empty()) fields["host"] = by_mode(stage.host);
      if (!stage.host_section.empty()) fields["host_section"] = by_mode(stage.host_section);
      if (stage.most_threads() > 1) fields["threads"] = by_mode(stage.threads);
      entry["stages"].push_back(std::move(fields));
    }
    tasks.push_back(std::move(entry));
  }
  ordered_json machine = {{"cpus", platform.cpus}, {"pci", platform.links}, {"gpus", platform.gpus}};
  if (platform.bound) machine["bound"] = true;
  return {{"platform", machine}, {"tasks", tasks}};
}

std::string format_task_set(const TaskSetDocument& document) { return json_text(task_set_json(document), 2) + "\n"; }

}  // namespace samcl::analysis
