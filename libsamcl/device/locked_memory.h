// Host memory that a driver has locked: the program's mappings of memory objects, and what it gave as host memory of
// some. It moves at the link's full speed in one command, also where the program reads into it from another memory
// object, as it does that uses such memory for that (NVIDIA's advice); no pinned chunks are between.
//
// Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <utility>

#include "base/range.h"

namespace samcl {

class LockedMemory {
 public:
  void add(const std::byte* begin, uint64_t bytes) {
    std::lock_guard lock(mutex_);
    blocks_.emplace(address(begin), bytes);
  }
  // As it was added; before it is unlocked.
  void remove(const std::byte* begin, uint64_t bytes) {
    std::lock_guard lock(mutex_);
    blocks_.erase(blocks_.find({address(begin), bytes}));
  }

  // Whether all of that, bytes from an address on, is locked, as far as the longest block tells that begins last before
  // it: of blocks that overlap it may be another one.
  bool holds(const std::byte* from, Range bytes) const {
    std::shared_lock lock(mutex_);
    const uintptr_t begin = address(from) + bytes.begin;
    const auto next = blocks_.upper_bound({begin, UINT64_MAX});
    if (next == blocks_.begin()) return false;
    const auto& [its_begin, its_bytes] = *std::prev(next);
    return bytes.size() <= its_bytes && begin - its_begin <= its_bytes - bytes.size();
  }

 private:
  static uintptr_t address(const std::byte* memory) { return reinterpret_cast<uintptr_t>(memory); }

  mutable std::shared_mutex mutex_;
  std::multiset<std::pair<uintptr_t, uint64_t>> blocks_;  // begin and size
};

}  // namespace samcl
