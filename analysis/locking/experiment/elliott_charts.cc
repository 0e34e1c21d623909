#include "analysis/locking/experiment/elliott_results.h"
#include "analysis/locking/experiment/groups.h"

namespace samcl::analysis::locking {
namespace {

struct Method {
  const char* name;
  Counted counted;
};
constexpr Method kMethods[] = {{"SRM, FMLP-Long", Counted::fmlp_long},
                               {"SRM", Counted::shared_resource},
                               {"containers", Counted::containers},
                               {"either", Counted::either}};

// The share of schedulable sets in each class of an axis that has any.
Curve over(const Histogram& histogram, size_t n, const Method& method, const std::string& name) {
  Curve curve{name, {}};
  for (size_t bin = 0; bin < axis(n).classes; ++bin) {
    const int64_t sets = histogram.at(n, bin, Counted::sets);
    if (sets == 0) continue;
    curve.points.emplace_back(
        axis(n).width * (static_cast<double>(bin) + 0.5),
        static_cast<double>(histogram.at(n, bin, method.counted)) / static_cast<double>(sets));
  }
  return curve;
}

Chart over_utilisation(const std::string& title, const Histogram& histogram) {
  Chart chart{title, "utilisation per CPU", {0, 0.2, 0.4, 0.6, 0.8, 1}, {}};
  for (const Method& method : kMethods) chart.curves.push_back(over(histogram, 0, method, method.name));
  return chart;
}

Chart over_share(const Histograms& all) {
  Chart chart{"All sets", "tasks that use the GPU, %", {0, 20, 40, 60, 80, 100}, {}};
  const Histograms shares = by(&Scenario::share, kShares, all);
  for (const Method& method : kMethods) {
    Curve& curve = chart.curves.emplace_back(Curve{method.name, {}});
    for (size_t tenth = 0; tenth < shares.size(); ++tenth)
      curve.points.emplace_back(10 * static_cast<double>(tenth) + 5, shares[tenth].share(method.counted));
  }
  return chart;
}

Chart over_effective_utilisation(const Histograms& all) {
  Chart chart{"Either method, by speed-up of the GPU", "effective utilisation per CPU", {0, 1, 2, 3, 4}, {}};
  const Histogram everything = sum(all);
  for (size_t n = 1; n < kAxes; ++n)
    chart.curves.push_back(over(everything, n, kMethods[3], std::to_string(axis(n).speed_up) + " times"));
  return chart;
}

}  // namespace

std::vector<Chart> charts(const Histograms& all) {
  std::vector<Chart> charts;
  const Histograms utilisations = by(&Scenario::utilisation, kUtilisations.size(), all);
  for (size_t n = 0; n < utilisations.size(); ++n)
    charts.push_back(
        over_utilisation(std::string("Tasks of ") + kUtilisations[n].name + " utilisation", utilisations[n]));
  const Histograms use = by(&Scenario::gpu_use, kGpuUse.size(), all);
  for (size_t n = 0; n < use.size(); ++n)
    charts.push_back(
        over_utilisation(std::string("GPU's part of a task's execution: ") + kGpuUse[n].name, use[n]));
  charts.push_back(over_share(all));
  charts.push_back(over_effective_utilisation(all));
  return charts;
}

}  // namespace samcl::analysis::locking
