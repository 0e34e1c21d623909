#include "analysis/json/demand_json.h"

#include <nlohmann/json.hpp>

#include "analysis/dbf/demanding_walk.h"
#include "base/json_text.h"

namespace samcl::analysis {
namespace {

using nlohmann::ordered_json;

ordered_json steps(const dbf::Staircase& staircase) {
  ordered_json list = ordered_json::array();
  for (const auto& [at, demand] : staircase) list.push_back({at, demand});
  return list;
}

ordered_json jobs(const dbf::TaskGraph& task, const std::vector<dbf::Triggered>& triggered) {
  ordered_json list = ordered_json::array();
  for (const auto& [vertex, at] : triggered) list.push_back({{"job", task.vertices[vertex].name}, {"triggered", at}});
  return list;
}

ordered_json task_fields(const dbf::TaskDemands& set, size_t n, Time t) {
  const dbf::TaskGraph& task = set.tasks[n];
  const dbf::DemandBound& bound = set.bounds[n];
  const dbf::HeaviestPath heaviest = heaviest_path(task);
  ordered_json path = ordered_json::array();
  for (const size_t v : heaviest.vertices) path.push_back(task.vertices[v].name);
  ordered_json walk;  // none where bounds are not exact: it need not fit into t
  const bool exact = check_exact(task).has_value();
  if (exact) {
    const dbf::Walk found = demanding_walk(task, set.graphs[n], set.fronts[n], t);
    walk = {{"demand", found.demand},
            {"tail", jobs(task, found.tail)},
            {"repetitions", found.repetitions},
            {"repeated", jobs(task, found.repeated)},
            {"head", jobs(task, found.head)}};
  }
  return {{"name", task.name},
          {"exact", exact},
          {"period", task.period},
          {"heaviest", {{"execution", heaviest.execution}, {"path", path}}},
          {"burst", bound.burst()},
          {"first_period", steps(bound.first_period())},
          {"second_period", steps(bound.second_period())},
          {"walk", walk}};
}

}  // namespace

std::string format_demand(const dbf::TaskDemands& set, const dbf::Verdict& verdict, const dbf::Tightest& tightest,
                          Time t) {
  ordered_json all = {{"schedulable", verdict.feasible}, {"utilisation", utilisation(set.bounds)}};
  all["excess"] = nullptr;
  if (const auto& excess = verdict.excess)
    all["excess"] = {{"t", excess->t}, {"demand", excess->demand}, {"least", excess->least}};
  all["last_t"] = verdict.last_t;
  all["published_last_t"] = nullptr;
  if (verdict.published_last_t) all["published_last_t"] = *verdict.published_last_t;
  all["looks"] = verdict.looks;
  all["tightest"] = {{"t", tightest.step.at}, {"demand", tightest.step.demand}, {"of_all", tightest.of_all}};
  all["at"] = {{"t", t}, {"demand", total_demand(set.bounds, t)}};
  all["tasks"] = ordered_json::array();
  for (size_t n = 0; n < set.tasks.size(); ++n) all["tasks"].push_back(task_fields(set, n, t));
  return json_text(all, 2) + "\n";
}

}  // namespace samcl::analysis
