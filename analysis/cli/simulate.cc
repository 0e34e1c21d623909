// sam-analyze simulate FILE: response times of simulated jobs beside bounds and deadlines, and the worst job
// as a drawing.
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "analysis/cli/bounds_text.h"
#include "analysis/cli/subcommand.h"
#include "analysis/draw/schedule_drawing.h"
#include "analysis/json/bounds_json.h"
#include "analysis/model/capacity.h"
#include "analysis/model/placement.h"
#include "analysis/rta/response_time.h"
#include "analysis/sim/study.h"
#include "base/duration.h"
#include "base/files.h"
#include "base/json_text.h"
#include "base/text_table.h"

namespace samcl::analysis::cli::simulate_command {
namespace {

struct Options {
  std::string file;
  StudyOptions study;
  std::vector<int> modes;
  bool at_once = false;
  std::string svg;
  bool as_json = false;
};

std::string rounded(Time time) {
  // Four digits are enough to compare.
  Time unit = 1;
  while (time / unit >= 100000) unit *= 10;
  return format_duration((time + unit / 2) / unit * unit);
}

// A number that is beyond its proof is marked.
std::string bound_text(const TaskBound& bound) {
  if (bound.response == kUnbounded) return response_text(bound, Form::safe);
  return rounded(bound.response) + (bound.proven ? "" : " *");
}

std::string distribution_table(const TaskSet& set, const PriorityOrder& order, const Study& study,
                               const Bounds& bounds) {
  std::vector<std::vector<std::string>> rows = {
      {"TASK", "JOBS", "MEAN", "MEDIAN", "99%", "LONGEST", "BOUND", "DEADLINE", "MISSES"}};
  if (set.platform.bound) rows.front().insert(rows.front().begin() + 1, "DEVICES");
  for (const size_t i : order) {
    const TaskStudy& task = study.tasks[i];
    rows.push_back({set.tasks[i].name, std::to_string(task.responses.size()),
                    rounded(static_cast<Time>(mean(task.responses))), rounded(quantile(task.responses, 0.5)),
                    rounded(quantile(task.responses, 0.99)), rounded(task.longest), bound_text(bounds.tasks[i]),
                    rounded(set.tasks[i].deadline), std::to_string(task.misses)});
    if (set.platform.bound) rows.back().insert(rows.back().begin() + 1, format_devices(bounds.tasks[i].devices));
  }
  return table(rows);
}

// Ten classes up to the deadline or the longest response, as bars.
std::string histogram(const std::string& name, const TaskStudy& task, Time deadline) {
  constexpr int kClasses = 10, kLongestBar = 50;
  const auto& responses = task.responses;
  if (responses.empty()) return "";
  const Time last = std::max(responses.back(), deadline);
  std::vector<int64_t> counts(kClasses, 0);
  for (const Time response : responses)
    ++counts[std::min<size_t>(
        kClasses - 1, static_cast<size_t>(static_cast<double>(response) / static_cast<double>(last) * kClasses))];
  const int64_t most = *std::max_element(counts.begin(), counts.end());
  std::vector<std::vector<std::string>> rows;
  for (int i = 0; i < kClasses; ++i) {
    const int64_t count = counts[static_cast<size_t>(i)];
    const auto bar = static_cast<size_t>((count * kLongestBar + most - 1) / most);
    rows.push_back({"  below", rounded(static_cast<Time>(static_cast<double>(last) * (i + 1) / kClasses)),
                    std::to_string(count), std::string(bar, '#') + std::string(kLongestBar - bar, ' ')});
  }
  return name + "\n" + table(rows);
}

std::string as_json(const TaskSet& set, const Study& study, const Bounds& bounds) {
  nlohmann::ordered_json tasks = nlohmann::ordered_json::array();
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    const TaskStudy& task = study.tasks[i];
    const TaskBound& bound = bounds.tasks[i];
    tasks.push_back({{"name", set.tasks[i].name},
                     {"jobs", task.responses.size()},
                     {"mean", mean(task.responses)},
                     {"median", quantile(task.responses, 0.5)},
                     {"p99", quantile(task.responses, 0.99)},
                     {"longest", task.longest},
                     {"bound", bound.proven ? number_or_null(bound.response) : nullptr},
                     {"beyond_proof", bound.proven ? nullptr : number_or_null(bound.response)},
                     {"deadline", set.tasks[i].deadline},
                     {"misses", task.misses}});
    if (set.platform.bound) tasks.back()["devices"] = bound.devices;
  }
  return json_text(nlohmann::ordered_json{{"jobs", study.jobs}, {"tasks", tasks}}, 2) + "\n";
}

std::string worst_title(const TaskSet& set, const FinishedJob& worst) {
  return "Worst job found: " + set.tasks[worst.task].name + ", response " + format_duration(worst.response()) +
         " of a deadline of " + format_duration(set.tasks[worst.task].deadline);
}

// One job of each task, all released at 0 and as long as they may be: the schedule, and every response.
int show_at_once(const Options& options, const TaskSet& set, const Modes& modes) {
  BehaviourPlan plan;
  plan.jobs.assign(set.tasks.size(), {PlannedJob{}});
  const Schedule all = schedule(set, priority_order(set), modes, plan);
  std::vector<std::vector<std::string>> rows = {{"TASK", "MODE", "RESPONSE", "DEADLINE", "MEETS IT"}};
  Time last = 0;
  bool missed = false;
  for (const FinishedJob& job : all.jobs) {
    const Task& task = set.tasks[job.task];
    last = std::max(last, job.finish);
    missed |= job.response() > task.deadline;
    rows.push_back({task.name, std::to_string(modes[job.task]), format_duration(job.response()),
                    format_duration(task.deadline), job.response() > task.deadline ? "no" : "yes"});
  }
  const std::string title = "All released at once";
  if (!options.svg.empty()) need(write_file(options.svg, schedule_svg(set, all, {0, last}, title)));
  std::cout << table(rows) << "\n" << title << "\n" << schedule_text(set, all, {0, last});
  return missed ? kNotSchedulable : kGood;
}

int run(const Options& options) {
  auto document = read_task_set(options.file, options.modes);
  const auto& [set, modes] = document;
  if (options.at_once) return show_at_once(options, set, modes);
  need(check_capacity(set, modes), options.file + ": ");
  const PriorityOrder order = priority_order(set);
  const Study seen = study(set, order, modes, options.study);
  const Bounds bounds = analyse(set, modes, Form::safe);
  const Schedule worst = schedule(set, order, modes, seen.worst_plan);
  const Frame frame = around(seen.worst);
  if (!options.svg.empty())
    need(write_file(options.svg, schedule_svg(set, worst, frame, worst_title(set, seen.worst))));
  bool missed = false;
  for (size_t i = 0; i < set.tasks.size(); ++i) missed |= seen.tasks[i].longest > set.tasks[i].deadline;
  if (options.as_json) {
    std::cout << as_json(set, seen, bounds);
  } else {
    std::cout << seen.jobs << " jobs simulated (seed " << options.study.seed << "), most urgent first\n\n"
              << distribution_table(set, order, seen, bounds) << mark_text(bounds, Form::safe) << "\n";
    for (const size_t i : order)
      std::cout << histogram(set.tasks[i].name, seen.tasks[i], set.tasks[i].deadline) << "\n";
    std::cout << worst_title(set, seen.worst) << "\n" << schedule_text(set, worst, frame);
  }
  return missed ? kNotSchedulable : kGood;
}

}  // namespace

