#include "libsamcl/device/submission_queue.h"

#include <gmock/gmock.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace samcl {
namespace {

using Lock = SubmissionQueue::Lock;

// Notes by whom what was submitted; holds up whoever submits, and refuses, while it is told to.
class Notes : public SubmissionQueue::Submitter {
 public:
  Taken submit(const SubmissionQueue::Entry& entry, bool is_final) override {
    std::unique_lock lock(mutex_);
    ++started_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !held_; });
    if (entry.node->group == comes_behind && !is_before_given) return Taken::too_early;
    if (memory == 0 && entry.node->group == refuses) {
      if (!is_final) return Taken::no_memory;
      failed.push_back(entry.node->group);
      return Taken::yes;
    }
    submitted_.push_back(entry.node->group);
    by_own_thread_ += Worker::is_own_thread();
    return Taken::yes;
  }
  bool make_room(const SubmissionQueue::Entry& entry, Lock context) override {
    EXPECT_EQ(entry.node->group, refuses);
    return context == Lock::held ? makes_room_held() : makes_room();
  }
  bool give_before(const SubmissionQueue::Entry& entry, Lock) override {
    EXPECT_EQ(entry.node->group, comes_behind);
    is_before_given = true;
    return true;
  }
  void give(const LaunchRing::Launch& launch, uint32_t) override {
    std::unique_lock lock(mutex_);
    ++started_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !held_; });
    submitted_.push_back(launch.of->group);
    by_own_thread_ += Worker::is_own_thread();
  }
  uint64_t refuses = UINT64_MAX;  // that one, as long as there is no memory
  std::atomic<int> memory{0};
  std::vector<uint64_t> failed;
  uint64_t comes_behind = UINT64_MAX;  // something else, that one
  std::atomic<bool> is_before_given{false};
  std::function<bool()> makes_room_held = [] { return false; }, makes_room = makes_room_held;
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
  std::mutex context;  // which the queue's thread may still want at the end of a test
  SubmissionQueue queue{"test-submit"};

  void enter(uint64_t number) {
    queue.enter({std::make_shared<engine::Node>(engine::Lane{}, engine::HostCall{}, number), {}}, notes);
  }
  std::deque<engine::Node> launched;
  void put(uint64_t number) {
    queue.next_launch().of = &launched.emplace_back(engine::Lane{}, engine::HostCall{}, number);
    queue.put_launch(notes);
  }
  static std::vector<uint64_t> up_to(uint64_t count) {
    std::vector<uint64_t> numbers;
    for (uint64_t i = 0; i < count; ++i) numbers.push_back(i);
    return numbers;
  }
  void expect_ten_in_their_places() {
    for (uint64_t i = 0; i < 10; ++i) enter(i);
    EXPECT_TRUE(queue.drain(Lock::free));
    EXPECT_EQ(notes.submitted(), up_to(10));
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

TEST_F(SubmissionQueueTest, LaunchesComeBeforeWhatIsEnteredAfterThem) {
  notes.hold(true);
  for (uint64_t i = 0; i < 10; ++i) put(i);
  EXPECT_TRUE(queue.has_launches());
  for (uint64_t i = 10; i < 20; ++i) enter(i);
  EXPECT_TRUE(queue.is_behind());
  std::thread releases([&] { notes.hold(false); });
  queue.drain(Lock::free);
  EXPECT_FALSE(queue.is_behind());
  EXPECT_EQ(notes.submitted(), up_to(20));
  releases.join();
}

// What is behind them, too, need not be given to the driver for that.
TEST_F(SubmissionQueueTest, LaunchesAreGivenWithoutTheOthers) {
  notes.refuses = 3;
  notes.makes_room = [this] {  // which its own thread may ask for at any time
    while (notes.memory == 0) std::this_thread::yield();
    return true;
  };
  for (uint64_t i = 0; i < 3; ++i) put(i);
  enter(3);
  queue.give_launches();
  EXPECT_FALSE(queue.has_launches());
  EXPECT_EQ(notes.submitted(), up_to(3));
  notes.memory = 1;
  queue.drain(Lock::free);
  EXPECT_EQ(notes.submitted(), up_to(4));
}

TEST_F(SubmissionQueueTest, WhoPutsMoreLaunchesThanThereIsRoomForWaits) {
  constexpr uint64_t kMany = 10'000;
  for (uint64_t i = 0; i < kMany; ++i) put(i);
  queue.drain(Lock::free);
  EXPECT_EQ(notes.submitted(), up_to(kMany));
}

// Also where its thread does nothing more, as at the end of a process.
TEST_F(SubmissionQueueTest, WhoPutsLaunchesGivesThemHimselfIfNobodyElseDoes) {
  notes.hold(true);
  put(0);
  notes.wait_until_started(1);
  std::thread releases([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    notes.hold(false);
  });
  for (uint64_t i = 1; i < 200; ++i) put(i);
  queue.drain(Lock::free);
  EXPECT_EQ(notes.submitted(), up_to(200));
  releases.join();
}

TEST_F(SubmissionQueueTest, WhoDrainsSubmitsHimself) {
  notes.hold(true);
  for (uint64_t i = 0; i < 10; ++i) enter(i);
  notes.wait_until_started(1);
  EXPECT_TRUE(queue.is_behind());
  std::thread releases([&] { notes.hold(false); });
  queue.drain(Lock::free);
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
  queue.drain(Lock::free);
  EXPECT_FALSE(queue.is_behind());
}

TEST_F(SubmissionQueueTest, DrainingNothingIsNothing) {
  queue.drain(Lock::free);
  EXPECT_THAT(notes.submitted(), ::testing::IsEmpty());
}

// More than wait at most: whoever enters has to wait for the driver.
TEST_F(SubmissionQueueTest, WhoEntersTooManyLeavesThemToTheThread) {
  constexpr uint64_t kCount = 20'000;
  for (uint64_t i = 0; i < kCount; ++i) enter(i);
  queue.drain(Lock::free);
  EXPECT_EQ(notes.submitted(), up_to(kCount));
  EXPECT_GT(notes.by_own_thread(), kCount / 2);
}

TEST_F(SubmissionQueueTest, ManyFromOneThreadWhileAnotherDrains) {
  constexpr uint64_t kCount = 20'000;
  std::atomic<bool> over{false};
  std::thread drains([&] {
    while (!over) queue.drain(Lock::free);
  });
  for (uint64_t i = 0; i < kCount; ++i) enter(i);
  queue.drain(Lock::free);
  EXPECT_EQ(notes.submitted(), up_to(kCount));
  over = true;
  drains.join();
}

TEST_F(SubmissionQueueTest, WhatIsRefusedIsMadeRoomForAndSubmittedInItsPlace) {
  notes.refuses = 3;
  notes.makes_room = [&] { return ++notes.memory > 0; };
  expect_ten_in_their_places();
}

// Perhaps by another thread, before this one sees to it: no memory is given back for that.
TEST_F(SubmissionQueueTest, WhatIsTooEarlyIsSubmittedInItsPlaceWhenOthersHaveBeenGiven) {
  notes.comes_behind = notes.refuses = 3;
  notes.memory = 1;
  notes.makes_room = notes.makes_room_held = [] {
    ADD_FAILURE() << "there was memory";
    return true;
  };
  expect_ten_in_their_places();
}

TEST_F(SubmissionQueueTest, WhatWasTooEarlyMayFindNoMemory) {
  notes.comes_behind = notes.refuses = 3;
  notes.makes_room = [&] { return ++notes.memory > 0; };
  expect_ten_in_their_places();
}

// The context's lock may be held by whoever drains meanwhile, and wanted by whoever makes room.
TEST_F(SubmissionQueueTest, WhileRoomIsMadeAnotherMaySubmitIt) {
  notes.refuses = 0;
  notes.makes_room_held = [&] { return notes.memory.exchange(1) == 0; };
  notes.makes_room = [&] {
    std::lock_guard wants(context);
    return false;
  };
  for (int round = 0; round < 200; ++round) {
    notes.memory = 0;
    std::lock_guard holds(context);
    enter(0);
    enter(1);
    EXPECT_TRUE(queue.drain(Lock::held));
    EXPECT_FALSE(queue.is_behind());
  }
  EXPECT_EQ(notes.submitted().size(), 400u);
  EXPECT_THAT(notes.failed, ::testing::IsEmpty());
}

TEST_F(SubmissionQueueTest, WhoMayNotWaitLeavesItToWhoMay) {
  notes.refuses = 0;
  const auto is_over = std::make_shared<std::atomic<bool>>(false);  // the thread may look later than this test ends
  notes.makes_room = [this, is_over] {
    while (!*is_over) std::this_thread::yield();
    notes.memory = 1;
    return true;
  };
  for (uint64_t i = 0; i < 5; ++i) enter(i);
  EXPECT_FALSE(queue.drain(Lock::held));
  EXPECT_TRUE(queue.is_behind());
  EXPECT_THAT(notes.submitted(), ::testing::IsEmpty()) << "nothing overtakes it";
  *is_over = true;
  EXPECT_TRUE(queue.drain(Lock::free));
  EXPECT_EQ(notes.submitted(), up_to(5));
}

TEST_F(SubmissionQueueTest, WhereThereIsNoRoomItFailsAndTheOthersGoOn) {
  notes.refuses = 2;
  for (uint64_t i = 0; i < 5; ++i) enter(i);
  EXPECT_TRUE(queue.drain(Lock::free));
  EXPECT_THAT(notes.failed, ::testing::ElementsAre(2));
  EXPECT_THAT(notes.submitted(), ::testing::ElementsAre(0, 1, 3, 4));
}

// The thread wants the lock that the one who enters too many holds: he makes room himself, at once.
TEST_F(SubmissionQueueTest, WhoEntersTooManyBehindOneThatIsRefusedDoesNotWaitForTheThread) {
  constexpr uint64_t kCount = 5'000;
  notes.refuses = 0;
  notes.makes_room_held = [&] { return notes.memory.exchange(1) == 0; };
  notes.makes_room = [&] {
    std::lock_guard wants(context);
    return false;
  };
  {
    std::lock_guard holds(context);
    for (uint64_t i = 0; i < kCount; ++i) enter(i);
  }
  EXPECT_TRUE(queue.drain(Lock::free));
  EXPECT_EQ(notes.submitted(), up_to(kCount));
}

TEST_F(SubmissionQueueTest, ItsThreadWakesAgain) {
  for (uint64_t i = 0; i < 20; ++i) {
    enter(i);
    std::this_thread::sleep_for(std::chrono::milliseconds(i % 4 == 3 ? 2 : 0));
  }
  queue.drain(Lock::free);
  EXPECT_EQ(notes.submitted(), up_to(20));
}

}  // namespace
}  // namespace samcl
