#include "analysis/json/task_set_json.h"

#include <algorithm>

#include "analysis/json/place.h"
#include "base/json_text.h"

namespace samcl::analysis {
namespace {

using nlohmann::ordered_json;

// One time for all modes, or one for each.
Result<std::vector<Time>> read_times(const Place& place, int modes) {
  const auto count = static_cast<size_t>(modes);
  if (!place.value.is_array()) {
    const auto time = read_time(place);
    if (!time) return tl::unexpected(time.error());
    return std::vector<Time>(count, *time);
  }
  if (place.value.size() != count)
    return fail(place.path + ": " + std::to_string(place.value.size()) + " times, expected one for each of the " +
                std::to_string(modes) + " modes (1 to platform.gpus), or one number for all");
  std::vector<Time> times;
  for (size_t k = 0; k < count; ++k) {
    const auto time = read_time(place.at(k));
    if (!time) return tl::unexpected(time.error());
    times.push_back(*time);
  }
  return times;
}

Result<Stage> read_stage(const Place& place, int modes) {
  if (auto good = check_fields(place, {"resource", "worst"},
                               {"best", "section", "requests", "between", "host", "host_section"});
      !good)
    return tl::unexpected(good.error());
  Stage stage;
  const auto resource = read_resource(place.at("resource"));
  if (!resource) return tl::unexpected(resource.error());
  stage.resource = *resource;
  auto worst = read_times(place.at("worst"), modes);
  if (!worst) return tl::unexpected(worst.error());
  stage.worst = std::move(*worst);
  if (place.has("best")) {
    auto best = read_times(place.at("best"), modes);
    if (!best) return tl::unexpected(best.error());
    stage.best = std::move(*best);
  }
  if (place.has("section")) {
    const auto section = read_time(place.at("section"));
    if (!section) return tl::unexpected(section.error());
    stage.section = *section;
  }
  if (place.has("requests")) {
    const auto requests = read_int(place.at("requests"));
    if (!requests) return tl::unexpected(requests.error());
    stage.requests = *requests;
  }
  if (place.has("between")) {
    auto between = read_times(place.at("between"), modes);
    if (!between) return tl::unexpected(between.error());
    stage.between = std::move(*between);
  }
  if (place.has("host")) {
    auto host = read_times(place.at("host"), modes);
    if (!host) return tl::unexpected(host.error());
    stage.host = std::move(*host);
  }
  if (place.has("host_section")) {
    const auto longest = read_time(place.at("host_section"));
    if (!longest) return tl::unexpected(longest.error());
    stage.host_section = *longest;
  }
  return stage;
}

Result<std::vector<int>> read_devices(const Place& place) {
  if (!place.value.is_array() || place.value.empty()) return place.wrong("a list of at least one GPU, from 0");
  std::vector<int> devices;
  for (size_t n = 0; n < place.value.size(); ++n) {
    const auto device = read_int(place.at(n));
    if (!device) return tl::unexpected(device.error());
    devices.push_back(*device);
  }
  return devices;
}

// What only some analyses know.
Result<void> read_partitioned(const Place& place, Task& task) {
  for (const auto& [field, number] : {std::pair{"cpu", &task.cpu}, {"gpu_priority", &task.gpu_priority}}) {
    if (!place.has(field)) continue;
    const auto value = read_int(place.at(field));
    if (!value) return tl::unexpected(value.error());
    *number = *value;
  }
  if (place.has("jitter")) {
    const auto jitter = read_time(place.at("jitter"));
    if (!jitter) return tl::unexpected(jitter.error());
    task.jitter = *jitter;
  }
  if (place.has("offset")) {
    const auto offset = read_time(place.at("offset"));
    if (!offset) return tl::unexpected(offset.error());
    task.offset = *offset;
  }
  if (place.has("busy_waits")) {
    const auto busy = read_bool(place.at("busy_waits"));
    if (!busy) return tl::unexpected(busy.error());
    task.busy_waits = *busy;
  }
  return {};
}

Result<void> read_task(const Place& place, int modes, TaskSetDocument& document) {
  if (auto good = check_fields(place, {"name", "period", "stages"},
                               {"deadline", "priority", "mode", "devices", "most_gpus", "cpu", "jitter", "offset",
                                "busy_waits", "gpu_priority"});
      !good)
    return good;
  Task task;
  auto name = read_string(place.at("name"));
  if (!name) return tl::unexpected(name.error());
  task.name = std::move(*name);
  const auto period = read_time(place.at("period"));
  if (!period) return tl::unexpected(period.error());
  task.period = task.deadline = *period;
  if (place.has("deadline")) {
    const auto deadline = read_time(place.at("deadline"));
    if (!deadline) return tl::unexpected(deadline.error());
    task.deadline = *deadline;
  }
  if (place.has("priority")) {
    const auto priority = read_int(place.at("priority"));
    if (!priority) return tl::unexpected(priority.error());
    task.priority = *priority;
  }
  if (auto good = read_partitioned(place, task); !good) return good;
  if (place.has("most_gpus")) {
    const auto most = read_int(place.at("most_gpus"));
    if (!most) return tl::unexpected(most.error());
    task.most_gpus = *most;
  }
  if (place.has("devices")) {
    auto devices = read_devices(place.at("devices"));
    if (!devices) return tl::unexpected(devices.error());
    task.devices = std::move(*devices);
  }
  const auto mode = place.has("mode") ? read_int(place.at("mode")) : Result<int>(1);
  if (!mode) return tl::unexpected(mode.error());
  const Place stages = place.at("stages");
  if (!stages.value.is_array()) return stages.wrong("a list of stages");
  for (size_t j = 0; j < stages.value.size(); ++j) {
    auto stage = read_stage(stages.at(j), modes);
    if (!stage) return tl::unexpected(stage.error());
    task.stages.push_back(std::move(*stage));
  }
  document.set.tasks.push_back(std::move(task));
  document.modes.push_back(*mode);
  return {};
}

Result<TaskSetDocument> read_document(const Place& place, Model model) {
  if (auto good = check_fields(place, {"platform", "tasks"}, {}); !good) return tl::unexpected(good.error());
  TaskSetDocument document;
  const auto platform = read_platform(place.at("platform"));
  if (!platform) return tl::unexpected(platform.error());
  document.set.platform = *platform;
  const Place tasks = place.at("tasks");
  if (!tasks.value.is_array() || tasks.value.empty()) return tasks.wrong("a list of at least one task");
  for (size_t i = 0; i < tasks.value.size(); ++i)
    if (auto good = read_task(tasks.at(i), platform->gpus, document); !good) return tl::unexpected(good.error());
  if (auto good = check(document.set, model); !good) return tl::unexpected(good.error());
  if (auto good = check(document.set, document.modes); !good) return tl::unexpected(good.error());
  return document;
}

// One number where all modes agree.
ordered_json times(const std::vector<Time>& times) {
  if (std::equal(times.begin() + 1, times.end(), times.begin())) return times.front();
  return times;
}

}  // namespace

Result<TaskSetDocument> parse_task_set(const std::string& text, Model model) {
  const auto document = parse_json(text);
  if (!document) return tl::unexpected(document.error());
  return read_document({*document, ""}, model);
}

std::string format_task_set(const TaskSetDocument& document) {
  const Platform& platform = document.set.platform;
  ordered_json tasks = ordered_json::array();
  for (size_t i = 0; i < document.set.tasks.size(); ++i) {
    const Task& task = document.set.tasks[i];
    ordered_json entry = {{"name", task.name}, {"period", task.period}, {"deadline", task.deadline}};
    if (task.priority) entry["priority"] = *task.priority;
    entry["mode"] = document.modes[i];
    if (!task.devices.empty()) entry["devices"] = task.devices;
    if (task.most_gpus > 0) entry["most_gpus"] = task.most_gpus;
    if (task.cpu) entry["cpu"] = *task.cpu;
    if (task.jitter > 0) entry["jitter"] = task.jitter;
    if (task.offset) entry["offset"] = *task.offset;
    if (task.busy_waits) entry["busy_waits"] = true;
    if (task.gpu_priority) entry["gpu_priority"] = *task.gpu_priority;
    entry["stages"] = ordered_json::array();
    for (const Stage& stage : task.stages) {
      ordered_json fields = {{"resource", name(stage.resource)}, {"worst", times(stage.worst)}};
      if (!stage.best.empty()) fields["best"] = times(stage.best);
      if (stage.section > 0) fields["section"] = stage.section;
      if (stage.requests > 1) fields["requests"] = stage.requests;
      if (!stage.between.empty()) fields["between"] = times(stage.between);
      if (!stage.host.empty()) fields["host"] = times(stage.host);
      if (stage.host_section > 0) fields["host_section"] = stage.host_section;
      entry["stages"].push_back(std::move(fields));
    }
    tasks.push_back(std::move(entry));
  }
  ordered_json machine = {{"cpus", platform.cpus}, {"pci", platform.links}, {"gpus", platform.gpus}};
  if (platform.bound) machine["bound"] = true;
  const ordered_json all = {{"platform", machine}, {"tasks", tasks}};
  return json_text(all, 2) + "\n";
}

}  // namespace samcl::analysis
