// The lease client. Per resource a ticket lock orders the threads of this process, so that one of them at a
// time deals with the daemon's word. What stands behind the lock (which session the lease was taken in) is
// read and written by its holder alone.
//
// Locks, in this order: a slot's ticket lock or gpu_mutex_; renewal_; current_mutex_ or threads_mutex_.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>

#include "libsamcl/lease/fork_mark.h"
#include "libsamcl/lease/lease.h"
#include "libsamcl/lease/session.h"

namespace samcl::lease {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kRetryAfter = std::chrono::seconds(1);
constexpr int kRetryShare = 10;  // attempts to find a daemon take at most this part of the time

uint64_t now_ns() { return static_cast<uint64_t>(Clock::now().time_since_epoch() / std::chrono::nanoseconds(1)); }

class TicketLock {
 public:
  bool is_free() const { return serving_.load() == next_.load(); }
  // While somebody holds it.
  bool is_wanted() const { return next_.load() - serving_.load() > 1; }
  bool try_lock() {
    uint32_t ticket = serving_.load();
    return next_.compare_exchange_strong(ticket, ticket + 1);
  }
  void lock() {
    const uint32_t ticket = next_.fetch_add(1);
    for (uint32_t now = serving_.load(); now != ticket; now = serving_.load()) serving_.wait(now);
  }
  void unlock() {
    serving_.fetch_add(1);
    serving_.notify_all();
  }

 private:
  std::atomic<uint32_t> next_{0};
  std::atomic<uint32_t> serving_{0};
};

// A resource as this process sees it. All but the lock is its holder's.
struct alignas(64) Slot {
  TicketLock lock;
  std::shared_ptr<Session> session;
  uint32_t generation = 0;  // of session; 0: none yet
  bool held = false;        // in session; false while locked: acquired unmanaged
};

// Adds the time of a scope to a sum.
class Waiting {
 public:
  explicit Waiting(std::atomic<uint64_t>& sum) : sum_(sum) {}
  ~Waiting() {
    const auto waited = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_);
    sum_.fetch_add(static_cast<uint64_t>(waited.count()));
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  std::atomic<uint64_t>& sum_;
  const Clock::time_point start_ = Clock::now();
};

class ManagedClient final : public Client {
 public:
  ManagedClient(const Settings& settings, const std::vector<std::string>& devices, std::shared_ptr<Session> session)
      : settings_(settings),
        devices_(devices),
        slots_(devices.size() * protocol::kResourcesPerDevice),
        memory_(devices.size(), 0),
        current_(std::move(session)) {
    for (const std::string& device : devices_)
      first_of_name_.push_back(
          static_cast<uint32_t>(std::find(devices_.begin(), devices_.end(), device) - devices_.begin()));
  }

  Assignment assignment() const override {
    if (is_forked_copy()) return {};
    const auto session = current();
    return session->usable() ? session->assignment() : Assignment{};
  }

  uint64_t assignment_version() const override {
    if (is_forked_copy()) return 0;
    const uint64_t generation = generation_.load();  // before: a session that comes now counts the next time
    const auto session = current();
    return session->usable() ? generation << 32 | session->assignment_version() : 0;
  }

  bool is_task() const override {
    if (is_forked_copy()) return false;
    const auto session = current();
    return session->usable() && session->is_task();
  }

  void acquire(ResourceKind kind, uint32_t device) override {
    if (device >= devices_.size() || is_forked_copy()) return;
    Slot& slot = slots_[slot_index(kind, device)];
    if (slot.lock.is_free()) {
      slot.lock.lock();
    } else {
      const Waiting waiting(waited_ns_);
      slot.lock.lock();
    }
    refresh(slot);
    if (slot.session->usable() && slot.session->is_idle()) slot.session->wake();
    if (!slot.session->usable() && !renew(slot)) return;
    slot.session->look_for_trace();
    slot.held = slot.session->take(kind, device);
    if (!slot.held) wait(slot, kind, device);
  }

  bool try_acquire(ResourceKind kind, uint32_t device) override {
    if (device >= devices_.size() || is_forked_copy()) return true;
    Slot& slot = slots_[slot_index(kind, device)];
    if (!slot.lock.try_lock()) return false;
    refresh(slot);
    slot.held = slot.session->usable() && !slot.session->is_idle() && slot.session->take(kind, device);
    if (!slot.held) slot.lock.unlock();
    return slot.held;
  }

