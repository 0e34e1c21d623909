// Pinned memory of one device, through which short reads come that the program waits for. Behind a kernel NVIDIA's
// driver takes 20 us for one into pageable memory, or 50 without waiting in the call (on a thread of ours 200, for
// 64 KiB); into pinned memory, and until all has run, it takes 16 (H200).
//
// prepare() once; the rest is for any thread.
#pragma once

#include <CL/cl.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

namespace samcl {

class PinnedPlace {
 public:
  PinnedPlace() = default;
  ~PinnedPlace() { release(); }
  PinnedPlace(const PinnedPlace&) = delete;
  PinnedPlace& operator=(const PinnedPlace&) = delete;

  static constexpr size_t kBytes = 64 << 10;

  // Without it, or if there is no memory, nobody gets it.
  void prepare(cl_context context);

  // Before the context is. Nobody has it, or is going to.
  void release();

  // For who it is his as long as he holds that; empty if another one has it, or it is shorter.
  class Held {
   public:
    Held() = default;
    Held(std::unique_lock<std::mutex> lock, std::byte* memory) : lock_(std::move(lock)), memory_(memory) {}
    std::byte* memory() const { return lock_ ? memory_ : nullptr; }

   private:
    std::unique_lock<std::mutex> lock_;
    std::byte* memory_ = nullptr;
  };
  Held take(uint64_t bytes);

 private:
  std::mutex mutex_;
  std::atomic<std::byte*> memory_{nullptr};
  std::byte* pages_ = nullptr;
  cl_mem lock_ = nullptr;  // keeps it in place; no command uses it
};

}  // namespace samcl
