// sam-ctl: registers tasks with sam-managerd and shows what it does.
#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/json_text.h"
#include "base/printed.h"
#include "sam-manager/protocol/connection.h"
#include "sam-manager/protocol/limits.h"
#include "tools/sam-ctl/collect_traces.h"
#include "tools/sam-ctl/registration.h"
#include "tools/sam-ctl/tables.h"

namespace samcl::ctl {
namespace {

// So that one that is none is answered with what is expected.
const CLI::Range kAnyPriority(std::numeric_limits<int>::min(), std::numeric_limits<int>::max());

using nlohmann::json;
using protocol::Connection;

constexpr int kSchema = 2;  // of what --json prints; tools/sam-ctl/JSON.md describes it
constexpr int kLimitMs = 2000;
constexpr int kPlanLimitMs = 60'000;  // where it has to choose the number of GPUs for all tasks

struct Options {
  std::string instance;
  Registration task;
  Changes changes;
  std::string device;
  std::string profile;  // file
  std::string admission = "advisory";
  std::string save;
  double seconds = 10;
  std::string out = "trace.json";
  std::string explain;  // task
  std::string policy;   // "": the one in force is to be shown
  bool as_json = false;
};

Result<std::unique_ptr<Connection>> connect(const std::string& instance) {
  auto connection = Connection::open(instance);
  if (connection || !connection.error().message.starts_with("no sam-managerd")) return connection;
  return fail(connection.error().message + "; start it with: sam-managerd --instance " + instance);
}

Result<json> ask(const Options& options, const json& question, int limit_ms = kLimitMs) {
  auto connection = connect(options.instance);
  if (!connection) return tl::unexpected(connection.error());
  auto answer = (*connection)->ask(question, limit_ms);
  if (!answer) return tl::unexpected(answer.error());
  answer->document.erase("samcl");
  return std::move(answer->document);
}

Result<void> show(const Options& options, const json& question, std::string (*table)(const json&)) {
  auto answer = ask(options, question);
  if (!answer) return tl::unexpected(answer.error());
  (*answer)["schema"] = kSchema;
  std::cout << (options.as_json ? answer->dump(2) + "\n" : table(*answer));
  return {};
}

// What a change of a task was answered.
void report_change(const Options& options, json answer) {
  for (const json& doubt : answer.value("doubts", json::array()))
    std::cerr << "sam-ctl: warning: " << doubt.get<std::string>() << "\n";
  if (!options.as_json) return;
  answer["schema"] = kSchema;
  std::cout << json_text(answer) << "\n";
}

Result<void> register_task(Options& options) {
  if (!options.profile.empty()) {
    auto text = read_file(options.profile);
    if (!text) return fail("--profile: cannot read " + text.error().message);
    options.task.profile = *std::move(text);
  }
  const auto task = make_task(options.task);
  if (!task) return tl::unexpected(task.error());
  if (const std::string doubt = doubt_of_match(task->match); !doubt.empty())
    std::cerr << "sam-ctl: warning: " << doubt << "\n";
  auto answer =
      ask(options, {{"ask", "register"}, {"task", registry::to_json(*task)}, {"strict", options.admission == "strict"}},
          kPlanLimitMs);
  if (!answer) return tl::unexpected(answer.error());
  if (options.profile.empty()) {
    report_change(options, *std::move(answer));
    return {};
  }
  report_change({}, *std::move(answer));
  return show(options, {{"ask", "analysis"}}, plan_table);
}

Result<void> set(const Options& options) {
  const auto changes = make_changes(options.changes);
  if (!changes) return tl::unexpected(changes.error());
  auto answer = ask(options, {{"ask", "set"}, {"name", options.task.name}, {"changes", *changes}}, kPlanLimitMs);
  if (!answer) return tl::unexpected(answer.error());
  report_change(options, *std::move(answer));
  return {};
}

Result<void> unregister_task(const Options& options) {
  auto answer = ask(options, {{"ask", "unregister"}, {"name", options.task.name}}, kPlanLimitMs);
  if (!answer) return tl::unexpected(answer.error());
  if (const json processes = answer->value("processes", json::array()); !processes.empty()) {
    std::string list;
    for (const json& process : processes) list += " " + json_text(process);
    std::cerr << "sam-ctl: the task was running: its processes go on without it:" << list << "\n";
  }
  report_change(options, *std::move(answer));
  return {};
}

Result<void> release(const Options& options) {
  const auto answer = ask(options, {{"ask", "release"}, {"device", options.device}});
  if (!answer) return tl::unexpected(answer.error());
  return {};
}

// What tasks are promised under each policy, or another one in force.
Result<void> policy(const Options& options) {
  if (options.policy.empty()) return show(options, {{"ask", "analysis"}}, policy_table);
  auto answer = ask(options, {{"ask", "policy"}, {"name", options.policy}});
  if (!answer) return tl::unexpected(answer.error());
  report_change(options, *std::move(answer));
  return {};
}

// One line for each task of which jobs were late, until the manager ends or we are interrupted.
Result<void> watch(const Options& options) {
  auto connection = connect(options.instance);
  if (!connection) return tl::unexpected(connection.error());
  auto answer = (*connection)->ask({{"ask", "watch"}}, kLimitMs);
  if (!answer) return tl::unexpected(answer.error());
  while (true) {
    const auto event = (*connection)->next(-1);
    if (!event) return tl::unexpected(event.error());
    std::cout << (options.as_json ? json_text(event->document) + "\n" : miss_line(event->document)) << std::flush;
  }
}

std::atomic<bool> interrupted{false};

// Until it is over, or we are interrupted: then with what there is.
Result<void> trace(const Options& options) {
  if (!(options.seconds >= 0.1 && options.seconds <= 600)) return fail("--seconds: expected 0.1 to 600");
  std::ofstream out(options.out);
  if (!out) return fail("--out: cannot write " + options.out);
  auto connection = connect(options.instance);
  if (!connection) return tl::unexpected(connection.error());
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int) { interrupted = true; });
  const auto collected = collect_traces(**connection, options.seconds, interrupted);
  if (!collected) return tl::unexpected(collected.error());
  for (const std::string& doubt : collected->doubts) std::cerr << "sam-ctl: " << doubt << "\n";
  if (!(out << collected->trace << std::flush)) return fail("--out: cannot write " + options.out);
  if (options.as_json) {
    std::cout << json_text(json{{"schema", kSchema},
                                {"programs", collected->programs},
                                {"file", options.out},
                                {"doubts", collected->doubts}})
              << "\n";
  } else {
    std::cout << options.out << ": " << collected->programs << (collected->programs == 1 ? " program" : " programs")
              << "; open it in https://ui.perfetto.dev or chrome://tracing\n";
  }
  return {};
}

