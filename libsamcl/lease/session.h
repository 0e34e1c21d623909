// One connection of this process to one daemon: from hello until that daemon ends, hangs, or takes no more
// messages. A session that is no longer usable never becomes so again; Client opens a new one. What a lease
// costs that nobody contends for stands here, to be inlined.
//
// Threads: everything may be called by any thread, but take, wait_for, release, is_wanted and
// revoke_requested of one resource by one thread at a time, and so wait_for_gpu.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "libsamcl/lease/lease.h"
#include "sam-manager/protocol/connection.h"
#include "sam-manager/protocol/leasing.h"
#include "sam-manager/protocol/shared_memory.h"
#include "sam-manager/protocol/words.h"

namespace samcl::lease {

class Session {
 public:
  // Errors: as Client::connect.
  static Result<std::shared_ptr<Session>> open(const Settings& settings, const std::vector<std::string>& devices);
  ~Session();  // the daemon learns it from the end of the connection
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  bool usable() const { return !gone_.load(std::memory_order_relaxed) && notice_->life.held(life_); }

  // Whether the daemon that this session gave up still stands where it stood then: it is of no use to ask it.
  bool hangs() const;

  // The resource if it is idle: one compare-and-swap.
  bool take(ResourceKind kind, uint32_t device) {
    const uint32_t resource = resource_of(kind, device);
    if (!protocol::take(words_->words[resource], id_)) return false;
    page_->count_lease(resource);
    return true;
  }

  // Whether somebody wants to see what we do from now on; then it is begun. One load of shared memory.
  void look_for_trace() {
    const uint64_t until = page_->trace_until_ns.load(std::memory_order_relaxed);
    if (until != traced_until_.load(std::memory_order_relaxed)) [[unlikely]]
      begin_trace(until);
  }

  // Waits until the daemon grants it. False: the session is no longer usable, and the resource not ours.
  bool wait_for(ResourceKind kind, uint32_t device);

  void release(ResourceKind kind, uint32_t device) {
    const uint32_t resource = resource_of(kind, device);
    protocol::GiveBack giving(id_);
    const auto outcome = giving.step(words_->words[resource]);
    if (outcome != protocol::GiveBack::Outcome::idle) give_back(resource, giving, outcome);
  }

  bool is_wanted(ResourceKind kind, uint32_t device) const {
    const protocol::Word seen = words_->words[resource_of(kind, device)].load(std::memory_order_relaxed);
    const bool has_turn = (seen & (protocol::kTurn | protocol::kRevoke)) == protocol::kTurn;
    return (seen & protocol::kWaiters) != 0 && !has_turn && protocol::owner_of(seen) == id_;
  }

  bool revoke_requested(ResourceKind kind, uint32_t device) const {
    const protocol::Word seen = words_->words[resource_of(kind, device)].load(std::memory_order_relaxed);
    // What was taken from us, because we held it for too long or were stopped, is to be asked for again.
    return ((seen & protocol::kRevoke) != 0 || protocol::owner_of(seen) != id_) &&
           !gone_.load(std::memory_order_relaxed);
  }

  // Whether the daemon takes us for one that does nothing. wake: it does so no more, and who ran far meanwhile has
  // ended. Blocks, as connecting does; before anything is taken.
  bool is_idle() const { return page_->is_idle.load() != 0; }
  void wake();

  // See Client. Who connects or wakes is counted before he looks who runs far; so we say it before we look whether
  // anybody is.
  bool is_alone() const { return notice_->programs.load() == 1 && !is_idle(); }
  bool runs_far(ResourceKind kind, uint32_t device) {
    if (!is_alone()) return false;
    auto& far_ahead = words_->far_ahead[resource_of(kind, device)];
    if (far_ahead.load(std::memory_order_relaxed) == id_) return true;
    far_ahead.store(id_);
    if (is_alone()) return true;
    ends_run_far(kind, device);
    return false;
  }
  void ends_run_far(ResourceKind kind, uint32_t device) { words_->far_ahead[resource_of(kind, device)].store(0); }

