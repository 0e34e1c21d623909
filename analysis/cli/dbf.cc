// sam-analyze dbf FILE: demand bounds of recurring tasks, whether EDF schedules them, and which walks demand
// most.
#include <algorithm>
#include <iostream>
#include <memory>

#include "analysis/cli/demand_output.h"
#include "analysis/cli/subcommand.h"
#include "analysis/dbf/demanding_walk.h"
#include "analysis/dbf/task_graph.h"
#include "analysis/json/task_graphs_json.h"
#include "analysis/model/number_text.h"
#include "base/duration.h"
#include "base/files.h"
#include "base/text_table.h"

namespace samcl::analysis::cli::dbf_command {
namespace {

using dbf::TaskDemands;
using dbf::Triggered;

struct Options {
  std::string file;
  std::optional<Time> at, until;
  size_t lines = 20;
  bool as_published = false;
  bool as_json = false;
  std::string chart;
};

std::string share(Time demand, Time t) { return percent(static_cast<double>(demand) / static_cast<double>(t), 2); }

std::string tasks_text(const TaskDemands& set) {
  std::vector<std::vector<std::string>> rows = {
      {"TASK", "HEAVIEST PATH", "VERTICES", "PERIOD", "E(T)", "E/P", "BURST"}};
  for (size_t n = 0; n < set.tasks.size(); ++n) {
    const dbf::TaskGraph& task = set.tasks[n];
    const dbf::HeaviestPath heaviest = heaviest_path(task);
    std::string path;
    for (const size_t v : heaviest.vertices) path += (path.empty() ? "" : " ") + task.vertices[v].name;
    if (path.size() > 60) path = path.substr(0, 57) + "...";
    rows.push_back({task.name, path, std::to_string(task.vertices.size()), format_duration(task.period),
                    format_duration(heaviest.execution), share(heaviest.execution, task.period),
                    format_duration(set.bounds[n].burst())});
  }
  return table(rows, 2);
}

// What all and each demand at most, where that changes.
std::string values_text(const TaskDemands& set, Time until, size_t lines) {
  std::vector<std::vector<std::string>> rows = {{"WITHIN", "DEMAND", "OF IT"}};
  for (const dbf::TaskGraph& task : set.tasks) rows[0].push_back(task.name);
  Time before = 0;
  for (Time t = next_change(set.bounds, 0); t <= until && rows.size() <= lines; t = next_change(set.bounds, t)) {
    const Time demand = total_demand(set.bounds, t);
    if (demand == before) continue;
    before = demand;
    rows.push_back({format_duration(t), format_duration(demand), share(demand, t)});
    for (const dbf::DemandBound& bound : set.bounds) rows.back().push_back(format_duration(bound.at(t)));
  }
  return table(rows, 0);
}

void add_jobs(const dbf::TaskGraph& task, const std::string& what, const std::vector<Triggered>& jobs,
              std::vector<std::vector<std::string>>& rows) {
  for (const auto& [vertex, at] : jobs) {
    const dbf::Vertex& job = task.vertices[vertex];
    rows.push_back({task.name, job.name, what, format_duration(at), format_duration(at + job.deadline),
                    format_duration(job.execution)});
  }
}

std::string walks_text(const TaskDemands& set, Time t) {
  std::vector<std::vector<std::string>> rows = {{"TASK", "JOB", "", "TRIGGERED", "DEADLINE", "EXECUTION"}};
  for (size_t n = 0; n < set.tasks.size(); ++n) {
    const dbf::TaskGraph& task = set.tasks[n];
    const dbf::Walk walk = demanding_walk(task, set.graphs[n], set.fronts[n], t);
    add_jobs(task, "", walk.tail, rows);
    const std::string often = walk.repetitions == 1
                                  ? "once"
                                  : std::to_string(walk.repetitions) + " times, every " + format_duration(task.period);
    add_jobs(task, often, walk.repeated, rows);
    add_jobs(task, "", walk.head, rows);
  }
  return "What demands most within " + format_duration(t) + ":\n" + table(rows, 3);
}

// Why bounds are upper ones only, a line for each such task; "" if all are exact.
std::string looseness_text(const std::vector<dbf::TaskGraph>& tasks) {
  std::string text;
  for (const dbf::TaskGraph& task : tasks)
    if (const auto exact = check_exact(task); !exact) text += "Upper bounds only: " + exact.error().message + ".\n";
  return text;
}

std::string verdict_text(const TaskDemands& set, const dbf::Verdict& verdict, const dbf::Tightest& tightest) {
  const auto demands = [](Time t, Time demand) {
    return format_duration(demand) + " of demand within " + format_duration(t);
  };
  std::string text = "Utilisation " + percent(utilisation(set.bounds), 2) + ". ";
  if (verdict.feasible)
    text += "Schedulable by preemptive EDF on one processor.\n";
  else
    text += (looseness_text(set.tasks).empty() ? "NOT schedulable on one processor: "
                                               : "Not known to be schedulable on one processor: at most ") +
            demands(verdict.excess->t, verdict.excess->demand) +
            (verdict.excess->least ? ", and in no shorter interval is there too much.\n" : ".\n");
  text += "Looked at " + std::to_string(verdict.looks) + " interval lengths up to " + format_duration(verdict.last_t);
  text += verdict.published_last_t ? " (sum of 2 E / (1 - U): " + format_duration(*verdict.published_last_t) + ").\n"
                                   : ".\n";
  const auto& [t, demand] = tightest.step;
  return text + "Tightest interval" + (tightest.of_all ? "" : " found") + ": " + demands(t, demand) + ", " +
         share(demand, t) + ".\n";
}

int run(const Options& options) {
  const auto& [at, until] = std::pair(options.at, options.until);
  auto tasks = read_either(
      parse_task_graphs, [](const TaskSet& set, const Modes& /*modes*/) { return dbf::sporadic(set); }, options.file);
  const TaskDemands set(std::move(tasks), options.as_published ? dbf::Recurrence::published : dbf::Recurrence::exact);
  const auto verdict = need(feasibility(set.bounds), options.file + ": ");
  const dbf::Tightest tightest = tightest_interval(set.bounds);
  const Time marked = at.value_or(verdict.excess ? verdict.excess->t : tightest.step.at);

  if (!options.chart.empty()) {
    Time longest = 0;
    for (const dbf::TaskGraph& task : set.tasks) longest = std::max(longest, task.period);
    const Time end = until.value_or(std::max(2 * longest, std::min(4 * longest, marked + marked / 8)));
    need(write_file(options.chart, format_charts({demand_chart(set, end, marked)})));
  }
  if (options.as_json) {
    std::cout << format_demand(set, verdict, tightest, marked);
  } else {
    const std::string loose = looseness_text(set.tasks);
    std::cout << tasks_text(set) << "\n" << verdict_text(set, verdict, tightest) << loose << "\n";
    if (at)
      std::cout << "dbf(" << format_duration(marked) << ") = " << format_duration(total_demand(set.bounds, marked))
                << "\n\n";
    std::cout << values_text(set, until.value_or(INT64_MAX - 1), until ? SIZE_MAX : options.lines) << "\n"
              << (loose.empty() ? walks_text(set, marked) : "");
    if (!options.chart.empty()) std::cout << "\nWritten: " << options.chart << "\n";
  }
  return verdict.feasible ? kGood : kNotSchedulable;
}

}  // namespace

Run add(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  CLI::App* dbf = parent.add_subcommand("dbf", "demand bounds of recurring tasks (graphs of jobs) under EDF");
  dbf->footer("Exit code: 0 schedulable, 1 not, 2 bad input. An example: analysis/examples/recurring.json");
  dbf->add_option("FILE", options->file, "recurring tasks (JSON); - for standard input")->required();
  add_time(*dbf, "--at", options->at, "dbf of this interval length and what demands most in it, as 40ms", 1,
           dbf::kMostDemand);
  auto* until = add_time(*dbf, "--until", options->until, "list and draw the values up to here", 1, dbf::kMostDemand);
  dbf->add_option("--lines", options->lines, "list so many values (20)")->excludes(until);
  dbf->add_flag("--as-published", options->as_published,
                "the recurrence for long intervals as in the paper, which may demand more than any walk");
  dbf->add_flag("--json", options->as_json, "print JSON");
  dbf->add_option("--chart", options->chart, "write the curves, which sam-plot draws")->option_text("FILE");
  return [options] { return run(*options); };
}

}  // namespace samcl::analysis::cli::dbf_command
