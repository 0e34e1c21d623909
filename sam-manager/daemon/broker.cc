#include "sam-manager/daemon/broker.h"

#include <spdlog/spdlog.h>
#include <sys/sysinfo.h>

#include <algorithm>
#include <climits>
#include <utility>

#include "base/bytes.h"
#include "sam-manager/daemon/log.h"
#include "sam-manager/daemon/realtime.h"
#include "sam-manager/planning/memory.h"
#include "sam-manager/registry/placement.h"

namespace samcl::daemon {

using protocol::Message;
using protocol::MessageKind;

namespace {

constexpr uint64_t kStoppedNs = 1'000'000'000;             // how long a stopped program may keep others waiting
constexpr uint64_t kLongestLoanNs = 1'000'000'000;         // where no longer section is promised
constexpr uint64_t kLongestSectionNs = 3'600'000'000'000;  // where none is promised
constexpr uint64_t kDemotedNs = 1'000'000'000;             // where there is no period
constexpr uint64_t kMemoryLookNs = 2'000'000;              // between looks whether others have given memory back
constexpr unsigned kQuietBeats = 4;                        // after which a program counts as idle
constexpr size_t kThreadsKept = 4096;                      // of a program
constexpr size_t kTasksKept = 4096;                        // histories of

}  // namespace

std::vector<uint8_t> devices_used(const ConnectedProgram& program) {
  const auto& assignment = program.assignment;
  const size_t most = assignment.gpus == 0 ? protocol::kMaxDevices : assignment.gpus;
  std::vector<uint8_t> used;
  for (const uint8_t position : assignment.devices)
    if (used.size() < most) used.push_back(program.devices[position]);
  return used;
}

uint64_t memory_of(const ConnectedProgram& program, uint8_t device) {
  uint64_t bytes = 0;
  for (size_t position = 0; position < program.devices.size(); ++position)
    if (program.devices[position] == device) bytes = std::max(bytes, program.page->memory[position].load());
  return bytes;
}

uint64_t most_memory_of(const ConnectedProgram& program) {
  uint64_t most = 0;
  for (const uint8_t device : program.devices) most = std::max(most, memory_of(program, device));
  return most;
}

Broker::Broker(Board& board, registry::Registry registry, const Config& config, Processes processes)
    : board_(board),
      config_(config),
      processes_(std::move(processes)),
      loans_(kMaxHeld, [this](uint32_t program, std::optional<int> priority) { lend(program, priority); }),
      scheduler_(
          board.words().words, [this](uint32_t resource, const scheduler::Waiter& waiter) { grant(resource, waiter); },
          [this](uint32_t resource, uint32_t owner, std::optional<int> priority) {
            set_inversion(resource, owner, priority);
          }),
      cpu_budgets_([this](uint32_t id) { return cpu_use(id); }),
      cpu_delays_([this](uint32_t id) { return cpu_use(id); }),
      own_gpus_(
          protocol::kMaxKnownDevices, [this](uint32_t program, int gpu) { grant_gpu(program, gpu); },
          [this](int gpu, uint32_t owner, std::optional<int> priority) {
            set_inversion(kFirstOwnGpu + static_cast<uint32_t>(gpu), owner, priority);
          }),
      admission_(std::move(registry), planned_by(config), config.strict, [this] { return machine(); }) {
  config_.planning = planned_by(config);
  cpu_budgets_.set_watch(config.cpu_watch_ns);
  use_policy(config.policy);
}

Result<void> Broker::set_policy(const std::string& name) {
  if (!scheduler::find_policy(name, 1)) {
    std::string all;
    for (const scheduler::Policy& known : scheduler::policies(1))
      all += (all.empty() ? "" : ", ") + std::string(known.name);
    return fail("there is no policy \"" + name + "\": expected one of " + all);
  }
  use_policy(name);
  return {};
}

void Broker::use_policy(const std::string& name) {
  const auto policy = scheduler::find_policy(name, machine().cpus).value_or(scheduler::kFixedPriority);
  if (policy == scheduler_.policy()) return;
  spdlog::info("the policy is {}", name);
  scheduler_.set_policy(policy);
  own_gpus_.set_policy(policy);
  config_.planning.policy = policy;
  admission_.set_policy(policy);
  for (auto& [id, program] : programs_) {
    program.own_gpu.reset();
    assign(program);
  }
}

// Where the owner before handed it over and died before he could wake the new one, this does.
void Broker::grant(uint32_t resource, const scheduler::Waiter& waiter) {
  programs_.at(waiter.client).page->grants[resource].store(static_cast<uint32_t>(waiter.ticket));
  board_.words().wake_granted(resource, waiter.client);
}

void Broker::begin_job(ConnectedProgram& program) {
  program.own_gpu.reset();
  track_job(program.id);
  if (const scheduler::Standing* standing = scheduler_.standing(program.id)) own_gpus_.begin_job(program.id, *standing);
}

// Any of those that it may use, or its container's.
void Broker::request_gpu(ConnectedProgram& program, const Message& message) {
  program.gpu_request = message.sequence;
  std::vector<int> gpus;
  for (const uint8_t position : program.assignment.devices)
    if (gpus.empty() || !scheduler_.policy().contains) gpus.push_back(program.devices[position]);
  const planning::AssignedTask* planned = admission_.plan().find(program.assignment.task);
  own_gpus_.request(program.id, planned ? planned->critical_section_ns : 0, gpus);
}

void Broker::end_job(ConnectedProgram& program) {
  program.own_gpu.reset();
  own_gpus_.end_job(program.id);
  scheduler_.set_deadline(program.id, UINT64_MAX);
  rank_programs();
}

void Broker::grant_gpu(uint32_t id, int gpu) {
  const auto program = programs_.find(id);
  if (program == programs_.end()) return;
  if (gpu != scheduler::OwnGpus::kNoGpu) {
    program->second.own_gpu = static_cast<uint8_t>(gpu);
    assign(program->second);
  }
  auto& cell = program->second.page->gpu_grant;
  cell.store(static_cast<uint32_t>(program->second.gpu_request));
  protocol::futex_wake_all(cell);
}

uint32_t Broker::owner(uint32_t held) const {
  return held < kFirstOwnGpu ? scheduler_.owner(held) : own_gpus_.owner(static_cast<int>(held - kFirstOwnGpu));
}

bool Broker::has_waiters(uint32_t held) const {
  return held < kFirstOwnGpu ? scheduler_.has_waiters(held)
                             : !own_gpus_.waiting_for(static_cast<int>(held - kFirstOwnGpu)).empty();
}

// It is granted on. A job that had the GPU to itself goes on without.
void Broker::reclaim(uint32_t owner, uint32_t held) {
  if (held < kFirstOwnGpu) return scheduler_.reclaim(owner, held);
  if (const auto program = programs_.find(owner); program != programs_.end()) program->second.own_gpu.reset();
  own_gpus_.end_job(owner);
}

template <typename Call>
void Broker::for_each_held(Call call) const {
  for (uint32_t resource = 0; resource < resources(); ++resource) call(resource);
  if (!scheduler_.policy().gives_own_gpus()) return;
  for (uint32_t device = 0; device < devices_.names().size(); ++device) call(kFirstOwnGpu + device);
}

// A holder is lent the priority of who waits for it, but not for ever: one that never gives back would compute
// in the way of all between the two.
void Broker::set_inversion(uint32_t resource, uint32_t owner, std::optional<int> priority) {
  if (resource < kFirstOwnGpu)
    reservations_.note(resource, scheduler_.keeps_tasks_waiting(resource) ? owner : 0, now_ns_);
  // Who keeps programs without deadlines waiting, being less urgent for a while, breaks no promise, and has nobody's
  // priority: how long its section takes is a matter of what else computes.
  if (priority && *priority <= config_.default_priority) priority.reset();
  Inversion& known = inversions_[resource];
  if (known.owner != 0 && (!priority || known.owner != owner)) end_inversion(resource);
  const auto program = programs_.find(owner);
  if (priority && known.owner == owner)
    known.priority = priority;
  else if (priority && program != programs_.end())
    known = {owner, priority, now_ns_, promised_ns(program->second, resource), 0, needs_cpu(program->second, resource)};
  if (priority && known.needs_cpu) cpu_delays_.begin(resource, owner, *priority);
  // Bounds count on the loan for all of a promised section.
  const uint64_t promised = known.limit_ns == kLongestSectionNs ? 0 : known.limit_ns;
  const bool in_time = now_ns_ - known.since_ns < std::max(promised, kLongestLoanNs) + known.delay_ns;
  loans_.update(resource, owner, in_time ? priority : std::nullopt);
}

void Broker::lend(uint32_t id, std::optional<int> priority) {
  const auto program = programs_.find(id);
  processes_.lend(id, program == programs_.end() ? 0 : program->second.pid, priority);
  if (program != programs_.end()) note_thread_priority(program->second);
}

void Broker::note_thread_priority(const ConnectedProgram& program) {
  cpu_delays_.set_priority(program.id, std::max(program.thread_priority, loans_.of(program.id).value_or(INT_MIN)));
}

std::optional<scheduler::CpuUse> Broker::cpu_use(uint32_t id) const {
  const auto program = programs_.find(id);
  return program == programs_.end() ? std::nullopt : processes_.cpu_use(program->second.pid);
}

// As its profile tells: of that much the bounds of who waits count what others compute meanwhile.
bool Broker::needs_cpu(const ConnectedProgram& program, uint32_t resource) const {
  if (resource >= kFirstOwnGpu) return false;
  const planning::Sections known = sections_of(program);
  return resource % protocol::kResourcesPerDevice == 0 ? known.gpu_needs_cpu : known.link_needs_cpu;
}

// It waits for a CPU only while all of them execute something at least as urgent.
void Broker::note_delay(uint32_t resource) {
  Inversion& inversion = inversions_[resource];
  if (inversion.needs_cpu)
    inversion.delay_ns = cpu_delays_.computed_ns(resource) / static_cast<uint64_t>(std::max(machine().cpus, 1));
}

void Broker::end_inversion(uint32_t resource) {
  if (!inversions_[resource].is_overrun) note_delay(resource);
  cpu_delays_.end(resource);
  const Inversion inversion = std::exchange(inversions_[resource], {});
  const uint64_t took = now_ns_ - inversion.since_ns;
  const auto program = programs_.find(inversion.owner);
  if (program == programs_.end() ||
      took <= std::max(inversion.limit_ns, promised_ns(program->second, resource)) + inversion.delay_ns)
    return;
  if (!inversion.is_overrun) overruns_.push_back({inversion.owner, resource, false});
  program->second.overruns.add_section(took);
  const std::string& task = program->second.assignment.task;
  if (!task.empty() && (history_.contains(task) || history_.size() < kTasksKept))
    history_[task].overruns.add_section(took);
}

// As its task's profile tells.
planning::Sections Broker::sections_of(const ConnectedProgram& program) const {
  const auto& known = admission_.plan().sections;
  const auto found = known.find(program.assignment.task);
  return found == known.end() ? planning::Sections{} : found->second.under(scheduler_.policy());
}

// Where the profile tells nothing of sections, as of other programs: with what it takes us to hear of their ends.
void Broker::set_promise(ConnectedProgram& program, const planning::AssignedTask* planned) {
  const planning::Sections known = sections_of(program);
  const auto boundary = static_cast<uint64_t>(config_.planning.handovers.value_or(analysis::Handovers{}).section);
  const auto promised = [&](uint64_t known_ns, uint64_t of_others) {
    return known_ns > 0 ? known_ns : of_others + boundary;
  };
  const uint64_t period = program.assignment.period_ns;
  PromisedTimes next;
  next.section_ns = {promised(known.gpu_ns, config_.planning.other_slice_ns),
                     promised(known.link_ns, config_.planning.other_chunk_ns)};
  // A job may have to wait for CPUs while it has its GPU, but it ends by its bound.
  next.own_gpu_ns = std::max(period, planned ? planned->bound_ns.value_or(0) : 0);
  next.budget_ns = planned ? planned->budget_ns : 0;
  program.promise.set(next, period > 0, now_ns_);
  program.assignment.budget_ns = program.promise.times(now_ns_).budget_ns;
}

uint64_t Broker::promised_ns(const ConnectedProgram& program, uint32_t resource) const {
  const PromisedTimes& promised = program.promise.times(now_ns_);
  if (resource >= kFirstOwnGpu) return promised.own_gpu_ns;
  const uint32_t kind = resource % protocol::kResourcesPerDevice;
  // It keeps what it has for as long as it needs it.
  if (!scheduler_.policy().revokes && program.weight == 0) {
    const planning::Sections known = sections_of(program);
    if ((kind == 0 ? known.gpu_ns : known.link_ns) == 0) return kLongestSectionNs;
  }
  return promised.section_ns[kind];
}

void Broker::handle_overruns() {
  for (const Overrun& overrun : std::exchange(overruns_, {})) {
    const auto found = programs_.find(overrun.program);
    if (found == programs_.end()) continue;
    ConnectedProgram& program = found->second;
    const LogSubject about(program.pid, program.assignment.task);
    spdlog::warn("process {} (task \"{}\") keeps a more urgent program waiting for longer than {} us", program.pid,
                 program.assignment.task, promised_ns(program, overrun.resource) / 1000);
    apply_overrun_policy(program);
    if (config_.overrun != OverrunPolicy::end || !overrun.holds) continue;
    if (owner(overrun.resource) != program.id) continue;
    program.page->taken.fetch_add(1);
    reclaim(program.id, overrun.resource);
  }
}

// What a less urgent task waits for more urgent ones is bounded by what these have for a job.
void Broker::handle_greedy_jobs() {
  if (reservations_.next_ns() > now_ns_) return;
  for (uint32_t resource = 0; resource < resources(); ++resource) track_job(owner(resource));  // it may be the next job
  for (const uint32_t id : reservations_.exceeded(now_ns_)) {
    ConnectedProgram& program = programs_.at(id);
    ++program.overruns.greedy_jobs;
    const std::string& task = program.assignment.task;
    if (history_.contains(task) || history_.size() < kTasksKept) ++history_[task].overruns.greedy_jobs;
    const LogSubject about(program.pid, task);
    spdlog::warn("process {} (task \"{}\") keeps others waiting for longer than its job may", program.pid, task);
    if (config_.overrun == OverrunPolicy::log) continue;
    program.is_greedy = true;
    assign(program);
    if (config_.overrun == OverrunPolicy::end) take_wanted(program);
  }
}

// One that finds somebody less urgent has him lent its priority, and interrupts him. Asking again after giving way to
// somebody more urgent is part of the same request, and finds that one.
void Broker::count_request(ConnectedProgram& program, uint32_t resource) {
  const scheduler::Standing* own = scheduler_.standing(program.id);
  const scheduler::Standing* holder = scheduler_.standing(scheduler_.owner(resource));
  if (!own || !holder || holder->priority >= own->priority) return;
  if (!reservations_.ask(program.id, resource, now_ns_)) return;
  ++program.overruns.asking_jobs;
  const std::string& task = program.assignment.task;
  if (history_.contains(task) || history_.size() < kTasksKept) ++history_[task].overruns.asking_jobs;
  const LogSubject about(program.pid, task);
  spdlog::warn("process {} (task \"{}\"): a job asks for links and GPUs more often than its profile says", program.pid,
               task);
  if (config_.overrun == OverrunPolicy::log) return;
  program.is_greedy = true;
  assign(program);
}

// All that it has and tasks wait for.
void Broker::take_wanted(ConnectedProgram& program) {
  for (uint32_t resource = 0; resource < resources(); ++resource) {
    if (owner(resource) != program.id || !scheduler_.keeps_tasks_waiting(resource)) continue;
    program.page->taken.fetch_add(1);
    reclaim(program.id, resource);
  }
}

// Between its jobs a program may do what it likes, but not at its task's priority: that is no overrun.
void Broker::watch_cpu_use() {
  if (cpu_budgets_.next_ns() > now_ns_) return;
  for (const scheduler::CpuBudgets::Change& change : cpu_budgets_.look(now_ns_)) {
    ConnectedProgram& program = programs_.at(change.client);
    track_job(program.id);  // it may be the next job
    const bool is_out = cpu_budgets_.is_exhausted(program.id);
    const protocol::JobTimes& jobs = program.page->jobs;
    if (change.is_exhausted && is_out && jobs.began_ns.load() >= jobs.ended_ns.load()) {
      ++program.overruns.cpu_jobs;
      const std::string& task = program.assignment.task;
      if (history_.contains(task) || history_.size() < kTasksKept) ++history_[task].overruns.cpu_jobs;
      const LogSubject about(program.pid, task);
      spdlog::warn("process {} (task \"{}\"): a job computes for longer than its profile says", program.pid, task);
    }
    set_out_of_cpu(program, is_out);
  }
}

void Broker::set_out_of_cpu(ConnectedProgram& program, bool is_out) {
  is_out = is_out && config_.overrun != OverrunPolicy::log;
  if (std::exchange(program.is_out_of_cpu, is_out) != is_out) assign(program);
}

void Broker::set_cpu_budget(ConnectedProgram& program, const planning::AssignedTask* planned, uint64_t period_ns) {
  if (planned && planned->bound_ns && planned->cpu_ns && period_ns > 0 && config_.cpu_watch_ns > 0)
    return cpu_budgets_.set(program.id, {*planned->cpu_ns, period_ns, planned->early_ns}, now_ns_);
  cpu_budgets_.remove(program.id);
  program.is_out_of_cpu = false;
}

// Of what is enforced the bounds say how late that may be.
planning::Settings Broker::planned_by(const Config& config) const {
  planning::Settings settings = config.planning;
  settings.realtime = realtime_share_;
  settings.cpu_watch_ns.reset();
  if (config.cpu_watch_ns > 0 && config.overrun != OverrunPolicy::log)
    settings.cpu_watch_ns = config.cpu_watch_ns + processes_.cpu_lag_ns();
  return settings;
}

void Broker::apply_overrun_policy(ConnectedProgram& program) {
  if (config_.overrun == OverrunPolicy::log) return;
  const uint64_t period = program.assignment.period_ns;
  demote(program, now_ns_ + (period > 0 ? period : kDemotedNs));
}

void Broker::demote(ConnectedProgram& program, uint64_t until_ns) {
  program.demoted_until_ns = until_ns;
  demoted_.insert(program.id);
  assign(program);
}

void Broker::end_demotions() {
  std::erase_if(demoted_, [this](uint32_t id) {
    const auto program = programs_.find(id);
    if (program == programs_.end()) return true;
    if (program->second.demoted_until_ns > now_ns_) return false;
    program->second.demoted_until_ns = 0;
    assign(program->second);
    return true;
  });
}

uint64_t Broker::next_tick_ns() const {
  uint64_t next = std::min({scheduler_.next_tick_ns(), reservations_.next_ns(), cpu_budgets_.next_ns()});
  for_each_held([&](uint32_t held) {
    const Inversion& inversion = inversions_[held];
    if (inversion.owner != 0 && !inversion.is_overrun)
      next = std::min(next, std::max(inversion.since_ns + inversion.limit_ns + inversion.delay_ns + 1,
                                     inversion.delay_ns > 0 ? now_ns_ + planning::kDelayLookNs : 0));
  });
  for (const uint32_t id : demoted_)
    if (const auto program = programs_.find(id); program != programs_.end())
      next = std::min(next, program->second.demoted_until_ns);
  if (awaits_memory_) next = std::min(next, now_ns_ + kMemoryLookNs);
  return next;
}

void Broker::check_inversion(uint32_t resource) {
  Inversion& inversion = inversions_[resource];
  if (!inversion.priority) return;
  if (const auto owner = programs_.find(inversion.owner); owner != programs_.end())
    inversion.limit_ns = std::max(inversion.limit_ns, promised_ns(owner->second, resource));
  if (now_ns_ - inversion.since_ns > inversion.limit_ns + inversion.delay_ns) note_delay(resource);
  if (!inversion.is_overrun && now_ns_ - inversion.since_ns > inversion.limit_ns + inversion.delay_ns) {
    inversion.is_overrun = true;
    overruns_.push_back({inversion.owner, resource, true});
  }
  set_inversion(resource, inversion.owner, inversion.priority);
  if (const auto lent = loans_.of(inversion.owner)) lend(inversion.owner, lent);  // to threads made since, too
}

void Broker::advance_time(uint64_t now_ns) {
  now_ns_ = now_ns;
  scheduler_.advance_time(now_ns);
}

void Broker::handle(uint32_t id, const Message& message, uint64_t now_ns) {
  advance_time(now_ns);
  const auto found = programs_.find(id);
  if (found == programs_.end()) return;
  switch (message.kind) {
    case MessageKind::acquire:
      track_job(id);
      if (message.resource < resources()) {
        track_job(scheduler_.owner(message.resource));
        count_request(found->second, message.resource);
      }
      scheduler_.acquire(id, message.resource, message.sequence);
      break;
    case MessageKind::release: scheduler_.release(id, message.resource); break;
    case MessageKind::handed:
      if (message.resource < resources()) scheduler_.handed(message.resource);
      break;
    case MessageKind::attach_thread: attach_thread(found->second, message); break;
    case MessageKind::begin_job: begin_job(found->second); break;
    case MessageKind::request_gpu: request_gpu(found->second, message); break;
    case MessageKind::end_job: end_job(found->second); break;
    case MessageKind::wake: wake(found->second); break;
  }
  handle_overruns();
  handle_greedy_jobs();
  watch_cpu_use();
}

// A job is released when the program says that it began, or, where it says nothing, with its first request
// after a period; but, whatever it says, no sooner than a period after the one before, as far as a job may be
// early.
void Broker::track_job(uint32_t id) {
  const auto found = programs_.find(id);
  if (found == programs_.end() || found->second.assignment.period_ns == 0) return;
  ConnectedProgram& program = found->second;
  program.mark.look(program.page->jobs.began_ns.load(), now_ns_);
  const uint64_t period = program.assignment.period_ns, said = program.mark.said_ns;
  if (said > 0 ? said == program.job_began_ns : now_ns_ < program.job_due_ns) return;
  program.job_began_ns = said;
  const uint64_t began = program.mark.began_ns();
  const uint64_t earliest = program.job_due_ns - std::min(program.job_due_ns, program.assignment.early_ns);
  const uint64_t released = std::max(began, earliest);
  program.job_due_ns = std::max(began, program.job_due_ns) + period;
  scheduler_.set_deadline(id, released + program.assignment.deadline_ns);
  rank_programs();
  release_job(program, released);
  if (!config_.throttle || released <= now_ns_ || program.demoted_until_ns >= released) return;
  ++program.overruns.throttled_jobs;
  demote(program, released);
}

// What was held against the job before ends with it.
void Broker::release_job(ConnectedProgram& program, uint64_t released_ns) {
  program.promise.release_job();
  if (const uint64_t budget = program.promise.times(now_ns_).budget_ns; budget != program.assignment.budget_ns) {
    program.assignment.budget_ns = budget;
    program.page->assignment.write(program.assignment);
  }
  reservations_.release_job(program.id, released_ns, now_ns_);
  cpu_budgets_.release_job(program.id, released_ns, now_ns_);
  set_out_of_cpu(program, cpu_budgets_.is_exhausted(program.id));
  if (!std::exchange(program.is_greedy, false)) return;
  if (released_ns > now_ns_)
    demote(program, std::max(program.demoted_until_ns, released_ns));
  else
    assign(program);
}

// A thread of no task is left as it is, unless it has still the priority that another daemon gave it.
void Broker::attach_thread(ConnectedProgram& program, const Message& message) {
  const int priority = program.thread_priority;
  const bool is_thread = processes_.attach_thread(program.pid, message.tid,
                                                  priority > 0 || message.again ? priority : kLeaveAsItIs, false);
  if (is_thread && program.threads.size() < kThreadsKept) program.threads.insert(message.tid);
  if (is_thread) processes_.watch_cpu(program.pid, message.tid);
  // One whose clock is behind makes all that is enforced later.
  if (const planning::Settings settings = planned_by(config_); settings.cpu_watch_ns != config_.planning.cpu_watch_ns) {
    config_.planning = settings;
    admission_.set(config_.planning, config_.strict);
  }
  if (const auto lent = loans_.of(program.id)) lend(program.id, lent);
}

void Broker::tick(uint64_t now_ns) {
  advance_time(now_ns);
  scheduler_.tick();
  for_each_held([this](uint32_t held) {
    check_holder(held);
    check_inversion(held);
  });
  handle_overruns();
  handle_greedy_jobs();
  watch_cpu_use();
  end_demotions();
  if (awaits_memory_) limit_memory();
}

std::vector<DeadlineMiss> Broker::heartbeat(uint64_t now_ns) {
  board_.notice().beats.fetch_add(1);
  tick(now_ns);
  std::vector<DeadlineMiss> missed;
  const std::set<scheduler::ClientId> users = scheduler_.users();
  for (auto& [id, program] : programs_) {
    program.mark.look(program.page->jobs.began_ns.load(), now_ns);
    look_whether_idle(program, users.contains(id));
    const NewJobs more = count_jobs(program);
    if (more.misses > 0)
      missed.push_back({program.assignment.task, program.pid, more.misses, program.page->jobs.last_ns.load()});
    check_memory(program);
    // Jobs are late, and the next ones early then, because they were made less urgent: that must not go on by itself.
    const bool was_demoted = std::exchange(program.was_demoted, is_demoted(program));
    if (more.early + more.long_jobs == 0) continue;
    const LogSubject about(program.pid, program.assignment.task);
    spdlog::warn("process {} (task \"{}\"): {} jobs came faster than the period, {} executed for longer than profiled",
                 program.pid, program.assignment.task, more.early, more.long_jobs);
    // Where all that a job has of CPUs, links and GPUs is enforced, one that takes longer without more of these is in
    // nobody's way: something else delayed it, and its next one is owed its bound.
    const bool is_enforced = cpu_budgets_.used_ns(program.id).has_value();
    if (!was_demoted && (more.early > 0 || !is_enforced)) apply_overrun_policy(program);
  }
  limit_memory();
  return missed;
}

void Broker::check_memory(ConnectedProgram& program) {
  const uint64_t reserved = reserved_memory(program);
  const uint64_t most = most_memory_of(program);
  const bool exceeded = std::exchange(program.exceeds_memory, reserved > 0 && most > reserved);
  if (!program.exceeds_memory) return;
  if (config_.overrun != OverrunPolicy::log) demote(program, now_ns_ + 2 * kDemotedNs);  // until we look again
  if (exceeded) return;
  ++program.overruns.memory;
  const std::string& task = program.assignment.task;
  if (history_.size() < kTasksKept || history_.contains(task)) ++history_[task].overruns.memory;
  const LogSubject about(program.pid, program.assignment.task);
  spdlog::warn("process {} (task \"{}\") has {} of a device's memory, and its task reserved {}", program.pid,
               program.assignment.task, format_bytes(most), format_bytes(reserved));
}

uint64_t Broker::reserved_memory(const ConnectedProgram& program) const {
  const auto& tasks = admission_.registry().tasks();
  const auto task = tasks.find(program.assignment.task);
  return task == tasks.end() ? 0 : task->second.memory_bytes;
}

// Where tasks that reserved memory run, programs of no task are to keep to what these leave. Whoever has more is woken.
void Broker::limit_memory() {
  const planning::Machine machine = this->machine();
  struct OnDevice {
    std::vector<planning::MemoryUse> uses;
    std::vector<ConnectedProgram*> limited;
    std::vector<uint32_t> awaiting;
  };
  std::vector<OnDevice> on_devices(machine.devices.size());
  for (auto& [id, program] : programs_) {
    const std::vector<uint8_t> used = devices_used(program);
    const uint64_t reserves = reserved_memory(program);
    for (const uint8_t device : std::set(program.devices.begin(), program.devices.end())) {
      OnDevice& on = on_devices[device];
      const uint64_t reserved = std::ranges::find(used, device) == used.end() ? 0 : reserves;
      const bool is_limited = reserved == 0 && (program.weight > 0 || program.assignment.task.empty());
      on.uses.push_back({memory_of(program, device), reserved, is_limited});
      if (is_limited) on.limited.push_back(&program);
      if (reserved > 0 && now_ns_ < program.awaits_memory_until_ns) on.awaiting.push_back(id);
    }
  }
  std::set<uint32_t> exceeding, waiting;
  for (size_t device = 0; device < on_devices.size(); ++device) {
    const OnDevice& on = on_devices[device];
    const auto limits = planning::memory_limits(machine.memory[device], on.uses);
    for (size_t i = 0; i < on.limited.size(); ++i) {
      ConnectedProgram& program = *on.limited[i];
      const uint64_t limit = limits ? std::max<uint64_t>(1, (*limits)[i]) : 0;
      const bool has_more = limit > 0 && memory_of(program, static_cast<uint8_t>(device)) > limit;
      for (size_t position = 0; position < program.devices.size(); ++position) {
        if (program.devices[position] != device) continue;
        const bool is_new = program.page->memory_limits[position].exchange(limit) != limit;
        if (is_new && has_more) exceeding.insert(program.id);
      }
      if (has_more) waiting.insert(on.awaiting.begin(), on.awaiting.end());
    }
  }
  for (const uint32_t id : exceeding) {
    auto& set = programs_.at(id).page->memory_limits_set;
    set.fetch_add(1);
    protocol::futex_wake_all(set);
  }
  for (auto& [id, program] : programs_) program.page->awaits_memory.store(waiting.contains(id));
  awaits_memory_ = !waiting.empty();
}

NewJobs Broker::count_jobs(ConnectedProgram& program) {
  const std::string& task = program.assignment.task;
  if (task.empty() || (history_.size() >= kTasksKept && !history_.contains(task))) return {};
  if (program.page->jobs.count.load() == 0) return {};
  const NewJobs more = daemon::count_jobs(program.page->jobs, *counted_jobs_.at(program.id), history_[task]);
  program.overruns.early_jobs += more.early;
  program.overruns.long_jobs += more.long_jobs;
  return more;
}

void Broker::check_holder(uint32_t held) {
  const uint32_t owner = this->owner(held);
  const auto program = programs_.find(owner);
  const bool is_leased = held < kFirstOwnGpu && program != programs_.end();
  const uint32_t leases = is_leased ? program->second.page->leases[held].load() : 0;
  Holding& known = holdings_[held];
  if (known.owner != owner || known.leases != leases) {
    known = {owner, leases, now_ns_};
  } else if (is_holder_stopped(held)) {
    const LogSubject about(program->second.pid, program->second.assignment.task);
    spdlog::warn("process {} is stopped and holds what others wait for: granted on", program->second.pid);
    reclaim(owner, held);
  }
}

bool Broker::is_holder_stopped(uint32_t held) const {
  const auto owner = programs_.find(holdings_[held].owner);
  return owner != programs_.end() && held_ns(held) >= kStoppedNs && has_waiters(held) &&
         processes_.is_stopped(owner->second.pid);
}

Result<void> Broker::release(const std::string& device) {
  const auto& names = devices_.names();
  const auto found = std::find(names.begin(), names.end(), device);
  if (found == names.end()) return fail("there is no device \"" + device + "\"; `sam-ctl status` names them");
  const auto first = static_cast<uint32_t>(found - names.begin()) * protocol::kResourcesPerDevice;
  bool released = false;
  for (uint32_t resource = first; resource < first + protocol::kResourcesPerDevice; ++resource) {
    const uint32_t owner = scheduler_.owner(resource);
    if (owner == 0) continue;
    spdlog::warn("an administrator takes resource {} of \"{}\" from its holder", resource - first, device);
    scheduler_.reclaim(owner, resource);
    released = true;
  }
  if (!released) return fail("nobody holds \"" + device + "\"");
  return {};
}

unsigned Broker::programs_of(uid_t user) const {
  return static_cast<unsigned>(std::count_if(programs_.begin(), programs_.end(),
                                             [user](const auto& entry) { return entry.second.user == user; }));
}

Result<const ConnectedProgram*> Broker::connect(const Hello& hello, pid_t pid, uid_t user, const Rights& rights,
                                                const std::string& executable) {
  if (programs_.size() >= protocol::kMaxPrograms)
    return fail(std::to_string(protocol::kMaxPrograms) + " programs are connected already");
  if (programs_of(user) >= rights.programs)
    return fail("user " + std::to_string(user) + " has " + std::to_string(rights.programs) +
                " programs connected already, as many as the configuration allows (access.programs_per_user)");
  if (std::none_of(hello.devices.begin(), hello.devices.end(),
                   [&](const std::string& device) { return may_use_device(rights.devices, device); }))
    return fail("user " + std::to_string(user) + " may use none of the program's devices (access.allow)");
  auto page = protocol::Shared<protocol::ClientPage>::make("samcl-client");
  if (!page) return tl::unexpected(page.error());
  const auto known = devices_.names();
  const auto indices = devices_.indices(hello.devices, [this](uint8_t device) { return in_use(device); });
  if (!indices) return fail("more than " + std::to_string(protocol::kMaxKnownDevices) + " devices are in use");
  std::erase_if(memory_, [this](const auto& entry) {
    const auto& names = devices_.names();
    return std::find(names.begin(), names.end(), entry.first) == names.end();
  });
  for (size_t i = 0; i < hello.memory.size(); ++i) memory_[hello.devices[i]] = hello.memory[i];
  if (devices_.names() != known) admission_.plan_anew();
  const uint32_t id = free_id();
  ConnectedProgram& program = programs_[id];
  count_programs();
  program.id = id;
  program.pid = pid;
  program.user = user;
  program.rights = rights;
  program.asked = hello.task;
  program.executable = executable;
  program.gpus = hello.gpus;
  program.devices = *indices;
  program.mark.looked_ns = now_ns_;
  program.awaits_memory_until_ns = now_ns_ + protocol::kMemoryWaitMs * uint64_t{1'000'000};
  program.page_descriptor = page->descriptor();
  const auto memory = std::make_shared<protocol::Shared<protocol::ClientPage>>(*std::move(page));
  program.page = {memory, &**memory};
  counted_jobs_[id] = std::make_unique<CountedJobs>();
  scheduler_.add_client(id, {});
  assign(program);
  limit_memory();
  const LogSubject about(pid, program.assignment.task);
  spdlog::info("process {} ({}) connected: task \"{}\", priority {}", pid, executable, program.assignment.task,
               program.assignment.priority);
  return &program;
}

void Broker::count_programs() {
  const auto is_awake = [](const auto& entry) { return !entry.second.is_idle; };
  board_.notice().programs.store(static_cast<uint32_t>(std::ranges::count_if(programs_, is_awake)));
}

// One of no task that has had nothing for a while. It may take something just now: then it holds that when we look
// again, unless it has given it back.
void Broker::look_whether_idle(ConnectedProgram& program, bool uses_any) {
  uint64_t leases = 0;
  for (uint32_t kind = 0; kind < protocol::kResourcesPerDevice; ++kind) leases += program.page->leases_of(kind);
  const bool is_quiet = std::exchange(program.leases, leases) == leases && !uses_any;
  if (!is_quiet || !program.assignment.task.empty() || programs_.size() == 1) return wake(program);
  if (++program.quiet_beats < kQuietBeats || program.is_idle) return;
  // In this order, here and there: it must not take itself for alone while another one does.
  program.is_idle = true;
  program.page->is_idle.store(1);
  count_programs();
}

void Broker::wake(ConnectedProgram& program) {
  program.quiet_beats = 0;
  if (!std::exchange(program.is_idle, false)) return;
  count_programs();
  program.page->is_idle.store(0);
}

uint32_t Broker::free_id() {
  do last_id_ = last_id_ % protocol::kMaxClientId + 1;
  while (programs_.contains(last_id_));
  return last_id_;
}

bool Broker::in_use(uint8_t device) const {
  return std::any_of(programs_.begin(), programs_.end(), [device](const auto& entry) {
    const auto& devices = entry.second.devices;
    return std::find(devices.begin(), devices.end(), device) != devices.end();
  });
}

void Broker::assign(ConnectedProgram& program) {
  const registry::Task* task = admission_.registry().find(program.asked, program.executable);
  const planning::AssignedTask* planned = task ? admission_.plan().find(task->name) : nullptr;
  if (const std::string name = task ? task->name : ""; name != program.assignment.task) count_jobs(program);
  program.weight = task ? task->weight : config_.default_weight;
  set_cpu_budget(program, planned, task ? task->period_ns : 0);
  int priority = !task || task->weight > 0 ? config_.default_priority : task->priority;
  priority = std::min(priority, program.rights.highest_priority);
  scheduler::Level level = program.weight > 0                     ? scheduler::Level::shares
                           : priority >= config_.default_priority ? scheduler::Level::real_time
                                                                  : scheduler::Level::background;
  // Beneath all guaranteed tasks: those are above the programs without deadlines.
  program.was_demoted = program.was_demoted || is_demoted(program);
  if (is_demoted(program)) {
    priority = std::min(priority, std::max(config_.default_priority, -INT_MAX) - 1);
    level = scheduler::Level::background;
  }
  const std::vector<std::string> affinity = task ? task->devices : std::vector<std::string>();
  // A program's devices stay the same while it runs, unless the plan or the administrator says otherwise.
  std::vector<uint8_t> devices = std::move(program.assignment.devices);
  if (devices.empty() || affinity != program.affinity) {
    program.affinity = affinity;
    devices = place(program, priority);
  }
  if (planned) devices = place(program, *planned);
  std::erase_if(devices, [&](uint8_t position) {
    return !may_use_device(program.rights.devices, devices_.names()[program.devices[position]]);
  });
  if (program.own_gpu)
    std::ranges::stable_partition(devices,
                                  [&](uint8_t position) { return program.devices[position] == *program.own_gpu; });
  const uint32_t gpus = program.own_gpu ? 1 : planned ? static_cast<uint32_t>(planned->mode) : task ? task->gpus : 0;
  const uint64_t period = task ? task->period_ns : 0;
  const uint64_t early = planned ? planned->early_ns : period / 16;
  // The next job may come a shorter period after the one before, which may have begun late within what was allowed.
  const auto sooner = [&](uint64_t before, uint64_t now) {
    if (period > 0 && now < before) program.job_due_ns -= std::min(program.job_due_ns, before - now);
  };
  sooner(program.assignment.period_ns, period);
  sooner(program.assignment.early_ns, early);
  program.assignment = {task ? task->name : "",
                        priority,
                        registry::fewer_gpus(gpus, program.gpus),
                        std::move(devices),
                        task ? task->deadline_ns : 0,
                        period,
                        0,
                        early,
                        !task || task->weight > 0 ? 0
                        : task->hold_ns >= 0      ? static_cast<uint64_t>(task->hold_ns)
                                                  : config_.hold_ns};
  set_promise(program, planned);
  if (task) wake(program);
  program.page->assignment.write(program.assignment);
  const scheduler::Policy& policy = scheduler_.policy();
  using Jobs = protocol::ClientPage;
  const bool goes_by_deadline = policy.urgency == scheduler::Policy::Urgency::deadline;
  program.page->tells_jobs.store(program.weight > 0 || (!goes_by_deadline && !program.is_out_of_cpu) ? Jobs::kUntold
                                 : !policy.gives_own_gpus()                                          ? Jobs::kTold
                                 : policy.contains                                                   ? Jobs::kAskAtBegin
                                                   : Jobs::kAskAtCommand);
  if (planned && planned->bound_ns)
    reservations_.set(
        program.id,
        {{planned->gpu_ns, planned->link_ns}, *planned->bound_ns, {planned->gpu_requests, planned->link_requests}});
  else
    reservations_.remove(program.id);
  contain(program);
  program.level = level;
  const bool is_ranked = policy.ranks_threads() && level == scheduler::Level::real_time;
  set_thread_priority(program, is_ranked ? program.thread_priority : priority);
  rank_programs();
}

void Broker::set_thread_priority(ConnectedProgram& program, int priority) {
  scheduler_.set_standing(program.id, {priority, program.level, std::max(program.weight, 1u)});
  own_gpus_.set_priority(program.id, priority);
  const bool is_same = std::exchange(program.thread_priority, priority) == priority;
  note_thread_priority(program);
  if (is_same) return;
  for (const pid_t thread : program.threads)
    processes_.attach_thread(program.pid, thread, priority, is_demoted(program));
}

// Threads have the order of their jobs' deadlines where the policy has it.
void Broker::rank_programs() {
  if (!scheduler_.policy().ranks_threads()) return;
  std::vector<scheduler::RankedProgram> ranked;
  for (const auto& [id, program] : programs_)
    if (const scheduler::Standing* standing = scheduler_.standing(id);
        standing && program.level == scheduler::Level::real_time)
      ranked.push_back({id, standing->deadline_ns, program.assignment.priority, program.rights.highest_priority});
  std::set<int> priorities;
  const auto ranks = scheduler::edf_ranks(std::move(ranked), std::max(config_.default_priority, 0) + 1);
  for (const auto& [id, priority] : ranks) {
    priorities.insert(priority);
    set_thread_priority(programs_.at(id), priority);
  }
  shares_ranks_ = priorities.size() < ranks.size();
}

// Under the policy of containers its threads have the CPU of its first device's.
void Broker::contain(ConnectedProgram& program) {
  std::optional<uint8_t> container;
  if (scheduler_.policy().contains && program.weight == 0 && !program.assignment.devices.empty())
    container = program.devices[program.assignment.devices.front()];
  if (container == program.container) return;
  program.container = container;
  if (processes_.bind(program.id, program.pid, container)) return;
  can_bind_ = false;
  spdlog::warn("process {} can't be bound to the CPU of a container", program.pid);
}

// As positions in the program's own list.
std::vector<uint8_t> Broker::place(const ConnectedProgram& program, int priority) const {
  std::vector<std::string> names;
  for (uint8_t device : program.devices) names.push_back(devices_.names()[device]);
  const std::vector<uint8_t> allowed = registry::affine_positions(program.affinity, names);
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
std::vector<uint8_t> Broker::place(const ConnectedProgram& program, const planning::AssignedTask& task) const {
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
  planning::Machine machine{config_.cpus > 0 ? config_.cpus : std::max(1, get_nprocs()), devices_.names(),
                            config_.gpus};
  for (const std::string& device : machine.devices) {
    const auto told = memory_.find(device);
    machine.memory.push_back(config_.device_memory > 0 ? config_.device_memory
                             : told == memory_.end()   ? 0
                                                       : told->second);
  }
  return machine;
}

void Broker::on_client_exit(uint32_t id) {
  const auto found = programs_.find(id);
  if (found == programs_.end()) return;
  const pid_t pid = found->second.pid;
  const std::string task = found->second.assignment.task;
  const LogSubject about(pid, task);
  count_jobs(found->second);
  counted_jobs_.erase(id);
  cpu_delays_.remove(id);  // while its clock can be read
  programs_.erase(found);
  for (auto& far_ahead : board_.words().far_ahead)
    if (uint32_t client = id; far_ahead.load() == id) far_ahead.compare_exchange_strong(client, 0);
  count_programs();
  reservations_.remove(id);
  cpu_budgets_.remove(id);
  scheduler_.remove_client(id);
  own_gpus_.end_job(id);
  rank_programs();
  limit_memory();
  processes_.on_client_exit(id, pid);
  spdlog::info("process {} left", pid);
}

std::string Broker::unenforced() const {
  if (!processes_.gives_priorities()) return "threads get no real-time priorities";
  if (scheduler_.policy().ranks_threads() && shares_ranks_)
    return "there are more programs than priorities for the order of their deadlines: up to that of the most urgent "
           "task";
  if (scheduler_.policy().contains && !can_bind_) return "programs can't be bound to the CPUs of their containers";
  if (config_.overrun != OverrunPolicy::end)
    return "a section that is too long is not ended, nor a job that computes for too long (overrun in the "
           "configuration)";
  if (config_.cpu_watch_ns == 0) return "nobody looks how long jobs compute (cpu_watch in the configuration)";
  return "";
}

std::optional<Admission::Decision> Broker::complete_change() {
  auto decision = admission_.complete_change();
  if (!decision) return decision;
  for (auto& [id, program] : programs_) assign(program);
  limit_memory();
  return decision;
}

void Broker::reconfigure(const Config& config) {
  realtime_share_ = realtime_share();
  config_.default_priority = config.default_priority;
  config_.default_weight = config.default_weight;
  config_.overrun = config.overrun;
  config_.cpu_watch_ns = config.cpu_watch_ns;
  cpu_budgets_.set_watch(config.cpu_watch_ns);
  config_.planning = planned_by(config);
  config_.planning.policy = scheduler_.policy();
  config_.calibration = config.calibration;
  config_.cpus = config.cpus;
  config_.gpus = config.gpus;
  config_.device_memory = config.device_memory;
  config_.throttle = config.throttle;
  config_.hold_ns = config.hold_ns;
  admission_.set(config_.planning, config.strict);
  use_policy(config.policy);
}

}  // namespace samcl::daemon
