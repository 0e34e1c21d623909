// Launches on their way to a driver's queue: what the driver is to be called with, as plain values. Who puts them there
// and who gives them to the driver are on two cores, and would otherwise wait for each other's counts of references.
//
// Threads: one at a time puts, one at a time gives.
#pragma once

#include <CL/cl.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "libsamcl/device/late_times.h"
#include "libsamcl/engine/operation.h"

namespace samcl {

class LaunchRing {
 public:
  // An argument that the kernel has not got yet.
  struct Change {
    static constexpr size_t kMostBytes = 16;
    cl_uint index;
    uint32_t size;
    std::array<std::byte, kMostBytes> value;
  };
  // All that it names lives until it has been given: the operation that it belongs to sees to that.
  struct Launch {
    static constexpr size_t kMostChanges = 6;
    const engine::Node* of;          // which has been given to the queue
    std::atomic<bool>* is_doubtful;  // set if the driver refuses a change
    LateTimes* end;                  // that the program has; nullptr: it has none
    cl_kernel kernel;
    cl_uint dimensions, changes;
    bool has_offset, has_local;
    std::array<size_t, 3> offset, size, local;
    std::array<Change, kMostChanges> changed;
  };

  // How many have been put so far, and given. Any thread, as the next three.
  uint64_t put_count() const { return put_.load(); }
  uint64_t given_count() const { return given_.load(std::memory_order_acquire); }
  bool is_empty() const { return given_count() == put_count(); }
  bool is_full() const { return put_count() - given_count() == kRoom; }
  bool is_half_empty() const { return put_count() - given_count() <= kRoom / 2; }

  // Where to write the next one, which put() makes one of those to be given. While it is not full.
  Launch& next() { return launches_[put_.load(std::memory_order_relaxed) % kRoom]; }
  void put() { put_.fetch_add(1); }

  // The first one, which given() lets go of. While it is not empty.
  const Launch& first() const { return launches_[given_.load(std::memory_order_relaxed) % kRoom]; }
  void given() { given_.store(given_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

 private:
  // Who puts finds what he wrote before in his cache.
  static constexpr uint64_t kRoom = 32;
  static constexpr size_t kCacheLine = 64;
  std::array<Launch, kRoom> launches_;
  alignas(kCacheLine) std::atomic<uint64_t> put_{0};
  alignas(kCacheLine) std::atomic<uint64_t> given_{0};
};

}  // namespace samcl
