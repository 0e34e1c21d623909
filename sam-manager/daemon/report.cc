#include "sam-manager/daemon/report.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <sstream>
#include <utility>
#include <vector>

#include "sam-manager/planning/memory.h"

namespace samcl::daemon {

using nlohmann::json;

namespace {

// A program as it was; its page may go on changing.
struct Shown {
  uint32_t id;
  pid_t pid;
  uid_t user;
  std::string executable;
  uint32_t weight;
  std::string task;
  int priority;
  int thread_priority;
  uint32_t gpus;
  std::vector<uint8_t> devices;  // that it uses
  size_t threads;
  uint64_t memory;  // of the device of which it has most
  Overruns overruns;
  bool is_demoted, is_idle;
  std::optional<uint64_t> cpu_used;
  std::optional<int> lent;
  std::shared_ptr<const protocol::ClientPage> page;
};

struct ShownResource {
  uint8_t device;
  const char* kind;
  uint32_t owner;
  uint64_t held_ns;
  std::vector<uint32_t> waiting;  // programs
};

// All that a status is written from.
struct Status {
  std::vector<Shown> programs;  // by id
  std::vector<ShownResource> resources;
  std::vector<uint64_t> memory_used;  // of each device, bytes
  planning::Machine machine;
  std::shared_ptr<const registry::Tasks> tasks;
  std::shared_ptr<const planning::Assignment> plan;
  std::string policy;
  bool ranks_threads;
  std::optional<uint64_t> cpu_watch;
  std::optional<analysis::Handovers> handovers;
  std::optional<Calibration> calibration;

