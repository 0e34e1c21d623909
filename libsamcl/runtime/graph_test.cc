#include "libsamcl/runtime/graph.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <future>
#include <random>
#include <thread>
#include <vector>

#include "libsamcl/coherence/storage.h"
#include "libsamcl/runtime/testing/fake_driver.h"

namespace samcl {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using EventPtr = std::shared_ptr<Event>;
using StoragePtr = std::shared_ptr<Storage>;

// Notes when it starts; the test ends it.
class Noted : public Command {
 public:
  Noted(std::vector<EventPtr>& started, std::vector<Use> uses, std::shared_ptr<void> held)
      : started_(started), uses_(std::move(uses)), held_(std::move(held)) {}
  std::vector<Use> uses() override { return uses_; }
  bool may_follow() const override { return follows_; }
  void start(const EventPtr& event, Starter) override { started_.push_back(event); }
  void set_follows() { follows_ = true; }

 private:
  bool follows_ = false;
  std::vector<EventPtr>& started_;
  const std::vector<Use> uses_;
  const std::shared_ptr<void> held_;
};

struct GraphTest : ::testing::Test {
  testing::FakeDriver driver{2};
  std::shared_ptr<Context> context = driver.make_context();
  Graph& graph = context->graph;
  std::shared_ptr<Queue> queue = make_queue();
  std::shared_ptr<Queue> other_queue = make_queue();
  std::shared_ptr<Queue> loose = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  std::vector<EventPtr> started;

  // Events that have not ended and their queue hold each other.
  ~GraphTest() override {
    for (size_t i = 0; i < started.size(); ++i)
      if (const EventPtr event = started[i]; !event->ended()) graph.finish(event, CL_COMPLETE);
  }

  std::shared_ptr<Queue> make_queue(cl_command_queue_properties properties = 0) const {
    return std::make_shared<Queue>(context, nullptr, properties, std::vector<cl_queue_properties>());
  }
  StoragePtr make_storage() const { return std::make_shared<Storage>(context, 64, nullptr); }

  EventPtr submit(const std::shared_ptr<Queue>& to, const std::vector<EventPtr>& waits = {},
                  std::vector<Use> uses = {}, Order order = Order::ordinary,
                  std::shared_ptr<void> held = nullptr) {
    auto event = std::make_shared<Event>(context, to, CL_COMMAND_NDRANGE_KERNEL);
    graph.submit(event, std::make_unique<Noted>(started, std::move(uses), std::move(held)), waits, order,
                 false);
    return event;
  }
  // One that only gives devices work.
  EventPtr submit_launch(const std::shared_ptr<Queue>& to, const std::vector<EventPtr>& waits = {},
                         std::vector<Use> uses = {}) {
    auto event = std::make_shared<Event>(context, to, CL_COMMAND_NDRANGE_KERNEL);
    auto command = std::make_unique<Noted>(started, std::move(uses), nullptr);
    command->set_follows();
    graph.submit(event, std::move(command), waits, Order::ordinary, false);
    return event;
  }
  EventPtr user_event() const { return std::make_shared<Event>(context, nullptr, CL_COMMAND_USER); }

