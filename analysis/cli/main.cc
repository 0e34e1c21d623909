// sam-analyze: response-time bounds, mode choices and simulations of task sets.
#include <exception>
#include <iostream>
#include <vector>

#include "analysis/cli/subcommand.h"

namespace samcl::analysis::cli {
namespace {

// Every subcommand.
constexpr Run (*kSubcommands[])(CLI::App&) = {convert_command::add,    rta_command::add,      modes_command::add,
                                              experiment_command::add, simulate_command::add, locking_command::add,
                                              compare_command::add,    makespan_command::add, dag_command::add,
                                              dbf_command::add,        access_command::add,   check_command::add};

int run(int argc, char** argv) {
  CLI::App app("sam-analyze: response times of task sets on CPUs, PCI links and GPUs");
  app.set_version_flag("--version", "sam-analyze " SAMCL_VERSION);
  app.require_subcommand(1);
  std::vector<std::pair<CLI::App*, Run>> known;
  for (const auto add : kSubcommands) {
    Run chosen = add(app);
    known.emplace_back(app.get_subcommands({}).back(), std::move(chosen));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kGood : kBadInput;
  }
  for (const auto& [parser, chosen] : known) {
    if (!*parser) continue;
    const int code = chosen();
    if (!std::cout.flush()) refuse("standard output cannot be written");
    return code;
  }
  return kBadInput;
}

}  // namespace
}  // namespace samcl::analysis::cli

int main(int argc, char** argv) {
  try {
    return samcl::analysis::cli::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "sam-analyze: " << error.what() << "\n";
    return samcl::analysis::cli::kBadInput;
  }
}