  const Shown* find(uint32_t id) const {
    const auto found = std::ranges::lower_bound(programs, id, {}, &Shown::id);
    return found != programs.end() && found->id == id ? &*found : nullptr;
  }
};

uint32_t resources_of(const Broker& broker) {
  return static_cast<uint32_t>(broker.devices().names().size() * protocol::kResourcesPerDevice);
}

const char* kind_of(uint32_t resource) { return resource % protocol::kResourcesPerDevice == 0 ? "gpu" : "link"; }

// Links and GPUs, and, where a job has one to itself, GPUs for jobs.
std::vector<ShownResource> resources_shown(const Broker& broker) {
  std::vector<ShownResource> shown;
  for (uint32_t resource = 0; resource < resources_of(broker); ++resource) {
    shown.push_back({static_cast<uint8_t>(resource / protocol::kResourcesPerDevice),
                     kind_of(resource),
                     broker.scheduler().owner(resource),
                     broker.held_ns(resource),
                     {}});
    for (const auto& waiter : broker.scheduler().waiters(resource)) shown.back().waiting.push_back(waiter.client);
  }
  if (!broker.scheduler().policy().gives_own_gpus()) return shown;
  const auto count = static_cast<uint8_t>(broker.devices().names().size());
  for (uint8_t device = 0; device < count; ++device)
    shown.push_back({device, "job", broker.own_gpus().owner(device), broker.held_ns(Broker::kFirstOwnGpu + device),
                     broker.own_gpus().waiting_for(device)});
  return shown;
}

Status status_of(const Broker& broker) {
  Status status{{},
                {},
                {},
                broker.machine(),
                broker.admission().registry().share(),
                broker.admission().share_plan(),
                broker.scheduler().policy().name,
                broker.scheduler().policy().ranks_threads(),
                broker.settings().cpu_watch_ns,
                broker.settings().handovers,
                broker.calibration()};
  status.programs.reserve(broker.programs().size());
  for (const auto& [id, program] : broker.programs()) {
    const auto& assignment = program.assignment;
    status.programs.push_back({id, program.pid, program.user, program.executable, program.weight, assignment.task,
                               assignment.priority, program.thread_priority, assignment.gpus, devices_used(program),
                               program.threads.size(), most_memory_of(program), program.overruns, is_demoted(program),
                               program.is_idle, broker.cpu_budgets().used_ns(id), std::nullopt, program.page});
  }
  status.resources = resources_shown(broker);
  const auto count = static_cast<uint8_t>(broker.devices().names().size());
  for (uint8_t device = 0; device < count; ++device) {
    status.memory_used.push_back(0);
    for (const auto& [id, program] : broker.programs()) status.memory_used.back() += memory_of(program, device);
  }
  for (const ShownResource& resource : status.resources) {
    // Nobody else is lent anything.
    const auto holder = std::ranges::lower_bound(status.programs, resource.owner, {}, &Shown::id);
    if (holder != status.programs.end() && holder->id == resource.owner)
      holder->lent = broker.loans().of(resource.owner);
  }
  return status;
}

json or_null(const auto& value) { return value ? json(*value) : json(); }

json describe(const Shown* program) {
  if (!program) return nullptr;
  return {{"pid", program->pid},
          {"task", program->task},
          {"priority", program->priority},
          {"weight", program->weight > 0 ? json(program->weight) : json()},
          {"lent_priority", or_null(program->lent)}};
}

json show_resource(const Status& status, const ShownResource& shown) {
  json waiting = json::array();
  for (const uint32_t program : shown.waiting) waiting.push_back(describe(status.find(program)));
  json holder = describe(status.find(shown.owner));
  if (!holder.is_null()) holder["held_ns_at_least"] = shown.held_ns;
  return {
      {"device", status.machine.devices[shown.device]}, {"kind", shown.kind}, {"holder", holder}, {"waiting", waiting}};
}

// Why nothing is promised of a program's jobs yet; "": it is.
std::string why_building(const protocol::JobTimes& jobs) {
  if (!jobs.is_building()) return "";
  if (jobs.count.load() == 0)
    return jobs.began_ns.load() == 0 ? "no job of it was marked yet" : "its first job has not ended yet";
  return "no job of it has ended yet in which nothing was built";
}

// Of each task one program that has not built yet, and why.
std::map<std::string, std::string> building_tasks(const Broker& broker) {
  std::map<std::string, std::string> tasks;
  for (const auto& [id, program] : broker.programs())
    if (const std::string why = why_building(program.page->jobs); !why.empty() && !program.assignment.task.empty())
      tasks.emplace(program.assignment.task, "process " + std::to_string(program.pid) + ": " + why);
  return tasks;
}

// What is guaranteed by the plan is not while one of its programs builds. entry: of a task, in a list or an analysis.
void show_building(const std::map<std::string, std::string>& building, const std::string& task, json& entry) {
  const auto found = building.find(task);
  entry["building"] = found == building.end() ? json() : json(found->second);
  if (found != building.end()) entry["guaranteed"] = false;
}

json show_program(const Status& status, const Shown& program) {
  json entry = describe(&program);
  entry["user"] = program.user;
  entry["executable"] = program.executable;
  entry["gpus"] = program.gpus;
  entry["devices"] = json::array();
  for (const uint8_t device : program.devices) entry["devices"].push_back(status.machine.devices[device]);
  entry["threads"] = program.threads;
  entry["thread_priority"] = program.thread_priority;
  entry["idle"] = program.is_idle;
  entry["gpu_leases"] = program.page->leases_of(0);
  entry["link_leases"] = program.page->leases_of(1);
  const auto task = status.tasks->find(program.task);
  entry["memory_bytes"] = task == status.tasks->end() ? 0 : task->second.memory_bytes;
  entry["memory_used_bytes"] = program.memory;
  uint64_t limit = UINT64_MAX;
  for (const auto& of_device : program.page->memory_limits)
    if (const uint64_t bytes = of_device.load(); bytes > 0) limit = std::min(limit, bytes);
  entry["memory_limit_bytes"] = limit == UINT64_MAX ? json() : json(limit);
  const protocol::JobTimes& jobs = program.page->jobs;
  entry["jobs"] = jobs.count.load();
  entry["misses"] = jobs.misses.load();
  const std::string why = why_building(jobs);
  entry["building"] = !why.empty();
  entry["building_because"] = why.empty() ? json() : json(why);
  entry["building_jobs"] = jobs.building.load();
  entry["longest_building_ns"] = jobs.longest_building_ns.load();
  std::array<uint64_t, protocol::kResponseBuckets> responses;
  for (size_t bucket = 0; bucket < responses.size(); ++bucket) responses[bucket] = jobs.responses[bucket].load();
  // A bucket's end may lie beyond the longest.
  const uint64_t longest = jobs.longest_ns.load();
  entry["p50_ns"] = std::min(longest, protocol::response_percentile(responses, 0.5));
  entry["p99_ns"] = std::min(longest, protocol::response_percentile(responses, 0.99));
  entry["longest_response_ns"] = longest;
  entry["last_response_ns"] = jobs.last_ns.load();
  entry["overruns"] = program.overruns.describe();
  entry["demoted"] = program.is_demoted;
  const planning::AssignedTask* planned = status.plan->find(program.task);
  // Of the budget at hand, when last looked at.
  entry["cpu_used_ns"] = or_null(program.cpu_used);
  entry["cpu_budget_ns"] = planned && program.cpu_used ? or_null(planned->cpu_ns) : json();
  entry["bound_ns"] = planned ? or_null(planned->bound_ns) : json();
  return entry;
}

// What each device has (null: nobody told), and what tasks reserve there.
json show_memory(const Status& status) {
  const planning::Machine& machine = status.machine;
  const auto reserved = planning::reserved_memory(*status.tasks, *status.plan, machine);
  json devices = json::array();
  for (size_t device = 0; device < machine.devices.size(); ++device)
    devices.push_back({{"device", machine.devices[device]},
                       {"bytes", machine.memory[device] > 0 ? json(machine.memory[device]) : json()},
                       {"reserved_bytes", reserved[device]},
                       {"used_bytes", status.memory_used[device]}});
  return devices;
}

json write_status(const Status& status) {
  json resources = json::array();
  for (const ShownResource& resource : status.resources) resources.push_back(show_resource(status, resource));
  json programs = json::array();
  for (const Shown& program : status.programs) programs.push_back(show_program(status, program));
  const auto& costs = status.handovers;
  return {{"pid", getpid()},
          {"policy", status.policy},
          {"cpu_watch_ns", or_null(status.cpu_watch)},
          {"threads", status.ranks_threads ? "by deadline" : "by priority"},
          {"memory", show_memory(status)},
          {"resources", resources},
          {"programs", programs},
          {"handovers",
           {{"request_ns", costs ? json(costs->request) : json()},
            {"section_ns", costs ? json(costs->section) : json()},
            {"wake_ns", costs ? json(costs->wake) : json()},
            {"measured", status.calibration ? status.calibration->describe() : json()}}}};
}

json write_tasks(const registry::Tasks& tasks, const planning::Assignment& plan,
                 const std::multimap<std::string, pid_t>& processes, const std::string& unenforced,
                 const std::map<std::string, std::string>& building) {
  json list = json::array();
  for (const auto& [name, task] : tasks) {
    json entry = {{"priority", nullptr},
                  {"period_ns", nullptr},
                  {"deadline_ns", nullptr},
                  {"weight", nullptr},
                  {"memory_bytes", 0}};
    entry.update(registry::to_json(task));
    entry["profile"] = !task.profile.empty();
    const auto* planned = plan.find(name);
    if (planned) entry["gpus"] = planned->mode;
    entry["bound_ns"] = planned ? or_null(planned->bound_ns) : json();
    entry["guaranteed"] = planned && planned->guaranteed() && unenforced.empty();
    show_building(building, name, entry);
    entry["processes"] = json::array();
    const auto [begin, end] = processes.equal_range(name);
    for (auto process = begin; process != end; ++process) entry["processes"].push_back(process->second);
    list.push_back(entry);
  }
  return {{"tasks", list}};
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

double seconds(uint64_t ns) { return static_cast<double>(ns) / 1e9; }

// What Prometheus reads.
struct Numbers {
  struct Resource {
    std::string labels;
    bool is_held;
    size_t waiting;
  };
  size_t programs;
  std::vector<Resource> resources;
  std::vector<std::pair<std::string, TaskHistory>> tasks;
  std::shared_ptr<const planning::Assignment> plan;
};

// All samples of a metric stand together, as the format wants it.
std::string write_metrics(const Numbers& numbers) {
  std::ostringstream out;
  head(out, "samcl_programs", "gauge", "Connected programs.");
  out << "samcl_programs " << numbers.programs << "\n";
  head(out, "samcl_resource_held", "gauge", "1 while somebody holds the resource.");
  for (const auto& resource : numbers.resources)
    out << "samcl_resource_held" << resource.labels << resource.is_held << "\n";
  head(out, "samcl_resource_waiting", "gauge", "Programs that wait for the resource.");
  for (const auto& resource : numbers.resources)
    out << "samcl_resource_waiting" << resource.labels << resource.waiting << "\n";
  head(out, "samcl_response_seconds", "summary", "Response times of a task's jobs.");
  for (const auto& [task, history] : numbers.tasks) {
    for (const double share : {0.5, 0.99})
      out << "samcl_response_seconds{task=" << label(task) << ",quantile=\"" << share << "\"} "
          << seconds(protocol::response_percentile(history.responses, share)) << "\n";
    out << "samcl_response_seconds_count{task=" << label(task) << "} " << history.jobs - history.building << "\n";
  }
  head(out, "samcl_building_jobs_total", "counter",
       "Jobs of a task in which OpenCL programs were built: they are in no other number.");
  for (const auto& [task, history] : numbers.tasks)
    out << "samcl_building_jobs_total{task=" << label(task) << "} " << history.building << "\n";
  head(out, "samcl_deadline_misses_total", "counter", "Jobs of a task that took longer than its deadline.");
  for (const auto& [task, history] : numbers.tasks)
    out << "samcl_deadline_misses_total{task=" << label(task) << "} " << history.misses << "\n";
  head(out, "samcl_overruns_total", "counter",
       "What a task did beyond its promise: sections too long, jobs too early, too long, too greedy, with too much CPU "
       "time or too many requests, too much memory.");
  for (const auto& [task, history] : numbers.tasks)
    for (const auto& [kind, count] : {std::pair{"section", history.overruns.sections},
                                      {"early_job", history.overruns.early_jobs},
                                      {"greedy_job", history.overruns.greedy_jobs},
                                      {"asking_job", history.overruns.asking_jobs},
                                      {"cpu_job", history.overruns.cpu_jobs},
                                      {"long_job", history.overruns.long_jobs},
                                      {"memory", history.overruns.memory}})
      out << "samcl_overruns_total{task=" << label(task) << ",kind=\"" << kind << "\"} " << count << "\n";
  head(out, "samcl_bound_seconds", "gauge", "Proven bound on a task's response time.");
  for (const planning::AssignedTask& task : numbers.plan->tasks)
    if (task.bound_ns)
      out << "samcl_bound_seconds{task=" << label(task.name) << "} " << seconds(*task.bound_ns) << "\n";
  return out.str();
}

}  // namespace

std::string why_building(const Broker& broker, const std::string& task) {
  const auto building = building_tasks(broker);
  const auto found = building.find(task);
  return found == building.end() ? "" : found->second;
}

Document list_tasks(const Broker& broker) {
  std::multimap<std::string, pid_t> processes;  // by task
  for (const auto& [id, program] : broker.programs())
    if (!program.assignment.task.empty()) processes.emplace(program.assignment.task, program.pid);
  return [tasks = broker.admission().registry().share(), plan = broker.admission().share_plan(),
          processes = std::move(processes), unenforced = broker.unenforced(),
          building = building_tasks(broker)] { return write_tasks(*tasks, *plan, processes, unenforced, building); };
}

Document show_status(const Broker& broker) {
  return [status = std::make_shared<const Status>(status_of(broker))] { return write_status(*status); };
}

Document show_analysis(const Broker& broker) {
  return [plan = broker.admission().share_plan(), before = broker.admission().share_plan_before(),
          machine = broker.machine(), unenforced = broker.unenforced(), settings = broker.admission().settings(),
          building = building_tasks(broker)] {
    json all = planning::to_json(*plan, *before, machine, unenforced);
    for (json& task : all["tasks"]) show_building(building, task["name"], task);
    all["policy"] = settings.policy.name;
    all["modes"] = analysis::name(settings.modes);
    return all;
  };
}

Result<Document> show_history(const Broker& broker, const std::string& task) {
  const auto& tasks = broker.admission().registry().tasks();
  const auto known = broker.history().find(task);
  const auto registered = tasks.find(task);
  if (known == broker.history().end() && registered == tasks.end())
    return fail("no task \"" + task + "\" is registered, or was since the manager began");
  const json deadline =
      registered == tasks.end() || registered->second.weight > 0 ? json() : json(registered->second.deadline_ns);
  return [task, deadline, history = known == broker.history().end() ? TaskHistory() : known->second] {
    json shown = history.describe();
    shown["task"] = task;
    shown["deadline_ns"] = deadline;
    return shown;
  };
}

std::function<std::string()> show_metrics(const Broker& broker) {
  Numbers numbers{broker.programs().size(), {}, {}, broker.admission().share_plan()};
  for (uint32_t resource = 0; resource < resources_of(broker); ++resource)
    numbers.resources.push_back(
        {"{device=" + label(broker.devices().names()[resource / protocol::kResourcesPerDevice]) + ",resource=\"" +
             kind_of(resource) + "\"} ",
         broker.scheduler().owner(resource) != 0, broker.scheduler().waiters(resource).size()});
  numbers.tasks.assign(broker.history().begin(), broker.history().end());
  return [numbers = std::make_shared<const Numbers>(std::move(numbers))] { return write_metrics(*numbers); };
}

}  // namespace samcl::daemon
