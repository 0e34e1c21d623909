#include "analysis/json/locking_json.h"

#include "analysis/json/place.h"
#include "base/json_text.h"

namespace samcl::analysis {
namespace {

using nlohmann::ordered_json;

// A time, or one for each number of the GPU's parts.
Result<void> read_gpu(const Place& place, locking::Task& task) {
  if (!place.value.is_array() || place.value.empty()) return read(place, task.gpu);
  for (size_t n = 0; n < place.value.size(); ++n) {
    if (auto good = read(place.at(n), task.gpu); !good) return good;
    task.on_parts.push_back(task.gpu);
  }
  return {};
}

Result<locking::Task> read_task(const Place& place) {
  locking::Task task;
  std::optional<Time> section;
  const auto good = Fields(place)
                        .need("name", task.name)
                        .need("period", task.period)
                        .need("cpu", task.cpu)
                        .may("gpu", [&](const Place& gpu) { return read_gpu(gpu, task); })
                        .may("critical_section", section)
                        .finish();
  if (!good) return tl::unexpected(good.error());
  task.section = section.value_or(task.gpu);
  return task;
}

Result<locking::TaskSet> read_set(const Place& place) {
  locking::TaskSet set;
  const auto platform = [&](const Place& fields) {
    return Fields(fields)
        .need("cpus", set.cpus)
        .may("gpus", set.gpus)
        .may("parts", set.parts)
        .may("slice", set.slice)
        .finish();
  };
  const auto tasks = [&](const Place& list) {
    return read_list(list, set.tasks, "a list of at least one task", read_task, 1);
  };
  auto good = Fields(place).need("platform", platform).need("tasks", tasks).finish();
  if (good) good = check(set);
  if (!good) return tl::unexpected(good.error());
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
  return parse_json(text).and_then([](const nlohmann::json& document) { return read_set({document, ""}); });
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
