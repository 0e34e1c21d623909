// sam-analyze access FILE: tasks that stay on their CPUs and share GPUs in one of the literature's ways.
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "analysis/access/access_json.h"
#include "analysis/access/gpu_priorities.h"
#include "analysis/access/partition.h"
#include "analysis/cli/subcommand.h"
#include "base/duration.h"
#include "base/json_text.h"
#include "base/text_table.h"

namespace samcl::analysis::cli::access_command {
namespace {

using access::kAnalyses;

struct Options {
  std::string file;
  std::optional<access::Analysis> analysis;
  access::Costs costs = {.slice = 1'000'000};
  bool partition = false, gpu_priorities = false, as_json = false;
};

struct Column {
  access::Analysis analysis;
  std::string refused;  // why the analysis does not know the set
  access::Bounds bounds;
  std::vector<Time> beyond_proof;                     // by task
  std::optional<std::vector<std::string>> gpu_order;  // that --gpu-priorities found

  bool late(size_t task) const { return bounds.response[task] == kUnbounded; }
  std::string response(size_t task) const {
    if (!late(task)) return format_duration(bounds.response[task]);
    return beyond_proof[task] == kUnbounded ? "above 16 periods" : format_duration(beyond_proof[task]) + " *";
  }
};

// Who uses the GPU, the most urgent there first.
std::vector<std::string> gpu_order(const access::TaskSet& set) {
  std::map<int, std::string> names;
  for (const access::Task& task : set.tasks)
    if (task.uses_gpu()) names[task.gpu_rank] = task.name;
  std::vector<std::string> order;
  for (const auto& [rank, name] : names) order.push_back(name);
  return order;
}

bool has_gpu_priorities(access::Analysis analysis) {
  return analysis == access::Analysis::gcaps || analysis == access::Analysis::gcaps_published;
}

std::vector<Column> columns_of(const Options& options, const access::TaskSet& set) {
  const access::Costs& costs = options.costs;
  if (options.gpu_priorities && options.analysis && !has_gpu_priorities(*options.analysis))
    refuse(std::string("--gpu-priorities: with ") + name(*options.analysis) + ", expected gcaps or gcaps-published");
  std::vector<Column> columns;
  for (const access::Analysis analysis : kAnalyses) {
    if (options.analysis ? *options.analysis != analysis : options.gpu_priorities && !has_gpu_priorities(analysis))
      continue;
    Column column{analysis, "", {}, {}, {}};
    if (const auto good = check(set, analysis, costs); good) {
      const auto found = options.gpu_priorities ? with_gpu_priorities(set, analysis, costs) : std::nullopt;
      column.bounds = analyse(found.value_or(set), analysis, costs);
      column.beyond_proof = beyond_proof(found.value_or(set), column.bounds, analysis, costs);
      if (found) column.gpu_order = gpu_order(*found);
    } else if (options.analysis)
      refuse(options.file + ": " + good.error().message);
    else
      column.refused = good.error().message;
    columns.push_back(std::move(column));
  }
  return columns;
}

std::string as_tables(const access::TaskSet& set, const std::vector<Column>& columns) {
  std::vector<std::vector<std::string>> verdicts = {{"ANALYSIS", "SCHEDULABLE", "WHY NOT"}};
  std::vector<std::vector<std::string>> responses = {{"ENDS WITHIN", "CPU", "DEADLINE"}};
  bool late_ones = false;
  for (const Column& column : columns) {
    std::string late;
    for (size_t i = 0; i < column.bounds.response.size(); ++i)
      if (column.late(i)) late += (late.empty() ? "" : ", ") + set.tasks[i].name;
    const bool known = column.refused.empty();
    verdicts.push_back({name(column.analysis),
                        !known                      ? "-"
                        : column.bounds.schedulable ? "yes"
                                                    : "no",
                        !known         ? column.refused
                        : late.empty() ? ""
                                       : late + " may miss the deadline"});
    if (known) responses[0].emplace_back(name(column.analysis));
    late_ones = late_ones || !late.empty();
  }
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    const access::Task& task = set.tasks[i];
    responses.push_back({task.name, std::to_string(task.cpu), format_duration(task.deadline)});
    for (const Column& column : columns)
      if (column.refused.empty()) responses.back().push_back(column.response(i));
  }
  return table(verdicts, 3) + "\n" + table(responses) +
         "\nThe most urgent task first. The published ones are the papers' equations, and not safe; the others are "
         "proven.\n" +
         (late_ones ? "* beyond its proof, which counts on all deadlines being met: no bound.\n" : "");
}

std::string as_json(const access::TaskSet& set, const Modes& modes, const std::vector<Column>& columns) {
  nlohmann::ordered_json analyses = nlohmann::ordered_json::array();
  for (const Column& column : columns) {
    if (!column.refused.empty()) {
      analyses.push_back({{"analysis", name(column.analysis)}, {"refused", column.refused}});
      continue;
    }
    analyses.push_back(access_json(set, modes, column.analysis, column.bounds, column.beyond_proof));
    if (column.gpu_order) analyses.back()["gpu_order"] = *column.gpu_order;
  }
  return json_text(nlohmann::ordered_json{{"analyses", analyses}}, 2) + "\n";
}

std::string gpu_priorities_text(const Column& column) {
  const std::string who = name(column.analysis);
  if (!column.gpu_order) return who + ": no priorities on the GPU were found that make the tasks schedulable.\n";
  std::string order;
  for (const std::string& task : *column.gpu_order) order += (order.empty() ? "" : ", ") + task;
  return who + ": on the GPU " + order + ", the most urgent first.\n";
}

// As the file has them, or as --partition finds them.
Modes modes_of(const Options& options, const TaskSetDocument& document) {
  if (!options.partition) return document.modes;
  if (document.set.platform.bound)
    refuse("--partition: the platform's GPUs are bound, expected parts that any task may have");
  const auto modes = access::partition(document.set, options.analysis.value_or(access::Analysis::unified));
  if (!modes) refuse("--partition: no split of the parts was found that makes the tasks schedulable");
  return *modes;
}

int run(const Options& options) {
  const auto document = read_task_set(options.file, Model::partitioned);
  const auto modes = modes_of(options, document);
  const auto set = need(access::tasks_of(document.set, modes), options.file + ": ");
  const auto columns = columns_of(options, set);
  std::cout << (options.as_json ? as_json(set, modes, columns) : as_tables(set, columns));
  if (options.partition && !options.as_json)
    for (const access::Task& task : set.tasks)
      if (task.uses_gpu()) std::cout << task.name << " has " << modes[task.index] << " parts of the GPU.\n";
  if (options.gpu_priorities && !options.as_json)
    for (const Column& column : columns)
      if (column.refused.empty()) std::cout << gpu_priorities_text(column);
  for (const Column& column : columns)
    if (column.bounds.schedulable) return kGood;
  return kNotSchedulable;
}

}  // namespace

