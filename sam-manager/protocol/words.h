// The memory that daemon and clients share, in three parts with different rights:
//
//   Notice      the daemon's word to all: which one it is, that it lives and moves. Clients can only read it.
//   Words       one word per resource: who owns it. Every client writes; whoever may connect can spoil it.
//   ClientPage  what the daemon and one client tell each other. No other client has it.
//
// A resource's word: idle to owned is the client's compare-and-swap, and so is owned to idle while no flag is
// set. With a flag set the word says who is next, as the daemon decided: the owner writes that one as the owner, wakes
// it, and tells the daemon, which looks then who else waits. Where no next one is named the owner sends a release and
// the daemon writes the next owner. An idle word therefore never has waiters, and what is handed over by its owner goes
// on through the daemon until that has seen it.
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "sam-manager/protocol/limits.h"
#include "sam-manager/protocol/response_times.h"

namespace samcl::protocol {

// {owner client id: 32 bits, waiters: bit 32, revoke: bit 33, turn: bit 34, handed: bit 35, given back: bit 36, next
// client id: bits 40 to 63}; 0 is idle.
using Word = uint64_t;
constexpr Word kWaiters = Word{1} << 32;
constexpr Word kRevoke = Word{1} << 33;
// The owner has a turn: it need not give way before it is revoked, whoever waits.
constexpr Word kTurn = Word{1} << 34;
// The owner has it from the owner before, and has not seen that yet. It clears this; so does the daemon, which has told
// it then (ClientPage::grants).
constexpr Word kHanded = Word{1} << 35;
// The owner has given it back to the daemon, and tells it so (MessageKind::release). Without this in the word that
// message is about a lease that the daemon took from the client meanwhile, and not about the one that it has now.
constexpr Word kGivenBack = Word{1} << 36;
constexpr int kNextShift = 40;
constexpr uint32_t kMaxClientId = (uint32_t{1} << (64 - kNextShift)) - 1;
constexpr uint32_t owner_of(Word word) { return static_cast<uint32_t>(word); }
// To whom the owner hands the resource over; 0: the daemon decides.
constexpr uint32_t next_of(Word word) { return static_cast<uint32_t>(word >> kNextShift); }
constexpr Word with_next(uint32_t client) { return Word{client} << kNextShift; }
// What the owner writes to hand it over. Whether others wait is the daemon's to see.
constexpr Word handed_over(Word word) { return next_of(word) | kWaiters | kHanded | (word & kTurn); }

struct Words {
  std::array<std::atomic<Word>, kMaxResources> words;
  // Futexes: each grows after a grant of its resource, by whoever granted it. All who wait for that sleep here.
  std::array<std::atomic<uint32_t>, kMaxResources> grants;
  // Of each resource: the client that has more in flight on it than a program beside it should wait for; 0: none. Such
  // a one is alone: it writes itself here, and then looks whether it is (Notice::programs). Who connects looks here
  // after that, and waits before he does anything else. The daemon takes out those who died.
  std::array<std::atomic<uint32_t>, kMaxResources> far_ahead;

  // After the word names the client as its owner.
  void wake_granted(uint32_t resource, uint32_t client);
};

// Shows that a process lives, to others that share this memory and without a system call: a lock that it
// holds from its start to its end. However it ends, the kernel marks the lock (that is what robust mutexes
// are for).
class LifeLock {
 public:
  void hold();    // by the thread that ends last: for the daemon the main thread
  void let_go();  // by the same thread, before the memory goes: ends orderly. Again: nothing

  // What it reads while its holder lives; 0: that one ended.
  uint32_t mark() const;
  bool held(uint32_t mark) const { return word().load(std::memory_order_relaxed) == mark; }

 private:
  // The first word of a mutex is the futex: the owner's thread id, or FUTEX_OWNER_DIED and more.
  const std::atomic<uint32_t>& word() const { return *reinterpret_cast<const std::atomic<uint32_t>*>(&mutex_); }

  pthread_mutex_t mutex_;
};

struct Notice {
  uint32_t version;  // kVersion
  LifeLock life;
  std::atomic<uint32_t> beats;     // grows at least once a second while programs are connected
  std::atomic<uint32_t> programs;  // that are connected, and not idle (ClientPage::is_idle)
};

// What the daemon decided for a client. One writer (the daemon), any readers; `version` is odd while it is
// being written.
struct AssignmentCell {
  std::atomic<uint32_t> version;
  std::atomic<int32_t> priority;
  std::atomic<uint32_t> gpus;
  std::atomic<uint32_t> device_count;
  std::atomic<uint64_t> deadline_ns, period_ns, budget_ns, early_ns, hold_ns;
  std::array<std::atomic<uint64_t>, kNameBytes / 8> task;
  std::array<std::atomic<uint64_t>, kMaxDevices / 8> devices;

