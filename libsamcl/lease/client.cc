// The lease client. Per resource a ticket lock orders the threads of this process, so that one of them at a
// time deals with the shared word: idle to owned by compare-and-swap, else by a message to the daemon and a
// futex.
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>

#include "libsamcl/lease/fork_mark.h"
#include "libsamcl/lease/lease.h"
#include "sam-manager/protocol/connection.h"
#include "sam-manager/protocol/segment.h"

namespace samcl::lease {
namespace {

using protocol::Kind;
using protocol::kMaxResources;
using protocol::Request;
using Clock = std::chrono::steady_clock;

constexpr int kSliceMs = 50;        // between looks whether the daemon is alive
constexpr int kSendLimitMs = 2000;  // a daemon that takes no message for so long counts as dead
constexpr int kGoodbyeLimitMs = 50;

class TicketLock {
 public:
  bool is_free() const { return serving_.load() == next_.load(); }
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

class ManagedClient final : public Client {
 public:
  ManagedClient(std::unique_ptr<protocol::Connection> connection, uint32_t id, std::vector<uint8_t> devices)
      : connection_(std::move(connection)), id_(id), devices_(std::move(devices)) {}

  ~ManagedClient() override {
    if (managed()) send(Kind::goodbye, 0, 0, 0, kGoodbyeLimitMs);
  }

  Assignment assignment() const override {
    if (!managed()) return {};
    auto value = cell().assignment.read();
    return {std::move(value.task), value.priority, value.gpus};
  }

  void acquire(ResourceKind kind, uint32_t device) override {
    if (device >= devices_.size() || is_forked_copy()) return;
    const uint32_t resource = resource_of(kind, device);
    if (locks_[resource].is_free()) {
      locks_[resource].lock();
      if (take(resource)) return;
    } else {
      const auto start = Clock::now();
      locks_[resource].lock();
      count_wait(start);
      if (take(resource)) return;
    }
    const auto start = Clock::now();
    wait_for(resource);
    count_wait(start);
  }

  bool revoke_requested(ResourceKind kind, uint32_t device) const override {
    if (device >= devices_.size() || gone_.load(std::memory_order_relaxed)) return false;
    const protocol::Word seen = word(resource_of(kind, device)).load(std::memory_order_relaxed);
    return (seen & protocol::kRevoke) != 0 && protocol::owner_of(seen) == id_;
  }

  void release(ResourceKind kind, uint32_t device) override {
    if (device >= devices_.size() || is_forked_copy()) return;
    const uint32_t resource = resource_of(kind, device);
    if (held_[resource]) {
      held_[resource] = false;
      protocol::Word seen = id_;
      if (!word(resource).compare_exchange_strong(seen, 0) && managed()) send(Kind::release, resource);
    }
    locks_[resource].unlock();
  }

  void adopt_thread(int tid) override {
    if (managed()) send(Kind::adopt, 0, 0, tid);
  }

  bool managed() const override {
    return !gone_.load(std::memory_order_relaxed) && segment().closed.load() == 0 && !is_forked_copy();
  }

  uint64_t waited_ns() const override { return waited_ns_.load(); }

 private:
  // The daemon knows the process that connected; a child made by fork is another one.
  bool is_forked_copy() const { return fork_mark_.is_copy(); }
  protocol::Segment& segment() const { return connection_->segment(); }
  protocol::ClientCell& cell() const { return segment().clients[protocol::slot_of(id_)]; }
  std::atomic<protocol::Word>& word(uint32_t resource) const { return segment().words[resource]; }
  uint32_t resource_of(ResourceKind kind, uint32_t device) const {
    return devices_[device] * protocol::kResourcesPerDevice + static_cast<uint32_t>(kind);
  }

  // Without a message, if it is idle; also true if nobody is there to ask any more.
  bool take(uint32_t resource) {
    if (!managed()) return true;
    protocol::Word idle = 0;
    held_[resource] = word(resource).compare_exchange_strong(idle, id_);
    return held_[resource];
  }

  void wait_for(uint32_t resource) {
    const uint64_t sequence = sequence_.fetch_add(1) + 1;
    if (!send(Kind::acquire, resource, sequence)) return;
    const auto& grant = cell().grants[resource];
    for (uint32_t seen = grant.load(); seen != static_cast<uint32_t>(sequence); seen = grant.load()) {
      if (!connection_->daemon_alive()) {
        gone_.store(true);
        return;
      }
      protocol::futex_wait(grant, seen, kSliceMs);
    }
    held_[resource] = true;
  }

  bool send(Kind kind, uint32_t resource, uint64_t sequence = 0, int tid = 0, int limit_ms = kSendLimitMs) {
    Request request;
    request.header.kind = kind;
    request.header.pid = process_;
    request.header.client = id_;
    request.header.sequence = sequence;
    request.resource = resource;
    request.tid = tid;
    if (connection_->send(request, limit_ms)) return true;
    gone_.store(true);
    cell().left.store(1);
    return false;
  }

  void count_wait(Clock::time_point start) {
    const auto waited = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
    waited_ns_.fetch_add(static_cast<uint64_t>(waited));
  }

  const std::unique_ptr<protocol::Connection> connection_;
  const pid_t process_ = getpid();
  const ForkMark fork_mark_;
  const uint32_t id_;
  const std::vector<uint8_t> devices_;  // the daemon's indices
  std::atomic<bool> gone_{false};
  std::atomic<uint64_t> sequence_{0};
  std::atomic<uint64_t> waited_ns_{0};
  std::array<TicketLock, kMaxResources> locks_;
  std::array<bool, kMaxResources> held_{};  // each guarded by its lock
};

}  // namespace

Result<std::unique_ptr<Client>> Client::connect(const Settings& settings,
                                                const std::vector<std::string>& devices) {
  Request hello;
  if (devices.empty() || devices.size() > protocol::kMaxDevices)
    return fail("the manager takes 1 to " + std::to_string(protocol::kMaxDevices) + " devices, not " +
                std::to_string(devices.size()));
  hello.header.kind = Kind::hello;
  hello.device_count = static_cast<uint32_t>(devices.size());
  if (!protocol::store(settings.task, hello.task))
    return fail("the task's name is too long: " + settings.task);
  for (size_t i = 0; i < devices.size(); ++i)
    if (devices[i].empty() || !protocol::store(devices[i], hello.devices[i]))
      return fail("the device's name is empty or too long: \"" + devices[i] + "\"");
  auto connection = protocol::Connection::open(settings.instance);
  if (!connection) return tl::unexpected(connection.error());
  const auto reply = (*connection)->ask(hello, settings.connect_timeout_ms);
  if (!reply) return tl::unexpected(reply.error());
  std::vector<uint8_t> indices(reply->devices, reply->devices + devices.size());
  for (uint8_t index : indices)
    if (index >= protocol::kMaxDevices) return fail("the manager's answer makes no sense");
  return std::make_unique<ManagedClient>(*std::move(connection), reply->header.client, std::move(indices));
}

}  // namespace samcl::lease
