// sam-ctl: registers tasks with sam-managerd and shows what it does.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>

#include "sam-manager/protocol/connection.h"
#include "tools/sam-ctl/duration.h"
#include "tools/sam-ctl/tables.h"

namespace samcl::ctl {
namespace {

using nlohmann::json;
using protocol::Connection;
using protocol::Kind;
using protocol::Request;

constexpr int kLimitMs = 2000;

struct Options {
  std::string instance;
  std::string name;
  std::string period;
  std::string deadline;
  std::string match;
  std::vector<std::string> devices;
  int priority = 0;
  uint32_t gpus = 0;
  bool as_json = false;
};

Result<std::unique_ptr<Connection>> connect(const std::string& instance) {
  auto connection = Connection::open(instance);
  if (connection || connection.error().message.rfind("no sam-managerd", 0) != 0) return connection;
  return fail(connection.error().message + "; start it with: sam-managerd --instance " + instance);
}

Result<void> store_devices(const std::vector<std::string>& devices, Request& request) {
  for (const std::string& device : devices) {
    const bool is_index = device.find_first_not_of("0123456789") == std::string::npos;
    if (is_index &&
        (device.size() > 2 || std::atoi(device.c_str()) >= static_cast<int>(protocol::kMaxDevices)))
      return fail("--devices: there is no device " + device + ": expected 0 to " +
                  std::to_string(protocol::kMaxDevices - 1) + ", or a name as `sam-ctl status` shows it");
    if (std::count(devices.begin(), devices.end(), device) > 1)
      return fail("--devices: " + device + " is named twice");
    if (request.device_count == protocol::kMaxDevices || device.empty() ||
        !protocol::store(device, request.devices[request.device_count]))
      return fail("--devices: too many names, or one that is empty or too long");
    ++request.device_count;
  }
  return {};
}

Result<Request> make_registration(const Options& options) {
  Request request;
  request.header.kind = Kind::enroll;
  if (!protocol::store(options.name, request.task) || options.name.empty())
    return fail("NAME must have 1 to " + std::to_string(protocol::kNameBytes - 1) + " bytes");
  if (!protocol::store(options.match, request.match)) return fail("--match: the path is too long");
  const auto period = parse_duration(options.period);
  if (!period) return fail("--period: " + period.error().message);
  const auto deadline = parse_duration(options.deadline);
  if (!deadline) return fail("--deadline: " + deadline.error().message);
  request.period_ns = *period;
  request.deadline_ns = *deadline;
  request.priority = options.priority;
  request.gpus = options.gpus;
  if (auto checked = store_devices(options.devices, request); !checked)
    return tl::unexpected(checked.error());
  return request;
}

Result<void> send(const Options& options, const Result<Request>& request) {
  if (!request) return tl::unexpected(request.error());
  auto connection = connect(options.instance);
  if (!connection) return tl::unexpected(connection.error());
  const auto reply = (*connection)->ask(*request, kLimitMs);
  if (!reply) return tl::unexpected(reply.error());
  if (options.as_json) std::cout << json{{"instance", options.instance}, {"task", options.name}} << "\n";
  return {};
}

Result<void> withdraw(const Options& options) {
  Request request;
  request.header.kind = Kind::withdraw;
  if (!protocol::store(options.name, request.task))
    return fail("no task \"" + options.name + "\" is registered");
  return send(options, request);
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

  CLI::App* enroll = app.add_subcommand("register", "add a task, or change it, also for running programs");
  enroll->add_option("NAME", options.name, "as given to sam-run --task")->required();
  enroll
      ->add_option("--priority", options.priority,
                   "larger is more urgent; also the SCHED_FIFO priority (1 to 98)")
      ->required();
  enroll->add_option("--period", options.period, "such as 40ms")->required();
  enroll->add_option("--deadline", options.deadline, "relative to the release, such as 35ms")->required();
  enroll->add_option("--gpus", options.gpus, "GPUs to use; 0: all (default)")
      ->check(CLI::Range(0u, protocol::kMaxDevices));
  enroll
      ->add_option("--devices", options.devices,
                   "those it may use, comma-separated: an index in the program's order, as sam-run --devices "
                   "leaves it, or a name as `sam-ctl status` shows it; default: all")
      ->delimiter(',');
  enroll->add_option("--match", options.match,
                     "executable (path or file name) whose processes are this task");
  CLI::App* remove = app.add_subcommand("unregister", "remove a task");
  remove->add_option("NAME", options.name)->required();
  CLI::App* list = app.add_subcommand("list", "registered tasks and their processes");
  CLI::App* status = app.add_subcommand("status", "connected programs; who holds and who waits for what");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }

  Result<void> done;
  if (*enroll) done = send(options, make_registration(options));
  if (*remove) done = withdraw(options);
  if (*list) done = show(options, Kind::list, task_table);
  if (*status) done = show(options, Kind::status, status_tables);
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