// What the bound of one task is made of.
Result<void> explain(const Options& options) {
  const auto plan = ask(options, {{"ask", "analysis"}});
  if (!plan) return tl::unexpected(plan.error());
  for (json task : plan->at("tasks")) {
    if (task.at("name") != options.explain) continue;
    task["schema"] = kSchema;
    std::cout << (options.as_json ? json_text(task, 2) + "\n" : term_table(task));
    return {};
  }
  return fail("--explain: no task \"" + options.explain + "\" with a profile is registered");
}

Result<void> analyze(const Options& options) {
  if (!options.explain.empty()) return explain(options);
  if (options.save.empty()) return show(options, {{"ask", "analysis"}}, plan_table);
  const auto plan = ask(options, {{"ask", "analysis"}});
  if (!plan) return tl::unexpected(plan.error());
  if (plan->at("task_set").is_null()) return fail("--save: there is no task set yet: no task has a profile");
  std::ofstream out(options.save);
  if (!(out << json_text(plan->at("task_set"), 2) << "\n")) return fail("--save: cannot write " + options.save);
  return {};
}

void add_set(CLI::App& parent, Options& options) {
  Changes& changes = options.changes;
  CLI::App* set = parent.add_subcommand("set", "change a registered task, also for running programs; all else stays");
  set->add_option("NAME", options.task.name)->required();
  set->add_option("--priority", changes.priority, "larger is more urgent")->check(kAnyPriority)->option_text("INT");
  set->add_option("--weight", changes.weight, "of its share, for a task without a deadline");
  set->add_option("--period", changes.period, "such as 40ms");
  set->add_option("--deadline", changes.deadline, "such as 35ms");
  set->add_option("--gpus", changes.gpus, "GPUs to use; 0: all")->check(CLI::Range(0u, protocol::kMaxDevices));
  set->add_option("--devices", changes.devices, "those it may use, comma-separated")->delimiter(',');
  set->add_option("--memory", changes.memory, "that it reserves on each of its devices, such as 4GiB");
  set->add_option("--hold", changes.hold, "for how long jobs wait for what is being built: 10s, off or default");
  set->add_option("--match", changes.match, "executable whose processes are this task");
}