Run add(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  CLI::App* access = parent.add_subcommand(
      "access", "tasks that stay on their CPUs and use GPUs in segments: preemption, locks, server, turns, partitions");
  access->footer(
      "See analysis/access/README.md for the ways and what each assumes.\n"
      "Exit code: 0 schedulable by one of the analyses, 1 by none, 2 bad input.");
  access->add_option("FILE", options->file, "task set (JSON) whose tasks have a cpu; - for standard input")->required();
  access->add_option("--analysis", options->analysis, "one of them instead of all that know the set")
      ->transform(one_of(kAnalyses));
  add_time(*access, "--update", options->costs.update,
           "cost of a runlist update, or of the server's handling a message (0ns)");
  add_time(*access, "--slice", options->costs.slice, "of the round robin (1ms)", 1);
  add_time(*access, "--switching", options->costs.switching, "before each slice (0ns)");
  access->add_option("--server-cpu", options->costs.server_cpu, "where the server runs (0)");
  access->add_flag("--partition", options->partition,
                   "find how many of platform.gpus parts each task needs for itself, instead of its mode");
  access->add_flag("--gpu-priorities", options->gpu_priorities,
                   "gcaps: find priorities on the GPU where those given do not make the tasks schedulable");
  access->add_flag("--json", options->as_json, "print JSON");
  return [options] { return run(*options); };
}

}  // namespace samcl::analysis::cli::access_command
