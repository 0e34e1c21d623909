// Transfers between a device and pageable host memory through a ring of pinned chunks: each of several threads copies a
// chunk of its own and gives it to the driver, while the link moves others. Drivers do the same with one thread, at a
// fraction of the link's speed.
//
// One ring serves one lane: transfers exclude each other. The rest is for any thread.
#pragma once

#include <CL/cl.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>

#include "base/rectangle.h"

namespace samcl {

class PinnedRing {
 public:
  // On a queue of its own, which one thread uses at a time. uses_threads: others may wait for its commands meanwhile,
  // which drivers that compute in the calling thread do not bear; else the caller does all.
  PinnedRing(cl_context context, cl_command_queue queue, bool uses_threads)
      : context_(context), queue_(queue), uses_threads_(uses_threads) {}
  ~PinnedRing();
  PinnedRing(const PinnedRing&) = delete;
  PinnedRing& operator=(const PinnedRing&) = delete;

  // Shorter transfers are as fast by the driver's own way.
  static constexpr size_t kLeast = 1 << 20;

  // To make the chunks takes as long as the driver's own way for so many bytes more than the ring; who waits for them
  // to be made takes as long for twice as many.
  static constexpr size_t kPays = 16 << 20;

  // Makes the chunks, or takes those that another ring left, once; another caller waits meanwhile. False if pinned
  // memory cannot be had: then the driver's own way has to serve.
  bool prepare();
  // Whether they are there.
  bool is_ready() const { return ready_.load(std::memory_order_acquire); }

  // Gives the driver a piece of a transfer, without waiting: between rows of the device's memory and a chunk that holds
  // them without gaps. The driver's code, and the command's event. By one thread at a time, in the order of the rows
  // for downloads only.
  using Give = std::function<cl_int(const Rectangle& rows, std::byte* chunk, cl_event* moved)>;
  // For what has to leave the link to others in between. No more than kGivesWay is in flight, which they wait for, but
  // as long as runs_far() is true. Asked before each piece is given to the driver; once it is time, or runs_far() is
  // not true any more, take() is called, when nothing is in flight.
  struct Pause {
    std::function<bool()> is_due, runs_far;
    std::function<void()> take;
  };
  // Between rows of the device's memory and rows of equal shape in the program's. They block until all bytes are
  // there; the driver's code.
  cl_int upload(const Rectangle& rows, const std::byte* from, const Rectangle& host, const Give& give,
                const Pause* pause = nullptr);
  cl_int download(const Rectangle& rows, std::byte* to, const Rectangle& host, const Give& give,
                  const Pause* pause = nullptr);

  // What is in flight at most, and what others wait for.
  static constexpr size_t kBytes = 32 << 20, kGivesWay = 8 << 20;

 private:
  // Measured on two H100 with 8 threads for each (GB/s up and down; memory is copied at 60): chunks of 512 KiB 42 and
  // 38, 1 MiB 46 and 56, 2 MiB 47 and 70. For an upload each thread needs two chunks: one is moved while it fills the
  // other. Half of these where others wait, so that as many threads have some of what may be in flight. A short
  // download goes in as many chunks as there are threads: on two H200 with 512 KiB 4 MiB took 230 us instead of 340, 8
  // MiB in eight 320 instead of 470. Uploads gained nothing by it. While each thread empties a chunk, as many more are
  // being moved: with 16 MiB in all instead of 32 one H200 gave 29 GB/s down instead of 50.
  static constexpr size_t kUp = 1 << 20, kDown = 2 << 20, kLeastDown = 512 << 10;
  static constexpr unsigned kThreads = 8;
  class Transfer;
  bool make();
  // In as many threads as there are pieces, and as copy.
  void in_parallel(size_t most, const std::function<void()>& work) const;

  const cl_context context_;
  const cl_command_queue queue_;
  const bool uses_threads_;
  std::once_flag tried_;  // by what throws nothing: see Build::make_sub_kernel_programs()
  std::atomic<bool> ready_{false};
  std::byte* memory_ = nullptr;  // of all chunks
  cl_mem lock_ = nullptr;        // keeps it in place; no command uses it
};

}  // namespace samcl
