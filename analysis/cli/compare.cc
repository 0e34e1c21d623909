// sam-analyze compare FILE: one task set that shares GPUs, judged by every analysis here: global EDF with
// bounded tardiness (analysis/locking), and fixed priorities with hard deadlines (the rest of analysis/).
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "analysis/cli/subcommand.h"
#include "analysis/json/bounds_json.h"
#include "analysis/locking/pipeline.h"
#include "analysis/locking/verdicts.h"
#include "analysis/model/capacity.h"
#include "analysis/rta/response_time.h"
#include "base/duration.h"
#include "base/json_text.h"
#include "base/text_table.h"

namespace samcl::analysis::cli::compare_command {
namespace {

struct Options {
  std::string file;
  bool as_json = false;
};

// One analysis: whether the set is schedulable by it, why not, and how long after its release a job ends at
// most; or a number that is no bound.
struct Column {
  std::string name;
  std::string scheduling;
  bool schedulable = false;
  std::string why_not;
  std::vector<Time> response, beyond_proof;  // kUnbounded: there is none
};

template <typename Verdict, typename Late>
Column soft(const locking::TaskSet& set, const std::string& name, const Verdict& verdict, Late late) {
  const std::vector<Time> none(set.tasks.size(), kUnbounded);
  Column column{name, "G-EDF, soft", verdict.schedulable(), failure(set, verdict), none, none};
  for (size_t i = 0; i < set.tasks.size() && verdict.schedulable(); ++i)
    column.response[i] = set.tasks[i].period + late(i);
  return column;
}

Column fixed_priority(const TaskSet& set, Form form) {
  const std::vector<Time> none(set.tasks.size(), kUnbounded);
  Column column{name(form), "fixed priorities, hard", false, "", none, none};
  const Modes modes(set.tasks.size(), 1);
  if (auto good = check_capacity(set, modes); !good) {
    column.why_not = good.error().message;
    return column;
  }
  const Bounds bounds = analyse(set, modes, form);
  column.schedulable = bounds.schedulable;
  std::string late;
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    const TaskBound& bound = bounds.tasks[i];
    const bool bounded = is_bounded(bound, form);
    (bounded ? column.response : column.beyond_proof)[i] = bound.response;
    if (!bounded || bound.response > set.tasks[i].deadline) late += (late.empty() ? "" : ", ") + set.tasks[i].name;
  }
  if (!late.empty()) column.why_not = late + " may miss the deadline";
  return column;
}

std::vector<Column> all_columns(const locking::TaskSet& set) {
  const locking::Verdicts verdicts = analyse(set);
  std::vector<Column> columns;
  for (const auto& verdict : verdicts.shared_resource)
    columns.push_back(soft(set, name(verdict.protocol), verdict, [&](size_t i) { return verdict.tasks[i].late; }));
  columns.push_back(soft(set, "suspension-aware", verdicts.suspension_aware,
                         [&](size_t i) { return verdicts.suspension_aware.tasks[i].late; }));
  columns.push_back(
      soft(set, "containers", verdicts.containers, [&](size_t i) { return verdicts.containers.late[i]; }));
  const TaskSet converted = pipeline(set);
  for (const Form form : {Form::safe, Form::gpu_sam, Form::gpu_sparc})
    columns.push_back(fixed_priority(converted, form));
  return columns;
}

std::string response_text(const Column& column, size_t task) {
  if (column.response[task] != kUnbounded) return format_duration(column.response[task]);
  return column.beyond_proof[task] != kUnbounded ? format_duration(column.beyond_proof[task]) + " *" : "-";
}

std::string as_tables(const locking::TaskSet& set, const std::vector<Column>& columns) {
  std::vector<std::vector<std::string>> methods = {{"ANALYSIS", "SCHEDULING", "SCHEDULABLE", "WHY NOT"}};
  std::vector<std::vector<std::string>> responses = {{"ENDS WITHIN", "PERIOD"}};
  for (const Column& column : columns) {
    methods.push_back({column.name, column.scheduling, column.schedulable ? "yes" : "no", column.why_not});
    responses[0].push_back(column.name);
  }
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    responses.push_back({set.tasks[i].name, format_duration(set.tasks[i].period)});
    for (const Column& column : columns) responses.back().push_back(response_text(column, i));
  }
  return table(methods, 4) + "\n" + table(responses) +
         "\nSoft: a job may end after its deadline, the period, but no later than shown. Hard: within it. "
         "*: no bound, beyond the proof.\n"
         "gpu-sam and gpu-sparc are the papers' equations, and not safe.\n"
         "Fixed priorities are deadline-monotonic; copying is then a stage on a PCI link and takes no CPU.\n";
}

std::string as_json(const locking::TaskSet& set, const std::vector<Column>& columns) {
  nlohmann::ordered_json analyses = nlohmann::ordered_json::array();
  for (const Column& column : columns) {
    nlohmann::ordered_json tasks = nlohmann::ordered_json::array();
    for (size_t i = 0; i < set.tasks.size(); ++i)
      tasks.push_back({{"name", set.tasks[i].name},
                       {"period", set.tasks[i].period},
                       {"response", number_or_null(column.response[i])},
                       {"beyond_proof", number_or_null(column.beyond_proof[i])}});
    analyses.push_back(
        {{"analysis", column.name},
         {"scheduling", column.scheduling},
         {"schedulable", column.schedulable},
         {"fails", column.why_not.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(column.why_not)},
         {"tasks", tasks}});
  }
  return json_text(nlohmann::ordered_json{{"analyses", analyses}}, 2) + "\n";
}

int run(const Options& options) {
  const auto set = read_locking_set(options.file);
  const std::vector<Column> columns = all_columns(set);
  std::cout << (options.as_json ? as_json(set, columns) : as_tables(set, columns));
  const bool any = std::any_of(columns.begin(), columns.end(), [](const Column& column) { return column.schedulable; });
  return any ? kGood : kNotSchedulable;
}

}  // namespace

Run add(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  CLI::App* compare = parent.add_subcommand("compare", "tasks that share GPUs: every analysis side by side");
  compare->footer("Exit code: 0 schedulable by one of the analyses, 1 by none, 2 bad input.");
  compare->add_option("FILE", options->file, "task set as for locking (JSON); - for standard input")->required();
  compare->add_flag("--json", options->as_json, "print JSON");
  return [options] { return run(*options); };
}

}  // namespace samcl::analysis::cli::compare_command
