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
#include <mutex>
#include <thread>
#include <vector>

#include "base/block_signals.h"

namespace samcl {
namespace {

constexpr size_t kPiece = 512 << 10;
constexpr unsigned kMostThreads = 15;  // beside callers
constexpr auto kIdle = std::chrono::seconds(2);

// Streaming stores: what is copied here is next read by a device, or much later. They are not fenced yet.
void copy_unfenced(std::byte* to, const std::byte* from, size_t bytes) {
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
  std::memcpy(to + at, from + at, bytes - at);
}

// What several threads do together. On its caller's stack.
struct Work {
  const std::function<void()>& run;
  unsigned wanted;       // threads that may still join
  unsigned running = 0;  // beside the caller
};

class CopyPool {
 public:
  void work(unsigned most, const std::function<void()>& run) {
    Work work{run, most - 1};
    {
      std::lock_guard lock(mutex_);
      works_.push_back(&work);
      start_thread();
    }
    for (unsigned i = 0; i < most - 1; ++i) changed_.notify_one();
    run();
    std::unique_lock lock(mutex_);
    std::erase(works_, &work);
    left_.wait(lock, [&] { return work.running == 0; });
  }

  void end_threads() {
    std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }

 private:
  // One more, if there are not enough, which starts the next one: nobody waits until all are there. With mutex_ held.
  void start_thread() {
    static const unsigned wanted = std::min(kMostThreads, std::thread::hardware_concurrency() / 2);
    if (process_ != getpid()) {  // a forked child has none of our threads
      process_ = getpid();
      threads_ = 0;
    }
    if (ending_ || threads_ >= wanted) return;
    const BlockSignals here;
    try {
      ++threads_;
      std::thread([this] { serve(); }).detach();
    } catch (...) {  // who works has no help, or less
      --threads_;
    }
  }

  void serve() {
    pthread_setname_np(pthread_self(), "samcl-copy");
    std::unique_lock lock(mutex_);
    start_thread();
    while (!ending_) {
      if (works_.empty()) {
        if (!changed_.wait_for(lock, kIdle, [this] { return ending_ || !works_.empty(); })) break;
        continue;
      }
      // The one that has fewest: two transfers at once get as many each.
      Work& work = **std::ranges::min_element(works_, {}, &Work::running);
      if (--work.wanted == 0) std::erase(works_, &work);
      ++work.running;
      lock.unlock();
      work.run();
      lock.lock();
      std::erase(works_, &work);  // nothing is left of it to begin
      if (--work.running == 0) left_.notify_all();
    }
    --threads_;
  }

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_, left_;
  std::vector<Work*> works_;  // that others may join
  unsigned threads_ = 0;
  pid_t process_ = getpid();
  bool ending_ = false;
};

CopyPool& pool() {
  static CopyPool* const pool = new CopyPool;
  return *pool;
}

}  // namespace

void work_in_parallel(unsigned most, const std::function<void()>& work) {
  if (most > 1)
    pool().work(most, work);
  else
    work();
}

void copy_streaming(std::byte* to, const Rectangle& target, const std::byte* from, const Rectangle& source) {
  if (source.is_run() && target.is_run()) {
    copy_unfenced(to + target.offset, from + source.offset, source.bytes());
  } else {
    source.for_each_row(
        [&](uint64_t row, Range bytes) { copy_unfenced(to + target.row(row), from + bytes.begin, bytes.size()); });
  }
  _mm_sfence();
}

void copy_in_parallel(std::byte* to, const std::byte* from, size_t bytes) {
  copy_in_parallel(to, Rectangle::run(0, bytes), from, Rectangle::run(0, bytes));
}

void copy_in_parallel(std::byte* to, const Rectangle& target, const std::byte* from, const Rectangle& source) {
  const RectanglePairs pieces = cut(target, source, kPiece);
  if (pieces.size() == 1 && source.is_run() && target.is_run()) {
    std::memcpy(to + target.offset, from + source.offset, source.bytes());
    return;
  }
  std::atomic<size_t> next{0};
  work_in_parallel(static_cast<unsigned>(std::min<size_t>(pieces.size(), kMostThreads + 1)), [&] {
    for (size_t i = next.fetch_add(1, std::memory_order_relaxed); i < pieces.size();
         i = next.fetch_add(1, std::memory_order_relaxed)) {
      copy_streaming(to, pieces[i].first, from, pieces[i].second);
    }
  });
}

void end_copying_threads() { pool().end_threads(); }

}  // namespace samcl
