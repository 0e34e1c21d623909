// sam-analyze convert FILE: a task set in another notation.
#include <iostream>
#include <memory>

#include "analysis/cli/locking_input.h"
#include "analysis/cli/subcommand.h"
#include "analysis/csv/task_set_csv.h"
#include "analysis/exchange/np_jobs.h"
#include "analysis/exchange/schedcat.h"
#include "analysis/json/locking_json.h"
#include "analysis/json/time_text.h"

namespace samcl::analysis::cli {
namespace {

struct Options {
  std::string file;
  bool csv = false, np = false, schedcat = false;
  int cpus = 0;
  std::string unit = "1us";
};

Result<std::string> from_schedcat(const Options& options, Time unit) {
  if (options.cpus == 0) return fail("--cpus: how many? SchedCAT's task sets have no platform");
  const auto text = read_text(options.file);
  if (!text) return tl::unexpected(text.error());
  const auto set = parse_schedcat(*text, options.cpus, unit);
  if (!set) return fail(options.file + ": " + set.error().message);
  return format_locking_set(*set);
}

Result<std::string> to_schedcat(const Options& options, Time unit) {
  const auto set = read_locking_set(options.file);
  if (!set) return tl::unexpected(set.error());
  auto xml = format_schedcat(*set, unit);
  if (!xml) return fail(options.file + ": " + xml.error().message);
  return xml;
}

Result<std::string> converted(const Options& options) {
  const auto unit = parse_time(options.unit);
  if (!unit || *unit == 0) return fail("--unit: '" + options.unit + "', expected a time such as 1us");
  if (options.file.ends_with(".xml")) return from_schedcat(options, *unit);
  if (options.schedcat) return to_schedcat(options, *unit);
  const auto document = read_task_set(options.file);
  if (!document) return tl::unexpected(document.error());
  if (!options.np) return options.csv ? format_task_set_csv(*document) : format_task_set(*document);
  auto jobs = format_np_jobs(document->set, document->modes);
  if (!jobs) return fail(options.file + ": " + jobs.error().message);
  return jobs;
}

}  // namespace

Run add_convert(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  CLI::App* convert =
      parent.add_subcommand("convert", "print a task set in another notation, JSON by default");
  convert
      ->add_option(
          "FILE", options->file,
          "task set (JSON, or CSV if its name ends with .csv); a SchedCAT task set if it ends with .xml,\n"
          "printed as a set for locking")
      ->required();
  auto* csv = convert->add_flag("--csv", options->csv, "as CSV");
  auto* np =
      convert
          ->add_flag("--np", options->np,
                     "as a job set for np-schedulability-analysis: tasks of one stage that is never cut")
          ->excludes(csv);
  convert->add_flag("--schedcat", options->schedcat, "a set for locking as a SchedCAT task set")
      ->excludes(csv)
      ->excludes(np);
  convert->add_option("--cpus", options->cpus, "of a SchedCAT task set")->check(CLI::Range(1, 64));
  convert->add_option("--unit", options->unit, "of SchedCAT's times (1us)");
  return [options]() -> Result<int> {
    const auto text = converted(*options);
    if (!text) return tl::unexpected(text.error());
    std::cout << *text;
    return kGood;
  };
}

}  // namespace samcl::analysis::cli
