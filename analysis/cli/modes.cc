// sam-analyze modes FILE: on how many GPUs every task should run, how that was chosen, and what would help
// where nothing is schedulable.
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "analysis/cli/bounds_text.h"
#include "analysis/cli/subcommand.h"
#include "analysis/json/bounds_json.h"
#include "analysis/model/number_text.h"
#include "analysis/modes/priorities.h"
#include "analysis/modes/remedy.h"
#include "base/files.h"
#include "base/json_text.h"
#include "base/text_table.h"

namespace samcl::analysis::cli::modes_command {
namespace {

using nlohmann::ordered_json;

enum class Ordering { given, deadline_monotonic, searched };

struct Options {
  std::string file;
  Form form = Form::safe;
  ModePolicy policy = kBestPolicy;
  Ordering ordering = Ordering::given;
  std::string save;
  bool as_json = false;
};

// The question and its answer.
struct Answer {
  const TaskSet& set;
  Form form;
  ModePolicy policy;
  PriorityOrder order;
  Choice choice;
  Bounds bounds;
  Remedy remedy;  // only where not schedulable
};

Answer choose(const Options& options, const TaskSet& set) {
  Answer answer{set, options.form, options.policy, priority_order(set), {}, {}, {}};
  if (options.ordering == Ordering::deadline_monotonic) answer.order = deadline_monotonic(set);
  if (options.ordering == Ordering::searched) {
    Prioritised found = choose_priorities(set, options.form, options.policy, answer.order);
    answer.order = std::move(found.order);
    answer.choice = std::move(found.choice);
  } else {
    answer.choice = choose_modes(set, options.form, options.policy, answer.order);
  }
  answer.bounds = analyse(set, answer.choice.modes, options.form, answer.order);
  if (!answer.choice.schedulable) answer.remedy = find_remedy(set, options.form, options.policy, answer.order);
  return answer;
}

std::string ratio_text(double ratio) {
  if (std::isinf(ratio)) return "above 16 periods";
  return decimal(ratio, 4);
}

std::string steps_text(const Answer& answer) {
  std::vector<std::vector<std::string>> rows = {{"STEP", "TASK", "MODE", "MAX R/D"}};
  std::string start;
  for (const size_t i : answer.order)
    start += (start.empty() ? "" : ", ") + answer.set.tasks[i].name + " " + std::to_string(answer.choice.start[i]);
  std::string begin = "Begins with modes " + start + ": max R/D " + ratio_text(answer.choice.start_ratio) + ".\n\n";
  if (answer.choice.steps.empty()) return begin;
  for (size_t n = 0; n < answer.choice.steps.size(); ++n) {
    const ModeStep& step = answer.choice.steps[n];
    rows.push_back(
        {std::to_string(n + 1), answer.set.tasks[step.task].name, std::to_string(step.mode), ratio_text(step.ratio)});
  }
  return begin + table(rows, 2) + "\n";
}

std::string remedy_text(const Answer& answer) {
  const auto percent = [](int value) { return std::to_string(value) + "%"; };
  std::string text = "What would make it schedulable, one thing at a time:\n";
  if (answer.remedy.of_all) text += "  every task takes " + percent(*answer.remedy.of_all) + " of its times\n";
  bool any = answer.remedy.of_all.has_value();
  for (const size_t i : answer.order)
    if (const auto part = answer.remedy.of_task[i]) {
      any = true;
      text += "  " + answer.set.tasks[i].name + " takes " + percent(*part) + " of its times\n";
    }
  return any ? text : "No task's times, however short, make it schedulable, nor all tasks' at 1%.\n";
}

std::string as_text(const Answer& answer) {
  return "Policy: " + std::string(name(answer.policy)) + "; analysis: " + name(answer.form) + "; most urgent first; " +
         std::to_string(answer.choice.analyses) + " combinations analysed.\n" + steps_text(answer) +
         tasks_table({answer.set, answer.choice.modes}, answer.form, answer.bounds, answer.order) +
         mark_text(answer.bounds, answer.form) + "\n" +
         verdict_text(answer.set, answer.form, answer.bounds, answer.order) +
         (answer.choice.impossible ? "No other modes are schedulable in this order of priority.\n" : "") +
         (answer.choice.schedulable ? "" : remedy_text(answer));
}

ordered_json number(double ratio) { return std::isinf(ratio) ? ordered_json() : ordered_json(ratio); }

ordered_json part(const std::optional<int>& percent) { return percent ? ordered_json(*percent) : ordered_json(); }

std::string as_json(const Answer& answer) {
  const auto named = [&](const auto& values) {
    ordered_json all = ordered_json::object();
    for (const size_t i : answer.order) all[answer.set.tasks[i].name] = values[i];
    return all;
  };
  ordered_json order = ordered_json::array(), steps = ordered_json::array();
  for (const size_t i : answer.order) order.push_back(answer.set.tasks[i].name);
  for (const ModeStep& step : answer.choice.steps)
    steps.push_back(
        {{"task", answer.set.tasks[step.task].name}, {"mode", step.mode}, {"max_ratio", number(step.ratio)}});
  ordered_json all = {{"policy", name(answer.policy)},
                      {"schedulable", answer.choice.schedulable},
                      {"impossible", answer.choice.impossible},
                      {"order", order},
                      {"modes", named(answer.choice.modes)},
                      {"max_ratio", number(answer.choice.ratio)},
                      {"start", named(answer.choice.start)},
                      {"start_max_ratio", number(answer.choice.start_ratio)},
                      {"steps", steps},
                      {"analyses", answer.choice.analyses}};
  if (!answer.choice.schedulable) {
    ordered_json tasks = ordered_json::object();
    for (const size_t i : answer.order) tasks[answer.set.tasks[i].name] = part(answer.remedy.of_task[i]);
    all["remedy_percent"] = {{"all", part(answer.remedy.of_all)}, {"task", tasks}};
  }
  all["bounds"] = read_ordered_json(format_bounds(answer.set, answer.choice.modes, answer.form, answer.bounds));
  return json_text(all, 2) + "\n";
}

void save(const std::string& file, const Answer& answer) {
  TaskSetDocument document{answer.set, answer.choice.modes};
  const int count = static_cast<int>(answer.order.size());
  for (int n = 0; n < count; ++n) document.set.tasks[answer.order[static_cast<size_t>(n)]].priority = count - n;
  need(write_file(file, format_task_set(document)));
}

int run(const Options& options) {
  const auto document = read_task_set(options.file);
  need(check(document.set, options.form), options.file + ": ");
  const Answer answer = choose(options, document.set);
  std::cout << (options.as_json ? as_json(answer) : as_text(answer));
  if (!options.save.empty()) save(options.save, answer);
  return answer.choice.schedulable ? kGood : kNotSchedulable;
}

}  // namespace

Run add(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  CLI::App* modes = parent.add_subcommand("modes", "choose on how many GPUs every task runs");
  modes->footer("Exit code: 0 schedulable, 1 not, 2 bad input.");
  modes->add_option("FILE", options->file, "task set (JSON), its modes aside; - for standard input")->required();
  std::map<std::string, ModePolicy> policies;
  for (const ModePolicy policy : kPolicies) policies[name(policy)] = policy;
  policies["individual"] = ModePolicy::local;
  modes->add_option("--policy", options->policy, "single, local, gema, gpa, search (default) or optimal")
      ->transform(one_of(policies));
  modes->add_option("--as-published", options->form, "the equations as printed, which are not safe")
      ->transform(one_of(kPublishedForms));
  modes
      ->add_option("--order", options->ordering,
                   "of priority: given (deadline-monotonic if none is), deadline-monotonic, or search from it")
      ->transform(one_of(std::map<std::string, Ordering>{{"given", Ordering::given},
                                                         {"deadline-monotonic", Ordering::deadline_monotonic},
                                                         {"search", Ordering::searched}}));
  modes->add_option("--save", options->save, "write the task set with these modes and priorities")->option_text("FILE");
  modes->add_flag("--json", options->as_json, "print JSON");
  return [options] { return run(*options); };
}

}  // namespace samcl::analysis::cli::modes_command
