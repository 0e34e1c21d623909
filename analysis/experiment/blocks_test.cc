#include "analysis/experiment/blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <thread>

#include "analysis/experiment/ranks.h"

namespace samcl::analysis {
namespace {

using testing::Each;

// Block n counts itself, and n.
class Ones : public BlockExperiment {
 public:
  std::string heading() const override { return "ones"; }
  int64_t blocks() const override { return 100; }
  size_t points() const override { return 1; }
  size_t point_of(int64_t) const override { return 0; }
  size_t width() const override { return 2; }
  Counts count(int64_t block) const override { return {1, block}; }
};

// How often each block was reported; every report is checked.
class Reports {
 public:
  BlockQueue::Done done() {
    return [this](int64_t block, const Counts& counts) {
      EXPECT_EQ(counts, (Counts{1, block}));
      ++times_[static_cast<size_t>(block)];
      if (++all_ == stop_after_) stop = true;
    };
  }
  std::vector<int> times_ = std::vector<int>(100, 0);
  int all_ = 0, stop_after_ = -1;
  std::atomic<bool> stop = false;
};

TEST(Blocks, AreEachCountedOnce) {
  for (const int threads : {1, 4}) {
    Reports reports;
    const std::vector<bool> known(100, false);
    BlockQueue queue(known, reports.done(), reports.stop);
    count_blocks(Ones(), queue, threads);
    EXPECT_THAT(reports.times_, Each(1));
  }
}

TEST(Blocks, ThatAreKnownAreNotCounted) {
  Reports reports;
  std::vector<bool> known(100, true);
  known[3] = known[99] = false;
  BlockQueue queue(known, reports.done(), reports.stop);
  count_blocks(Ones(), queue, 2);
  EXPECT_EQ(reports.all_, 2);
  EXPECT_EQ(reports.times_[3] + reports.times_[99], 2);
}

TEST(Blocks, AreNotBegunAfterStop) {
  Reports reports;
  reports.stop_after_ = 2;
  const std::vector<bool> known(100, false);
  BlockQueue queue(known, reports.done(), reports.stop);
  count_blocks(Ones(), queue, 1);
  EXPECT_EQ(reports.all_, 2);
}

// Messages between threads that stand for processes.
class Post {
 public:
  void send(int from, int to, const Message& message) {
    const std::lock_guard lock(mutex_);
    boxes_[to].emplace_back(from, message);
  }
  std::optional<std::pair<int, Message>> poll(int rank) {
    const std::lock_guard lock(mutex_);
    auto& box = boxes_[rank];
    if (box.empty()) return std::nullopt;
    auto first = box.front();
    box.pop_front();
    return first;
  }

 private:
  std::mutex mutex_;
  std::map<int, std::deque<std::pair<int, Message>>> boxes_;
};

class PostedRanks : public Ranks {
 public:
  PostedRanks(Post& post, int rank, int size) : post_(post), rank_(rank), size_(size) {}
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void send(int to, const Message& message) override { post_.send(rank_, to, message); }
  std::optional<std::pair<int, Message>> poll() override { return post_.poll(rank_); }

 private:
  Post& post_;
  int rank_, size_;
};

void count_on_ranks(int size, Reports& reports) {
  Post post;
  const std::vector<bool> known(100, false);
  BlockQueue queue(known, reports.done(), reports.stop);
  std::vector<std::thread> others;
  for (int rank = 1; rank < size; ++rank)
    others.emplace_back([&post, rank, size] {
      PostedRanks ranks(post, rank, size);
      follow(Ones(), 1 + rank % 2, ranks);
    });
  PostedRanks leader(post, 0, size);
  lead(Ones(), queue, 2, leader);
  for (std::thread& thread : others) thread.join();
}

TEST(Ranks, CountEachBlockOnceTogether) {
  for (const int size : {1, 2, 5}) {
    Reports reports;
    count_on_ranks(size, reports);
    EXPECT_THAT(reports.times_, Each(1)) << size;
  }
}

TEST(Ranks, AllEndAfterStop) {
  Reports reports;
  reports.stop_after_ = 10;
  count_on_ranks(4, reports);
  EXPECT_LT(reports.all_, 100);
}

}  // namespace
}  // namespace samcl::analysis