void add_register(CLI::App& parent, Options& options) {
  Registration& task = options.task;
  CLI::App* register_task = parent.add_subcommand("register", "add a task, or replace it, also for running programs");
  register_task->add_option("NAME", task.name, "as given to sam-run --task")->required();
  register_task
      ->add_option("--priority", task.priority, "larger is more urgent; also the SCHED_FIFO priority (1 to 98)")
      ->check(kAnyPriority)
      ->option_text("INT");
  register_task->add_option(
      "--weight", task.weight,
      "instead of priority, period and deadline: beneath all tasks that have these, share what they leave "
      "of each device's time by weight");
  register_task->add_option("--period", task.period, "such as 40ms; default: the profile's");
  register_task->add_option("--deadline", task.deadline,
                            "relative to the release, such as 35ms; default: the profile's, or the period");
  CLI::Option* gpus = register_task->add_option("--gpus", task.gpus, "GPUs to use; 0: all (default)")
                          ->check(CLI::Range(0u, protocol::kMaxDevices));
  register_task
      ->add_option("--profile", options.profile,
                   "execution times as sam-profile measures them: the manager then chooses the number of GPUs, "
                   "and bounds every response time")
      ->excludes(gpus);
  register_task
      ->add_option("--admission", options.admission,
                   "strict: refuse the task if a deadline is no longer guaranteed because of it")
      ->check(CLI::IsMember({"strict", "advisory"}))
      ->capture_default_str();
  register_task
      ->add_option("--devices", task.devices,
                   "those it may use, comma-separated: an index in the program's order, as sam-run --devices "
                   "leaves it, or a name as `sam-ctl status` shows it; default: all")
      ->delimiter(',');
  register_task->add_option(
      "--memory", task.memory,
      "that it reserves on each of its devices, such as 4GiB: refused where the sum does not fit");
  register_task->add_option(
      "--hold", task.hold,
      "for how long at most, such as 10s, its jobs wait at their begin for what is being built, until something is "
      "promised of them; off: they do not; default: as the manager is configured");
  register_task->add_option("--match", task.match, "executable (path or file name) whose processes are this task");
}

int run(int argc, char** argv) {
  Options options;
  const char* instance = std::getenv("SAMCL_INSTANCE");
  options.instance = instance && *instance ? instance : "default";
  CLI::App app("sam-ctl: registers tasks with sam-managerd and shows what it does");
  app.set_version_flag("--version", "sam-ctl " SAMCL_VERSION);
  app.require_subcommand(1);
  app.fallthrough();
  app.add_option("--instance", options.instance, "which sam-managerd; default: $SAMCL_INSTANCE, else default");
  app.add_flag("--json", options.as_json, "print JSON");
  add_register(app, options);
  add_set(app, options);
  CLI::App* remove = app.add_subcommand("unregister", "remove a task");
  remove->add_option("NAME", options.task.name)->required();
  CLI::App* free = app.add_subcommand("release", "take a device from whoever holds it, and grant it on");
  free->add_option("DEVICE", options.device, "as `sam-ctl status` names it")->required();
  CLI::App* ordered = app.add_subcommand(
      "policy", "by which devices and links are granted to tasks, with the bounds under each; or changes it");
  ordered->add_option("NAME", options.policy,
                      "fixed-priority, edf, fmlp-long, omlp, k-exclusion or containers; until the next configuration");
  CLI::App* past = app.add_subcommand("history", "how long a task's jobs took since the manager began");
  past->add_option("NAME", options.task.name)->required();
  app.add_subcommand("watch", "print deadlines as they are missed");
  CLI::App* traced = app.add_subcommand(
      "trace", "write what all programs do from now on, their commands, slices, leases and waits, on one time line");
  traced->add_option("--seconds", options.seconds, "for how long, 0.1 to 600")->capture_default_str();
  traced->add_option("-o,--out", options.out, "the file, as Chrome's trace events: for Perfetto or chrome://tracing")
      ->capture_default_str();
  app.add_subcommand("list", "registered tasks and their processes");
  app.add_subcommand("status", "connected programs; who holds and who waits for what");
  CLI::App* plan = app.add_subcommand(
      "analyze", "bounds on the response times of tasks with a profile, and on how many GPUs each runs");
  plan->add_option("--explain", options.explain, "what the bound of this task is made of")->type_name("TASK");
  plan->add_option("--save", options.save,
                   "write the task set that was analysed to this file, for `sam-analyze rta --explain`");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11 only says that there is no command.
    if (const auto unknown = app.remaining(true); error.get_name() == "RequiredError" && !unknown.empty()) {
      std::cerr << "sam-ctl: there is no command \"" << unknown.front() << "\"; sam-ctl --help names them\n";
      return 2;
    }
    return app.exit(error) == 0 ? 0 : 2;
  }

  const std::map<std::string, std::function<Result<void>()>> subcommands = {
      {"register", [&] { return register_task(options); }},
      {"unregister", [&] { return unregister_task(options); }},
      {"set", [&] { return set(options); }},
      {"release", [&] { return release(options); }},
      {"policy", [&] { return policy(options); }},
      {"watch", [&] { return watch(options); }},
      {"history", [&] { return show(options, {{"ask", "history"}, {"name", options.task.name}}, history_table); }},
      {"list", [&] { return show(options, {{"ask", "list"}}, task_table); }},
      {"status", [&] { return show(options, {{"ask", "status"}}, status_tables); }},
      {"trace", [&] { return trace(options); }},
      {"analyze", [&] { return analyze(options); }}};
  const Result<void> done = subcommands.at(app.get_subcommands().front()->get_name())();
  if (done) return all_is_printed("sam-ctl") ? 0 : 1;
  std::cerr << "sam-ctl: " << done.error().message << "\n";
  return 1;
}

}  // namespace
}  // namespace samcl::ctl

int main(int argc, char** argv) {
  try {
    return samcl::ctl::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "sam-ctl: " << error.what() << "\n";
    return 1;
  }
}
