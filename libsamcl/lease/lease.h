// The client side of sam-managerd: one Client per process, used by the worker threads of libsamcl. A worker
// holds at most one lease at a time (a GPU or a PCIe link, never both), so clients cannot deadlock.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace samcl::lease {

enum class ResourceKind : uint8_t { gpu, link };

struct Settings {
  std::string instance = "default";   // which daemon (see sam-manager/protocol/names.h)
  std::string task;                   // task name asked for (SAMCL_TASK); empty: matched by uid and executable
  int connect_timeout_ms = 500;       // how long the daemon may take to answer
  uint32_t gpus = 0;                  // the most GPUs this program uses; 0: as many as there are
  std::vector<uint64_t> memory = {};  // of each device, bytes; empty: not told
};

// What the daemon may do to this process's share of the machine.
struct Assignment {
  std::string task;   // name under which the daemon knows us; "" if it is not registered
  int priority = 0;   // larger is more urgent
  uint32_t gpus = 0;  // mode: GPUs to use; 0: as many as there are
  // Indices of the announced devices that may be used, the one to use first at the front; empty: no choice
  // was made. Work that is on one device belongs on the first, mode k on the first k.
  std::vector<uint32_t> devices;
};

class Client {
 public:
  // Connects to the daemon and announces this machine's devices by stable names, in the order of their
  // index below (e.g. "pocl:0"). Every process that uses the same GPU must give it the same name.
  // Errors: no daemon, it did not answer in time, it refused (its reason is the message).
  static Result<std::unique_ptr<Client>> connect(const Settings& settings, const std::vector<std::string>& devices);

  virtual ~Client() = default;  // gives back what is held and says goodbye

  // The present assignment; the daemon may change it while we run. Thread-safe, one load of shared memory.
  virtual Assignment assignment() const = 0;

  // Another number as soon as assignment() may be another one, which takes longer. Thread-safe, likewise.
  virtual uint64_t assignment_version() const = 0;

  // Whether the daemon knows us as a task. Thread-safe, one load of shared memory.
  virtual bool is_task() const { return !assignment().task.empty(); }

  // Blocks until the resource of that device is ours. Uncontended: one compare-and-swap, no message.
  // If the daemon is gone, or does not move, it returns after a bounded wait and the process goes on
  // unmanaged; a later call finds the daemon that was started in its place. Thread-safe.
  virtual void acquire(ResourceKind kind, uint32_t device) = 0;

  // Takes the resource if that needs no waiting: it is idle, and no other thread of this process has it. As
  // acquire() otherwise, but it never goes on unmanaged where there was a daemon: finding another one takes time.
  virtual bool try_acquire(ResourceKind kind, uint32_t device) = 0;

  // Whether anybody waits for what we hold, another program or another thread of this one, and the manager does not
  // say by revoke_requested() when its turn comes. For the holder.
  virtual bool is_wanted(ResourceKind kind, uint32_t device) const = 0;

  // True if a more urgent task waits for what we hold: give way after the slice or chunk in flight.
  // One load of shared memory. For the holder.
  virtual bool revoke_requested(ResourceKind kind, uint32_t device) const = 0;

  // Whether no other program is connected, but for ones that have done nothing for a while. Thread-safe.
  virtual bool is_alone() const { return !managed(); }

  // Whether the holder may have more in flight than others may have to wait for, because he is alone. Once he may, a
  // program that connects waits until he calls ends_run_far(), at most kLongestRunMs: he does so as soon as he may not
  // any more and what is in flight is no more than that, and before he gives the resource back. Two loads of shared
  // memory.
  virtual bool runs_far(ResourceKind, uint32_t /*device*/) { return is_alone(); }
  virtual void ends_run_far(ResourceKind, uint32_t /*device*/) {}
  static constexpr int kLongestRunMs = 250;

  // Gives the resource back; if someone waits, the daemon is told. Any thread, if what it took is known to it.
  virtual void release(ResourceKind kind, uint32_t device) = 0;

