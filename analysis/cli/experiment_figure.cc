// The experiments on modes of the GPU-SPARC and GPU-SAM papers: OUT.csv and OUT.json.
#include <iostream>

#include "analysis/cli/experiment.h"
#include "analysis/cli/subcommand.h"
#include "analysis/experiment/results.h"
#include "analysis/experiment/running_time.h"
#include "analysis/json/bounds_json.h"
#include "analysis/model/number_text.h"
#include "base/text_table.h"

namespace samcl::analysis::cli {
namespace {

std::string shares_text(const Results& results, Reading reading) {
  const Figure& figure = results.figure();
  std::vector<std::vector<std::string>> rows = {{name(figure.axis), "SETS", "TASKS"}};
  for (const ModePolicy policy : figure.policies) rows[0].emplace_back(name(policy));
  Tally all(figure.policies.size());
  for (size_t n = 0; n < figure.points().size(); ++n) {
    const Tally& tally = results.at(reading, n);
    all.add(tally);
    rows.push_back(
        {decimal(figure.points()[n], 2), std::to_string(tally.sets),
         decimal(static_cast<double>(tally.tasks) / static_cast<double>(std::max<int64_t>(1, tally.sets)), 1)});
    for (size_t p = 0; p < figure.policies.size(); ++p)
      rows.back().push_back(decimal(100 * results.share(reading, n, p), 2) + "%");
  }
  rows.push_back({"mean CPU time", "", ""});
  for (const int64_t time : all.nanoseconds)
    rows.back().push_back(decimal(static_cast<double>(time) / static_cast<double>(all.sets) / 1e6, 3) + " ms");
  return table(rows);
}

std::string statements_text(const Results& results) {
  std::vector<std::vector<std::string>> rows = {{"THE PAPER STATES", "FOUND, OF OPTIMAL'S SETS"}};
  for (const Statement& statement : statements(results)) rows.push_back({statement.paper, statement.found});
  return table(rows, 2);
}

void change_sets(const ExperimentOptions& options, PaperSet& sets) {
  sets.classes = sets.classes || options.classes;
  if (options.dependency) sets.dependency = *options.dependency;
  if (options.share) sets.most_share = *options.share;
  if (options.split) sets.split = *options.split;
}

FigureExperiment prepare(const ExperimentOptions& options) {
  Figure figure = *find_figure(options.figure);
  if (options.form) figure.form = *options.form;
  if (options.dependency && figure.axis == Axis::dependency) refuse("--dependency: " + options.figure + " varies it");
  if (options.gpu_utilisation && figure.axis == Axis::gpu_utilisation)
    refuse("--utilisation: " + options.figure + " varies it");
  change_sets(options, figure.sets);
  if (options.gpu_utilisation) figure.targets = {*options.gpu_utilisation};
  return FigureExperiment(figure, options.sets.value_or(figure.axis == Axis::dependency ? 10000 : 100000),
                          options.seed);
}

}  // namespace

int run_figure(const ExperimentOptions& options) {
  const auto experiment = prepare(options);
  const auto sums = need(count(experiment, options.counting));
  if (!sums) return kGood;
  const Results results(experiment.figure, *sums);
  const auto written =
      write_results(options.counting.out, experiment.heading(), format_csv(results), charts(results), 2);
  forget(options.counting);
  std::cout << experiment.figure.title << "\n\nAll sets of the chains that end when U_G is exceeded:\n"
            << shares_text(results, Reading::chain) << "\nSets by their own U_G, from " << decimal(kTargetStep, 1)
            << " below:\n"
            << shares_text(results, Reading::set_class) << "\n"
            << statements_text(results) << "\n"
            << written;
  return kGood;
}

int run_running_time(const ExperimentOptions& options) {
  if (options.gpu_utilisation) refuse("--utilisation: fig11 varies it");
  if (options.counting.mpi) refuse("--mpi: fig11 is timed in one process");
  PaperSet sets;
  sets.classes = true;
  change_sets(options, sets);
  const Form form = options.form.value_or(Form::gpu_sam);
  const int64_t count = options.sets.value_or(1000);
  const auto times = running_times(sets, form, count, options.seed);
  const std::string what = "sam-analyze fig11 " + std::string(name(form)) + " sets " + std::to_string(count) +
                           " seed " + std::to_string(options.seed) + ", CPU times";
  const auto written = write_results(options.counting.out, what, format_csv(times), {chart(times)}, 2);
  std::vector<std::vector<std::string>> rows = {{"TASKS", "SETS", "SCHEDULABLE", "MEAN", "LONGEST"}};
  for (const RunningTimes& row : times)
    rows.push_back({std::to_string(row.tasks), std::to_string(row.sets), std::to_string(row.schedulable),
                    decimal(row.mean, 3) + " ms", decimal(row.longest, 3) + " ms"});
  std::cout << "GPU-SAM, Fig. 11: CPU time of GPA\n\n"
            << table(rows)
            << "\nThe paper states less than 100 ms on average for 30 tasks; found: " << decimal(times.back().mean, 3)
            << " ms for " << times.back().tasks << ".\n"
            << written;
  return kGood;
}

}  // namespace samcl::analysis::cli
