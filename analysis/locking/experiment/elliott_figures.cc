#include "analysis/locking/experiment/elliott_figures.h"

#include <set>

namespace samcl::analysis::locking {
namespace {

struct Shown {
  int number;
  size_t cpus;
  size_t share;
  size_t first_row, rows;  // of light, medium, heavy
  char first_letter;
};
constexpr Shown kByUtilisation[] = {
    {6, 0, 2, 0, 3, 'a'}, {7, 0, 3, 2, 1, 'a'}, {8, 1, 1, 0, 3, 'a'}, {9, 2, 0, 0, 2, 'a'}, {10, 2, 1, 2, 1, 'g'}};
constexpr Counted kMethods[] = {Counted::shared_resource, Counted::containers};
constexpr const char* kMethodNames[] = {"SRM", "CM"};
constexpr size_t kMostUse = 2;

std::string number_text(int number) { return "Fig. " + std::to_string(number); }

ElliottFigure by_utilisation(const Shown& shown) {
  ElliottFigure figure;
  figure.number = shown.number;
  figure.cpus = kCpus[shown.cpus];
  figure.title = number_text(shown.number) + ": " + std::to_string(figure.cpus) + " CPUs, " + share_name(shown.share) +
                 " % of the tasks use the GPU";
  char letter = shown.first_letter;
  for (size_t row = shown.first_row; row < shown.first_row + shown.rows; ++row)
    for (size_t use = 0; use < kGpuUse.size(); ++use) {
      Inset& inset = figure.insets.emplace_back();
      inset.letter = letter++;
      inset.title = std::string(kUtilisations[row].name) + ", GPU usage " + std::to_string(kGpuUse[use]) + " %";
      for (size_t method = 0; method < 2; ++method)
        for (size_t axis = 1; axis < kAxes; ++axis)
          inset.curves.push_back({std::string(kMethodNames[method]) + " " + std::to_string(speed_up(axis)) + "x",
                                  {row, 0, use, shown.share, shown.cpus},
                                  axis,
                                  kMethods[method]});
    }
  return figure;
}

ElliottFigure by_share(int number) {
  const auto cpus = static_cast<size_t>(number - 11);
  ElliottFigure figure;
  figure.number = number;
  figure.cpus = kCpus[cpus];
  figure.title = number_text(number) + ": " + std::to_string(figure.cpus) +
                 " CPUs, medium, GPU usage 75 %, 16x, by share of tasks that use the GPU";
  for (size_t method = 0; method < 2; ++method) {
    Inset& inset = figure.insets.emplace_back();
    inset.letter = static_cast<char>('a' + method);
    inset.title = kMethodNames[method];
    for (size_t share = 0; share < kShares; ++share)
      inset.curves.push_back(
          {share_name(share) + " %", {kMedium, 0, kMostUse, share, cpus}, kAxes - 1, kMethods[method]});
  }
  return figure;
}

}  // namespace

ElliottFigure elliott_figure(int number) {
  for (const Shown& shown : kByUtilisation)
    if (shown.number == number) return by_utilisation(shown);
  return by_share(number);
}

std::vector<size_t> scenarios_of(const ElliottFigure& figure, std::optional<size_t> period) {
  std::set<size_t> found;
  for (const Inset& inset : figure.insets)
    for (const FigureCurve& curve : inset.curves)
      for (size_t each = 0; each < kPeriods.size(); ++each) {
        Scenario where = curve.scenario;
        where.period = period.value_or(each);
        found.insert(index_of(where));
      }
  return {found.begin(), found.end()};
}

Histogram over_periods(Scenario scenario, const Histograms& all) {
  Histogram sum;
  for (scenario.period = 0; scenario.period < kPeriods.size(); ++scenario.period) sum.add(all[index_of(scenario)]);
  return sum;
}

std::vector<Chart> charts(const ElliottFigure& figure, const Histograms& all) {
  std::vector<Chart> charts;
  for (const Inset& inset : figure.insets) {
    Chart chart{number_text(figure.number) + "(" + inset.letter + "): " + inset.title, "effective utilisation", {}, {}};
    for (int tick = 0; tick <= figure.cpus + kSpeedUps.back(); tick += 2) chart.ticks.push_back(tick);
    for (const FigureCurve& shown : inset.curves) {
      const Histogram counted = over_periods(shown.scenario, all);
      Curve curve{shown.name, {}};
      for (size_t bin = 0; bin < kClasses; ++bin)
        if (counted.at(shown.axis, bin, Counted::sets) > 0)
          curve.points.emplace_back(kClassWidth * (static_cast<double>(bin) + 0.5),
                                    counted.share(shown.axis, bin, shown.method));
      chart.curves.push_back(std::move(curve));
    }
    charts.push_back(std::move(chart));
  }
  return charts;
}

}  // namespace samcl::analysis::locking