Run add(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  CLI::App* simulate = parent.add_subcommand("simulate", "simulate the task set's jobs");
  simulate->footer("Exit code: 0 no deadline missed, 1 one missed, 2 bad input.");
  simulate
      ->add_option("FILE", options->file, "task set (JSON, or CSV if its name ends with .csv); - for standard input")
      ->required();
  simulate->add_option("--jobs", options->study.jobs, "at least so many, default 20000")
      ->check(CLI::Range(int64_t{1}, int64_t{100'000'000}));
  simulate->add_option("--search", options->study.searches, "further plans in search of a worse job, default 500")
      ->check(CLI::Range(0, 100'000'000));
  simulate->add_option("--seed", options->study.seed, "of releases and execution times, default 1");
  simulate->add_option("--modes", options->modes, "instead of the file's: one per task, in its order, as 1,2,4")
      ->delimiter(',');
  auto* at_once =
      simulate->add_flag("--at-once", options->at_once, "one job of each, all released at once, with worst-case times");
  simulate->add_option("--svg", options->svg, "draw the worst job's schedule into this file")->option_text("FILE");
  simulate->add_flag("--json", options->as_json, "print JSON")->excludes(at_once);
  return [options] { return run(*options); };
}

}  // namespace samcl::analysis::cli::simulate_command
