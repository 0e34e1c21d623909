// sam-analyze convert FILE: a task set in another notation.
#include <iostream>
#include <memory>

#include "analysis/cli/subcommand.h"
#include "analysis/csv/task_set_csv.h"
#include "analysis/dag/dag_json.h"
#include "analysis/dag/np_dags.h"
#include "analysis/exchange/cheddar.h"
#include "analysis/exchange/mast.h"
#include "analysis/exchange/np_jobs.h"
#include "analysis/exchange/pycpa.h"
#include "analysis/exchange/schedcat.h"
#include "analysis/json/locking_json.h"
#include "base/duration.h"

namespace samcl::analysis::cli::convert_command {
namespace {

struct Options {
  std::string file;
  bool csv = false, np = false, np_dag = false, schedcat = false, cheddar = false, mast = false, pycpa = false;
  int cpus = 0, gpus = 1;
  std::string unit = "1us";
};

// As our own document, all tasks in mode 1.
Result<std::string> as_document(Result<TaskSet> set) {
  if (!set) return tl::unexpected(set.error());
  const Modes modes(set->tasks.size(), 1);
  return format_task_set({std::move(*set), modes});
}

Result<std::string> from_np_dags(const std::string& text, int cpus) {
  if (cpus == 0) return fail("--cpus: how many? np-schedulability-analysis' DAG tasks have no platform");
  const auto set = dag::parse_np_dags(text, cpus);
  if (!set) return tl::unexpected(set.error());
  return dag::format_dags(*set);
}

Result<std::string> from_schedcat(const std::string& text, int cpus, Time unit) {
  if (cpus == 0) return fail("--cpus: how many? SchedCAT's task sets have no platform");
  const auto set = parse_schedcat(text, cpus, unit);
  if (!set) return tl::unexpected(set.error());
  return format_locking_set(*set);
}

Result<std::string> to_np_dags(const std::string& text) {
  const auto set = dag::parse_dags(text);
  if (!set) return tl::unexpected(set.error());
  return dag::format_np_dags(*set);
}

Result<std::string> to_schedcat(const std::string& text, Time unit) {
  const auto set = parse_locking_set(text);
  if (!set) return tl::unexpected(set.error());
  return format_schedcat(*set, unit);
}

Result<std::string> written(const Options& options, const TaskSetDocument& document, Time unit) {
  if (options.cheddar) return format_cheddar(document.set, document.modes, unit);
  if (options.mast) return format_mast(document.set, document.modes);
  if (options.pycpa) return format_pycpa(document.set, document.modes);
  if (options.csv) return format_task_set_csv(document);
  if (!options.np) return format_task_set(document);
  if (auto good = check(document.set); !good) return tl::unexpected(good.error());
  return format_np_jobs(document.set, document.modes);
}

// From what the file's name or its beginning says that it is.
Result<std::string> converted(const Options& options, const std::string& text, Time unit) {
  const bool csv = options.file.ends_with(".csv");
  if (options.file.ends_with(".mast")) return as_document(parse_mast(text, unit));
  if (options.file.ends_with(".xml") && text.find("<cheddar") != std::string::npos)
    return as_document(parse_cheddar(text, unit));
  if (options.file.ends_with(".xml")) return from_schedcat(text, options.cpus, unit);
  if (csv && is_np_jobs(text)) return as_document(parse_np_jobs(text, options.gpus));
  if (csv && dag::is_np_dags(text)) return from_np_dags(text, options.cpus);
  if (options.schedcat) return to_schedcat(text, unit);
  if (options.np_dag) return to_np_dags(text);
  // Of either model; where it is of none, the error is the pipeline's.
  const auto parse = csv ? parse_task_set_csv : parse_task_set;
  auto document = parse(text, Model::pipeline);
  if (!document)
    if (auto partitioned = parse(text, Model::partitioned)) document = std::move(partitioned);
  if (!document) return tl::unexpected(document.error());
  return written(options, *document, unit);
}

}  // namespace

Run add(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  CLI::App* convert = parent.add_subcommand("convert", "print a task set in another notation, JSON by default");
  convert
      ->add_option(
          "FILE", options->file,
          "task set (JSON, or CSV if its name ends with .csv, which may be np-schedulability-analysis' jobs or\n"
          "DAG tasks); if it ends with .mast a MAST model, with .xml a Cheddar model, or a SchedCAT task set, printed "
          "as a set\n"
          "for locking")
      ->required();
  std::vector<CLI::Option*> formats;
  for (const auto& [option, chosen, what] :
       {std::tuple{"--csv", &options->csv, "as CSV"},
        {"--np", &options->np, "as a job set for np-schedulability-analysis: tasks of one stage that is never cut"},
        {"--np-dag", &options->np_dag,
         "tasks that are graphs as np-schedulability-analysis' DAG tasks: of CPU parts alone"},
        {"--schedcat", &options->schedcat, "a set for locking as a SchedCAT task set"},
        {"--cheddar", &options->cheddar, "as a Cheddar model: tasks of CPU stages alone"},
        {"--mast", &options->mast, "as a MAST model: stages on one CPU, link or GPU each, never cut"},
        {"--pycpa", &options->pycpa, "as a Python program for pyCPA, likewise"}}) {
    CLI::Option* format = convert->add_flag(option, *chosen, what);
    for (CLI::Option* other : formats) format->excludes(other);
    formats.push_back(format);
  }
  convert->add_option("--cpus", options->cpus, "of a SchedCAT task set, or of DAG tasks")->check(CLI::Range(1, 64));
  convert->add_option("--gpus", options->gpus, "that np-schedulability-analysis' jobs run on (1)")
      ->check(CLI::Range(1, 64));
  convert->add_option("--unit", options->unit,
                      "of SchedCAT's, Cheddar's and MAST's times (1us; --mast writes nanoseconds)");
  return [options]() -> Result<int> {
    const auto unit = parse_duration(options->unit);
    if (!unit || *unit == 0) return fail("--unit: '" + options->unit + "', expected a time such as 1us");
    const auto text = read_by([&](const std::string& text) { return converted(*options, text, *unit); }, options->file);
    if (!text) return tl::unexpected(text.error());
    std::cout << *text;
    return kGood;
  };
}

}  // namespace samcl::analysis::cli::convert_command
