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
  // An integer argument that grows from one launch to the next, modulo its size.
  struct Growing {
    cl_uint index;
    uint32_t size;  // bytes, at most 8
    uint64_t first, step;
  };
  // Launches that came while this one was waiting here, and are to run with it as one: a kernel whose third dimension
  // counts them.
  struct Gathered {
    static constexpr size_t kMostGrowing = 6;
    cl_kernel kernel;
    cl_uint growing;
    std::array<Growing, kMostGrowing> values;
  };
  static constexpr uint32_t kTaken = 0;
  // All that it names lives until it has been given: the operation that it belongs to sees to that.
  struct Launch {
    static constexpr size_t kMostChanges = 6;
    // What nearly all need is read first, from few lines of the cache.
    const engine::Node* of;          // which has been given to the queue
    std::atomic<bool>* is_doubtful;  // set if the driver refuses a change
    LateTimes* end;                  // that the program has; nullptr: it has none
    cl_kernel kernel;
    cl_uint dimensions, changes;
    bool has_offset, has_local;
    bool may_gather = false;  // others in it; else it stands for one
    std::atomic<uint32_t> count{kTaken};
    // Until then the device has enough to do, and more may be gathered in it.
    std::atomic<uint64_t> held_until_ns{0};
    std::array<size_t, 3> offset, size, local;
    std::array<Change, kMostChanges> changed;
    Gathered gathered;  // meaningful if it stands for more than one
    bool is_taken() const { return count.load(std::memory_order_relaxed) == kTaken; }
  };

  // How many have been put so far, and given. Any thread, as the next three.
  uint64_t put_count() const { return put_.load(); }
  uint64_t given_count() const { return given_.load(std::memory_order_acquire); }
  bool is_empty() const { return given_count() == put_count(); }
  bool is_full() const { return put_count() - given_count() == kRoom; }
  bool is_half_empty() const { return put_count() - given_count() <= kRoom / 2; }

  // Where to write the next one, which put() makes one of those to be given. While it is not full.
  Launch& next() { return launches_[put_.load(std::memory_order_relaxed) % kRoom]; }
  void put() {
    Launch& launch = next();
    launch.count.store(launch.may_gather ? 1 : kTaken, std::memory_order_relaxed);
    put_.fetch_add(1);
  }
  // The one that put_count() counted last when it was put, as long as its place is not another one's: to write what it
  // stands for, before more are gathered in it.
  Launch* put_as(uint64_t number) {
    return put_.load(std::memory_order_relaxed) - number < kRoom ? &launches_[(number - 1) % kRoom] : nullptr;
  }
  // Whether it stands for one more from now on: not if it is being given.
  static bool gather(Launch& launch) {
    uint32_t count = launch.count.load(std::memory_order_relaxed);
    while (count != kTaken)
      if (launch.count.compare_exchange_weak(count, count + 1, std::memory_order_release, std::memory_order_relaxed))
        return true;
    return false;
  }

  // Until when the first one may wait; 0: there is none, or others wait for room. Any thread.
  uint64_t held_until_ns() const {
    const uint64_t given = given_count(), put = put_count();
    if (given == put || put - given > kRoom / 2) return 0;
    return launches_[given % kRoom].held_until_ns.load(std::memory_order_relaxed);
  }
  // The first one, which given() lets go of, and how many it stands for from now on. While it is not empty.
  struct Taken {
    const Launch& launch;
    uint32_t count;
  };
  Taken take() {
    Launch& first = launches_[given_.load(std::memory_order_relaxed) % kRoom];
    return {first, first.may_gather ? first.count.exchange(kTaken, std::memory_order_acquire) : 1};
  }
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
