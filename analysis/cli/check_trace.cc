// sam-analyze check TRACE SET: whether what programs did is a schedule of the task set's model.
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "analysis/cli/live_trace.h"
#include "analysis/cli/subcommand.h"
#include "base/duration.h"
#include "base/json_text.h"

namespace samcl::analysis::cli::check_command {
namespace {

struct Options {
  std::string trace, set, task;
  Time tolerance = 200'000;
  std::string policy = "fixed-priority";
  bool as_json = false;
};

void print(const LiveSchedule& live, const std::vector<Violation>& found) {
  std::map<std::string, size_t> counts;
  for (const Violation& violation : found) ++counts[name(violation.rule)];
  std::cout << live.programs.size() << " programs, " << live.jobs.size() << " jobs, " << live.holdings.size()
            << " leases, " << live.waits.size() << " waits for one: ";
  if (found.empty()) {
    std::cout << "a schedule of the model.\n";
    return;
  }
  std::cout << found.size() << " violations of the model\n";
  for (const auto& [rule, count] : counts) std::cout << "  " << rule << ": " << count << "\n";
  std::cout << "The first, at " << format_duration(found.front().at) << " of the machine's clock ("
            << name(found.front().rule) << "): " << found.front().what << "\n";
}

std::string to_json(const LiveSchedule& live, const std::vector<Violation>& found) {
  nlohmann::ordered_json violations = nlohmann::ordered_json::array();
  for (const Violation& violation : found)
    violations.push_back({{"rule", name(violation.rule)}, {"at", violation.at}, {"what", violation.what}});
  return json_text(nlohmann::ordered_json{{"programs", live.programs.size()},
                                          {"jobs", live.jobs.size()},
                                          {"leases", live.holdings.size()},
                                          {"waits", live.waits.size()},
                                          {"violations", violations}},
                   2) +
         "\n";
}

int run(const Options& options) {
  const auto document = read_task_set(options.set);
  const auto text = read_text(options.trace);
  const auto live = need(read_live_schedule(text, document.set, options.task), options.trace + ": ");
  const Bounds bounds = analyse(document.set, document.modes, Form::safe);
  const GrantOrder order = options.policy == "fixed-priority" ? GrantOrder::priority : GrantOrder::other;
  const auto found = check_live(document.set, document.modes, bounds, live, options.tolerance, order);
  if (options.as_json)
    std::cout << to_json(live, found);
  else
    print(live, found);
  return found.empty() ? kGood : kNotSchedulable;
}

}  // namespace

Run add(CLI::App& parent) {
  auto options = std::make_shared<Options>();
  CLI::App* app = parent.add_subcommand(
      "check", "whether a trace of live programs is a schedule of the task set's model; else the first violation");
  app->add_option("TRACE", options->trace, "of `sam-ctl trace`, or of one program (sam-run --trace)")->required();
  app->add_option("SET", options->set, "the task set, as `sam-ctl analyze --save` writes it, with the modes in use")
      ->required();
  app->add_option("--task", options->task, "the task of a program that the trace names none for");
  add_time(*app, "--tolerance", options->tolerance, "by how much clocks and hand-overs may be off (200us)");
  app->add_option("--policy", options->policy,
                  "the manager's; under others than fixed-priority, priorities and bounds are not checked")
      ->capture_default_str()
      ->check(CLI::IsMember({"fixed-priority", "edf", "fmlp-long", "omlp", "k-exclusion", "containers"}));
  app->add_flag("--json", options->as_json, "print JSON: every violation");
  app->footer("Exit code: 0 it is; 1 it is not; 2 bad input.");
  return [options] { return run(*options); };
}

}  // namespace samcl::analysis::cli::check_command
