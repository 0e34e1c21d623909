// The shared memory of an instance: made by the daemon, mapped by every client.
//
// A resource's word says who owns it. Idle to owned is the client's compare-and-swap, and so is owned to idle
// while no flag is set. With a flag set only the daemon changes the word: the owner sends a release and the
// daemon writes the next owner. An idle word therefore never has waiters.
//
// Whoever may map the segment can spoil it: access to it (owner, group, mode) is the border of trust.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "sam-manager/protocol/messages.h"

namespace samcl::protocol {

// {owner client id: 32 bits, waiters: bit 32, revoke: bit 33}; 0 is idle.
using Word = uint64_t;
constexpr Word kWaiters = Word{1} << 32;
constexpr Word kRevoke = Word{1} << 33;
constexpr uint32_t owner_of(Word word) {
  return static_cast<uint32_t>(word);
}

// A client's id holds its slot in the low bits and is never used twice by one daemon.
constexpr uint32_t slot_of(uint32_t client) {
  return client % kMaxClients;
}

// What the daemon decided for a client. One writer (the daemon), any readers; `version` is odd while it is
// being written.
struct AssignmentCell {
  std::atomic<uint32_t> version;
  std::atomic<int32_t> priority;
  std::atomic<uint32_t> gpus;
  std::atomic<uint32_t> device_count;
  std::array<std::atomic<uint64_t>, kNameBytes / 8> task;
  std::array<std::atomic<uint64_t>, kMaxDevices / 8> devices;

  struct Value {
    std::string task;
    int priority = 0;
    uint32_t gpus = 0;
    std::vector<uint8_t> devices;  // as the program numbers them, the one to use first at the front
  };
  void write(const Value& value);
  Value read() const;
};

// How long a program's jobs took, as far as it marks them (libsamcl/include/samcl). The program writes.
struct JobTimes {
  std::atomic<uint64_t> count;
  std::atomic<uint64_t> longest_ns;
  std::atomic<uint64_t> last_ns;

  void add(uint64_t response_ns);
};

struct ClientCell {
  AssignmentCell assignment;
  JobTimes jobs;
  // Futexes, one for each resource: the sequence number (low 32 bits) of the acquire that was granted last.
  std::array<std::atomic<uint32_t>, kMaxResources> grants;
  // How often the client got each resource: tells a long lease from many short ones. The holder writes.
  std::array<std::atomic<uint32_t>, kMaxResources> leases;
  // The id of a client that could not tell the daemon something and goes on unmanaged; what it held is
  // granted on.
  std::atomic<uint32_t> left;

  void count_lease(uint32_t resource) {
    leases[resource].store(leases[resource].load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
};

struct Segment {
  uint32_t magic;
  uint32_t version;
  int32_t daemon_pid;
  uint32_t padding;
  uint64_t daemon_start;  // process_start_time(daemon_pid): tells it from a later process with its number
  uint64_t generation;    // differs between daemons
  std::atomic<uint32_t> closed;  // 1: this daemon is gone
  std::atomic<uint32_t> beats;   // grows at least once a second while programs are connected
  std::array<std::atomic<Word>, kMaxResources> words;
  std::array<ClientCell, kMaxClients> clients;
};

static_assert(std::atomic<Word>::is_always_lock_free && std::atomic<uint32_t>::is_always_lock_free);

// Sleeps while `cell` holds `seen`, at most `ms`; may wake early. Between processes.
void futex_wait(const std::atomic<uint32_t>& cell, uint32_t seen, int ms);
void futex_wake_all(std::atomic<uint32_t>& cell);

}  // namespace samcl::protocol
