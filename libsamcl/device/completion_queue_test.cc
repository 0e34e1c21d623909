#include "libsamcl/device/completion_queue.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <thread>

#include "libsamcl/driver/driver.h"
#include "libsamcl/testing/fake_driver.h"

namespace samcl {
namespace {

using testing::Call;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int kPatienceMs = 10'000;

// What runs on a queue that ends nothing before it is told to.
struct CompletionQueueTest : ::testing::Test {
  struct Log : CompletionQueue::Listener, std::enable_shared_from_this<Log> {
    std::shared_ptr<Listener> keep_alive() override { return shared_from_this(); }
    void began(const engine::Node& node, const RunTimes&) override { tell(name_of(node) + " begins"); }
    void ended(std::span<const CompletedNode> ended) override {
      for (const CompletedNode& each : ended) {
        runs.push_back(each.run);
        thread = std::this_thread::get_id();
        tell(name_of(*each.node) + (each.status == CL_SUCCESS ? " ends" : " fails"));
      }
    }
    static std::string name_of(const engine::Node& node) { return {static_cast<char>('a' + node.command)}; }
    void tell(const std::string& what) {
      std::lock_guard lock(mutex);
      happened.push_back(what);
    }
    bool has(const std::string& what) {
      std::lock_guard lock(mutex);
      return std::find(happened.begin(), happened.end(), what) != happened.end();
    }
    std::mutex mutex;
    std::vector<std::string> happened;  // guarded by it
    std::vector<RunTimes> runs;
    std::thread::id thread;  // that told of the last end
  };

  testing::FakeDriver driver{1};
  std::shared_ptr<Log> log = std::make_shared<Log>();
  std::mutex calls;
  std::atomic<cl_command_queue> queue{nullptr};
  CompletionQueue ends{queue, calls, "ends-test"};
  struct SomeOwner final : engine::Owner {
    explicit SomeOwner(const void* line = nullptr, uint64_t number = 0) : Owner(line) { number_ = number; }
  };
  std::shared_ptr<engine::Owner> owner = std::make_shared<SomeOwner>();
  const std::shared_ptr<engine::Owner> another = std::make_shared<SomeOwner>();

