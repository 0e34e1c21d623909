#include "sam-manager/daemon/report.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "sam-manager/planning/memory.h"

namespace samcl::daemon {

using nlohmann::json;

namespace {

json describe(const Broker& broker, uint32_t client) {
  const auto found = broker.programs().find(client);
  if (found == broker.programs().end()) return nullptr;
  const auto& assignment = found->second.assignment;
  const auto lent = broker.loans().of(client);
  return {{"pid", found->second.pid},
          {"task", assignment.task},
          {"priority", assignment.priority},
          {"weight", found->second.weight > 0 ? json(found->second.weight) : json()},
          {"lent_priority", lent ? json(*lent) : json()}};
}

const char* kind_of(uint32_t resource) { return resource % protocol::kResourcesPerDevice == 0 ? "gpu" : "link"; }

json show_resource(const Broker& broker, uint32_t resource) {
  json waiting = json::array();
  for (const scheduler::Waiter& waiter : broker.scheduler().waiters(resource))
    waiting.push_back(describe(broker, waiter.client));
  json holder = describe(broker, broker.scheduler().owner(resource));
  if (!holder.is_null()) holder["held_ns_at_least"] = broker.held_ns(resource);
  return {{"device", broker.devices().names()[resource / protocol::kResourcesPerDevice]},
          {"kind", kind_of(resource)},
          {"holder", holder},
          {"waiting", waiting}};
}

json show_program(const Broker& broker, const ConnectedProgram& program) {
  json entry = describe(broker, program.id);
  entry["user"] = program.user;
  entry["executable"] = program.executable;
  entry["gpus"] = program.assignment.gpus;
  entry["devices"] = json::array();
  for (const uint8_t device : devices_used(program)) entry["devices"].push_back(broker.devices().names()[device]);
  entry["threads"] = program.threads.size();
  const protocol::JobTimes& jobs = program.page->jobs;
  entry["jobs"] = jobs.count.load();
  entry["misses"] = jobs.misses.load();
  std::array<uint64_t, protocol::kResponseBuckets> responses;
  for (size_t bucket = 0; bucket < responses.size(); ++bucket) responses[bucket] = jobs.responses[bucket].load();
  // A bucket's end may lie beyond the longest.
  const uint64_t longest = jobs.longest_ns.load();
  entry["p50_ns"] = std::min(longest, protocol::response_percentile(responses, 0.5));
  entry["p99_ns"] = std::min(longest, protocol::response_percentile(responses, 0.99));
  entry["longest_response_ns"] = longest;
  entry["last_response_ns"] = jobs.last_ns.load();
  entry["overruns"] = program.overruns.describe();
  entry["demoted"] = program.demoted_until_ns != 0;
  const planning::AssignedTask* planned = broker.admission().plan().find(program.assignment.task);
  entry["bound_ns"] = planned && planned->bound_ns ? json(*planned->bound_ns) : json();
  return entry;
}

// A value of a label, as Prometheus wants it.
std::string label(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

void head(std::ostringstream& out, const char* name, const char* type, const char* help) {
  out << "# HELP " << name << " " << help << "\n# TYPE " << name << " " << type << "\n";
}

// What each device has (null: nobody told), and what tasks reserve there.
json show_memory(const Broker& broker) {
  const planning::Machine machine = broker.machine();
  const auto reserved =
      planning::reserved_memory(broker.admission().registry().tasks(), broker.admission().plan(), machine);
  json devices = json::array();
  for (size_t device = 0; device < machine.devices.size(); ++device)
    devices.push_back({{"device", machine.devices[device]},
                       {"bytes", machine.memory[device] > 0 ? json(machine.memory[device]) : json()},
                       {"reserved_bytes", reserved[device]}});
  return devices;
}

}  // namespace

json list_tasks(const Broker& broker) {
  json tasks = json::array();
  for (const auto& [name, task] : broker.admission().registry().tasks()) {
    json entry = {{"priority", nullptr},
                  {"period_ns", nullptr},
                  {"deadline_ns", nullptr},
                  {"weight", nullptr},
                  {"memory_bytes", 0}};
    entry.update(registry::to_json(task));
    entry["profile"] = !task.profile.empty();
    if (const auto* planned = broker.admission().plan().find(name)) entry["gpus"] = planned->mode;
    entry["processes"] = json::array();
    for (const auto& [id, program] : broker.programs())
      if (program.assignment.task == name) entry["processes"].push_back(program.pid);
    tasks.push_back(entry);
  }
  return {{"tasks", tasks}};
}

json show_status(const Broker& broker) {
  json resources = json::array();
  const auto count = static_cast<uint32_t>(broker.devices().names().size() * protocol::kResourcesPerDevice);
  for (uint32_t resource = 0; resource < count; ++resource) resources.push_back(show_resource(broker, resource));
  json programs = json::array();
  for (const auto& [id, program] : broker.programs()) programs.push_back(show_program(broker, program));
  const auto& costs = broker.settings().handovers;
  const auto& calibration = broker.calibration();
  return {{"pid", getpid()},
          {"policy", broker.scheduler().policy().name},
          {"memory", show_memory(broker)},
          {"resources", resources},
          {"programs", programs},
          {"handovers",
           {{"request_ns", costs ? json(costs->request) : json()},
            {"section_ns", costs ? json(costs->section) : json()},
            {"wake_ns", costs ? json(costs->wake) : json()},
            {"measured", calibration ? calibration->describe() : json()}}}};
}

Result<json> show_history(const Broker& broker, const std::string& task) {
  const auto& tasks = broker.admission().registry().tasks();
  const auto known = broker.history().find(task);
  const auto registered = tasks.find(task);
  if (known == broker.history().end() && registered == tasks.end())
    return fail("no task \"" + task + "\" is registered, or was since the manager began");
  json history = known == broker.history().end() ? TaskHistory().describe() : known->second.describe();
  history["task"] = task;
  history["deadline_ns"] =
      registered == tasks.end() || registered->second.weight > 0 ? json() : json(registered->second.deadline_ns);
  return history;
}

std::string show_metrics(const Broker& broker) {
  std::ostringstream out;
  head(out, "samcl_programs", "gauge", "Connected programs.");
  out << "samcl_programs " << broker.programs().size() << "\n";
  head(out, "samcl_resource_held", "gauge", "1 while somebody holds the resource.");
  head(out, "samcl_resource_waiting", "gauge", "Programs that wait for the resource.");
  const auto count = static_cast<uint32_t>(broker.devices().names().size() * protocol::kResourcesPerDevice);
  for (uint32_t resource = 0; resource < count; ++resource) {
    const std::string labels = "{device=" + label(broker.devices().names()[resource / protocol::kResourcesPerDevice]) +
                               ",resource=\"" + kind_of(resource) + "\"} ";
    out << "samcl_resource_held" << labels << (broker.scheduler().owner(resource) != 0) << "\n";
    out << "samcl_resource_waiting" << labels << broker.scheduler().waiters(resource).size() << "\n";
  }
  head(out, "samcl_response_seconds", "summary", "Response times of a task's jobs.");
  head(out, "samcl_deadline_misses_total", "counter", "Jobs of a task that took longer than its deadline.");
  head(out, "samcl_bound_seconds", "gauge", "Proven bound on a task's response time.");
  for (const auto& [task, history] : broker.history()) {
    const std::string name = "task=" + label(task);
    for (const double share : {0.5, 0.99})
      out << "samcl_response_seconds{" << name << ",quantile=\"" << share << "\"} "
          << static_cast<double>(protocol::response_percentile(history.responses, share)) / 1e9 << "\n";
    out << "samcl_response_seconds_count{" << name << "} " << history.jobs << "\n";
    out << "samcl_deadline_misses_total{" << name << "} " << history.misses << "\n";
  }
  head(out, "samcl_overruns_total", "counter",
       "What a task did beyond its promise: sections too long, jobs too early or too long.");
  for (const auto& [task, history] : broker.history())
    for (const auto& [kind, count] : {std::pair{"section", history.overruns.sections},
                                      {"early_job", history.overruns.early_jobs},
                                      {"long_job", history.overruns.long_jobs}})
      out << "samcl_overruns_total{task=" << label(task) << ",kind=\"" << kind << "\"} " << count << "\n";
  for (const planning::AssignedTask& task : broker.admission().plan().tasks)
    if (task.bound_ns)
      out << "samcl_bound_seconds{task=" << label(task.name) << "} " << static_cast<double>(*task.bound_ns) / 1e9
          << "\n";
  return out.str();
}

}  // namespace samcl::daemon
