// The experiment on tasks that share a GPU under global EDF: OUT.csv and OUT.svg.
#include <cstdio>
#include <iostream>

#include "analysis/cli/experiment.h"
#include "analysis/cli/subcommand.h"
#include "analysis/cli/table.h"
#include "analysis/locking/experiment/elliott.h"
#include "analysis/locking/experiment/elliott_results.h"
#include "analysis/locking/experiment/groups.h"

namespace samcl::analysis::cli {
namespace {

using locking::Counted;

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f%%", 100 * share);
  return text;
}

void add_row(std::vector<std::vector<std::string>>& rows, const std::string& name,
             const locking::Histogram& histogram) {
  rows.push_back({name, std::to_string(histogram.total(Counted::sets))});
  for (const Counted method :
       {Counted::fmlp_long, Counted::shared_resource, Counted::containers, Counted::both, Counted::either})
    rows.back().push_back(percent(histogram.share(method)));
}

template <typename Values>
void add_rows(std::vector<std::vector<std::string>>& rows, const std::string& what, const Values& values,
              size_t locking::Scenario::*field, const locking::Histograms& all) {
  const locking::Histograms groups = by(field, values.size(), all);
  for (size_t n = 0; n < groups.size(); ++n) add_row(rows, what + " " + values[n], groups[n]);
}

std::vector<std::string> names(const std::array<locking::Range, 3>& ranges) {
  return {ranges[0].name, ranges[1].name, ranges[2].name};
}

std::string shares_text(const locking::Histograms& all) {
  std::vector<std::vector<std::string>> rows = {
      {"SCHEDULABLE", "SETS", "SRM, FMLP-LONG", "SRM", "CONTAINER", "BOTH", "EITHER"}};
  add_row(rows, "all", sum(all));
  add_rows(rows, "utilisations:", names(locking::kUtilisations), &locking::Scenario::utilisation, all);
  add_rows(rows, "periods:", names(locking::kPeriods), &locking::Scenario::period, all);
  add_rows(rows, "GPU's part:", names(locking::kGpuUse), &locking::Scenario::gpu_use, all);
  std::vector<std::string> cpus;
  for (const int count : locking::kCpus) cpus.push_back(std::to_string(count));
  add_rows(rows, "CPUs:", cpus, &locking::Scenario::cpus, all);
  return table(rows);
}

std::string findings_text(const locking::Histograms& all) {
  std::vector<std::vector<std::string>> rows = {{"", "STATEMENT", "HOLDS", "FOUND"}};
  for (const locking::Finding& finding : findings(all))
    rows.push_back(
        {std::to_string(rows.size()), finding.statement, finding.holds ? "yes" : "no", finding.numbers});
  return table(rows, 4);
}

Result<locking::ElliottExperiment> prepare(const ExperimentOptions& options) {
  if (options.form) return fail("--analysis: elliott has its own");
  for (const auto& [given, name] : {std::pair{options.classes, "--classes"},
                                    {options.dependency.has_value(), "--dependency"},
                                    {options.gpu_utilisation.has_value(), "--utilisation"},
                                    {options.share.has_value(), "--share"}})
    if (given) return fail(std::string(name) + ": of the figures on modes, not of elliott");
  locking::ElliottExperiment experiment;
  experiment.sets = options.sets;
  experiment.seed = options.seed;
  if (options.bound) experiment.bound = *options.bound;
  return experiment;
}

}  // namespace

Result<int> run_elliott(const ExperimentOptions& options) {
  const auto experiment = prepare(options);
  if (!experiment) return tl::unexpected(experiment.error());
  const auto sums = count(*experiment, options.counting);
  if (!sums) return tl::unexpected(sums.error());
  if (!*sums) return kGood;
  const locking::Histograms all((*sums)->begin(), (*sums)->end());
  const std::string& out = options.counting.out;
  if (auto good = write_text(out + ".csv", format_csv(all)); !good) return tl::unexpected(good.error());
  if (auto good = write_text(out + ".svg", charts_svg(charts(all), 2)); !good)
    return tl::unexpected(good.error());
  forget(options.counting);
  std::cout << "Tasks that share a GPU under global EDF, after Elliott & Anderson: " << locking::kScenarios
            << " scenarios\n\n"
            << shares_text(all) << "\n"
            << findings_text(all) << "\nWritten: " << out << ".csv, " << out << ".svg\n";
  return kGood;
}

}  // namespace samcl::analysis::cli
