#include "libsamcl/device/submission_queue.h"

#include <gmock/gmock.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace samcl {
namespace {

// Notes by whom what was submitted; holds up whoever submits while it is told to.
class Notes : public SubmissionQueue::Submitter {
 public:
  void submit(const SubmissionQueue::Entry& entry) override {
    std::unique_lock lock(mutex_);
    ++started_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !held_; });
    submitted_.push_back(entry.node->group);
    by_own_thread_ += Worker::is_own_thread();
  }
  void hold(bool held) {
    std::lock_guard lock(mutex_);
    held_ = held;
    changed_.notify_all();
  }
  void wait_until_started(size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return started_ >= count; });
  }
  std::vector<uint64_t> submitted() {
    std::lock_guard lock(mutex_);
    return submitted_;
  }
  size_t by_own_thread() {
    std::lock_guard lock(mutex_);
    return by_own_thread_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false;
  size_t started_ = 0, by_own_thread_ = 0;
  std::vector<uint64_t> submitted_;
};

struct SubmissionQueueTest : ::testing::Test {
  Notes notes;
  SubmissionQueue queue{"test-submit"};

  void enter(uint64_t number) {
    queue.enter({std::make_shared<engine::Node>(engine::Lane{}, engine::HostCall{}, number), {}}, notes);
  }
  static std::vector<uint64_t> up_to(uint64_t count) {
    std::vector<uint64_t> numbers;
    for (uint64_t i = 0; i < count; ++i) numbers.push_back(i);
    return numbers;
  }
};

TEST_F(SubmissionQueueTest, ItsThreadSubmitsInOrder) {
  for (uint64_t i = 0; i < 100; ++i) enter(i);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (queue.is_behind() && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  EXPECT_FALSE(queue.is_behind());
  EXPECT_EQ(notes.submitted(), up_to(100));
  EXPECT_EQ(notes.by_own_thread(), 100u);
}

TEST_F(SubmissionQueueTest, WhoDrainsSubmitsHimself) {
  notes.hold(true);
  for (uint64_t i = 0; i < 10; ++i) enter(i);
  notes.wait_until_started(1);
  EXPECT_TRUE(queue.is_behind());
  std::thread releases([&] { notes.hold(false); });
  queue.drain();
  EXPECT_FALSE(queue.is_behind());
  EXPECT_EQ(notes.submitted(), up_to(10));
  releases.join();
}

TEST_F(SubmissionQueueTest, ItIsBehindWhileTheLastIsBeingSubmitted) {
  notes.hold(true);
  enter(0);
  notes.wait_until_started(1);
  EXPECT_TRUE(queue.is_behind());
  notes.hold(false);
  queue.drain();
  EXPECT_FALSE(queue.is_behind());
}

TEST_F(SubmissionQueueTest, DrainingNothingIsNothing) {
  queue.drain();
  EXPECT_THAT(notes.submitted(), ::testing::IsEmpty());
}

// More than wait at most: whoever enters has to wait for the driver.
TEST_F(SubmissionQueueTest, WhoEntersTooManyLeavesThemToTheThread) {
  constexpr uint64_t kCount = 20'000;
  for (uint64_t i = 0; i < kCount; ++i) enter(i);
  queue.drain();
  EXPECT_EQ(notes.submitted(), up_to(kCount));
  EXPECT_GT(notes.by_own_thread(), kCount / 2);
}

TEST_F(SubmissionQueueTest, ManyFromOneThreadWhileAnotherDrains) {
  constexpr uint64_t kCount = 20'000;
  std::atomic<bool> over{false};
  std::thread drains([&] {
    while (!over) queue.drain();
  });
  for (uint64_t i = 0; i < kCount; ++i) enter(i);
  queue.drain();
  EXPECT_EQ(notes.submitted(), up_to(kCount));
  over = true;
  drains.join();
}

TEST_F(SubmissionQueueTest, ItsThreadWakesAgain) {
  for (uint64_t i = 0; i < 20; ++i) {
    enter(i);
    std::this_thread::sleep_for(std::chrono::milliseconds(i % 4 == 3 ? 2 : 0));
  }
  queue.drain();
  EXPECT_EQ(notes.submitted(), up_to(20));
}

}  // namespace
}  // namespace samcl
