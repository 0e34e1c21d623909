// sam-analyze convert FILE: a task set in another notation.
#include <algorithm>
#include <iostream>
#include <memory>

#include "analysis/cli/subcommand.h"
#include "analysis/csv/task_set_csv.h"
#include "analysis/dag/chains.h"
#include "analysis/dag/dag_json.h"
#include "analysis/dag/np_dags.h"
#include "analysis/exchange/cheddar.h"
#include "analysis/exchange/mast.h"
#include "analysis/exchange/np_jobs.h"
#include "analysis/exchange/pycpa.h"
#include "analysis/exchange/schedcat.h"
#include "analysis/exchange/smff.h"
#include "analysis/json/locking_json.h"
#include "analysis/json/place.h"
#include "analysis/json/task_graphs_json.h"
#include "analysis/locking/pipeline.h"

namespace samcl::analysis::cli::convert_command {
namespace {

struct Options {
  std::string file;
  bool csv = false, np = false, np_dag = false, schedcat = false, cheddar = false, mast = false, pycpa = false,
       smff = false;
  int cpus = 0, gpus = 1;
  Time unit = 1000;
};

// As our own document, all tasks in mode 1.
Result<TaskSetDocument> document_of(Result<TaskSet> set) {
  if (!set) return tl::unexpected(set.error());
  const Modes modes(set->tasks.size(), 1);
  return TaskSetDocument{std::move(*set), modes};
}

Result<TaskSetDocument> document_of(const Result<locking::TaskSet>& set) {
  if (!set) return tl::unexpected(set.error());
  if (set->parts > 1) return fail("platform, parts: " + std::to_string(set->parts) + ", expected none to convert");
  return document_of(pipeline(*set));
}

Result<locking::TaskSet> parse_schedcat_for(int cpus, const std::string& text, Time unit) {
  if (cpus == 0) return fail("--cpus: how many? SchedCAT's task sets have no platform");
  return parse_schedcat(text, cpus, unit);
}

// Of either model; where it is of none, the error is the pipeline's.
Result<TaskSetDocument> parse_own(const std::string& file, const std::string& text) {
  if (!is_task_set(file, text)) return document_of(parse_locking_set(text));
  auto document = task_set_from(file, text, Model::pipeline);
  if (!document)
    if (auto partitioned = task_set_from(file, text, Model::partitioned)) return partitioned;
  return document;
}

// From what the file's name or its beginning says that it is.
Result<TaskSetDocument> parse(const Options& options, const std::string& text) {
  const Time unit = options.unit;
  const std::string& file = options.file;
  const bool xml = file.ends_with(".xml");
  if (file.ends_with(".mast")) return document_of(parse_mast(text, unit));
  if (xml && text.find("<SystemModel") != std::string::npos) return document_of(parse_smff(text, unit));
  if (xml && text.find("<cheddar") != std::string::npos) return document_of(parse_cheddar(text, unit));
  if (xml) return document_of(parse_schedcat_for(options.cpus, text, unit));
  if (file.ends_with(".csv") && is_np_jobs(text)) return document_of(parse_np_jobs(text, options.gpus));
  return parse_own(file, text);
}

Result<dag::TaskSet> parse_graphs(const Options& options, const std::string& text) {
  if (!dag::is_np_dags(text) && parse_task_graphs(text))
    return fail("recurring tasks, expected others: no other notation here has them");
  if (!dag::is_np_dags(text)) return dag::parse_dags(text);
  if (options.cpus == 0) return fail("--cpus: how many? np-schedulability-analysis' DAG tasks have no platform");
  return dag::parse_np_dags(text, options.cpus);
}

Result<std::string> written(const Options& options, const dag::TaskSet& set) {
  if (options.np_dag) return dag::format_np_dags(set);
  if (options.csv || options.np || options.schedcat || options.cheddar || options.mast || options.pycpa || options.smff)
    return fail("tasks that are graphs, expected --np-dag");
  return dag::format_dags(set);
}

// What others' notations have no place for: what somebody enforces, and what was measured of whole jobs. The rest of
// the set is the same without it, but not its bounds.
void tell_left_out(const TaskSet& set) {
  std::string fields;
  const auto note = [&](const char* field, auto has) {
    if (std::ranges::any_of(set.tasks, has)) fields += (fields.empty() ? "" : ", ") + std::string(field);
  };
  note("work", [](const Task& task) { return !task.work.empty(); });
  note("links", [](const Task& task) { return task.links != kIdleLinks; });
  note("late", [](const Task& task) { return task.late > 0; });
  note("late_lease", [](const Task& task) { return task.late_lease > 0; });
  note("early", [](const Task& task) { return task.early > 0; });
  if (!fields.empty()) std::cerr << "sam-analyze: left out, since the notation has no place for it: " << fields << "\n";
}

Result<std::string> written(const Options& options, const TaskSetDocument& document) {
  const Time unit = options.unit;
  if (options.cheddar || options.mast || options.smff || options.pycpa || options.np || options.np_dag ||
      options.schedcat)
    tell_left_out(document.set);
  if (options.cheddar) return format_cheddar(document.set, document.modes, unit);
  if (options.mast) return format_mast(document.set, document.modes);
  if (options.smff) return format_smff(document.set, document.modes);
  if (options.pycpa) return format_pycpa(document.set, document.modes);
  if (options.csv) return format_task_set_csv(document);
  if (!options.np && !options.np_dag && !options.schedcat) return format_task_set(document);
  if (auto good = check(document.set); !good) return tl::unexpected(good.error());
  if (options.np) return format_np_jobs(document.set, document.modes);
  if (options.np_dag) return dag::chains(document.set, document.modes).and_then(dag::format_np_dags);
  return locking::shared_gpus(document.set, document.modes).and_then([&](const locking::TaskSet& sharing) {
    return format_schedcat(sharing, unit);
  });
}

Result<std::string> converted(const Options& options, const std::string& text) {
  if ((options.file.ends_with(".csv") && dag::is_np_dags(text)) || tasks_have(text, "vertices"))
    return parse_graphs(options, text).and_then([&](const dag::TaskSet& set) { return written(options, set); });
  return parse(options, text).and_then([&](const TaskSetDocument& document) { return written(options, document); });
}

}  // namespace

Run add(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  CLI::App* convert = parent.add_subcommand("convert", "print a task set in another notation, JSON by default");
  convert
      ->add_option(
          "FILE", options->file,
          "task set (JSON, or CSV if its name ends with .csv, which may be np-schedulability-analysis' jobs or\n"
          "DAG tasks); if it ends with .mast a MAST model, with .xml a Cheddar or SMFF model or a SchedCAT task set")
      ->required();
  std::vector<CLI::Option*> formats;
  for (const auto& [option, chosen, what] :
       {std::tuple{"--csv", &options->csv, "as CSV"},
        {"--np", &options->np, "as a job set for np-schedulability-analysis: tasks of one stage that is never cut"},
        {"--np-dag", &options->np_dag,
         "as np-schedulability-analysis' DAG tasks: graphs of CPU parts alone, or CPU stages"},
        {"--schedcat", &options->schedcat, "as a SchedCAT task set: one critical section in a job"},
        {"--cheddar", &options->cheddar, "as a Cheddar model: tasks of CPU stages alone"},
        {"--mast", &options->mast, "as a MAST model: stages on one CPU, link or GPU each, never cut"},
        {"--pycpa", &options->pycpa, "as a Python program for pyCPA, likewise"},
        {"--smff", &options->smff, "as an SMFF model, which pyCPA reads, likewise"}}) {
    CLI::Option* format = convert->add_flag(option, *chosen, what);
    for (CLI::Option* other : formats) format->excludes(other);
    formats.push_back(format);
  }
  convert->add_option("--cpus", options->cpus, "of a SchedCAT task set, or of DAG tasks")->check(CLI::Range(1, 64));
  convert->add_option("--gpus", options->gpus, "that np-schedulability-analysis' jobs run on (1)")
      ->check(CLI::Range(1, 64));
  add_time(*convert, "--unit", options->unit,
           "of SchedCAT's, Cheddar's, MAST's and SMFF's times (1us; --mast and --smff write nanoseconds, and say so)",
           1);
  return [options] {
    std::cout << read_by([&](const std::string& text) { return converted(*options, text); }, options->file);
    return kGood;
  };
}

}  // namespace samcl::analysis::cli::convert_command
