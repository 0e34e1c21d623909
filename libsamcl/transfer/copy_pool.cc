#include "libsamcl/transfer/copy_pool.h"

#include <emmintrin.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "base/block_signals.h"

namespace samcl {
namespace {

constexpr size_t kPiece = 512 << 10;
constexpr unsigned kMostThreads = 7;  // beside the caller
constexpr auto kIdle = std::chrono::seconds(2);

// Streaming stores: what is copied here is next read by a device, or much later.
void copy_streaming(std::byte* to, const std::byte* from, size_t bytes) {
  const size_t head = std::min(bytes, (16 - reinterpret_cast<uintptr_t>(to) % 16) % 16);
  std::memcpy(to, from, head);
  size_t at = head;
  for (; at + 64 <= bytes; at += 64) {
    const auto* source = reinterpret_cast<const __m128i*>(from + at);
    auto* target = reinterpret_cast<__m128i*>(to + at);
    const __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1), c = _mm_loadu_si128(source + 2),
                  d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
  }
  _mm_sfence();
  std::memcpy(to + at, from + at, bytes - at);
}

// One copy, whose pieces anybody takes.
struct Copy {
  Copy(std::byte* target, const std::byte* source, RectanglePairs the_pieces)
      : to(target), from(source), pieces(std::move(the_pieces)) {}

  std::byte* const to;
  const std::byte* const from;
  const RectanglePairs pieces;  // of the target and the source
  std::atomic<size_t> next{0}, done{0};

  // True if there was one left to do.
  bool do_piece() {
    const size_t index = next.fetch_add(1, std::memory_order_relaxed);
    if (index >= pieces.size()) return false;
    const auto& [target, source] = pieces[index];
    source.for_each_row([&, &rows = target](uint64_t row, Range bytes) {
      copy_streaming(to + rows.row(row), from + bytes.begin, bytes.size());
    });
    done.fetch_add(1, std::memory_order_release);
    done.notify_all();
    return true;
  }
};

class CopyPool {
 public:
  void copy(const std::shared_ptr<Copy>& what) {
    {
      std::lock_guard lock(mutex_);
      copies_.push_back(what);
      start_threads();
    }
    changed_.notify_all();
    while (what->do_piece()) {
    }
    {
      std::lock_guard lock(mutex_);
      std::erase(copies_, what);
    }
    for (size_t done = what->done.load(std::memory_order_acquire); done < what->pieces.size();
         done = what->done.load(std::memory_order_acquire)) {
      what->done.wait(done, std::memory_order_acquire);
    }
  }

  void end_threads() {
    std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }

 private:
  // With mutex_ held.
  void start_threads() {
    static const unsigned wanted = std::min(kMostThreads, std::thread::hardware_concurrency() / 2);
    if (process_ != getpid()) {  // a forked child has none of our threads
      process_ = getpid();
      threads_ = 0;
    }
    if (ending_ || threads_ >= wanted) return;
    const BlockSignals here;
    try {
      for (; threads_ < wanted; ++threads_) std::thread([this] { work(); }).detach();
    } catch (...) {  // the caller copies alone
    }
  }

  void work() {
    pthread_setname_np(pthread_self(), "samcl-copy");
    std::unique_lock lock(mutex_);
    while (!ending_) {
      if (copies_.empty()) {
        if (!changed_.wait_for(lock, kIdle, [this] { return ending_ || !copies_.empty(); })) break;
        continue;
      }
      const std::shared_ptr<Copy> copy = copies_.front();
      lock.unlock();
      const bool did = copy->do_piece();
      lock.lock();
      if (!did) std::erase(copies_, copy);
    }
    --threads_;
  }

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Copy>> copies_;
  unsigned threads_ = 0;
  pid_t process_ = getpid();
  bool ending_ = false;
};

CopyPool& pool() {
  static CopyPool* const pool = new CopyPool;
  return *pool;
}

}  // namespace

void copy_in_parallel(std::byte* to, const std::byte* from, size_t bytes) {
  copy_in_parallel(to, Rectangle::run(0, bytes), from, Rectangle::run(0, bytes));
}

void copy_in_parallel(std::byte* to, const Rectangle& target, const std::byte* from, const Rectangle& source) {
  RectanglePairs pieces = cut(target, source, kPiece);
  if (pieces.size() == 1 && source.is_run() && target.is_run()) {
    std::memcpy(to + target.offset, from + source.offset, source.bytes());
    return;
  }
  const auto copy = std::make_shared<Copy>(to, from, std::move(pieces));
  if (copy->pieces.size() == 1) {
    copy->do_piece();
  } else {
    pool().copy(copy);
  }
}

void end_copying_threads() { pool().end_threads(); }

}  // namespace samcl
