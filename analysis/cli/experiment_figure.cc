// The experiments on modes of the GPU-SPARC and GPU-SAM papers: OUT.csv and OUT.svg.
#include <chrono>
#include <cstdio>
#include <iostream>

#include "analysis/cli/experiment.h"
#include "analysis/cli/subcommand.h"
#include "analysis/cli/table.h"
#include "analysis/experiment/results.h"
#include "analysis/generator/draw.h"

namespace samcl::analysis::cli {
namespace {

std::string decimal(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string shares_text(const Figure& figure, const Tallies& tallies) {
  std::vector<std::vector<std::string>> rows = {{name(figure.axis), "SETS", "TASKS"}};
  for (const Policy policy : figure.policies) rows[0].emplace_back(name(policy));
  for (size_t n = 0; n < tallies.size(); ++n) {
    const Tally& tally = tallies[n];
    const auto sets = static_cast<double>(tally.sets);
    rows.push_back({decimal(figure.points[n], 2), std::to_string(tally.sets),
                    decimal(static_cast<double>(tally.tasks) / sets, 1)});
    for (const int64_t count : tally.schedulable)
      rows.back().push_back(decimal(100 * static_cast<double>(count) / sets, 2) + "%");
  }
  rows.push_back({"mean time", "", ""});
  Tally all(figure.policies.size());
  for (const Tally& tally : tallies) all.add(tally);
  for (const int64_t time : all.nanoseconds)
    rows.back().push_back(decimal(static_cast<double>(time) / static_cast<double>(all.sets) / 1e6, 3) +
                          " ms");
  return table(rows);
}

// Mean time of GPA for 30 tasks of the figure's generator.
std::string thirty_tasks(const Figure& figure, uint64_t seed) {
  constexpr uint64_t kSets = 200;
  PaperSet wanted = figure.sets;
  wanted.least_tasks = wanted.most_tasks = 30;
  double time = 0;
  for (uint64_t n = 0; n < kSets; ++n) {
    const TaskSet set = paper_set(wanted, seed_of(seed, n));
    const auto start = std::chrono::steady_clock::now();
    choose_modes(set, figure.form, Policy::gpa);
    time += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }
  return decimal(time / kSets, 3) + " ms on average";
}

std::string statements_text(const FigureExperiment& experiment, const Tallies& tallies) {
  std::vector<std::vector<std::string>> rows = {{"THE PAPER STATES", "FOUND"}};
  for (const Statement& statement : statements(experiment.figure, tallies))
    rows.push_back({statement.paper, statement.found});
  if (experiment.figure.form != Form::gpu_sparc)
    rows.push_back(
        {"GPA takes less than 100 ms for 30 tasks", thirty_tasks(experiment.figure, experiment.seed)});
  return table(rows, 2);
}

Result<FigureExperiment> prepare(const ExperimentOptions& options) {
  FigureExperiment experiment(*find_figure(options.figure), options.sets, options.seed);
  if (options.form) experiment.figure.form = *options.form;
  PaperSet& sets = experiment.figure.sets;
  sets.classes = sets.classes || options.classes;
  if (options.dependency) sets.dependency = *options.dependency;
  if (options.gpu_utilisation) sets.gpu_utilisation = *options.gpu_utilisation;
  if (options.share) sets.most_share = *options.share;
  if (options.dependency && experiment.figure.axis == Axis::dependency)
    return fail("--dependency: " + options.figure + " varies it");
  if (options.gpu_utilisation && experiment.figure.axis == Axis::gpu_utilisation)
    return fail("--utilisation: " + options.figure + " varies it");
  if (options.bound) return fail("--tardiness: " + options.figure + " has none");
  return experiment;
}

}  // namespace

Result<int> run_figure(const ExperimentOptions& options) {
  const auto experiment = prepare(options);
  if (!experiment) return tl::unexpected(experiment.error());
  const auto sums = count(*experiment, options.counting);
  if (!sums) return tl::unexpected(sums.error());
  if (!*sums) return kGood;
  const Tallies counted = tallies(**sums);
  const std::string& out = options.counting.out;
  if (auto good = write_text(out + ".csv", format_csv(experiment->figure, counted)); !good)
    return tl::unexpected(good.error());
  if (auto good = write_text(out + ".svg", curves_svg(experiment->figure, counted)); !good)
    return tl::unexpected(good.error());
  forget(options.counting);
  std::cout << experiment->figure.title << "\n\n"
            << shares_text(experiment->figure, counted) << "\n"
            << statements_text(*experiment, counted) << "\nWritten: " << out << ".csv, " << out << ".svg\n";
  return kGood;
}

}  // namespace samcl::analysis::cli
