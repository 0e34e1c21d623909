// sam-analyze dag FILE: tasks whose jobs are graphs, and how many processors each needs for itself.
#include "analysis/dag/dag.h"

#include <iostream>
#include <memory>

#include "analysis/cli/subcommand.h"
#include "analysis/dag/chains.h"
#include "analysis/dag/dag_json.h"
#include "base/duration.h"
#include "base/text_table.h"

namespace samcl::analysis::cli::dag_command {
namespace {

using Federation = std::optional<std::vector<Platform>>;

struct Options {
  std::string file;
  bool as_json = false;
};

std::string as_table(const dag::TaskSet& set, const Federation& own) {
  std::vector<std::vector<std::string>> rows = {
      {"TASK", "DEADLINE", "JAFFE", "SCALED", "PATHS", "OWN CPUS", "OWN LINKS", "OWN GPUS"}};
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    const dag::Task& task = set.tasks[i];
    rows.push_back({task.name});
    for (const Time time : {task.deadline, dag::jaffe_bound(task, set.platform), dag::scaled_bound(task, set.platform),
                            dag::path_bound(task, set.platform)})
      rows.back().push_back(format_duration(time));
    for (const int Platform::* elements : {&Platform::cpus, &Platform::links, &Platform::gpus})
      rows.back().push_back(own ? std::to_string((*own)[i].*elements) : "-");
  }
  return "Bounds of each task alone on the platform, and the processors that it needs for itself\n\n" + table(rows) +
         (own ? "\nSchedulable, each task on processors of its own.\n"
              : "\nNot schedulable: in the file's order some task finds too few processors.\n");
}

int run(const Options& options) {
  const auto set = read_either(dag::parse_dags, dag::chains, options.file);
  const Federation own = dag::federate(set);
  std::cout << (options.as_json ? dag::format_federation(set, own) : as_table(set, own));
  return own ? kGood : kNotSchedulable;
}

}  // namespace

Run add(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  CLI::App* dag = parent.add_subcommand("dag", "tasks whose jobs are graphs of CPU, PCI and GPU parts");
  dag->footer("Exit code: 0 schedulable, 1 not, 2 bad input. An example: analysis/examples/graphs.json");
  dag->add_option("FILE", options->file, "tasks (JSON); - for standard input")->required();
  dag->add_flag("--json", options->as_json, "print JSON");
  return [options] { return run(*options); };
}

}  // namespace samcl::analysis::cli::dag_command
