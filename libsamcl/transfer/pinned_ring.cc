#include "libsamcl/transfer/pinned_ring.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>

#include "base/copy_rows.h"
#include "base/pages.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/transfer/copy_pool.h"

namespace samcl {
namespace {

constexpr size_t kPage = 2 << 20;  // a large one

// The program reads soon what it has downloaded: 16 MiB in 1.4 ms where they are in the caches, in 1.85 where they were
// stored past them (two H200).
constexpr uint64_t kInCaches = 32 << 20;

// The memory of a ring that is no more: the system takes longer to provide it than the driver to pin it.
std::atomic<std::byte*> left_over{nullptr};

}  // namespace

PinnedRing::~PinnedRing() {
  if (lock_) driver::real().clReleaseMemObject(lock_);
  if (std::byte* const before = memory_ ? left_over.exchange(memory_) : nullptr) munmap(before, kBytes);
}

bool PinnedRing::prepare() {
  std::call_once(tried_, [this] { ready_.store(make(), std::memory_order_release); });
  return is_ready();
}

// A driver that is to allocate pinned memory itself (CL_MEM_ALLOC_HOST_PTR) lets nobody else call it meanwhile: 8 ms
// with an H200. Memory that is there already it pins in 0.6 ms, and to have the system provide it in large pages
// takes one thread 2. The threads are those that will copy, and are there then.
bool PinnedRing::make() {
  memory_ = left_over.exchange(nullptr);
  if (!memory_) {
    memory_ = map_pages(kBytes);
    if (!memory_) return false;
    std::atomic<size_t> next = 0;
    in_parallel(kBytes / kPage, [this, &next] {
      for (size_t page; (page = next++) < kBytes / kPage;) std::memset(memory_ + page * kPage, 0, kPage);
    });
  }
  cl_int error;
  lock_ = driver::real().clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, kBytes, memory_, &error);
  return lock_ != nullptr;
}

void PinnedRing::in_parallel(size_t most, const std::function<void()>& work) const {
  work_in_parallel(uses_threads_ ? static_cast<unsigned>(std::min<size_t>(kThreads, most)) : 1, work);
}

// One transfer, whose pieces several threads move. The chunks stand in the order in which they were given to the
// driver: the first one is free, or will be first. A thread takes it out for as long as it copies.
class PinnedRing::Transfer {
 public:
  Transfer(PinnedRing& ring, RectanglePairs pieces, size_t chunk, bool is_far, const Give& give, const Pause* pause)
      : ring_(ring),
        pieces_(std::move(pieces)),
        most_near_(kGivesWay / chunk),
        give_(give),
        pause_(pause),
        is_far_(is_far) {
    in_use_ = std::min(is_far ? kBytes / chunk : most_near_, pieces_.size());
    for (size_t i = 0; i < in_use_; ++i) chunks_.push_back({ring.memory_ + i * chunk, nullptr, 0});
  }

  cl_int upload(const std::byte* from) {
    ring_.in_parallel(chunks_.size(), [&] {
      std::unique_lock lock(mutex_);
      while (error_ == CL_SUCCESS && next_ < pieces_.size()) {
        Chunk chunk = take();
        if (leaves_one()) {
          note(wait(chunk));
          continue;
        }
        const size_t piece = next_++;
        lock.unlock();
        const cl_int error = wait(chunk);
        const auto& [target, source] = pieces_[piece];
        if (error == CL_SUCCESS) copy_streaming(chunk.memory, target.dense(), from, source);
        lock.lock();
        note(error);
        give(chunk, piece);
      }
    });
    return wait_for_all();
  }

  cl_int download(std::byte* to, bool stays_in_caches) {
    for (size_t i = chunks_.size(); i > 0; --i) {
      const Chunk chunk = take();
      if (!leaves_one()) give(chunk, next_++);
    }
    ring_.in_parallel(chunks_.size(), [&] {
      std::unique_lock lock(mutex_);
      while (error_ == CL_SUCCESS && !chunks_.empty() && chunks_.front().moved) {
        Chunk chunk = take();
        lock.unlock();
        const cl_int error = wait(chunk);
        const auto& [source, target] = pieces_[chunk.piece];
        if (error == CL_SUCCESS)
          (stays_in_caches ? copy_rows : copy_streaming)(to, target, chunk.memory, source.dense());
        lock.lock();
        note(error);
        if (next_ < pieces_.size() && !leaves_one()) give(chunk, next_++);
      }
    });
    return wait_for_all();
  }

 private:
  struct Chunk {
    std::byte* memory;
    cl_event moved;  // the command that uses it
    size_t piece;    // which that moves
  };

  // All of these with mutex_ held, but for wait().
  Chunk take() {
    const Chunk chunk = chunks_.front();
    chunks_.pop_front();
    return chunk;
  }
  // Whether a chunk that is free is to be used no more, since there were more when this could run far.
  bool leaves_one() {
    if (is_far_ || in_use_ <= most_near_) return false;
    --in_use_;
    return true;
  }
  void give_way() {
    const bool is_far = is_far_ && pause_->runs_far();
    if (!pause_->is_due() && is_far == is_far_) return;
    note(driver::real().clFinish(ring_.queue_));
    pause_->take();
    is_far_ = false;
  }
  void give(Chunk chunk, size_t piece) {
    if (pause_ && error_ == CL_SUCCESS) give_way();
    if (error_ == CL_SUCCESS) {
      chunk.piece = piece;
      note(give_(pieces_[piece].first, chunk.memory, &chunk.moved));
      if (error_ == CL_SUCCESS) note(driver::real().clFlush(ring_.queue_));
    }
    chunks_.push_back(chunk);
  }
  void note(cl_int error) {
    if (error_ == CL_SUCCESS) error_ = error;
  }
  static cl_int wait(Chunk& chunk) {
    cl_event moved = std::exchange(chunk.moved, nullptr);
    if (!moved) return CL_SUCCESS;
    const cl_int error = driver::real().clWaitForEvents(1, &moved);
    driver::real().clReleaseEvent(moved);
    return error;
  }
  cl_int wait_for_all() {
    for (Chunk& chunk : chunks_) note(wait(chunk));
    return error_;
  }

  PinnedRing& ring_;
  const RectanglePairs pieces_;
  const size_t most_near_;  // chunks, of which others wait
  const Give& give_;
  const Pause* const pause_;
  std::mutex mutex_;  // guards what follows
  std::deque<Chunk> chunks_;
  size_t next_ = 0;    // piece that nobody has begun
  size_t in_use_ = 0;  // chunks: these, and those that threads have
  bool is_far_;
  cl_int error_ = CL_SUCCESS;
};

cl_int PinnedRing::upload(const Rectangle& rows, const std::byte* from, const Rectangle& host, const Give& give,
                          const Pause* pause) {
  const bool is_far = !pause || pause->runs_far();
  const size_t chunk = is_far ? kUp : kUp / 2;
  return Transfer(*this, cut(rows, host, chunk), chunk, is_far, give, pause).upload(from);
}

cl_int PinnedRing::download(const Rectangle& rows, std::byte* to, const Rectangle& host, const Give& give,
                            const Pause* pause) {
  const bool is_far = !pause || pause->runs_far();
  const size_t share = (rows.bytes() / kThreads + kLeastDown - 1) / kLeastDown * kLeastDown;
  const size_t chunk = std::clamp(share, kLeastDown, is_far ? kDown : kDown / 2);
  return Transfer(*this, cut(rows, host, chunk), chunk, is_far, give, pause).download(to, rows.bytes() <= kInCaches);
}

}  // namespace samcl
