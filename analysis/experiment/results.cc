#include "analysis/experiment/results.h"

#include <algorithm>
#include <cmath>

#include "analysis/model/number_text.h"

namespace samcl::analysis {
namespace {

double part(int64_t of, int64_t whole) { return whole == 0 ? 0 : static_cast<double>(of) / static_cast<double>(whole); }

size_t column(const Figure& figure, ModePolicy policy) {
  return static_cast<size_t>(std::find(figure.policies.begin(), figure.policies.end(), policy) -
                             figure.policies.begin());
}

std::string loss_text(const Results& results, ModePolicy policy) {
  std::string text;
  for (const Reading reading : kReadings) {
    const Loss loss = greatest_loss(results, reading, policy);
    text += (text.empty() ? "" : "; ") + std::string("by ") + name(reading) + " " + percent(loss.of_optimal, 1) +
            " at " + name(results.figure().axis) + " " + significant(loss.point, 6) + " (" + percent(loss.of_sets, 2) +
            " of all sets)";
  }
  return text;
}

}  // namespace

Results::Results(Figure figure, const std::vector<Counts>& by_dependency) : figure_(std::move(figure)) {
  for (const Counts& counts : by_dependency) by_dependency_.emplace_back(figure_, counts);
}

const Tally& Results::at(Reading reading, size_t point) const {
  return figure_.axis == Axis::dependency ? by_dependency_[point].of(reading, figure_.targets.size() - 1)
                                          : by_dependency_.front().of(reading, point);
}

double Results::share(Reading reading, size_t point, size_t policy) const {
  return part(at(reading, point).schedulable[policy], at(reading, point).sets);
}

double Results::of_optimal(Reading reading, size_t point, size_t policy) const {
  return part(at(reading, point).schedulable[policy], at(reading, point).schedulable.back());
}

std::string format_csv(const Results& results) {
  const Figure& figure = results.figure();
  std::string csv = std::string("reading,") + name(figure.axis) + ",sets,mean_tasks";
  for (const ModePolicy policy : figure.policies) csv += std::string(",") + name(policy);
  csv += "\n";
  for (const Reading reading : kReadings)
    for (size_t n = 0; n < figure.points().size(); ++n) {
      const Tally& tally = results.at(reading, n);
      csv += std::string(name(reading)) + "," + significant(figure.points()[n], 6) + "," + std::to_string(tally.sets) +
             "," + decimal(part(tally.tasks, tally.sets), 3);
      for (const int64_t count : tally.schedulable) csv += "," + std::to_string(count);
      csv += "\n";
    }
  return csv;
}

std::vector<Chart> charts(const Results& results) {
  const Figure& figure = results.figure();
  const bool normalised = figure.axis == Axis::gpu_utilisation;
  std::vector<Chart> charts;
  for (const Reading reading : kReadings) {
    Chart& chart = charts.emplace_back();
    chart.title = figure.title + (reading == Reading::chain ? ", all sets of the chains" : ", sets by their own U_G");
    chart.axis = name(figure.axis);
    if (normalised) chart.measure = "schedulable, in parts of OPTIMAL's";
    chart.ticks = figure.points();
    double largest = 0;
    for (size_t p = 0; p < figure.policies.size(); ++p) {
      Curve& curve = chart.curves.emplace_back();
      curve.name = name(figure.policies[p]);
      for (size_t n = 0; n < figure.points().size(); ++n) {
        const Tally& tally = results.at(reading, n);
        if ((normalised ? tally.schedulable.back() : tally.sets) == 0) continue;
        const double share = normalised ? results.of_optimal(reading, n, p) : results.share(reading, n, p);
        curve.points.emplace_back(figure.points()[n], share);
        largest = std::max(largest, share);
      }
    }
    if (largest > 0) chart.top = std::ceil(10 * largest) / 10;
  }
  return charts;
}

Loss greatest_loss(const Results& results, Reading reading, ModePolicy policy) {
  const Figure& figure = results.figure();
  const size_t other = column(figure, policy), optimal = figure.policies.size() - 1;
  Loss most;
  most.point = figure.points().front();
  for (size_t n = 0; n < figure.points().size(); ++n) {
    if (results.at(reading, n).schedulable.back() == 0) continue;
    const double lost = 1 - results.of_optimal(reading, n, other);
    if (lost <= most.of_optimal) continue;
    most = {figure.points()[n], results.share(reading, n, optimal) - results.share(reading, n, other), lost};
  }
  return most;
}

std::vector<Statement> statements(const Results& results) {
  const bool sparc = column(results.figure(), ModePolicy::gema) < results.figure().policies.size();
  std::vector<Statement> all = {
      sparc ? Statement{"GEMA loses up to 1.4% of GLOBAL's", loss_text(results, ModePolicy::gema)}
            : Statement{"GPA loses up to 19.8% of OPTIMAL's", loss_text(results, ModePolicy::gpa)}};
  all.push_back(
      {sparc ? "LOCAL is behind GEMA by up to 56.6%" : "INDIVIDUAL is behind GPA by 25 to 50% (with Single-GPU)",
       loss_text(results, ModePolicy::local)});
  all.push_back({"Single-GPU falls behind with U_G", loss_text(results, ModePolicy::single)});
  all.push_back({"(not the papers') search", loss_text(results, ModePolicy::search)});
  return all;
}

}  // namespace samcl::analysis
