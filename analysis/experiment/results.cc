#include "analysis/experiment/results.h"

#include <algorithm>
#include <cstdio>

namespace samcl::analysis {
namespace {

std::string number(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

double share(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

size_t column(const Figure& figure, Policy policy) {
  return static_cast<size_t>(std::find(figure.policies.begin(), figure.policies.end(), policy) -
                             figure.policies.begin());
}

std::string loss_text(const Figure& figure, const Tallies& tallies, Policy policy) {
  const Loss loss = greatest_loss(figure, tallies, policy);
  return "at most " + number("%.2f%%", 100 * loss.of_sets) + " of all sets (at " + name(figure.axis) + " = " +
         number("%g", loss.point) + "; " + number("%.1f%%", 100 * loss.of_optimal) + " of OPTIMAL's)";
}

}  // namespace

Tallies tallies(const std::vector<Counts>& points) {
  return {points.begin(), points.end()};
}

std::string format_csv(const Figure& figure, const Tallies& tallies) {
  std::string csv = std::string(name(figure.axis)) + ",sets,mean_tasks";
  for (const Policy policy : figure.policies) csv += std::string(",") + name(policy);
  csv += "\n";
  for (size_t n = 0; n < tallies.size(); ++n) {
    const Tally& tally = tallies[n];
    csv += number("%g", figure.points[n]) + "," + std::to_string(tally.sets) + "," +
           number("%.3f", share(tally.tasks, tally.sets));
    for (const int64_t count : tally.schedulable) csv += "," + std::to_string(count);
    csv += "\n";
  }
  return csv;
}

Loss greatest_loss(const Figure& figure, const Tallies& tallies, Policy policy) {
  const size_t optimal = column(figure, Policy::optimal), other = column(figure, policy);
  Loss most;
  most.point = figure.points.front();
  for (size_t n = 0; n < tallies.size(); ++n) {
    const int64_t best = tallies[n].schedulable[optimal], lost = best - tallies[n].schedulable[other];
    if (share(lost, tallies[n].sets) <= most.of_sets) continue;
    most = {figure.points[n], share(lost, tallies[n].sets), share(lost, best)};
  }
  return most;
}

std::vector<Statement> statements(const Figure& figure, const Tallies& tallies) {
  std::vector<Statement> all;
  if (figure.form == Form::gpu_sparc || column(figure, Policy::gema) < figure.policies.size())
    all.push_back({"GEMA is within 1.4% of optimal", loss_text(figure, tallies, Policy::gema)});
  else
    all.push_back({"GPA is within 19.8% of optimal", loss_text(figure, tallies, Policy::gpa)});
  all.push_back({"(no such policy) search", loss_text(figure, tallies, Policy::search)});
  for (const Policy policy : {Policy::single, Policy::local})
    all.push_back({std::string("(no number at hand) ") + name(policy), loss_text(figure, tallies, policy)});
  return all;
}

}  // namespace samcl::analysis
