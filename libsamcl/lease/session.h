// One connection of this process to one daemon: from hello until that daemon ends, hangs, or takes no more
// messages. A session that is no longer usable never becomes so again; Client opens a new one. What a lease
// costs that nobody contends for stands here, to be inlined.
//
// Threads: everything may be called by any thread, but take, wait_for, release and revoke_requested of one
// resource by one thread at a time.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "libsamcl/lease/lease.h"
#include "sam-manager/protocol/connection.h"

namespace samcl::lease {

class Session {
 public:
  // Errors: as Client::connect.
  static Result<std::shared_ptr<Session>> open(const Settings& settings,
                                               const std::vector<std::string>& devices);
  Session(std::unique_ptr<protocol::Connection> connection, uint32_t id, const std::vector<uint8_t>& devices);
  ~Session();  // says goodbye, unless we are a copy made by fork
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  bool usable() const {
    return !gone_.load(std::memory_order_relaxed) && segment_.closed.load(std::memory_order_relaxed) == 0;
  }

  // Whether the daemon that this session gave up still stands where it stood then: it is of no use to ask it.
  bool hangs() const;

  // The resource if it is idle: one compare-and-swap.
  bool take(ResourceKind kind, uint32_t device) {
    const uint32_t resource = resource_of(kind, device);
    protocol::Word idle = 0;
    if (!segment_.words[resource].compare_exchange_strong(idle, id_)) return false;
    cell_.count_lease(resource);
    return true;
  }

  // Waits until the daemon grants it. False: the session is no longer usable, and the resource not ours.
  bool wait_for(ResourceKind kind, uint32_t device);

  void release(ResourceKind kind, uint32_t device) {
    const uint32_t resource = resource_of(kind, device);
    protocol::Word word = id_;
    if (segment_.words[resource].compare_exchange_strong(word, 0)) return;
    // It may have been taken from us, while we were stopped.
    if (protocol::owner_of(word) == id_) send_release(resource);
  }

  bool revoke_requested(ResourceKind kind, uint32_t device) const {
    const protocol::Word seen = segment_.words[resource_of(kind, device)].load(std::memory_order_relaxed);
    return (seen & protocol::kRevoke) != 0 && protocol::owner_of(seen) == id_ &&
           !gone_.load(std::memory_order_relaxed);
  }

  // Gives a thread the task's priority; `again`: it may still have one that another daemon gave it.
  void adopt(int tid, bool again);

  Assignment assignment() const;

  void job_ended(uint64_t response_ns) {
    if (usable()) cell_.jobs.add(response_ns);
  }

 private:
  bool send(protocol::Request& request, int limit_ms);
  void send_release(uint32_t resource);
  void give_up();
  uint32_t resource_of(ResourceKind kind, uint32_t device) const {
    return device_[device] * protocol::kResourcesPerDevice + static_cast<uint32_t>(kind);
  }

  const std::unique_ptr<protocol::Connection> connection_;
  protocol::Segment& segment_;
  const uint32_t id_;
  protocol::ClientCell& cell_;
  const int process_;
  std::array<uint8_t, protocol::kMaxDevices> device_{};  // the daemon's indices
  std::atomic<bool> given_up_{false};
  std::atomic<bool> gone_{false};
  std::atomic<uint32_t> last_beats_{0};  // when it went
  std::atomic<uint64_t> sequence_{0};
};

}  // namespace samcl::lease