  bool has_started(const EventPtr& event) const {
    return std::find(started.begin(), started.end(), event) != started.end();
  }
};

TEST_F(GraphTest, InOrderQueueStartsOneAfterAnother) {
  const auto first = submit(queue);
  const auto second = submit(queue);
  EXPECT_THAT(started, ElementsAre(first));
  EXPECT_EQ(first->status(), CL_SUBMITTED);
  EXPECT_EQ(second->status(), CL_QUEUED);
  graph.finish(first, CL_COMPLETE);
  EXPECT_EQ(first->wait(), CL_COMPLETE);
  EXPECT_THAT(started, ElementsAre(first, second));
}

TEST_F(GraphTest, QueuesDoNotWaitForEachOther) {
  const auto first = submit(queue);
  const auto second = submit(other_queue);
  EXPECT_THAT(started, ElementsAre(first, second));
}

TEST_F(GraphTest, WaitListHoldsBackUntilItsLastEventEnds) {
  const auto first = submit(queue);
  const auto user = user_event();
  const auto waiting = submit(loose, {first, user, first});
  graph.finish(first, CL_COMPLETE);
  EXPECT_FALSE(has_started(waiting));
  graph.finish(user, CL_COMPLETE);
  EXPECT_TRUE(has_started(waiting));
}

TEST_F(GraphTest, OutOfOrderQueueStartsWhatItCan) {
  const auto user = user_event();
  const auto held_back = submit(loose, {user});
  const auto next = submit(loose);
  EXPECT_THAT(started, ElementsAre(next));
  graph.finish(user, CL_COMPLETE);
  EXPECT_TRUE(has_started(held_back));
}

TEST_F(GraphTest, BarrierStandsBetweenBeforeAndAfter) {
  const auto before = submit(loose);
  const auto barrier = submit(loose, {}, {}, Order::barrier);
  const auto after = submit(loose);
  EXPECT_THAT(started, ElementsAre(before));
  graph.finish(before, CL_COMPLETE);
  EXPECT_THAT(started, ElementsAre(before, barrier));
  graph.finish(barrier, CL_COMPLETE);
  EXPECT_TRUE(has_started(after));
}

TEST_F(GraphTest, MarkerWaitsForAllBeforeItAndHoldsBackNothing) {
  const auto before = submit(loose);
  const auto marker = submit(loose, {}, {}, Order::marker);
  const auto after = submit(loose);
  EXPECT_THAT(started, ElementsAre(before, after));
  graph.finish(before, CL_COMPLETE);
  EXPECT_TRUE(has_started(marker));
}

TEST_F(GraphTest, BarrierWithAWaitListWaitsForThatAlone) {
  const auto user = user_event();
  const auto before = submit(loose);
  const auto barrier = submit(loose, {user}, {}, Order::barrier);
  const auto after = submit(loose);
  graph.finish(user, CL_COMPLETE);
  EXPECT_THAT(started, ElementsAre(before, barrier));
  graph.finish(barrier, CL_COMPLETE);
  EXPECT_TRUE(has_started(after));
}

TEST_F(GraphTest, CommandsOwnErrorIsItsStatus) {
  const auto event = submit(queue);
  graph.finish(event, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(event->wait(), CL_OUT_OF_RESOURCES);
  EXPECT_TRUE(event->ended());
}

TEST_F(GraphTest, ErrorPassesThroughWaitLists) {
  const auto user = user_event();
  const auto first = submit(queue, {user});
  const auto second = submit(other_queue, {first});
  const auto third = submit(loose, {second});
  graph.finish(user, -1234);
  EXPECT_EQ(user->wait(), -1234);
  for (const auto& event : {first, second, third})
    EXPECT_EQ(event->status(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_THAT(started, IsEmpty()) << "none of them ran";
}

TEST_F(GraphTest, ErrorDoesNotPassThroughAQueuesOrder) {
  const auto user = user_event();
  const auto failing = submit(queue, {user});
  const auto next = submit(queue);
  const auto failed = submit(loose);
  const auto barrier = submit(loose, {}, {}, Order::barrier);
  graph.finish(user, -1);
  graph.finish(failed, -5);
  EXPECT_EQ(failing->status(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_TRUE(has_started(next));
  EXPECT_TRUE(has_started(barrier));
}

TEST_F(GraphTest, ErrorOfAnEventThatEndedBeforeCountsToo) {
  const auto failed = submit(queue);
  graph.finish(failed, -5);
  const auto late = submit(other_queue, {failed});
  EXPECT_EQ(late->status(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  const auto after = submit(other_queue);
  EXPECT_THAT(started, ElementsAre(failed, after));
}

TEST_F(GraphTest, CommandWithAFailedEventStillKeepsItsQueuesOrder) {
  const auto user = user_event();
  const auto running = submit(queue);
  const auto failing = submit(queue, {user});
  const auto next = submit(queue);
  graph.finish(user, -1);
  EXPECT_FALSE(failing->ended());
  EXPECT_FALSE(has_started(next));
  graph.finish(running, CL_COMPLETE);
  EXPECT_EQ(failing->status(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_TRUE(has_started(next));
}

TEST_F(GraphTest, QueuesFinishReturnsAlsoAfterErrors) {
  const auto user = user_event();
  for (int i = 0; i < 3; ++i) submit(loose, {user});
  submit(queue, {user});
  std::thread finisher([&] {
    loose->finish();
    queue->finish();
  });
  graph.finish(user, -1);
  finisher.join();
  EXPECT_THAT(graph.outstanding(*loose), IsEmpty());
  EXPECT_THAT(graph.outstanding(*queue), IsEmpty());
}

TEST_F(GraphTest, ReadersShareAndAWriterIsAlone) {
  const auto buffer = make_storage();
  const auto reader = submit(queue, {}, {{buffer, false}});
  const auto second_reader = submit(other_queue, {}, {{buffer, false}});
  const auto writer = submit(loose, {}, {{buffer, true}});
  EXPECT_THAT(started, ElementsAre(reader, second_reader));
  graph.finish(reader, CL_COMPLETE);
  EXPECT_FALSE(has_started(writer));
  graph.finish(second_reader, CL_COMPLETE);
  EXPECT_TRUE(has_started(writer));
}

TEST_F(GraphTest, NobodyOvertakesAWriterThatWaits) {
  const auto buffer = make_storage();
  const auto reader = submit(loose, {}, {{buffer, false}});
  const auto writer = submit(loose, {}, {{buffer, true}});
  const auto late_reader = submit(loose, {}, {{buffer, false}});
  const auto stranger = submit(loose, {}, {{make_storage(), true}});
  EXPECT_THAT(started, ElementsAre(reader, stranger));
  graph.finish(reader, CL_COMPLETE);
  EXPECT_TRUE(has_started(writer));
  EXPECT_FALSE(has_started(late_reader));
  graph.finish(writer, CL_COMPLETE);
  EXPECT_TRUE(has_started(late_reader));
}

TEST_F(GraphTest, WaitingForOneBufferDoesNotHoldAnother) {
  const auto busy = make_storage();
  const auto idle = make_storage();
  const auto holder = submit(loose, {}, {{busy, true}});
  const auto both = submit(loose, {}, {{busy, true}, {idle, false}});
  const auto reader = submit(loose, {}, {{idle, false}});
  EXPECT_THAT(started, ElementsAre(holder, reader));
  graph.finish(holder, CL_COMPLETE);
  EXPECT_TRUE(has_started(both));
}

TEST_F(GraphTest, BufferNamedTwiceIsHeldOnceAsTheStronger) {
  const auto buffer = make_storage();
  const auto twice = submit(loose, {}, {{buffer, false}, {buffer, true}, {buffer, false}});
  const auto reader = submit(loose, {}, {{buffer, false}});
  EXPECT_THAT(started, ElementsAre(twice));
  graph.finish(twice, -5);
  EXPECT_TRUE(has_started(reader)) << "an error gives the buffers back too";
}

TEST_F(GraphTest, CommandIsDestroyedWhenItEndsThoughItsEventLives) {
  auto held = std::make_shared<int>();
  const std::weak_ptr<int> watch = held;
  const auto event = submit(queue, {}, {}, Order::ordinary, std::move(held));
  EXPECT_FALSE(watch.expired());
  started.clear();
  graph.finish(event, CL_COMPLETE);
  EXPECT_TRUE(watch.expired());
}

TEST_F(GraphTest, LongChainsNeedNoDeepStack) {
  constexpr int kLength = 100'000;
  const auto user = user_event();
  std::vector<EventPtr> chain = {user};
  for (int i = 0; i < kLength; ++i) {
    auto event = std::make_shared<Event>(context, queue, CL_COMMAND_MARKER);
    graph.submit(event, std::make_unique<EmptyCommand>(), std::vector{chain.back()}, Order::marker, false);
    chain.push_back(std::move(event));
  }
  graph.finish(user, CL_COMPLETE);
  EXPECT_EQ(chain.back()->status(), CL_COMPLETE);
}

TEST_F(GraphTest, LongChainsOfErrorsNeedNoDeepStack) {
  constexpr int kLength = 100'000;
  const auto user = user_event();
  std::vector<EventPtr> last = {user};
  for (int i = 0; i < kLength; ++i) last[0] = submit(queue, last);
  graph.finish(user, -1);
  EXPECT_EQ(last[0]->status(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

TEST_F(GraphTest, TimesAreInOrderAlsoForWhatNeverRan) {
  const auto user = user_event();
  const auto failed = submit(queue, {user});
  const auto ran = submit(other_queue);
  ran->set_running();
  graph.finish(ran, CL_COMPLETE);
  graph.finish(user, -1);
  for (const auto& event : {failed, ran}) {
    cl_ulong before = 1;
    for (cl_profiling_info stage : {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                    CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END}) {
      EXPECT_GE(event->time(stage), before);
      before = event->time(stage);
    }
  }
}

struct Told {
  std::promise<cl_int> status;
  static void CL_CALLBACK tell(cl_event, cl_int status, void* told) {
    static_cast<Told*>(told)->status.set_value(status);
  }
};

TEST_F(GraphTest, CallbacksAreToldTheErrorThatTookThePlaceOfTheirStatus) {
  Told submitted, complete, late;
  const auto user = user_event();
  const auto event = submit(queue, {user});
  event->add_callback(CL_SUBMITTED, Told::tell, &submitted);
  event->add_callback(CL_COMPLETE, Told::tell, &complete);
  graph.finish(user, -1);
  event->add_callback(CL_RUNNING, Told::tell, &late);
  for (Told* told : {&submitted, &complete, &late})
    EXPECT_EQ(told->status.get_future().get(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

TEST_F(GraphTest, CallbacksAreToldTheStatusTheyWaitedFor) {
  Told running, complete, late;
  const auto event = submit(queue);
  event->add_callback(CL_COMPLETE, Told::tell, &complete);
  event->add_callback(CL_RUNNING, Told::tell, &running);
  graph.finish(event, CL_COMPLETE);
  event->add_callback(CL_SUBMITTED, Told::tell, &late);
  EXPECT_EQ(running.status.get_future().get(), CL_RUNNING);
  EXPECT_EQ(complete.status.get_future().get(), CL_COMPLETE);
  EXPECT_EQ(late.status.get_future().get(), CL_SUBMITTED);
}

// Many threads enqueue commands with random wait lists and buffers; workers end them, some with errors.
struct Ledger {
  std::array<std::atomic<int>, 8> readers{};
  std::array<std::atomic<int>, 8> writers{};
  std::atomic<int> broken = 0;
  std::atomic<int> ran = 0;
};

class Checked : public Command {
 public:
  Checked(Ledger& ledger, Worker& worker, const std::vector<StoragePtr>& buffers, std::vector<int> reads,
          std::vector<int> writes, cl_int result)
      : ledger_(ledger),
        worker_(worker),
        reads_(std::move(reads)),
        writes_(std::move(writes)),
        result_(result) {
    for (int i : reads_) uses_.push_back({buffers[static_cast<size_t>(i)], false});
    for (int i : writes_) uses_.push_back({buffers[static_cast<size_t>(i)], true});
  }
  std::vector<Use> uses() override { return uses_; }
  void start(const EventPtr& event, Starter) override {
    worker_.post([this, event] {
      event->set_running();
      for (int i : reads_) {
        ++ledger_.readers[static_cast<size_t>(i)];
        if (ledger_.writers[static_cast<size_t>(i)] != 0) ++ledger_.broken;
      }
      for (int i : writes_) {
        if (++ledger_.writers[static_cast<size_t>(i)] != 1) ++ledger_.broken;
        if (ledger_.readers[static_cast<size_t>(i)] != 0) ++ledger_.broken;
      }
      ++ledger_.ran;
      for (int i : reads_) --ledger_.readers[static_cast<size_t>(i)];
      for (int i : writes_) --ledger_.writers[static_cast<size_t>(i)];
      event->context->graph.finish(event, result_);
    });
  }

 private:
  Ledger& ledger_;
  Worker& worker_;
  const std::vector<int> reads_, writes_;
  const cl_int result_;
  std::vector<Use> uses_;
};

TEST_F(GraphTest, RandomCommandsOfManyThreadsAllEnd) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  constexpr int kThreads = 3;
  constexpr int kCommands = 400;
  Ledger ledger;
  std::vector<StoragePtr> buffers;
  for (int i = 0; i < 8; ++i) buffers.push_back(make_storage());
  std::atomic<int> errors = 0;
  {
    Worker one("one");
    Worker two("two");
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        std::mt19937 random(seed + t);
        const auto own = t % 2 ? make_queue() : make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        std::vector<EventPtr> events;
        for (int i = 0; i < kCommands; ++i) {
          std::vector<EventPtr> waits;
          while (!events.empty() && random() % 3 == 0) waits.push_back(events[random() % events.size()]);
          std::vector<int> reads, writes;
          for (int b = 0; b < 8; ++b) {
            const unsigned chance = random() % 8;
            if (chance == 0) reads.push_back(b);
            if (chance == 1) writes.push_back(b);
          }
          auto event = std::make_shared<Event>(context, own, CL_COMMAND_NDRANGE_KERNEL);
          auto command = std::make_unique<Checked>(ledger, random() % 2 ? one : two, buffers, reads, writes,
                                                   random() % 50 == 0 ? -5 : CL_COMPLETE);
          const auto order = random() % 20 == 0 ? Order::barrier : Order::ordinary;
          graph.submit(event, std::move(command), waits, order, false);
          events.push_back(std::move(event));
        }
        own->finish();
        for (const EventPtr& event : events) {
          if (!event->ended()) ++ledger.broken;
          if (event->status() == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) ++errors;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(ledger.broken, 0);
  EXPECT_EQ(ledger.ran + errors, kThreads * kCommands);
}

TEST_F(GraphTest, CancelledCommandIsDestroyedThoughItsEventLives) {
  auto held = std::make_shared<int>();
  const std::weak_ptr<int> watch = held;
  const auto user = user_event();
  const auto cancelled = submit(queue, {user}, {}, Order::ordinary, std::move(held));
  graph.finish(user, -1);
  ASSERT_TRUE(cancelled->ended());
  EXPECT_TRUE(watch.expired());
}

TEST_F(GraphTest, CommandCancelledAtItsSubmissionIsDestroyedThoughItsEventLives) {
  auto held = std::make_shared<int>();
  const std::weak_ptr<int> watch = held;
  const auto failed = submit(queue);
  graph.finish(failed, -5);
  const auto cancelled = submit(queue, {failed}, {}, Order::ordinary, std::move(held));
  ASSERT_TRUE(cancelled->ended());
  EXPECT_TRUE(watch.expired());
}

TEST_F(GraphTest, LaunchStartsWhenWhatItComesAfterIsIssued) {
  const auto storage = make_storage();
  const auto first = submit_launch(queue, {}, {{storage, true}});
  const auto second = submit_launch(queue, {}, {{storage, true}});
  EXPECT_THAT(started, ElementsAre(first));
  graph.issued(first);
  EXPECT_THAT(started, ElementsAre(first, second));
  const auto third = submit_launch(queue, {}, {{storage, true}});
  EXPECT_FALSE(has_started(third)) << "the second is not issued";
  graph.issued(second);
  EXPECT_TRUE(has_started(third));
  for (const auto& event : {first, second, third}) graph.finish(event, CL_COMPLETE);
  EXPECT_TRUE(third->ended());
}

TEST_F(GraphTest, OtherCommandsWaitForTheEndOfIssuedLaunches) {
  const auto storage = make_storage();
  const auto launch = submit_launch(queue, {}, {{storage, true}});
  graph.issued(launch);
  const auto read = submit(queue, {}, {{storage, false}});
  const auto read_elsewhere = submit(other_queue, {}, {{storage, false}});
  const auto launch_after_read = submit_launch(queue, {}, {{storage, true}});
  EXPECT_THAT(started, ElementsAre(launch));
  graph.finish(launch, CL_COMPLETE);
  EXPECT_THAT(started, ::testing::UnorderedElementsAre(launch, read, read_elsewhere));
  graph.finish(read, CL_COMPLETE);
  EXPECT_FALSE(has_started(launch_after_read)) << "the other read still uses the buffer";
  graph.finish(read_elsewhere, CL_COMPLETE);
  EXPECT_TRUE(has_started(launch_after_read));
}

TEST_F(GraphTest, LaunchesOfOtherQueuesFollowWhereTheyShareBuffers) {
  const auto storage = make_storage();
  const auto first = submit_launch(queue, {}, {{storage, true}});
  const auto second = submit_launch(other_queue, {}, {{storage, false}});
  EXPECT_THAT(started, ElementsAre(first));
  graph.issued(first);
  EXPECT_THAT(started, ElementsAre(first, second));
  const auto third = submit_launch(loose, {first, second}, {{storage, true}});
  graph.issued(second);
  EXPECT_TRUE(has_started(third));
  for (const auto& event : started) graph.finish(event, CL_COMPLETE);
  EXPECT_TRUE(submit(queue, {}, {{storage, true}})->status() == CL_SUBMITTED) << "nobody holds it";
}

TEST_F(GraphTest, FollowerDoesNotEndBeforeWhatItFollowed) {
  const auto first = submit_launch(queue);
  graph.issued(first);
  const auto second = submit_launch(queue);
  graph.issued(second);
  graph.finish(second, CL_COMPLETE);
  EXPECT_FALSE(second->ended());
  graph.finish(first, CL_COMPLETE);
  EXPECT_EQ(second->wait(), CL_COMPLETE);
  EXPECT_GE(second->time(CL_PROFILING_COMMAND_START), first->time(CL_PROFILING_COMMAND_END));
  EXPECT_GE(second->time(CL_PROFILING_COMMAND_END), second->time(CL_PROFILING_COMMAND_START));
}

TEST_F(GraphTest, ErrorOfWhatWasFollowedPassesOnFromWaitListsOnly) {
  const auto first = submit_launch(queue);
  graph.issued(first);
  const auto next = submit_launch(queue);
  const auto waiting = submit_launch(loose, {first});
  EXPECT_THAT(started, ElementsAre(first, next, waiting));
  graph.finish(waiting, CL_COMPLETE);
  graph.finish(first, CL_OUT_OF_RESOURCES);
  graph.finish(next, CL_COMPLETE);
  EXPECT_EQ(next->wait(), CL_COMPLETE);
  EXPECT_EQ(waiting->wait(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

}  // namespace
}  // namespace samcl
