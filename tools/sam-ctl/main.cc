// sam-ctl: registers tasks with sam-managerd and shows what it does.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sam-manager/protocol/connection.h"
#include "tools/sam-ctl/registration.h"
#include "tools/sam-ctl/tables.h"

namespace samcl::ctl {
namespace {

using nlohmann::json;
using protocol::Connection;
using protocol::Kind;
using protocol::Request;

constexpr int kLimitMs = 2000;
constexpr int kPlanLimitMs = 60'000;  // where it has to choose the number of GPUs for all tasks

struct Options {
  std::string instance;
  Registration task;
  std::string profile;  // file
  std::string admission = "advisory";
  std::string save;
  bool as_json = false;
};

Result<std::unique_ptr<Connection>> connect(const std::string& instance) {
  auto connection = Connection::open(instance);
  if (connection || connection.error().message.rfind("no sam-managerd", 0) != 0) return connection;
  return fail(connection.error().message + "; start it with: sam-managerd --instance " + instance);
}

Result<void> send(const std::string& instance, const std::vector<Request>& requests) {
  auto connection = connect(instance);
  if (!connection) return tl::unexpected(connection.error());
  for (const Request& request : requests)
    if (auto reply = (*connection)->ask(request, kPlanLimitMs); !reply) return tl::unexpected(reply.error());
  return {};
}

// A long answer comes in pieces.
Result<json> fetch(const std::string& instance, Kind kind) {
  auto connection = connect(instance);
  if (!connection) return tl::unexpected(connection.error());
  Request request;
  request.header.kind = kind;
  std::string text;
  while (true) {
    request.offset = static_cast<uint32_t>(text.size());
    const auto reply = (*connection)->ask(request, kLimitMs);
    if (!reply) return tl::unexpected(reply.error());
    text.append(reply->text, reply->length);
    if (text.size() >= reply->total || reply->length == 0) break;
  }
  json answer = json::parse(text, nullptr, false);
  if (answer.is_discarded()) return fail("the answer of sam-managerd makes no sense");
  return answer;
}

Result<void> show(const Options& options, Kind kind, std::string (*table)(const json&)) {
  const auto answer = fetch(options.instance, kind);
  if (!answer) return tl::unexpected(answer.error());
  std::cout << (options.as_json ? answer->dump(2) + "\n" : table(*answer));
  return {};
}

Result<std::string> read_file(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) return fail("cannot read " + file);
  return text.str();
}

Result<void> enroll(Options& options) {
  if (!options.profile.empty()) {
    auto text = read_file(options.profile);
    if (!text) return fail("--profile: " + text.error().message);
    options.task.profile = *std::move(text);
  }
  options.task.strict = options.admission == "strict";
  const auto requests = make_requests(options.task);
  if (!requests) return tl::unexpected(requests.error());
  if (auto sent = send(options.instance, *requests); !sent) return sent;
  if (!options.profile.empty()) return show(options, Kind::analysis, plan_table);
  if (options.as_json) std::cout << json{{"instance", options.instance}, {"task", options.task.name}} << "\n";
  return {};
}

Result<void> withdraw(const Options& options) {
  Request request;
  request.header.kind = Kind::withdraw;
  if (!protocol::store(options.task.name, request.task) || options.task.name.empty())
    return fail("no task \"" + options.task.name + "\" is registered");
  auto sent = send(options.instance, {request});
  if (sent && options.as_json)
    std::cout << json{{"instance", options.instance}, {"task", options.task.name}} << "\n";
  return sent;
}

Result<void> analyze(const Options& options) {
  if (options.save.empty()) return show(options, Kind::analysis, plan_table);
  const auto plan = fetch(options.instance, Kind::analysis);
  if (!plan) return tl::unexpected(plan.error());
  if (plan->at("task_set").is_null()) return fail("--save: there is no task set yet: no task has a profile");
  std::ofstream out(options.save);
  if (!(out << plan->at("task_set").dump(2) << "\n")) return fail("--save: cannot write " + options.save);
  return {};
}

void add_register(CLI::App& parent, Options& options) {
  Registration& task = options.task;
  CLI::App* enroll = parent.add_subcommand("register", "add a task, or replace it, also for running programs");
  enroll->add_option("NAME", task.name, "as given to sam-run --task")->required();
  enroll
      ->add_option("--priority", task.priority, "larger is more urgent; also the SCHED_FIFO priority (1 to 98)")
      ->required();
  enroll->add_option("--period", task.period, "such as 40ms; default: the profile's");
  enroll->add_option("--deadline", task.deadline,
                     "relative to the release, such as 35ms; default with a profile: its own, or the period");
  CLI::Option* gpus = enroll->add_option("--gpus", task.gpus, "GPUs to use; 0: all (default)")
                          ->check(CLI::Range(0u, protocol::kMaxDevices));
  enroll
      ->add_option("--profile", options.profile,
                   "execution times as sam-profile measures them: the manager then chooses the number of GPUs, "
                   "and bounds every response time")
      ->excludes(gpus);
  enroll
      ->add_option("--admission", options.admission,
                   "strict: refuse the task if a deadline is no longer guaranteed because of it")
      ->check(CLI::IsMember({"strict", "advisory"}))
      ->capture_default_str();
  enroll
      ->add_option("--devices", task.devices,
                   "those it may use, comma-separated: an index in the program's order, as sam-run --devices "
                   "leaves it, or a name as `sam-ctl status` shows it; default: all")
      ->delimiter(',');
  enroll->add_option("--match", task.match, "executable (path or file name) whose processes are this task");
}

int run(int argc, char** argv) {
  Options options;
  const char* instance = std::getenv("SAMCL_INSTANCE");
  options.instance = instance && *instance ? instance : "default";
  CLI::App app("sam-ctl: registers tasks with sam-managerd and shows what it does");
  app.require_subcommand(1);
  app.fallthrough();
  app.add_option("--instance", options.instance,
                 "which sam-managerd; default: $SAMCL_INSTANCE, else default");
  app.add_flag("--json", options.as_json, "print JSON");
  add_register(app, options);
  CLI::App* remove = app.add_subcommand("unregister", "remove a task");
  remove->add_option("NAME", options.task.name)->required();
  app.add_subcommand("list", "registered tasks and their processes");
  app.add_subcommand("status", "connected programs; who holds and who waits for what");
  CLI::App* plan = app.add_subcommand(
      "analyze", "bounds on the response times of tasks with a profile, and on how many GPUs each runs");
  plan->add_option("--save", options.save,
                   "write the task set that was analysed to this file, for `sam-analyze rta --explain`");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }

  const std::map<std::string, std::function<Result<void>()>> subcommands = {
      {"register", [&] { return enroll(options); }},
      {"unregister", [&] { return withdraw(options); }},
      {"list", [&] { return show(options, Kind::list, task_table); }},
      {"status", [&] { return show(options, Kind::status, status_tables); }},
      {"analyze", [&] { return analyze(options); }}};
  const Result<void> done = subcommands.at(app.get_subcommands().front()->get_name())();
  if (done) return 0;
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
