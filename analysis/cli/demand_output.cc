#include "analysis/cli/demand_output.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/dbf/demanding_walk.h"
#include "base/duration.h"
#include "base/json_text.h"

namespace samcl::analysis::cli {
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

// More steps would not be seen apart.
constexpr Time kMostSteps = 4000;

double ms(Time time) { return static_cast<double>(time) / 1e6; }

template <typename Demand, typename Next>
Curve steps(const std::string& name, Time end, Demand demand, Next next) {
  Curve curve{name, {{0, 0}}};
  Time before = 0;
  for (Time t = next(0); t <= end; t = next(t + end / kMostSteps)) {
    const Time now = demand(t);
    if (now == before) continue;
    curve.points.emplace_back(ms(t), ms(before));
    curve.points.emplace_back(ms(t), ms(now));
    before = now;
  }
  curve.points.emplace_back(ms(end), ms(demand(end)));
  return curve;
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

Chart demand_chart(const dbf::TaskDemands& set, Time end, std::optional<Time> marked) {
  const auto total = [&](Time t) { return dbf::total_demand(set.bounds, t); };
  Chart chart{"Demand bounds over the length of an interval", "length of the interval, ms", {0, ms(end)}, {}};
  chart.measure = "demand, ms";
  const Time most = std::max(end, total(end));
  chart.top = ms(most);
  chart.curves.push_back({"available", {{0, 0}, {ms(std::min(end, most)), ms(std::min(end, most))}}});
  for (size_t n = 0; n < set.tasks.size() && set.tasks.size() > 1; ++n) {
    const dbf::DemandBound& bound = set.bounds[n];
    chart.curves.push_back(steps(
        set.tasks[n].name, end, [&](Time t) { return bound.at(t); }, [&](Time t) { return bound.change_after(t); }));
  }
  chart.curves.push_back(steps(set.tasks.size() > 1 ? "all tasks" : set.tasks[0].name, end, total,
                               [&](Time t) { return dbf::next_change(set.bounds, t); }));
  if (marked && *marked <= end)
    chart.curves.push_back({"within " + format_duration(*marked) + ": " + format_duration(total(*marked)),
                            {{ms(*marked), ms(total(*marked))}}});
  return chart;
}

}  // namespace samcl::analysis::cli