  bool is_wanted(ResourceKind kind, uint32_t device) const override {
    if (device >= devices_.size() || is_forked_copy()) return false;
    const Slot& slot = slots_[slot_index(kind, device)];
    return slot.lock.is_wanted() || (slot.held && slot.session->is_wanted(kind, device));
  }

  bool revoke_requested(ResourceKind kind, uint32_t device) const override {
    if (device >= devices_.size() || is_forked_copy()) return false;
    const Slot& slot = slots_[slot_index(kind, device)];
    return slot.held && slot.session->revoke_requested(kind, device);
  }

  bool is_alone() const override {
    if (is_forked_copy()) return true;
    const auto session = current();
    return !session->usable() || session->is_alone();
  }

  bool runs_far(ResourceKind kind, uint32_t device) override {
    if (device >= devices_.size() || is_forked_copy()) return true;
    const Slot& slot = slots_[slot_index(kind, device)];
    return !slot.held || slot.session->runs_far(kind, device);
  }

  void ends_run_far(ResourceKind kind, uint32_t device) override {
    if (device >= devices_.size() || is_forked_copy()) return;
    const Slot& slot = slots_[slot_index(kind, device)];
    if (slot.held) slot.session->ends_run_far(kind, device);
  }

  void release(ResourceKind kind, uint32_t device) override {
    if (device >= devices_.size() || is_forked_copy()) return;
    Slot& slot = slots_[slot_index(kind, device)];
    if (slot.held) {
      slot.held = false;
      slot.session->release(kind, device);
    }
    slot.lock.unlock();
  }

  void attach_thread(int tid) override {
    if (is_forked_copy()) return;
    {
      std::lock_guard lock(threads_mutex_);
      threads_.insert(tid);
    }
    current()->attach_thread(tid, false);
  }

  void job_began() override {
    if (is_forked_copy()) return;
    const auto session = current();
    session->job_began(now_ns());
    using Page = protocol::ClientPage;
    const Page::Telling telling = session->tell_job_began();
    is_job_told_ = telling != Page::kUntold;
    needs_gpu_ = telling > Page::kTold;
    if (telling == Page::kAskAtBegin) await_gpu();
  }

  void builds() override {
    if (!is_forked_copy()) current()->builds();
  }

  uint64_t holds_job_ns() const override { return is_forked_copy() ? 0 : current()->holds_job_ns(); }

  void await_gpu() override {
    if (!needs_gpu_.load(std::memory_order_relaxed) || is_forked_copy()) return;
    std::lock_guard lock(gpu_mutex_);
    if (!needs_gpu_) return;
    const Waiting waiting(waited_ns_);
    current()->wait_for_gpu();
    needs_gpu_ = false;
  }

  // What several threads waited at the same time counts several times: in doubt a job executed for less.
  void job_ended(uint64_t response_ns, bool was_building) override {
    if (is_forked_copy()) return;
    const uint64_t waited = waited_ns_.load(), before = waited_before_.exchange(waited);
    const auto session = current();
    session->job_ended(response_ns, waited - before, was_building, now_ns());
    needs_gpu_ = false;
    if (is_job_told_.exchange(false)) session->tell_job_ended();
  }

  void memory_changed(uint32_t device, int64_t bytes) override {
    if (device >= devices_.size() || is_forked_copy()) return;
    std::lock_guard lock(current_mutex_);
    memory_[first_of_name_[device]] += static_cast<uint64_t>(bytes);
    show_memory();
  }

  uint64_t memory(uint32_t device) const override {
    if (device >= devices_.size()) return 0;
    std::lock_guard lock(current_mutex_);
    return memory_[first_of_name_[device]];
  }

  uint64_t memory_limit(uint32_t device) const override {
    if (device >= devices_.size() || is_forked_copy()) return 0;
    const auto session = current();
    return session->usable() ? session->memory_limit(first_of_name_[device]) : 0;
  }

  void wait_for_memory_limit(int ms) override { current()->wait_for_memory_limit(ms); }

  uint64_t leases_taken() const override { return is_forked_copy() ? 0 : current()->leases_taken(); }