  // Gives a thread (gettid) of this process the task's real-time priority, where the system allows it; also
  // under a daemon that comes later.
  virtual void attach_thread(int tid) = 0;

  // A job of the program begins now: that is when its deadline runs from. A message under policies by
  // deadline; under containers it blocks as await_gpu() does.
  virtual void job_began() {}

  // Before a command of the program is planned. Where jobs have a GPU to themselves: blocks until the job under way has
  // one, which then is the first device of the assignment, until the job ends; else one load of memory. Bounded as
  // acquire(). Thread-safe.
  virtual void await_gpu() {}

  // An OpenCL program is being built: nothing is promised of the job under way, nor of any before one has ended without
  // that. No message. Thread-safe.
  virtual void builds() {}

  // For how long the next job is to wait at its begin, at most, until what is being built is built: where its task is
  // held until then, and nothing is promised of its jobs yet; else 0. Thread-safe, some loads of shared memory.
  virtual uint64_t holds_job_ns() const { return 0; }

  // A job of the program took that long from its begin to now; for sam-ctl status, and to see whether the task
  // keeps to what it was registered with. Jobs end one after the other. No message, as job_began(). was_building: the
  // program built OpenCL programs meanwhile, which is no part of the task.
  virtual void job_ended(uint64_t response_ns, bool was_building = false) = 0;

  // The program has so many bytes more of a device's memory, or fewer; for sam-ctl status, and to see whether the task
  // keeps to what it reserved. Thread-safe. No message.
  virtual void memory_changed(uint32_t /*device*/, int64_t /*bytes*/) {}
  // How much that is by now.
  virtual uint64_t memory(uint32_t /*device*/) const { return 0; }

  // How much of a device's memory the program should have at most, since tasks that reserved memory need the rest,
  // bytes; 0: as much as it wants. Thread-safe, one load of shared memory.
  virtual uint64_t memory_limit(uint32_t /*device*/) const { return 0; }
  // Sleeps until a limit that is lower than what the program has may have been set, at most `ms`.
  virtual void wait_for_memory_limit(int /*ms*/) {}

  // Whether a daemon is there. Without one all calls return at once, but for a look now and then whether one
  // came back.
  virtual bool managed() const = 0;

  // Total ns this process spent waiting for leases; for the report.
  virtual uint64_t waited_ns() const = 0;

  // How many leases the present daemon took from us because we held them for longer than promised while a more
  // urgent task waited. What was held goes on without one until the next slice or chunk.
  virtual uint64_t leases_taken() const { return 0; }
};

// A lease for a scope. Does nothing if client is nullptr (unmanaged).
class Lease {
 public:
  Lease(Client* client, ResourceKind kind, uint32_t device) : client_(client), kind_(kind), device_(device) {
    if (client_) client_->acquire(kind_, device_);
  }
  ~Lease() { give_back(); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  // Whether a more urgent task waits for what we hold.
  bool revoke_requested() const { return client_ && client_->revoke_requested(kind_, device_); }

  // Between slices or chunks: gives way if a more urgent task waits, and takes the resource again.
  void yield_if_revoked() {
    if (!client_ || !client_->revoke_requested(kind_, device_)) return;
    leave_while([] {});
  }

  // Leaves the resource to others as long as the call takes, and takes it again.
  template <typename Call>
  void leave_while(Call call) {
    give_back();
    call();
    if (client_) client_->acquire(kind_, device_);
  }

  // Of what a manager grants: Client::runs_far(). Then it is far, until ends_run_far(), or it is given back.
  bool may_run_far() {
    const bool may = client_->runs_far(kind_, device_);
    is_far_ = is_far_ || may;
    return may;
  }
  bool is_far() const { return is_far_; }
  void ends_run_far() {
    if (std::exchange(is_far_, false)) client_->ends_run_far(kind_, device_);
  }

 private:
  void give_back() {
    ends_run_far();
    if (client_) client_->release(kind_, device_);
  }

  Client* client_;
  ResourceKind kind_;
  uint32_t device_;
  bool is_far_ = false;
};

}  // namespace samcl::lease
