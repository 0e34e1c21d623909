// sam-analyze experiment gap: how much room there is between bounds and simulations.
#include "analysis/experiment/gap.h"

#include <iostream>
#include <memory>

#include "analysis/cli/subcommand.h"
#include "analysis/model/number_text.h"
#include "base/text_table.h"

namespace samcl::analysis::cli::gap_command {
namespace {

Result<int> run(GapOptions options) {
  std::vector<std::vector<std::string>> rows = {
      {"U_G ABOVE", "TASKS", "SAFE, %", "TOGETHER, %", "EXACT, %", "NOT DISPROVED, %"}};
  for (const double utilisation : {0.4, 0.8, 1.2}) {
    options.utilisation = utilisation;
    const Gap gap = find_gap(options);
    rows.push_back({decimal(utilisation, 1)});
    for (const int64_t count : {gap.tasks, 100 * gap.safe, 100 * gap.together, 100 * gap.exact, 100 * gap.possible})
      rows.back().push_back(decimal(static_cast<double>(count) / static_cast<double>(gap.sets), 1));
  }
  std::cout << "GPU-SAM's task sets that are schedulable in some modes, " << options.sets << " at each U_G, seed "
            << options.seed << "\n\n"
            << table(rows);
  return kGood;
}

}  // namespace

Run add(CLI::App& experiment) {
  auto options = std::make_shared<GapOptions>();
  CLI::App* gap = experiment.add_subcommand("gap", "bounds beside what simulation cannot disprove");
  gap->add_option("--sets", options->sets, "at each U_G (40)")->check(CLI::Range(int64_t{1}, int64_t{1'000'000}));
  gap->add_option("--seed", options->seed, "another seed, other sets (1)");
  gap->add_option("--plans", options->plans, "simulated for each choice of modes (24000)")
      ->check(CLI::Range(1, 1'000'000));
  gap->add_option("--share", options->most_share, "of its period that a task executes at most (1)")
      ->check(CLI::Range(0.06, 1.0));
  return [options] { return run(*options); };
}

}  // namespace samcl::analysis::cli::gap_command
