#include "analysis/experiment/demand_chart.h"

#include <algorithm>

#include "base/duration.h"

namespace samcl::analysis {
namespace {

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

}  // namespace samcl::analysis
