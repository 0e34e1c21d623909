#include "sam-manager/daemon/requests.h"

#include <chrono>
#include <map>

#include "sam-manager/daemon/tracing.h"
#include "sam-manager/planning/memory.h"
#include "sam-manager/planning/profile.h"
#include "sam-manager/protocol/document.h"
#include "sam-manager/protocol/process.h"

namespace samcl::daemon {

using nlohmann::json;
using protocol::Fields;
using registry::Task;

namespace {

constexpr size_t kNameBytes = protocol::kNameBytes - 1;

struct Context {
  Broker& broker;
  const Board& board;
  const Caller& caller;
  const json& request;
};

Result<void> check_administrator(const Context& context) {
  if (context.caller.rights.may_administrate) return {};
  return fail(
      "only root, the user who runs sam-managerd, and those whom its configuration names "
      "(access.administrators) may change this; you are user " +
      std::to_string(context.caller.peer.user));
}

Result<Outcome> hello(const Context& context) {
  Fields fields(context.request, "hello");
  Hello hello;
  hello.task = fields.text("task", kNameBytes);
  hello.gpus = static_cast<uint32_t>(fields.integer_or("gpus", 0, UINT32_MAX, 0));
  hello.devices = fields.names("devices", protocol::kMaxDevices, kNameBytes);
  if (context.request.contains("memory"))
    for (const int64_t bytes : fields.integers("memory", hello.devices.size(), 0, INT64_MAX))
      hello.memory.push_back(static_cast<uint64_t>(bytes));
  if (auto read = fields.end(); !read) return tl::unexpected(read.error());
  if (hello.devices.empty()) return fail("hello: devices: expected at least one");
  if (!context.caller.rights.may_use)
    return fail("user " + std::to_string(context.caller.peer.user) +
                " may not use the devices: ask an administrator for a place in the manager's group, or in its "
                "configuration (access.allow)");
  if (context.caller.program != 0) return fail("hello: this connection has a program already");
  const protocol::Peer& peer = context.caller.peer;
  const auto program = context.broker.connect(hello, peer.pid, peer.user, context.caller.rights,
                                              peer.pid > 0 ? protocol::process_executable(peer.pid) : "");
  if (!program) return tl::unexpected(program.error());
  Outcome outcome;
  outcome.answer = json{{"client", (*program)->id}, {"devices", (*program)->devices}};
  outcome.program = (*program)->id;
  outcome.attached = {context.board.notice_descriptor(), context.board.words_descriptor(), (*program)->page_descriptor};
  return outcome;
}

Outcome answered(json answer) {
  Outcome outcome;
  outcome.answer = std::move(answer);
  return outcome;
}

Outcome reported(std::string name, std::function<Document()> begin) {
  Outcome outcome;
  outcome.report = Report{std::move(name), std::move(begin)};
  return outcome;
}

Result<void> check_profile(Task& task) {
  if (task.profile.empty()) return {};
  if (task.profile.size() > protocol::kMaxProfileBytes)
    return fail("profile: expected at most " + std::to_string(protocol::kMaxProfileBytes) + " bytes");
  const auto profile = planning::parse_profile(task.profile);
  if (!profile) return fail("the profile: " + profile.error().message);
  if (task.gpus != 0) return fail("a task with a profile gets its number of GPUs from the plan");
  if (task.deadline_ns > task.period_ns) return fail("with a profile, the deadline may not be after the period");
  if (task.period_ns > static_cast<uint64_t>(analysis::kLongest))
    return fail("with a profile, the period may be 9.7 hours at most");
  task.profile = planning::format_profile(*profile);
  return {};
}

Result<Outcome> put(const Context& context, const json& value) {
  auto task = registry::task_from_json(value);
  if (!task) return tl::unexpected(task.error());
  if (auto checked = check_profile(*task); !checked) return tl::unexpected(checked.error());
  Fields fields(context.request, "register");
  const bool strict = fields.flag("strict");
  if (auto read = fields.end(); !read) return tl::unexpected(read.error());
  const std::string name = task->name;
  if (auto asked = context.broker.change({context.caller.id, name, *std::move(task), strict}); !asked)
    return tl::unexpected(asked.error());
  return Outcome{};
}

Result<Outcome> register_task(const Context& context) {
  if (auto may = check_administrator(context); !may) return tl::unexpected(may.error());
  const auto task = context.request.find("task");
  return put(context, task == context.request.end() ? json() : *task);
}

// What `changes` names of a task that is registered; all else stays.
Result<Outcome> set(const Context& context) {
  if (auto may = check_administrator(context); !may) return tl::unexpected(may.error());
  Fields fields(context.request, "set");
  const std::string name = fields.name("name", kNameBytes);
  const json* changes = fields.object("changes");
  if (auto read = fields.end(); !read) return tl::unexpected(read.error());
  const auto& tasks = context.broker.admission().registry().tasks();
  const auto found = tasks.find(name);
  if (found == tasks.end()) return fail("no task \"" + name + "\" is registered");
  json task = registry::to_json(found->second);
  if (changes) task.update(*changes);
  task["name"] = name;
  return put(context, task);
}

Result<std::string> name_in(const Context& context, const char* where, const char* field) {
  Fields fields(context.request, where);
  auto name = fields.name(field, kNameBytes);
  if (auto read = fields.end(); !read) return tl::unexpected(read.error());
  return name;
}

Result<Outcome> unregister_task(const Context& context) {
  if (auto may = check_administrator(context); !may) return tl::unexpected(may.error());
  const auto name = name_in(context, "unregister", "name");
  if (!name) return tl::unexpected(name.error());
  if (auto asked = context.broker.change({context.caller.id, *name, std::nullopt, false}); !asked)
    return tl::unexpected(asked.error());
  return Outcome{};
}

Result<Outcome> release(const Context& context) {
  if (auto may = check_administrator(context); !may) return tl::unexpected(may.error());
  const auto device = name_in(context, "release", "device");
  if (!device) return tl::unexpected(device.error());
  if (auto released = context.broker.release(*device); !released) return tl::unexpected(released.error());
  return answered(json::object());
}

Result<Outcome> policy(const Context& context) {
  if (auto may = check_administrator(context); !may) return tl::unexpected(may.error());
  const auto name = name_in(context, "policy", "name");
  if (!name) return tl::unexpected(name.error());
  if (auto set = context.broker.set_policy(*name); !set) return tl::unexpected(set.error());
  return answered({{"policy", *name}});
}

Result<Outcome> history(const Context& context) {
  const auto task = name_in(context, "history", "name");
  if (!task) return tl::unexpected(task.error());
  auto shown = show_history(context.broker, *task);
  if (!shown) return tl::unexpected(shown.error());
  return reported("history of " + *task, [document = *std::move(shown)] { return document; });
}

// A trace shows what all programs do, by name.
Result<Outcome> trace(const Context& context) {
  if (auto may = check_administrator(context); !may) return tl::unexpected(may.error());
  Fields fields(context.request, "trace");
  const auto until = static_cast<uint64_t>(fields.integer("until_ns", 0, INT64_MAX));
  if (auto read = fields.end(); !read) return tl::unexpected(read.error());
  const auto now =
      static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
  if (until > now + kLongestTraceNs) return fail("trace: until_ns: expected a time within ten minutes from now");
  return reported("traces until " + std::to_string(until),
                  [document = ask_for_traces(context.broker, until)] { return document; });
}

Result<Outcome> watch(const Context&) {
  Outcome outcome = answered(json{{"watching", true}});
  outcome.watches = true;
  return outcome;
}

using Handler = Result<Outcome> (*)(const Context&);

const std::map<std::string, Handler, std::less<>> kHandlers = {
    {"hello", hello},
    {"register", register_task},
    {"set", set},
    {"unregister", unregister_task},
    {"release", release},
    {"policy", policy},
    {"history", history},
    {"watch", watch},
    {"trace", trace},
    {"list",
     [](const Context& c) -> Result<Outcome> {
       return reported("list", [&broker = c.broker] { return list_tasks(broker); });
     }},
    {"status",
     [](const Context& c) -> Result<Outcome> {
       return reported("status", [&broker = c.broker] { return show_status(broker); });
     }},
    {"analysis",
     [](const Context& c) -> Result<Outcome> {
       return reported("analysis", [&broker = c.broker] { return show_analysis(broker); });
     }},
};

std::vector<pid_t> processes_of(const Broker& broker, const Change& change) {
  std::vector<pid_t> processes;
  for (const auto& [id, program] : broker.programs())
    if (program.asked == change.name || program.assignment.task == change.name) processes.push_back(program.pid);
  return processes;
}

std::vector<std::string> doubts(const Broker& broker, const Task& task) {
  std::vector<std::string> found = registry::doubts(task, broker.admission().registry().tasks());
  const planning::Machine machine = broker.machine();
  bool is_known = !machine.devices.empty();
  for (const size_t device : planning::devices_of(task, broker.admission().plan(), machine))
    is_known = is_known && device < machine.memory.size() && machine.memory[device] > 0;
  if (const auto* planned = broker.admission().plan().find(task.name); planned && planned->guaranteed())
    if (const std::string why = why_building(broker, task.name); !why.empty())
      found.push_back("nothing is guaranteed yet: " + why);
  if (task.memory_bytes > 0 && !is_known)
    found.emplace_back(
        "nobody told yet how much memory its devices have (device_memory in the configuration, or the first "
        "program): what it reserves is not compared with that");
  return found;
}

}  // namespace

Result<Outcome> handle(Broker& broker, const Board& board, const std::string& instance, const Caller& caller,
                       const json& request) {
  const auto ask = request.find("ask");
  const auto handler =
      ask != request.end() && ask->is_string() ? kHandlers.find(ask->get_ref<const std::string&>()) : kHandlers.end();
  if (handler == kHandlers.end()) {
    std::string names;
    for (const auto& [name, ignored] : kHandlers) names += (names.empty() ? "" : ", ") + name;
    return fail("ask: expected one of " + names);
  }
  auto outcome = handler->second({broker, board, caller, request});
  if (outcome && outcome->answer) (*outcome->answer)["instance"] = instance;
  return outcome;
}

json answer_to(const Broker& broker, const Admission::Decision& decision) {
  if (!decision.made) return {{"error", decision.made.error().message}};
  json answer = {{"task", decision.change.name}, {"processes", processes_of(broker, decision.change)}};
  if (decision.change.task) answer["doubts"] = doubts(broker, *decision.change.task);
  return answer;
}

}  // namespace samcl::daemon
