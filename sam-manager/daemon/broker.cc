#include "sam-manager/daemon/broker.h"

#include <spdlog/spdlog.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "sam-manager/planning/profile.h"
#include "sam-manager/registry/placement.h"

namespace samcl::daemon {

using nlohmann::json;
using protocol::Kind;
using protocol::Reply;
using protocol::Request;

namespace {

constexpr size_t kAnswersKept = 16;  // and drafts
constexpr uint64_t kStoppedNs = 1'000'000'000;  // how long a stopped program may keep others waiting

}  // namespace

Broker::Broker(protocol::Segment& segment, registry::Registry registry, const Config& config, Adopt adopt,
               IsStopped is_stopped)
    : segment_(segment),
      config_(config),
      adopt_(std::move(adopt)),
      is_stopped_(std::move(is_stopped)),
      scheduler_(segment.words, [&segment](uint32_t resource, const scheduler::Waiter& waiter) {
        auto& cell = segment.clients[protocol::slot_of(waiter.client)].grants[resource];
        cell.store(static_cast<uint32_t>(waiter.ticket));
        protocol::futex_wake_all(cell);
      }),
      admission_(std::move(registry), config.planning, config.strict, [this] { return machine(); }) {}

std::optional<Reply> Broker::handle(const Request& request, bool administrator,
                                    const std::string& executable) {
  const Kind kind = request.header.kind;
  if (kind == Kind::hello) return connect(request, executable);
  if (kind == Kind::list || kind == Kind::status || kind == Kind::analysis) return answer(request);
  if (kind == Kind::enroll || kind == Kind::withdraw || kind == Kind::profile) {
    if (!administrator) return refuse("only root and the user who runs sam-managerd may change the tasks");
    if (kind == Kind::profile) return draft(request);
    if (kind == Kind::enroll) return enroll(request);
    admission_.ask(request, std::nullopt);
    return std::nullopt;
  }
  const auto found = programs_.find(request.header.client);
  if (found == programs_.end() || found->second.pid != request.header.pid) {
    spdlog::debug("message of a program that is not connected (process {})", request.header.pid);
    return std::nullopt;
  }
  if (kind == Kind::acquire) scheduler_.acquire(found->first, request.resource, request.header.sequence);
  if (kind == Kind::release) scheduler_.release(found->first, request.resource);
  if (kind == Kind::adopt) adopt(found->second, request);
  if (kind == Kind::goodbye) forget(request.header.pid);
  return std::nullopt;
}

// A thread of no task is left as it is, unless it has still the priority that another daemon gave it.
void Broker::adopt(Program& program, const Request& request) {
  program.threads.insert(request.tid);
  if (program.assignment.priority > 0 || request.again)
    adopt_(program.pid, request.tid, program.assignment.priority);
}

void Broker::beat(uint64_t now_ns) {
  segment_.beats.fetch_add(1);
  now_ns_ = now_ns;
  for (uint32_t resource = 0; resource < devices_.size() * protocol::kResourcesPerDevice; ++resource) {
    const uint32_t owner = scheduler_.owner(resource);
    const uint32_t leases = segment_.clients[protocol::slot_of(owner)].leases[resource].load();
    Holding& known = holdings_[resource];
    if (known.owner != owner || known.leases != leases) {
      known = {owner, leases, now_ns};
    } else if (is_held_up(resource)) {
      spdlog::warn("process {} is stopped and holds what others wait for: granted on",
                   programs_.at(owner).pid);
      scheduler_.release(owner, resource);
    }
  }
}

bool Broker::is_held_up(uint32_t resource) const {
  const auto owner = programs_.find(holdings_[resource].owner);
  return owner != programs_.end() && now_ns_ - holdings_[resource].since_ns >= kStoppedNs &&
         !scheduler_.waiters(resource).empty() && is_stopped_(owner->second.pid);
}

Reply Broker::connect(const Request& request, const std::string& executable) {
  forget(request.header.pid);  // what ran in this process before it called exec
  if (programs_.size() >= protocol::kMaxClients)
    return refuse(std::to_string(protocol::kMaxClients) + " programs are connected already");
  Reply reply;
  Program program;
  program.pid = request.header.pid;
  program.asked = request.task;
  program.executable = executable;
  program.gpus = request.gpus;
  const auto known = devices_;
  for (uint32_t i = 0; i < request.device_count; ++i) {
    const int index = device_index(request.devices[i]);
    // Its own devices must not take each other's places.
    if (index < 0 || (static_cast<size_t>(index) < known.size() && known[index] != devices_[index] &&
                      std::count(program.devices.begin(), program.devices.end(), index))) {
      devices_ = known;
      return refuse("more than " + std::to_string(protocol::kMaxDevices) + " devices are in use");
    }
    reply.devices[i] = static_cast<uint8_t>(index);
    program.devices.push_back(static_cast<uint8_t>(index));
  }
  if (devices_ != known) admission_.plan_anew();
  program.id = free_client_id();
  reply.header.client = program.id;
  protocol::ClientCell& cell = segment_.clients[protocol::slot_of(program.id)];
  for (auto& grant : cell.grants) grant.store(0);
  for (auto& leases : cell.leases) leases.store(0);
  for (auto* job : {&cell.jobs.count, &cell.jobs.longest_ns, &cell.jobs.last_ns}) job->store(0);
  cell.left.store(0);
  scheduler_.add_client(program.id, 0);
  auto& kept = programs_[program.id] = std::move(program);
  assign(kept);
  spdlog::info("process {} ({}) connected: task \"{}\", priority {}", kept.pid, kept.executable,
               kept.assignment.task, kept.assignment.priority);
  return reply;
}

uint32_t Broker::free_client_id() {
  uint32_t slot = 0;
  while (std::any_of(programs_.begin(), programs_.end(),
                     [slot](const auto& entry) { return protocol::slot_of(entry.first) == slot; }))
    ++slot;
  if (++round_ >= UINT32_MAX / protocol::kMaxClients) round_ = 1;
  return round_ * protocol::kMaxClients + slot;
}

bool Broker::in_use(uint8_t device) const {
  return std::any_of(programs_.begin(), programs_.end(), [device](const auto& entry) {
    const auto& devices = entry.second.devices;
    return std::find(devices.begin(), devices.end(), device) != devices.end();
  });
}

int Broker::device_index(const std::string& name) {
  for (size_t i = 0; i < devices_.size(); ++i)
    if (devices_[i] == name) return static_cast<int>(i);
  if (devices_.size() < protocol::kMaxDevices) {
    devices_.push_back(name);
    return static_cast<int>(devices_.size() - 1);
  }
  for (uint8_t i = 0; i < devices_.size(); ++i) {
    if (in_use(i)) continue;
    devices_[i] = name;
    return i;
  }
  return -1;
}

void Broker::assign(Program& program) {
  const registry::Task* task = admission_.registry().find(program.asked, program.executable);
  const planning::PlannedTask* planned = task ? admission_.plan().find(task->name) : nullptr;
  const int before = program.assignment.priority;
  const int priority = task ? task->priority : config_.default_priority;
  const std::vector<std::string> wish = task ? task->devices : std::vector<std::string>();
  // A program's devices stay the same while it runs, unless the plan or the administrator says otherwise.
  std::vector<uint8_t> devices = std::move(program.assignment.devices);
  if (devices.empty() || wish != program.wish) {
    program.wish = wish;
    devices = place(program, priority);
  }
  if (planned) devices = place(program, *planned);
  const uint32_t gpus = planned ? static_cast<uint32_t>(planned->mode) : task ? task->gpus : 0;
  program.assignment = {task ? task->name : "", priority, registry::fewer_gpus(gpus, program.gpus),
                        std::move(devices)};
  segment_.clients[protocol::slot_of(program.id)].assignment.write(program.assignment);
  scheduler_.set_priority(program.id, program.assignment.priority);
  if (before == program.assignment.priority) return;
  for (pid_t thread : program.threads) adopt_(program.pid, thread, program.assignment.priority);
}

// As positions in the program's own list.
std::vector<uint8_t> Broker::place(const Program& program, int priority) const {
  std::vector<std::string> names;
  for (uint8_t device : program.devices) names.push_back(devices_[device]);
  const std::vector<uint8_t> allowed = registry::wished_positions(program.wish, names);
  std::vector<uint8_t> candidates;
  for (uint8_t position : allowed) candidates.push_back(program.devices[position]);
  std::vector<registry::Tenant> tenants;
  for (const auto& [id, other] : programs_)
    if (id != program.id) tenants.push_back({other.assignment.priority, devices_used(other)});
  std::vector<uint8_t> order = registry::order_by_load(candidates, priority, tenants);
  for (uint8_t& position : order) position = allowed[position];
  return order;
}

// Those of the plan first. What the program does not have is left out.
std::vector<uint8_t> Broker::place(const Program& program, const planning::PlannedTask& task) const {
  std::vector<uint8_t> order;
  for (const uint8_t device : task.devices) {
    const auto found = std::find(program.devices.begin(), program.devices.end(), device);
    if (found != program.devices.end()) order.push_back(static_cast<uint8_t>(found - program.devices.begin()));
  }
  for (const uint8_t position : place(program, task.priority))
    if (std::find(order.begin(), order.end(), position) == order.end()) order.push_back(position);
  return order;
}

planning::Machine Broker::machine() const {
  return {config_.cpus > 0 ? config_.cpus : std::max(1, get_nprocs()), devices_, config_.gpus};
}

std::vector<uint8_t> Broker::devices_used(const Program& program) const {
  const auto& assignment = program.assignment;
  const size_t most = assignment.gpus == 0 ? protocol::kMaxDevices : assignment.gpus;
  std::vector<uint8_t> used;
  for (uint8_t position : assignment.devices)
    if (used.size() < most) used.push_back(program.devices[position]);
  return used;
}

void Broker::reassign() {
  for (auto& [id, program] : programs_) assign(program);
}

void Broker::forget(pid_t pid) {
  answers_.erase(pid);
  drafts_.erase(pid);
  const auto found = std::find_if(programs_.begin(), programs_.end(),
                                  [pid](const auto& entry) { return entry.second.pid == pid; });
  if (found == programs_.end()) return;
  const uint32_t id = found->first;
  programs_.erase(found);
  scheduler_.remove_client(id);
  spdlog::info("process {} left", pid);
}

void Broker::forget_those_that_left() {
  std::vector<pid_t> left;
  for (const auto& [id, program] : programs_)
    if (segment_.clients[protocol::slot_of(id)].left.load() == id) left.push_back(program.pid);
  for (pid_t pid : left) forget(pid);
}

// Pieces come in order, from the start.
Reply Broker::draft(const Request& request) {
  const pid_t sender = request.header.pid;
  if (request.offset == 0) {
    if (drafts_.size() >= kAnswersKept) drafts_.erase(drafts_.begin());
    drafts_[sender].clear();
  }
  const auto found = drafts_.find(sender);
  if (found == drafts_.end() || request.offset != found->second.size())
    return refuse("send the profile again from the start");
  found->second.append(request.text, request.length);
  return {};
}

std::optional<Reply> Broker::enroll(const Request& request) {
  registry::Task task{request.task,
                      request.priority,
                      request.period_ns,
                      request.deadline_ns,
                      request.gpus,
                      request.match,
                      std::vector<std::string>(request.devices, request.devices + request.device_count),
                      {}};
  if (!task.devices.empty() && task.gpus > task.devices.size())
    return refuse("it is to use " + std::to_string(task.gpus) + " GPUs, but may use only " +
                  std::to_string(task.devices.size()) + " devices");
  if (request.profile_bytes > 0) {
    if (auto taken = take_profile(request, task); !taken) return refuse(taken.error().message);
  }
  admission_.ask(request, std::move(task));
  return std::nullopt;
}

Result<void> Broker::take_profile(const Request& request, registry::Task& task) {
  const auto draft = drafts_.extract(request.header.pid);
  if (draft.empty() || draft.mapped().size() != request.profile_bytes)
    return fail("the profile did not come whole; try again");
  const auto profile = planning::parse_profile(draft.mapped());
  if (!profile) return fail("the profile: " + profile.error().message);
  if (task.gpus != 0) return fail("a task with a profile gets its number of GPUs from the plan");
  if (task.deadline_ns > task.period_ns) return fail("with a profile, the deadline may not be after the period");
  if (task.period_ns > static_cast<uint64_t>(analysis::kLongest))
    return fail("with a profile, the period may be 9.7 hours at most");
  task.profile = planning::format_profile(*profile);
  return {};
}

std::optional<Admission::Decision> Broker::settle() {
  auto decision = admission_.settle();
  if (decision) reassign();
  return decision;
}

// An answer is made at offset 0 and kept until its last piece was read, so that the pieces fit together.
Reply Broker::answer(const Request& request) {
  const pid_t reader = request.header.pid;
  if (request.offset == 0) {
    if (answers_.size() >= kAnswersKept) answers_.erase(answers_.begin());
    const Kind kind = request.header.kind;
    const json content = kind == Kind::list ? list() : kind == Kind::status ? status() : admission_.describe();
    answers_[reader] = content.dump(-1, ' ', false, json::error_handler_t::replace);
  }
  const auto found = answers_.find(reader);
  if (found == answers_.end() || request.offset > found->second.size())
    return refuse("ask again from the start");
  const std::string& text = found->second;
  Reply reply;
  reply.total = static_cast<uint32_t>(text.size());
  reply.length = static_cast<uint32_t>(std::min(text.size() - request.offset, sizeof reply.text));
  std::memcpy(reply.text, text.data() + request.offset, reply.length);
  if (request.offset + reply.length == text.size()) answers_.erase(found);
  return reply;
}

json Broker::list() const {
  json tasks = json::array();
  for (const auto& [name, task] : admission_.registry().tasks()) {
    json entry = registry::to_json(task);
    entry["profile"] = !task.profile.empty();
    if (const auto* planned = admission_.plan().find(name)) entry["gpus"] = planned->mode;
    entry["processes"] = json::array();
    for (const auto& [id, program] : programs_)
      if (program.assignment.task == name) entry["processes"].push_back(program.pid);
    tasks.push_back(entry);
  }
  return {{"instance", config_.instance}, {"tasks", tasks}};
}

json Broker::describe(uint32_t client) const {
  const auto found = programs_.find(client);
  if (found == programs_.end()) return nullptr;
  const auto& assignment = found->second.assignment;
  return {{"pid", found->second.pid}, {"task", assignment.task}, {"priority", assignment.priority}};
}

json Broker::status() const {
  json resources = json::array();
  for (uint32_t resource = 0; resource < devices_.size() * protocol::kResourcesPerDevice; ++resource) {
    json waiting = json::array();
    for (const scheduler::Waiter& waiter : scheduler_.waiters(resource))
      waiting.push_back(describe(waiter.client));
    json holder = describe(scheduler_.owner(resource));
    if (!holder.is_null()) holder["held_ns_at_least"] = now_ns_ - holdings_[resource].since_ns;
    resources.push_back({{"device", devices_[resource / protocol::kResourcesPerDevice]},
                         {"kind", resource % protocol::kResourcesPerDevice == 0 ? "gpu" : "pcie"},
                         {"holder", holder},
                         {"waiting", waiting}});
  }
  json programs = json::array();
  for (const auto& [id, program] : programs_) {
    json entry = describe(id);
    entry["executable"] = program.executable;
    entry["gpus"] = program.assignment.gpus;
    entry["devices"] = json::array();
    for (uint8_t device : devices_used(program)) entry["devices"].push_back(devices_[device]);
    entry["threads"] = program.threads.size();
    const protocol::JobTimes& jobs = segment_.clients[protocol::slot_of(id)].jobs;
    entry["jobs"] = jobs.count.load();
    entry["longest_response_ns"] = jobs.longest_ns.load();
    entry["last_response_ns"] = jobs.last_ns.load();
    const planning::PlannedTask* planned = admission_.plan().find(program.assignment.task);
    entry["bound_ns"] = planned && planned->bound_ns ? json(*planned->bound_ns) : json();
    programs.push_back(entry);
  }
  return {{"instance", config_.instance},
          {"pid", segment_.daemon_pid},
          {"resources", resources},
          {"programs", programs}};
}

}  // namespace samcl::daemon
