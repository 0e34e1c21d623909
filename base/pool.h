// Memory for blocks of one size that is reused for that size only and never given back.
//
// For what the program holds handles of, in the order in which it was released and not at once, so that a stale handle
// keeps pointing at a recognisably dead object for as long as possible. For what comes and goes with every command, the
// block released last first, which the caches still hold: many of them are released at once, which general allocators
// are slow at.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <new>

namespace samcl {

class Pool {
 public:
  // quarantine: how many released blocks are not reused yet; 0: the last one is reused first.
  explicit Pool(size_t quarantine) : quarantine_(quarantine) {}

  void* allocate(size_t size) {
    {
      std::lock_guard lock(mutex_);
      if (free_ > quarantine_) {
        --free_;
        Link* const memory = first_;
        first_ = memory->next;
        return memory;
      }
    }
    return ::operator new(size);
  }

  // Overwrites the first bytes of a block with what finds the next one.
  void release(void* memory) {
    std::lock_guard lock(mutex_);
    if (quarantine_ == 0 || free_ == 0) {
      first_ = new (memory) Link{free_ == 0 ? nullptr : first_};
      if (free_ == 0) last_ = first_;
    } else {
      last_ = last_->next = new (memory) Link{nullptr};
    }
    ++free_;
  }

 private:
  struct Link {
    Link* next;
  };
  const size_t quarantine_;
  std::mutex mutex_;
  Link *first_ = nullptr, *last_ = nullptr;
  size_t free_ = 0;
};

// For std::allocate_shared: a block holds the counts, which are lost when it is released, and then the object.
template <typename T, size_t kQuarantine>
struct PoolAllocator {
  using value_type = T;
  template <typename U>
  struct rebind {
    using other = PoolAllocator<U, kQuarantine>;
  };

  PoolAllocator() = default;
  template <typename U>
  PoolAllocator(const PoolAllocator<U, kQuarantine>&) {}

  T* allocate(size_t) { return static_cast<T*>(pool().allocate(sizeof(T))); }
  void deallocate(T* memory, size_t) { pool().release(memory); }
  bool operator==(const PoolAllocator&) const = default;

 private:
  static Pool& pool() {
    static Pool* const pool = new Pool(kQuarantine);  // outlives every static destructor
    return *pool;
  }
};

// What comes and goes with every command.
template <typename T, typename... Arguments>
std::shared_ptr<T> make_recycled(Arguments&&... arguments) {
#ifdef __SANITIZE_ADDRESS__
  return std::make_shared<T>(std::forward<Arguments>(arguments)...);  // or it would see less
#else
  return std::allocate_shared<T>(PoolAllocator<T, 0>{}, std::forward<Arguments>(arguments)...);
#endif
}

}  // namespace samcl
