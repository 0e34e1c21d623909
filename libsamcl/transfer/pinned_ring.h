// Transfers between a device and pageable host memory through a ring of pinned chunks: threads copy one chunk while the
// link moves others. Drivers do the same with one thread, at a fraction of the link's speed.
//
// One ring serves one lane: transfers exclude each other. The rest is for any thread.
#pragma once

#include <CL/cl.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>

#include "base/rectangle.h"

namespace samcl {

class PinnedRing {
 public:
  // On a queue of its own.
  PinnedRing(cl_context context, cl_command_queue queue) : context_(context), queue_(queue) {}
  ~PinnedRing();
  PinnedRing(const PinnedRing&) = delete;
  PinnedRing& operator=(const PinnedRing&) = delete;

  // Shorter transfers are as fast by the driver's own way.
  static constexpr size_t kLeast = 1 << 20;

  // To make the chunks takes as long as the driver's own way for so many bytes more than the ring.
  static constexpr size_t kPays = 16 << 20;

  // Makes the chunks, or takes those that another ring left, once; another caller waits meanwhile. False if pinned
  // memory cannot be had: then the driver's own way has to serve.
  bool prepare();
  // Whether they are there.
  bool is_ready() const { return ready_.load(std::memory_order_acquire); }

  // Gives the driver a piece of a transfer, without waiting: between rows of the device's memory and a chunk that holds
  // them without gaps. The driver's code, and the command's event.
  using Give = std::function<cl_int(const Rectangle& rows, std::byte* chunk, cl_event* moved)>;
  // Between rows of the device's memory and rows of equal shape in the program's. They block until all bytes are
  // there; the driver's code.
  cl_int upload(const Rectangle& rows, const std::byte* from, const Rectangle& host, const Give& give);
  cl_int download(const Rectangle& rows, std::byte* to, const Rectangle& host, const Give& give);

 private:
  static constexpr size_t kChunks = 4;
  static constexpr size_t kChunk = 4 << 20, kBytes = kChunks * kChunk;
  struct Chunk {
    std::byte* memory = nullptr;
    cl_event moved = nullptr;  // the transfer that uses it
  };
  bool make();
  cl_int wait(Chunk& chunk);
  cl_int wait_for_all(cl_int error);

  const cl_context context_;
  const cl_command_queue queue_;
  std::once_flag tried_;  // by what throws nothing: see Build::make_sub_kernel_programs()
  std::atomic<bool> ready_{false};
  std::byte* memory_ = nullptr;  // of all chunks
  cl_mem lock_ = nullptr;        // keeps it in place; no command uses it
  std::array<Chunk, kChunks> chunks_;
};

}  // namespace samcl
