// The experiment on tasks that share a GPU under global EDF: OUT.csv and a picture per figure.
#include <iostream>

#include "analysis/cli/experiment.h"
#include "analysis/cli/subcommand.h"
#include "analysis/locking/experiment/elliott.h"
#include "analysis/locking/experiment/observations.h"
#include "analysis/model/number_text.h"
#include "base/files.h"
#include "base/text_table.h"

namespace samcl::analysis::cli {
namespace {

using locking::Counted;
using locking::Scenario;

constexpr std::pair<const char*, Counted> kColumns[] = {{"SRM, FMLP-LONG", Counted::fmlp_long},
                                                        {"SRM", Counted::shared_resource},
                                                        {"CM", Counted::containers},
                                                        {"BOTH", Counted::both},
                                                        {"EITHER", Counted::either}};

std::string scenarios_text(const locking::Histograms& all) {
  std::vector<std::vector<std::string>> rows = {{"SCHEDULABLE", "SETS"}};
  for (const auto& [title, counted] : kColumns) rows[0].emplace_back(title);
  // All scenarios for which `wanted` is true.
  const auto add = [&](const std::string& name, auto wanted) {
    locking::Histogram sum;
    for (size_t index = 0; index < all.size(); ++index)
      if (wanted(locking::scenario(index))) sum.add(all[index]);
    if (sum.total(Counted::sets) == 0) return;
    rows.push_back({name, std::to_string(sum.total(Counted::sets))});
    for (const auto& [title, counted] : kColumns) rows.back().push_back(percent(sum.share(counted), 2));
  };
  add("all", [](const Scenario&) { return true; });
  for (size_t n = 0; n < 3; ++n)
    add(std::string("utilisations: ") + locking::kUtilisations[n].name,
        [&](const Scenario& s) { return s.utilisation == n; });
  for (size_t n = 0; n < 3; ++n)
    add(std::string("periods: ") + locking::kPeriods[n].name, [&](const Scenario& s) { return s.period == n; });
  for (size_t n = 0; n < 3; ++n)
    add("GPU usage: " + std::to_string(locking::kGpuUse[n]) + " %", [&](const Scenario& s) { return s.gpu_use == n; });
  for (size_t n = 0; n < 3; ++n)
    add("CPUs: " + std::to_string(locking::kCpus[n]), [&](const Scenario& s) { return s.cpus == n; });
  return table(rows);
}

std::string observations_text(const locking::Histograms& all) {
  std::vector<std::vector<std::string>> rows = {{"", "THE PAPER READS", "AGREES", "FOUND"}};
  for (const locking::Observation& seen : observations(all))
    rows.push_back({std::to_string(seen.number), seen.paper, seen.agrees ? *seen.agrees ? "yes" : "no" : "too few sets",
                    seen.found});
  return table(rows, 4);
}

// Those that are meant, and of them the inset that is.
std::vector<locking::ElliottFigure> figures_of(const ExperimentOptions& options) {
  std::vector<locking::ElliottFigure> figures;
  for (int number = locking::kFirstFigure; number <= locking::kLastFigure; ++number) {
    if (options.elliott_figure && number != *options.elliott_figure) continue;
    auto& insets = figures.emplace_back(locking::elliott_figure(number)).insets;
    if (!options.inset.empty())
      std::erase_if(insets, [&](const locking::Inset& inset) { return inset.letter != options.inset[0]; });
    if (insets.empty()) refuse("--inset: Fig. " + std::to_string(number) + " has no (" + options.inset + ")");
  }
  return figures;
}

// What `figures` show, where one is meant.
locking::ElliottExperiment elliott_of(const ExperimentOptions& options,
                                      const std::vector<locking::ElliottFigure>& figures) {
  locking::ElliottExperiment experiment;
  experiment.sets = options.sets.value_or(20000);
  experiment.seed = options.seed;
  if (options.bound) experiment.bound = *options.bound;
  if (options.elliott_figure)
    experiment.scenarios = scenarios_of(figures.front(), options.period);
  else if (options.period)
    std::erase_if(experiment.scenarios,
                  [&](size_t index) { return locking::scenario(index).period != *options.period; });
  return experiment;
}

}  // namespace

int run_elliott(const ExperimentOptions& options) {
  const auto figures = figures_of(options);
  const locking::ElliottExperiment experiment = elliott_of(options, figures);
  const auto sums = need(count(experiment, options.counting));
  if (!sums) return kGood;
  locking::Histograms all(locking::kScenarios);
  for (size_t point = 0; point < experiment.points(); ++point)
    all[experiment.scenarios[point]] = locking::Histogram((*sums)[point]);
  const std::string& out = options.counting.out;
  const std::string csv = format_csv(all);
  const Origin origin = origin_of(experiment.heading(), csv);
  need(write_file(out + ".csv", csv));
  std::string written = out + ".csv";
  for (const locking::ElliottFigure& figure : figures) {
    const std::string file = out + "-fig" + std::to_string(figure.number) + ".json";
    need(write_file(file, format_charts(charts(figure, all), figure.number > 10 ? 2 : 3, origin)));
    written += ", " + file;
  }
  forget(options.counting);
  std::cout << "Tasks that share a GPU under global EDF, as Elliott & Anderson draw them: " << experiment.points()
            << " of " << locking::kScenarios << " scenarios, " << experiment.sets
            << " sets drawn of each; without those that the paper discards:\n\n"
            << scenarios_text(all) << "\n";
  if (!options.elliott_figure)
    std::cout << "Effective utilisations that 1 % of the sets reach, and shares of schedulable sets:\n\n"
              << observations_text(all) << "\n";
  std::cout << "Written: " << written << "\n";
  return kGood;
}

}  // namespace samcl::analysis::cli