  struct Value {
    std::string task;
    int priority = 0;
    uint32_t gpus = 0;
    std::vector<uint8_t> devices;  // as the program numbers them, the one to use first at the front
    uint64_t deadline_ns = 0;      // of the task's jobs; 0: none
    uint64_t period_ns = 0;        // likewise
    uint64_t budget_ns = 0;        // what a job may execute, waiting for leases left out; 0: nobody knows
    uint64_t early_ns = 0;         // how much sooner than its time a job may begin
    uint64_t hold_ns = 0;          // for how long a job waits at its begin for what is being built; 0: it does not
  };
  void write(const Value& value);
  Value read() const;
};

// How long a program's jobs took, as far as it marks them (libsamcl/include/samcl). The program writes.
struct JobTimes {
  std::atomic<uint64_t> count;
  std::atomic<uint64_t> longest_ns;
  std::atomic<uint64_t> last_ns;
  std::atomic<uint64_t> misses;     // jobs that took longer than the deadline
  std::atomic<uint64_t> early;      // jobs that came faster than the period
  std::atomic<uint64_t> long_jobs;  // jobs that executed for longer than the budget
  // Jobs in which the program built OpenCL programs, and the longest of these: counted here and in `count` alone.
  std::atomic<uint64_t> building, longest_building_ns;
  // OpenCL builds that have begun, in a job or not; of these, those that had when the last job began, and when the last
  // one began in which nothing was built.
  std::atomic<uint64_t> builds, builds_at_begin, builds_passed;
  std::atomic<uint64_t> began_ns;  // when the last job began (CLOCK_MONOTONIC); 0: no job was seen to begin
  std::atomic<uint64_t> ended_ns;  // likewise; 0: none was seen to end
  std::atomic<uint64_t> next_ns;   // from when on the next one is no early one
  std::array<std::atomic<uint32_t>, kResponseBuckets> responses;

  void begin(uint64_t now_ns);
  // Whether nothing is promised of its jobs yet, or again: none has ended in which nothing was built, since the program
  // connected and since a build last began. The promise begins with the job after such a one.
  bool is_building() const { return count.load() == building.load() || builds.load() != builds_passed.load(); }
  // A job that ended now (CLOCK_MONOTONIC), having waited for leases for `waited_ns` of its time. One that begins
  // up to the assignment's `early_ns` before its time is not early: programs wake late now and then, or wait for a CPU
  // before they begin, and do not make up for it. was_building: nothing was promised of it.
  void add(uint64_t response_ns, uint64_t waited_ns, bool was_building, uint64_t now_ns, const AssignmentCell& task);
};

struct ClientPage {
  // Whether the program is taken for one that does nothing at present: the others may be as if it were not connected.
  // Before it takes anything it sends MessageKind::wake, waits until this is 0, and for those who run far
  // (Words::far_ahead). The daemon writes.
  std::atomic<uint32_t> is_idle;
  AssignmentCell assignment;
  JobTimes jobs;
  // Of each resource: the sequence number (low 32 bits) of the acquire that was granted last, as far as the daemon has
  // seen it.
  std::array<std::atomic<uint32_t>, kMaxResources> grants;
  // Whether the daemon is to be told of each job (MessageKind::begin_job), and whether that has a GPU to itself and
  // when it asks for it. The daemon writes.
  enum Telling : uint32_t { kUntold, kTold, kAskAtCommand, kAskAtBegin };
  std::atomic<Telling> tells_jobs;
  // Likewise a futex: the request_gpu that was granted last. Which one it is, the assignment says.
  std::atomic<uint32_t> gpu_grant;
  // Leases that were taken from the client because it held them for longer than it may. The daemon writes.
  std::atomic<uint64_t> taken;
  // How often the client got each resource: tells a long lease from many short ones. The holder writes.
  std::array<std::atomic<uint32_t>, kMaxResources> leases;
  // Of each device, as the program numbers them: how many bytes of its memory the program has. The program writes.
  std::array<std::atomic<uint64_t>, kMaxDevices> memory;
  // How many bytes of each it should have at most; 0: as many as it wants. The daemon writes, and then adds one to the
  // last word, a futex.
  std::array<std::atomic<uint64_t>, kMaxDevices> memory_limits;
  std::atomic<uint32_t> memory_limits_set;
  // Whether memory that its task reserved is still others', who were asked to give it back. The daemon writes.
  std::atomic<uint32_t> awaits_memory;
  // `sam-ctl trace`: until when the program is to trace what it does (ns of the monotonic clock; the daemon writes),
  // and the number of its descriptor of the memory where it does (the program writes; 0: it does not yet).
  std::atomic<uint64_t> trace_until_ns;
  std::atomic<int32_t> trace_descriptor;

  // How often the client got resources of one kind.
  uint64_t leases_of(uint32_t kind) const {
    uint64_t sum = 0;
    for (uint32_t resource = kind; resource < kMaxResources; resource += kResourcesPerDevice)
      sum += leases[resource].load(std::memory_order_relaxed);
    return sum;
  }
  void count_lease(uint32_t resource) {
    leases[resource].store(leases[resource].load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
};

static_assert(std::atomic<Word>::is_always_lock_free && std::atomic<uint32_t>::is_always_lock_free);

// Sleeps while `cell` holds `seen`, at most `ms`; may wake early. Between processes.
void futex_wait(const std::atomic<uint32_t>& cell, uint32_t seen, int ms);
void futex_wake_all(std::atomic<uint32_t>& cell);
// Of those who sleep at one cell, and one of them.
void futex_wait_as(uint32_t client, const std::atomic<uint32_t>& cell, uint32_t seen, int ms);
void futex_wake_one(uint32_t client, std::atomic<uint32_t>& cell);

}  // namespace samcl::protocol