  bool managed() const override { return !is_forked_copy() && current()->usable(); }

  uint64_t waited_ns() const override { return waited_ns_.load(); }

 private:
  // The daemon knows the process that connected; a child made by fork is another one.
  bool is_forked_copy() const { return fork_mark_.is_copy(); }

  // Devices of one name are one resource.
  size_t slot_index(ResourceKind kind, uint32_t device) const {
    return size_t{first_of_name_[device]} * protocol::kResourcesPerDevice + static_cast<size_t>(kind);
  }

  std::shared_ptr<Session> current() const {
    std::lock_guard lock(current_mutex_);
    return current_;
  }

  void wait(Slot& slot, ResourceKind kind, uint32_t device) {
    const Waiting waiting(waited_ns_);
    slot.held = slot.session->wait_for(kind, device);
    if (slot.held || !renew(slot)) return;
    slot.held = slot.session->take(kind, device) || slot.session->wait_for(kind, device);
  }

  // Brings the slot to the present session.
  void refresh(Slot& slot) {
    if (slot.generation == generation_.load(std::memory_order_acquire)) return;
    std::lock_guard lock(current_mutex_);
    slot.session = current_;
    slot.generation = generation_.load(std::memory_order_relaxed);
  }

  // After the slot's session ended: finds the daemon that runs now, if it is time to look for one. False if
  // there is none; while one thread looks, the others go on unmanaged.
  bool renew(Slot& slot) {
    std::unique_lock lock(renewal_, std::try_to_lock);
    if (!lock) return false;
    refresh(slot);
    if (slot.session->usable()) return true;
    const auto start = Clock::now();
    if (start < next_attempt_) return false;
    if (slot.session->hangs()) {
      next_attempt_ = start + kRetryAfter;
      return false;
    }
    auto session = Session::open(settings_, devices_);
    const auto end = Clock::now();
    next_attempt_ = end + std::max<Clock::duration>(kRetryAfter, kRetryShare * (end - start));
    if (!session) return false;
    {
      std::lock_guard guard(current_mutex_);
      current_ = *std::move(session);
      show_memory();
      generation_.fetch_add(1, std::memory_order_release);
    }
    refresh(slot);
    attach_all(*slot.session);
    return true;
  }

  // With current_mutex_ held.
  void show_memory() {
    for (uint32_t device = 0; device < memory_.size(); ++device) current_->show_memory(device, memory_[device]);
  }

  void attach_all(Session& session) {
    std::set<int> threads;
    {
      std::lock_guard lock(threads_mutex_);
      std::erase_if(threads_, [](int tid) { return syscall(SYS_tgkill, getpid(), tid, 0) != 0; });
      threads = threads_;
    }
    for (int tid : threads) session.attach_thread(tid, true);
  }

  const Settings settings_;
  const std::vector<std::string> devices_;
  std::vector<uint32_t> first_of_name_;  // by device
  const ForkMark fork_mark_;
  std::vector<Slot> slots_;  // by device and kind
  std::atomic<uint64_t> waited_ns_{0};
  std::atomic<uint64_t> waited_before_{0};  // when the last job ended

  std::atomic<bool> is_job_told_{false};  // the daemon knows that a job is under way,
  std::atomic<bool> needs_gpu_{false};    // which has not asked for a GPU of its own yet
  std::mutex gpu_mutex_;                  // while one thread asks

  std::vector<uint64_t> memory_;  // the program has, of each device; guarded by current_mutex_
  mutable std::mutex current_mutex_;
  std::shared_ptr<Session> current_;     // guarded by current_mutex_
  std::atomic<uint32_t> generation_{1};  // changes with current_

  std::mutex renewal_;
  Clock::time_point next_attempt_{};  // guarded by renewal_

  std::mutex threads_mutex_;
  std::set<int> threads_;  // attached; guarded by threads_mutex_
};

}  // namespace

Result<std::unique_ptr<Client>> Client::connect(const Settings& settings, const std::vector<std::string>& devices) {
  auto session = Session::open(settings, devices);
  if (!session) return tl::unexpected(session.error());
  return std::make_unique<ManagedClient>(settings, devices, *std::move(session));
}

}  // namespace samcl::lease
