// sam-analyze rta FILE: every task's bound beside its deadline, stage by stage.
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "analysis/cli/bounds_text.h"
#include "analysis/cli/subcommand.h"
#include "analysis/csv/bounds_csv.h"
#include "analysis/json/bounds_json.h"
#include "analysis/model/capacity.h"
#include "analysis/model/initiation.h"
#include "analysis/rta/exact.h"
#include "analysis/rta/together.h"
#include "base/duration.h"
#include "base/json_text.h"
#include "base/text_table.h"

namespace samcl::analysis::cli::rta_command {
namespace {

struct Options {
  std::string file;
  Form form = Form::safe;
  std::string explain;
  std::vector<int> modes;
  std::vector<Time> initiation;  // transfer_cpu, transfer, launch_cpu, launch
  bool together = false;
  bool exact = false;
  int64_t states = 10'000'000;
  bool as_json = false;
  bool as_csv = false;
};

std::string show(const Options& options, const TaskSetDocument& document, const Bounds& bounds) {
  if (options.as_json) return format_bounds(document.set, document.modes, options.form, bounds);
  if (options.as_csv) return format_bounds_csv(document.set, document.modes, options.form, bounds);
  if (options.explain.empty()) return bounds_tables(document, options.form, bounds);
  const auto& tasks = document.set.tasks;
  const auto task =
      std::find_if(tasks.begin(), tasks.end(), [&](const Task& entry) { return entry.name == options.explain; });
  if (task == tasks.end()) refuse("--explain: " + options.file + " has no task \"" + options.explain + "\"");
  return explanation(document, options.form, bounds, static_cast<size_t>(task - tasks.begin()));
}

std::string exact_json(const TaskSetDocument& document, const Exact& exact) {
  nlohmann::ordered_json tasks = nlohmann::ordered_json::array();
  for (size_t i = 0; i < document.set.tasks.size(); ++i) {
    const Task& task = document.set.tasks[i];
    tasks.push_back({{"name", task.name},
                     {"mode", document.modes[i]},
                     {"response", exact.response[i]},
                     {"deadline", task.deadline},
                     {"meets_deadline", exact.response[i] <= task.deadline}});
  }
  return json_text(nlohmann::ordered_json({{"analysis", "exact"},
                                           {"schedulable", exact.schedulable},
                                           {"states", exact.states},
                                           {"tasks", std::move(tasks)}}),
                   2) +
         "\n";
}

std::string exact_table(const TaskSetDocument& document, const Exact& exact) {
  std::vector<std::vector<std::string>> rows = {{"TASK", "MODE", "DEADLINE", "RESPONSE", "MEETS IT"}};
  for (const size_t i : priority_order(document.set)) {
    const Task& task = document.set.tasks[i];
    rows.push_back({task.name, std::to_string(document.modes[i]), format_duration(task.deadline),
                    format_duration(exact.response[i]), exact.response[i] <= task.deadline ? "yes" : "no"});
  }
  return "Most urgent first; exact, " + std::to_string(exact.states) + " states" +
         (exact.schedulable ? "" : " up to the first deadline that was missed") + "\n\n" + table(rows) +
         "In continuous time: up to 1 ns longer than in the model's for each section of another task that a stage "
         "finds.\n";
}

int run_exact(const Options& options, const TaskSetDocument& document) {
  need(check_exact(document.set, document.modes), "--exact: " + options.file + ": ");
  const Exact exact = analyse_exact(document.set, document.modes, options.states);
  if (!exact.finished && exact.schedulable)
    refuse("--exact: not known after " + std::to_string(options.states) + " states (--states)");
  std::cout << (options.as_json ? exact_json(document, exact) : exact_table(document, exact));
  return exact.schedulable ? kGood : kNotSchedulable;
}

int run(const Options& options) {
  auto document = read_task_set(options.file, options.modes);
  need(check(document.set, options.form), options.file + ": ");
  auto given = options.initiation;
  given.resize(4, 0);
  document.set = with_initiation(std::move(document.set), {given[0], given[1], given[2], given[3]});
  need(check_capacity(document.set, document.modes), options.file + ": ");
  if (options.exact) return run_exact(options, document);
  const Bounds bounds = options.together ? analyse_together(document.set, document.modes)
                                         : analyse(document.set, document.modes, options.form);
  std::cout << show(options, document, bounds);
  if (options.together && !bounds.together && !options.as_json && !options.as_csv)
    std::cout
        << "As without --together: it is for sets that are not bound, whose stages have one request and one thread, "
           "and whose tasks all keep to their periods.\n";
  return bounds.schedulable ? kGood : kNotSchedulable;
}

}  // namespace

Run add(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  CLI::App* rta = parent.add_subcommand("rta", "bound every task's response time");
  rta->footer("Exit code: 0 schedulable, 1 not, 2 bad input.");
  rta->add_option("FILE", options->file, "task set (JSON, or CSV if its name ends with .csv); - for standard input")
      ->required();
  auto* published = rta->add_option("--as-published", options->form, "the equations as printed, which are not safe");
  published->transform(one_of(kPublishedForms));
  auto* together =
      rta->add_flag("--together", options->together,
                    "tighter bounds where all tasks keep to their periods: rta/PROOF.md, \"All tasks together\"")
          ->excludes(published);
  auto* exact =
      rta->add_flag("--exact", options->exact,
                    "the longest responses themselves, of small sets whose tasks have a CPU each: rta/PROOF.md,\n"
                    "\"Exact\"")
          ->excludes(published)
          ->excludes(together);
  rta->add_option("--states", options->states, "--exact: gives up after so many (10000000)")
      ->needs(exact)
      ->check(CLI::Range(int64_t{1}, int64_t{1'000'000'000}));
  rta->add_option("--modes", options->modes, "instead of the file's: one per task, in its order, as 1,2,4")
      ->delimiter(',');
  add_time(*rta, "--initiation", options->initiation,
           "CPU time to start a transfer, length of the shortest transfer that counts, and if wanted the\n"
           "same of kernels: 200us,10ms,15us,1ms",
           1)
      ->delimiter(',')
      ->expected(2, 4);
  auto* explain = rta->add_option("--explain", options->explain, "in words, what this task waits for")
                      ->option_text("TASK")
                      ->excludes(exact);
  auto* json = rta->add_flag("--json", options->as_json, "print JSON")->excludes(explain);
  rta->add_flag("--csv", options->as_csv, "print CSV, a line per stage")
      ->excludes(exact)
      ->excludes(explain)
      ->excludes(json);
  return [options] { return run(*options); };
}

}  // namespace samcl::analysis::cli::rta_command
