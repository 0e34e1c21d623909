// Memory for objects of one type that is reused for that type only and never given back, in the order it was
// released, so that a stale pointer keeps pointing at a recognisably dead object for as long as possible.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <new>

namespace samcl {

class Pool {
 public:
  void* allocate(size_t size) {
    {
      std::lock_guard lock(mutex_);
      if (free_.size() > kQuarantine) {
        void* memory = free_.front();
        free_.pop_front();
        return memory;
      }
    }
    return ::operator new(size);
  }

  void release(void* memory) {
    std::lock_guard lock(mutex_);
    free_.push_back(memory);
  }

 private:
  static constexpr size_t kQuarantine = 64;  // dead objects that are not reused yet
  std::mutex mutex_;
  std::deque<void*> free_;
};

}  // namespace samcl
