// An experiment as blocks of random task sets, each of which may be counted by any thread of any process:
// what is counted depends on the experiment alone, so that it can be interrupted and taken up again anywhere.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace samcl::analysis {

// What one block counts: always `width` numbers, which add up over the blocks of a point.
using Counts = std::vector<int64_t>;
void add(Counts& sum, const Counts& more);

class BlockExperiment {
 public:
  virtual ~BlockExperiment() = default;
  // One line; experiments with the same heading count the same.
  virtual std::string heading() const = 0;
  virtual int64_t blocks() const = 0;
  virtual size_t points() const = 0;
  virtual size_t point_of(int64_t block) const = 0;
  virtual size_t width() const = 0;
  // From any thread, 0..blocks() - 1.
  virtual Counts count(int64_t block) const = 0;
};

// Blocks that are still to be counted, given out once each. All methods from any thread.
class BlockQueue {
 public:
  // `done` is called once for each finished block, by one thread at a time. Both references outlive the
  // queue.
  using Done = std::function<void(int64_t block, const Counts&)>;
  BlockQueue(const std::vector<bool>& known, Done done, const std::atomic<bool>& stop)
      : known_(known), done_(std::move(done)), stop_(stop) {}

  // Nothing when all are given out, or when `stop` has become true.
  std::optional<int64_t> next();
  void finish(int64_t block, const Counts& counts);

 private:
  const std::vector<bool>& known_;
  const Done done_;
  const std::atomic<bool>& stop_;
  std::mutex giving_, reporting_;  // never held together
  size_t next_ = 0;
};

// Counts what the queue gives on so many threads, the caller's among them; returns when nothing is left.
void count_blocks(const BlockExperiment& experiment, BlockQueue& queue, int threads);

// Runs `work` on so many threads, the caller's among them, and waits for all.
void on_threads(int threads, const std::function<void()>& work);

}  // namespace samcl::analysis