  // Gives a thread the task's priority; `again`: it may still have one that another daemon gave it.
  void attach_thread(int tid, bool again);

  Assignment assignment() const;
  // Of this session.
  uint32_t assignment_version() const { return page_->assignment.version.load(); }
  bool is_task() const { return page_->assignment.task[0].load(std::memory_order_relaxed) != 0; }

  void job_began(uint64_t now_ns) {
    if (usable()) page_->jobs.begin(now_ns);
  }
  void builds() {
    if (usable()) ++page_->jobs.builds;
  }
  uint64_t holds_job_ns() const { return usable() && page_->jobs.is_building() ? page_->assignment.hold_ns.load() : 0; }
  // Tells the daemon, if it wants to know, that a job begins, and later ends. Returns what it wants to know.
  protocol::ClientPage::Telling tell_job_began();
  void tell_job_ended();
  // Waits until the job has its GPU. False: the session is no longer usable.
  bool wait_for_gpu();

  void job_ended(uint64_t response_ns, uint64_t waited_ns, bool was_building, uint64_t now_ns) {
    if (usable()) page_->jobs.add(response_ns, waited_ns, was_building, now_ns, page_->assignment);
  }

  void show_memory(uint32_t device, uint64_t bytes) { page_->memory[device].store(bytes, std::memory_order_relaxed); }

  uint64_t memory_limit(uint32_t device) const { return page_->memory_limits[device].load(std::memory_order_relaxed); }
  void wait_for_memory_limit(int ms);

  uint64_t leases_taken() const { return page_->taken.load(std::memory_order_relaxed); }

 private:
  // What the daemon gave us when we connected.
  struct Grant {
    uint32_t id = 0;
    std::vector<uint8_t> devices;  // its indices
    protocol::Shared<const protocol::Notice> notice;
    protocol::Shared<protocol::Words> words;
    protocol::Shared<protocol::ClientPage> page;
  };
  static Result<Grant> parse_grant(protocol::Answer answer, size_t devices);
  Session(std::unique_ptr<protocol::Connection> connection, Grant grant);

  bool send(const protocol::Message& message, int limit_ms);
  template <typename Granted, typename Sleep>
  bool ask(protocol::Message message, Granted granted, Sleep sleep);
  bool is_granted(uint32_t resource, uint32_t sequence);
  void give_back(uint32_t resource, protocol::GiveBack giving, protocol::GiveBack::Outcome outcome);
  void tell(protocol::MessageKind kind, uint32_t resource);
  void give_up();
  void wait_for_run_far() const;
  void wait_for_memory() const;
  void begin_trace(uint64_t until_ns);
  uint32_t resource_of(ResourceKind kind, uint32_t device) const {
    return device_[device] * protocol::kResourcesPerDevice + static_cast<uint32_t>(kind);
  }

  const std::unique_ptr<protocol::Connection> connection_;
  const protocol::Shared<const protocol::Notice> notice_keeper_;
  const protocol::Shared<protocol::Words> words_keeper_;
  const protocol::Shared<protocol::ClientPage> page_keeper_;
  // Where these are: a lease costs no way through their keepers.
  const protocol::Notice* const notice_;
  protocol::Words* const words_;
  protocol::ClientPage* const page_;
  const uint32_t life_;  // the daemon's mark while it lives
  const uint32_t id_;
  const uint32_t devices_;
  std::array<uint8_t, protocol::kMaxDevices> device_{};  // the daemon's indices of these
  std::atomic<bool> given_up_{false};
  std::atomic<bool> gone_{false};
  std::atomic<uint32_t> last_beats_{0};  // when it went
  std::atomic<uint64_t> sequence_{0};
  std::atomic<uint64_t> traced_until_{0};
  std::atomic<uint32_t> limits_seen_{0};
};

}  // namespace samcl::lease
