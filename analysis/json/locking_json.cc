#include "analysis/json/locking_json.h"

#include "analysis/json/place.h"
#include "base/json_text.h"

namespace samcl::analysis {
namespace {

using nlohmann::ordered_json;

// A time, or one for each number of the GPU's parts.
Result<void> read_gpu(const Place& place, locking::Task& task) {
  const bool list = place.value.is_array() && !place.value.empty();
  for (size_t n = 0; n < (list ? place.value.size() : 1); ++n) {
    const auto value = read_time(list ? place.at(n) : place);
    if (!value) return tl::unexpected(value.error());
    task.gpu = *value;
    if (list) task.on_parts.push_back(*value);
  }
  return {};
}

Result<locking::Task> read_task(const Place& place) {
  if (auto good = check_fields(place, {"name", "period", "cpu"}, {"gpu", "critical_section"}); !good)
    return tl::unexpected(good.error());
  locking::Task task;
  auto name = read_string(place.at("name"));
  if (!name) return tl::unexpected(name.error());
  task.name = std::move(*name);
  for (const auto& [field, time] :
       {std::pair{"period", &task.period}, {"cpu", &task.cpu}, {"critical_section", &task.section}}) {
    if (!place.has(field)) continue;
    const auto value = read_time(place.at(field));
    if (!value) return tl::unexpected(value.error());
    *time = *value;
  }
  if (place.has("gpu"))
    if (auto good = read_gpu(place.at("gpu"), task); !good) return tl::unexpected(good.error());
  if (!place.has("critical_section")) task.section = task.gpu;
  return task;
}

Result<locking::TaskSet> read_set(const Place& place) {
  if (auto good = check_fields(place, {"platform", "tasks"}, {}); !good) return tl::unexpected(good.error());
  const Place platform = place.at("platform");
  if (auto good = check_fields(platform, {"cpus"}, {"gpus", "parts", "slice"}); !good)
    return tl::unexpected(good.error());
  locking::TaskSet set;
  for (const auto& [field, count] : {std::pair{"cpus", &set.cpus}, {"gpus", &set.gpus}, {"parts", &set.parts}}) {
    if (!platform.has(field)) continue;
    const auto value = read_int(platform.at(field));
    if (!value) return tl::unexpected(value.error());
    *count = *value;
  }
  if (platform.has("slice")) {
    const auto slice = read_time(platform.at("slice"));
    if (!slice) return tl::unexpected(slice.error());
    set.slice = *slice;
  }
  const Place tasks = place.at("tasks");
  if (!tasks.value.is_array() || tasks.value.empty()) return tasks.wrong("a list of at least one task");
  for (size_t i = 0; i < tasks.value.size(); ++i) {
    auto task = read_task(tasks.at(i));
    if (!task) return tl::unexpected(task.error());
    set.tasks.push_back(std::move(*task));
  }
  if (auto good = check(set); !good) return tl::unexpected(good.error());
  return set;
}

ordered_json reason(const std::string& failure) { return failure.empty() ? ordered_json() : ordered_json(failure); }

// What the verdicts on locks have in common.
template <typename Verdict>
ordered_json lock_json(const locking::TaskSet& set, const char* protocol, const Verdict& verdict) {
  ordered_json tasks = ordered_json::array();
  for (size_t i = 0; i < set.tasks.size(); ++i)
    tasks.push_back({{"name", set.tasks[i].name},
                     {"blocking", verdict.tasks[i].blocking},
                     {"demand", verdict.tasks[i].demand},
                     {"tardiness", verdict.schedulable() ? ordered_json(verdict.tasks[i].late) : ordered_json()}});
  return {{"protocol", protocol},
          {"schedulable", verdict.schedulable()},
          {"fails", reason(failure(set, verdict))},
          {"utilisation", verdict.utilisation.value()},
          {"tasks", tasks}};
}

ordered_json container_json(const locking::TaskSet& set, const locking::ContainerVerdict& verdict) {
  ordered_json tasks = ordered_json::array();
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    const int gpu = verdict.gpu_of[i];
    tasks.push_back({{"name", set.tasks[i].name},
                     {"container", gpu == locking::kNoGpu ? ordered_json() : ordered_json(gpu + 1)},
                     {"tardiness", verdict.schedulable() ? ordered_json(verdict.late[i]) : ordered_json()}});
  }
  ordered_json bandwidth = ordered_json::array();
  for (const locking::ExactSum& sum : verdict.bandwidth) bandwidth.push_back(sum.value());
  return {{"schedulable", verdict.schedulable()},
          {"fails", reason(failure(set, verdict))},
          {"utilisation", verdict.utilisation.value()},
          {"bandwidth", bandwidth},
          {"tasks", tasks}};
}

}  // namespace

Result<locking::TaskSet> parse_locking_set(const std::string& text) {
  const auto document = parse_json(text);
  if (!document) return tl::unexpected(document.error());
  return read_set({*document, ""});
}

std::string format_locking_set(const locking::TaskSet& set) {
  ordered_json tasks = ordered_json::array();
  for (const locking::Task& task : set.tasks) {
    ordered_json entry = {{"name", task.name}, {"period", task.period}, {"cpu", task.cpu}};
    if (task.uses_gpu()) {
      entry["gpu"] = task.on_parts.empty() ? ordered_json(task.gpu) : ordered_json(task.on_parts);
      entry["critical_section"] = task.section;
    }
    tasks.push_back(std::move(entry));
  }
  ordered_json platform = {{"cpus", set.cpus}, {"gpus", set.gpus}};
  if (set.parts > 1) platform["parts"] = set.parts;
  if (set.slice > 0) platform["slice"] = set.slice;
  return json_text(ordered_json{{"platform", platform}, {"tasks", tasks}}, 2) + "\n";
}

std::string format_verdicts(const locking::TaskSet& set, const locking::Verdicts& verdicts,
                            std::span<const double> speed_ups) {
  ordered_json protocols = ordered_json::array(), effective = ordered_json::array();
  for (const auto& verdict : verdicts.shared_resource)
    protocols.push_back(lock_json(set, name(verdict.protocol), verdict));
  ordered_json& omlp = protocols[static_cast<size_t>(locking::Protocol::omlp)]["tasks"];
  for (size_t i = 0; i < set.tasks.size(); ++i) omlp[i]["loose_blocking"] = verdicts.loose_omlp[i];
  for (const double speed_up : speed_ups)
    effective.push_back({{"speed_up", speed_up}, {"utilisation", effective_utilisation(set, speed_up)}});
  const ordered_json all = {
      {"schedulable", verdicts.schedulable()},
      {"shared_resource",
       {{"schedulable", verdicts.by_shared_resource()},
        {"gpu_utilisation", verdicts.gpu_utilisation.value()},
        {"protocols", protocols}}},
      {"containers", container_json(set, verdicts.containers)},
      {"suspension_aware", lock_json(set, name(locking::Protocol::fmlp_long), verdicts.suspension_aware)},
      {"effective_utilisation", effective}};
  return json_text(all, 2) + "\n";
}

}  // namespace samcl::analysis
