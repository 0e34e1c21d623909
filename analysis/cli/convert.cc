// sam-analyze convert FILE: a task set in the other notation.
#include <iostream>
#include <memory>

#include "analysis/cli/subcommand.h"
#include "analysis/csv/task_set_csv.h"

namespace samcl::analysis::cli {

Run add_convert(CLI::App& parent) {
  struct Options {
    std::string file;
    bool csv = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* convert = parent.add_subcommand("convert", "print a task set as JSON, or as CSV");
  convert->add_option("FILE", options->file, "task set (JSON, or CSV if its name ends with .csv)")
      ->required();
  convert->add_flag("--csv", options->csv, "as CSV");
  return [options]() -> Result<int> {
    const auto document = read_task_set(options->file);
    if (!document) return tl::unexpected(document.error());
    std::cout << (options->csv ? format_task_set_csv(*document) : format_task_set(*document));
    return kGood;
  };
}

}  // namespace samcl::analysis::cli
