// sam-analyze simulate FILE: responses of simulated jobs.
#include <iostream>
#include <memory>

#include "analysis/cli/subcommand.h"

namespace samcl::analysis::cli {

Run add_simulate(CLI::App& parent) {
  auto file = std::make_shared<std::string>();
  CLI::App* simulate = parent.add_subcommand("simulate", "simulate the task set's jobs");
  simulate->add_option("FILE", *file, "task set (JSON); - for standard input")->required();
  return [file]() -> Result<int> {
    const auto document = read_task_set(*file);
    if (!document) return tl::unexpected(document.error());
    return kGood;
  };
}

}  // namespace samcl::analysis::cli