  engine::NodePtr node(char name) const {
    const engine::Lane lane{engine::LaneKind::compute, 0};
    auto made = std::make_shared<engine::Node>(lane, engine::HostCall{}, 0);
    made->command = static_cast<uint32_t>(name - 'a');
    made->observed = true;
    made->owner = owner;
    return made;
  }
  void on_completion(char name, cl_event event = nullptr, bool promptly = false) {
    ends.on_completion(event, node(name), *log, {.promptly = promptly});
  }
  static cl_event event() {
    cl_event made = nullptr;
    driver::real().clEnqueueMarkerWithWaitList(nullptr, 0, nullptr, &made);
    return made;
  }
  void wait_until(const std::string& what) {
    while (!log->has(what)) std::this_thread::yield();
  }
};

TEST_F(CompletionQueueTest, TheWaitingThreadTellsByItself) {
  on_completion('a');
  EXPECT_TRUE(ends.help(owner.get()));
  EXPECT_THAT(log->happened, ElementsAre("a begins", "a ends"));
  EXPECT_EQ(log->thread, std::this_thread::get_id());
  EXPECT_FALSE(ends.help(owner.get())) << "nothing is left";
  EXPECT_EQ(driver.count(Call::mark), 0) << "the queue is finished instead";
}

TEST_F(CompletionQueueTest, NobodyWaitsForWhatIsNotHis) {
  driver.suspend();
  on_completion('a');
  EXPECT_FALSE(ends.help(another.get()));
  driver.resume();
}

TEST_F(CompletionQueueTest, WhoWaitsHearsOfThoseBeforeHim) {
  const int line = 0;
  const SomeOwner earlier(&line, 1), later(&line, 3);
  owner = std::make_shared<SomeOwner>(&line, 2);
  on_completion('a');
  EXPECT_FALSE(ends.help(&earlier));
  EXPECT_TRUE(ends.help(&later));
  EXPECT_THAT(log->happened, ElementsAre("a begins", "a ends"));
}

TEST_F(CompletionQueueTest, TimesMayBeAskedLaterAndKeepTheirOrder) {
  using Times = Giving::Times;
  for (const Times times : {Times::at_end, Times::late, Times::late, Times::never, Times::at_end}) {
    ends.on_completion(event(), node('a'), *log, {.exactly = true, .times = times});
    EXPECT_TRUE(ends.help(owner.get()));
  }
  ASSERT_THAT(log->runs, SizeIs(5));
  EXPECT_EQ(driver.count(Call::tell_time), 4) << "both times of the first and of the last one";
  EXPECT_FALSE(log->runs[0].late || log->runs[3].late || log->runs[4].late);
  EXPECT_EQ(log->runs[4].computed, 1000u);
  uint64_t last = log->runs[0].ended;
  for (const RunTimes& run : {log->runs[1], log->runs[2]}) {
    ASSERT_TRUE(run.late);
    const LateTimes::Span ran = run.late->ask();
    EXPECT_GE(ran.began, last);
    EXPECT_GE(ran.ended, ran.began);
    EXPECT_LE(ran.ended, run.ended) << "heard of later";
    last = ran.ended;
  }
  EXPECT_LE(last, log->runs[4].began);
  EXPECT_EQ(driver.count(Call::tell_time), 8);
  log->runs[1].late->ask();
  EXPECT_EQ(driver.count(Call::tell_time), 8) << "it is known now";
}

TEST_F(CompletionQueueTest, WhereTheDriverTellsNoTimesTheyAreThoseOfTheHost) {
  ends.on_completion(event(), node('a'), *log, {.exactly = true});
  EXPECT_TRUE(ends.help(owner.get()));
  driver.fail(Call::tell_time, CL_PROFILING_INFO_NOT_AVAILABLE);
  ends.on_completion(event(), node('b'), *log, {.exactly = true, .times = Giving::Times::late});
  EXPECT_TRUE(ends.help(owner.get()));
  const RunTimes& run = log->runs.back();
  ASSERT_TRUE(run.late);
  EXPECT_GE(run.late->ask().began, log->runs.front().ended);
  EXPECT_LE(run.late->ask().ended, run.ended);
}

// Else what nobody has waited for would seem to have taken until somebody looked.
TEST_F(CompletionQueueTest, WhatHadEndedIsToldFromWhatWasWaitedFor) {
  const Giving giving{.exactly = true, .times = Giving::Times::never};
  bool is_told_here = false;  // and not by our own thread, which comes after some ms
  for (int tries = 0; tries < 200 && !is_told_here; ++tries) {
    EXPECT_TRUE(ends.drain(10'000));
    log->runs.clear();
    ends.on_completion(event(), node('a'), *log, giving);
    is_told_here = ends.help(owner.get());
    driver.suspend();
    ends.on_completion(event(), node('b'), *log, giving);
    std::thread resumes([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      driver.resume();
    });
    is_told_here = ends.help(owner.get()) && is_told_here;
    resumes.join();
  }
  ASSERT_TRUE(is_told_here);
  ASSERT_THAT(log->runs, SizeIs(2));
  EXPECT_TRUE(log->runs[0].ended_before);
  EXPECT_FALSE(log->runs[1].ended_before);
}

// Some that end together, of which others have the events.
struct ExtendedNodes : CompletionQueueTest {
  std::shared_ptr<LateTimes> extend(const engine::NodePtr& by, std::shared_ptr<LateTimes>* first = nullptr) {
    std::shared_ptr<LateTimes> own, end;
    const Giving giving{.exactly = true, .times = Giving::Times::late};
    const bool is_given = ends.extend(*by, giving, own, &end, [](cl_event* made) {
      *made = event();
      return true;
    });
    if (first) *first = own;
    return is_given ? end : nullptr;
  }
  engine::NodePtr add(char name) {
    const engine::NodePtr added = node(name);
    ends.on_completion(event(), added, *log, {.exactly = true, .times = Giving::Times::late});
    return added;
  }
  void learn_clock() {
    ends.on_completion(event(), node('z'), *log, {.exactly = true});
    EXPECT_TRUE(ends.help(owner.get()));
    log->runs.clear();
    log->happened.clear();
  }
};

TEST_F(ExtendedNodes, NeedAClock) {
  const engine::NodePtr first = add('a');
  EXPECT_FALSE(extend(first));
  learn_clock();
  EXPECT_FALSE(extend(first)) << "it has ended";
  const engine::NodePtr second = add('b');
  EXPECT_TRUE(extend(second));
}

TEST_F(ExtendedNodes, EndWithTheLastOfThem) {
  learn_clock();
  const engine::NodePtr all = add('a');
  std::shared_ptr<LateTimes> first, none;
  const auto second = extend(all, &first), third = extend(all, &none);
  ASSERT_TRUE(first && second && third);
  EXPECT_FALSE(none) << "it has been given away";
  EXPECT_EQ(ends.pending(), 1u);
  EXPECT_TRUE(ends.help(owner.get()));
  EXPECT_THAT(log->happened, ElementsAre("a ends"));
  ASSERT_THAT(log->runs, SizeIs(1));
  EXPECT_FALSE(log->runs[0].late);
  uint64_t before = 0;
  for (const auto& each : {first, second, third}) {
    const LateTimes::Span ran = each->ask();
    EXPECT_GE(ran.began, before);
    EXPECT_LE(ran.ended, log->runs[0].ended);
    before = ran.began;
  }
}

TEST_F(ExtendedNodes, HaveOneEndOfTheirOwn) {
  learn_clock();
  const engine::NodePtr all = add('a');
  std::shared_ptr<LateTimes> first, none;
  extend(all, &first);
  ASSERT_TRUE(first);
  EXPECT_TRUE(ends.extend(*all, {}, none, nullptr, [](const cl_event*) { return true; }));
  EXPECT_FALSE(none) << "behind one that nobody sees";
  EXPECT_TRUE(extend(all, &none));
  EXPECT_FALSE(none);
  EXPECT_FALSE(ends.own_end(*all));
}

TEST_F(ExtendedNodes, OfWhichNobodySeesTheFirstHaveNoEndOfItsOwn) {
  learn_clock();
  const engine::NodePtr all = node('a');
  all->observed = false;
  ends.on_completion(nullptr, all, *log, {.times = Giving::Times::never});
  std::shared_ptr<LateTimes> none;
  EXPECT_TRUE(extend(all, &none));
  EXPECT_TRUE(extend(all, &none));
  EXPECT_FALSE(none) << "the event is the second one's";
}

TEST_F(ExtendedNodes, HaveEndedWithThoseBehindThem) {
  learn_clock();
  ends.on_completion(event(), node('a'), *log, {.exactly = true, .times = Giving::Times::late});
  const engine::NodePtr all = add('b');
  std::shared_ptr<LateTimes> first;
  const auto second = extend(all, &first), third = extend(all);
  EXPECT_EQ(ends.ended_untold(*second).commands, 0u);
  const uint64_t heard = now_ns();
  EXPECT_LE(first->ask().ended, heard);
  EXPECT_TRUE(log->runs.empty()) << "nobody is told";
  EXPECT_TRUE(ends.help(owner.get()));
  EXPECT_TRUE(ends.drain(kPatienceMs));
  ASSERT_THAT(log->runs, SizeIs(2));
  EXPECT_LE(log->runs[0].ended, heard) << "that of what was before them";
  EXPECT_GE(third->ask().began, second->ask().began);
}

TEST_F(ExtendedNodes, MayHaveNoEventInTheEnd) {
  learn_clock();
  const engine::NodePtr all = add('a');
  const auto second = extend(all);
  std::shared_ptr<LateTimes> own;
  InFlight ended;
  const auto enqueue = [](cl_event* made) { return made == nullptr; };
  EXPECT_TRUE(ends.extend(*all, {.counted_ns = 5}, own, nullptr, enqueue));
  driver.suspend();
  EXPECT_FALSE(ends.finish_untold(another.get(), ended));
  driver.resume();
  EXPECT_TRUE(ends.finish_untold(owner.get(), ended));
  EXPECT_EQ(ended.commands, 3u);
  EXPECT_EQ(ended.ns, 5u);
  EXPECT_TRUE(ends.has_untold());
  EXPECT_TRUE(ends.extend(*all, {.counted_ns = 7}, own, nullptr, enqueue));
  EXPECT_TRUE(ends.finish_untold(owner.get(), ended));
  EXPECT_EQ(ended.commands, 1u) << "nothing is in flight twice";
  EXPECT_EQ(ended.ns, 7u);
  EXPECT_TRUE(ends.help(owner.get()));
  EXPECT_THAT(log->happened, ElementsAre("a begins", "a ends"));
}

// Of some that others have the ends of, too, nobody can ask when they were.
struct UntimedNodes : CompletionQueueTest {
  std::shared_ptr<LateTimes> extend(const engine::NodePtr& by) {
    std::shared_ptr<LateTimes> own, end;
    const Giving giving{.times = Giving::Times::never};
    EXPECT_TRUE(ends.extend(*by, giving, own, &end, [](const cl_event* made) { return made == nullptr; }));
    if (own) owns = own;
    return end;
  }
  engine::NodePtr add(char name, cl_event event = nullptr) {
    const engine::NodePtr added = node(name);
    ends.on_completion(event, added, *log, {.exactly = event != nullptr, .times = Giving::Times::never});
    return added;
  }
  std::shared_ptr<LateTimes> owns;  // of the first of them
};

TEST_F(UntimedNodes, HaveEndsWithoutEvents) {
  const auto all = add('a');
  const auto second = extend(all), third = extend(all);
  ASSERT_TRUE(owns && second && third);
  EXPECT_FALSE(owns->has_event() || second->has_event() || third->has_event());
  EXPECT_TRUE(ends.wait_for(*third));
  EXPECT_EQ(driver.count(Call::mark), 0) << "the queue is finished instead";
  EXPECT_EQ(ends.ended_untold(*third).commands, 3u);
  EXPECT_TRUE(owns->is_heard() && second->is_heard());
  EXPECT_TRUE(log->runs.empty()) << "nobody is told";
  EXPECT_TRUE(ends.help(owner.get()));
  EXPECT_EQ(driver.count(Call::tell_time), 0);
}

// Who asks later would get an event of what the queue has by then.
TEST_F(UntimedNodes, AreAllHeardOfWhenTheQueueHasBeenFinished) {
  const auto all = add('a');
  const auto second = extend(all);
  InFlight ended;
  EXPECT_TRUE(ends.finish_untold(owner.get(), ended));
  EXPECT_TRUE(owns->is_heard() && second->is_heard());
  EXPECT_TRUE(log->runs.empty()) << "nobody is told";
  const auto third = extend(all);
  EXPECT_FALSE(third->is_heard());
  EXPECT_TRUE(ends.finish_untold(owner.get(), ended));
  EXPECT_TRUE(third->is_heard());
}

TEST_F(UntimedNodes, AreHeardOfByWhoComesToTheirEndLater) {
  const auto all = add('a');
  InFlight ended;
  EXPECT_TRUE(ends.finish_untold(owner.get(), ended));
  const std::shared_ptr<LateTimes> own = ends.own_end(*all);
  ASSERT_TRUE(own);
  EXPECT_TRUE(own->is_heard());
}

TEST_F(UntimedNodes, AskTheDriversEventOfTheFirst) {
  const auto all = add('a', event());
  extend(all);
  ASSERT_TRUE(owns);
  EXPECT_TRUE(owns->has_event());
}

TEST_F(UntimedNodes, GetAnEventWhenSomebodyLooks) {
  const auto all = add('a');
  const auto second = extend(all);
  driver.suspend();
  EXPECT_TRUE(ends.give_event(*second));
  EXPECT_TRUE(ends.give_event(*second));
  EXPECT_EQ(driver.count(Call::mark), 1);
  EXPECT_GT(second->status(), CL_COMPLETE);
  driver.resume();
  EXPECT_EQ(second->status(), CL_COMPLETE);
}

TEST_F(UntimedNodes, KnowWhetherSomethingIsBehindThem) {
  const auto all = add('a');
  EXPECT_TRUE(ends.is_last(owner.get(), nullptr));
  EXPECT_FALSE(ends.is_last(another.get(), nullptr));
  const auto second = extend(all), third = extend(all);
  EXPECT_FALSE(ends.is_last(owner.get(), second.get()));
  EXPECT_TRUE(ends.is_last(owner.get(), third.get()));
  EXPECT_TRUE(ends.help(owner.get()));
  EXPECT_TRUE(ends.is_last(another.get(), nullptr)) << "nothing is there";
}

// What belongs to it fails later.
TEST_F(UntimedNodes, FailWithWhatTheDriverDidNotTake) {
  const auto all = add('a');
  extend(all);
  ends.failed(*all, CL_OUT_OF_RESOURCES);
  EXPECT_TRUE(ends.help(owner.get()));
  EXPECT_THAT(log->happened, ElementsAre("a begins", "a fails"));
}

TEST_F(CompletionQueueTest, WithoutAnyoneOurThreadTells) {
  on_completion('a');
  wait_until("a ends");
  EXPECT_NE(log->thread, std::this_thread::get_id());
}

TEST_F(CompletionQueueTest, WhatIsWantedPromptlyIsTold) {
  on_completion('a', event(), true);
  wait_until("a ends");
  on_completion('b', event(), true);
  wait_until("b ends");
}

TEST_F(CompletionQueueTest, ThoseBeforeOneWithAnEventEndBeforeIt) {
  driver.suspend();
  on_completion('a');
  on_completion('b');
  ends.flush();
  on_completion('c', event());
  ends.flush();
  EXPECT_EQ(driver.count(Call::mark), 2) << "one is the test's own";
  driver.resume();
  EXPECT_TRUE(ends.drain(kPatienceMs));
  std::erase_if(log->happened, [](const std::string& what) { return what.ends_with("begins"); });
  EXPECT_THAT(log->happened, ElementsAre("a ends", "b ends", "c ends"));
}

TEST_F(CompletionQueueTest, OneAfterTheOtherInTime) {
  for (char name : {'a', 'b', 'c'}) on_completion(name);
  EXPECT_TRUE(ends.drain(kPatienceMs));
  ASSERT_THAT(log->runs, SizeIs(3));
  for (size_t i = 0; i < log->runs.size(); ++i) {
    EXPECT_LE(log->runs[i].enqueued, log->runs[i].began);
    EXPECT_LE(log->runs[i].began, log->runs[i].ended);
    EXPECT_LE(i > 0 ? log->runs[i - 1].ended : 0, log->runs[i].began);
  }
}

TEST_F(CompletionQueueTest, WhatTheDriverRefusesFails) {
  driver.fail(Call::finish, CL_OUT_OF_RESOURCES);
  on_completion('a');
  EXPECT_TRUE(ends.help(owner.get()));
  EXPECT_THAT(log->happened, ElementsAre("a begins", "a fails"));
  on_completion('b');
  EXPECT_TRUE(ends.help(owner.get()));
  EXPECT_TRUE(log->has("b ends"));
}

// Who launches more tells of what has ended: seldom looked at, and with few events.
TEST_F(CompletionQueueTest, WhoGivesMoreCollects) {
  std::vector<CompletedNode> found;
  constexpr size_t kMany = 1000;
  for (size_t i = 0; i < kMany; ++i) {
    on_completion('a');
    ends.collect(found);
  }
  EXPECT_TRUE(ends.drain(kPatienceMs));
  EXPECT_EQ(found.size() + log->runs.size(), kMany);
  EXPECT_THAT(found, Each(Field(&CompletedNode::status, CL_SUCCESS)));
  EXPECT_LT(driver.count(Call::mark), 100);
}

TEST_F(CompletionQueueTest, NothingIsCollectedThatRuns) {
  driver.suspend();
  std::vector<CompletedNode> found;
  for (int i = 0; i < 100; ++i) on_completion('a');
  ends.collect(found);
  EXPECT_THAT(found, IsEmpty());
  driver.resume();
}

// The program has released everything meanwhile.
// Launches of a kernel are given more quickly once it is known what they take: as soon as the first has ended.
TEST_F(CompletionQueueTest, WhatIsTimedIsLookedForAsSoonAsMoreComes) {
  const auto give_timed = [&](char name) {
    ends.on_completion(event(), node(name), *log, {.exactly = true, .times = Giving::Times::at_end});
  };
  std::vector<CompletedNode> found;
  give_timed('a');
  ends.collect(found);
  EXPECT_THAT(found, IsEmpty()) << "it has only just been given";
  give_timed('b');
  ends.collect(found);
  EXPECT_THAT(found, SizeIs(2));
  driver.suspend();
  give_timed('c');
  for (int i = 0; i < 60; ++i) {
    on_completion('d', event());
    ends.collect(found);
  }
  EXPECT_THAT(found, SizeIs(2)) << "it runs";
  driver.resume();
}

TEST_F(CompletionQueueTest, LastReferenceMayGoWithTheKernel) {
  struct Owner : CompletionQueue::Listener, std::enable_shared_from_this<Owner> {
    std::shared_ptr<Listener> keep_alive() override { return shared_from_this(); }
    std::mutex calls;
    std::atomic<cl_command_queue> queue{nullptr};
    CompletionQueue ends{queue, calls, "ends-test"};
    std::atomic<bool>& has_ended;
    explicit Owner(std::atomic<bool>& flag) : has_ended(flag) {}
    void began(const engine::Node&, const RunTimes&) override {}
    void ended(std::span<const CompletedNode>) override { has_ended = true; }
  };
  std::atomic<bool> ended = false;
  auto owner = std::make_shared<Owner>(ended);
  driver.suspend();
  owner->ends.on_completion(nullptr, node('a'), *owner, {.promptly = true});
  owner.reset();
  driver.resume();
  while (!ended) std::this_thread::yield();
}

}  // namespace
}  // namespace samcl
