#include "libsamcl/objects/graph.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <future>
#include <new>
#include <random>
#include <thread>
#include <vector>

#include "libsamcl/engine/testing/simulated_backend.h"
#include "libsamcl/objects/planner.h"
#include "libsamcl/testing/fake_driver.h"

namespace {

thread_local bool has_no_memory = false;

// While it lives, the thread that made it gets no memory.
struct NoMemory {
  NoMemory() { has_no_memory = true; }
  ~NoMemory() { has_no_memory = false; }
  NoMemory(const NoMemory&) = delete;
  NoMemory& operator=(const NoMemory&) = delete;
};

}  // namespace

void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return has_no_memory ? nullptr : std::malloc(size > 0 ? size : 1);
}
void* operator new(size_t size) {
  void* const memory = operator new(size, std::nothrow);
  if (!memory) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace samcl {
namespace {

using engine::testing::SimulatedBackend;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

using EventPtr = std::shared_ptr<Event>;
using StoragePtr = std::shared_ptr<Storage>;

struct Use {
  StoragePtr storage;
  bool write;
};

// Has one operation, on a lane of its own, that uses whole buffers at the host; notes when it is planned.
class Noted : public Command {
 public:
  Noted(std::vector<EventPtr>& planned, unsigned lane, std::vector<Use> uses, std::shared_ptr<void> held)
      : planned_(planned), lane_(lane), uses_(std::move(uses)), held_(std::move(held)) {}
  cl_int plan(Planner& planner, const EventPtr& event) override {
    planned_.push_back(event);
    Planner::Accesses accesses;
    for (const Use& use : uses_) accesses.push_back({use.storage, kHost, {0, use.storage->size()}, use.write});
    planner.add({engine::LaneKind::compute, lane_}, engine::HostCall{[] { return CL_SUCCESS; }}, std::move(accesses));
    return CL_SUCCESS;
  }
  bool tells_what_will_be() const override { return tells_; }
  void is_known_at_its_end_only() { tells_ = false; }

 private:
  std::vector<EventPtr>& planned_;
  const unsigned lane_;
  const std::vector<Use> uses_;
  const std::shared_ptr<void> held_;
  bool tells_ = true;
};

// Is planned when what it waits for has ended, and ends when it is told to.
class Outside : public Command {
 public:
  enum class Then : uint8_t { go_on, wait };
  struct Seen {
    std::vector<bool> offered;  // with what
    int planned = 0;
  };
  Outside(Seen& seen, cl_int refused, Then then) : seen_(seen), refused_(refused), then_(then) {}
  bool comes_after_ends() const override { return true; }
  bool tells_what_will_be() const override { return then_ == Then::go_on; }
  cl_int offer(bool is_next) override {
    seen_.offered.push_back(is_next);
    return refused_;
  }
  cl_int plan(Planner& planner, const EventPtr&) override {
    ++seen_.planned;
    planner.await();
    return CL_SUCCESS;
  }

 private:
  Seen& seen_;
  const cl_int refused_;
  const Then then_;
};

// Has nothing to do, and finds no memory when it has ended; for what it was once it has failed, likewise.
class EndsWithoutMemory : public Command {
 public:
  EndsWithoutMemory(cl_int planned, int& ends) : planned_(planned), ends_(ends) {}
  cl_int plan(Planner&, const EventPtr&) override { return planned_; }
  std::shared_ptr<Command> again() override { throw std::bad_alloc(); }
  void ended(cl_int) override {
    ++ends_;
    throw std::bad_alloc();
  }

 private:
  const cl_int planned_;
  int& ends_;
};

struct GraphTest : ::testing::Test {
  testing::FakeDriver driver{2};
  std::shared_ptr<Context> context = driver.make_context();
  SimulatedBackend backend;
  Graph graph{backend};
  std::shared_ptr<Queue> queue = make_queue();
  std::shared_ptr<Queue> other_queue = make_queue();
  std::shared_ptr<Queue> loose = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  std::vector<EventPtr> planned;
  std::vector<EventPtr> lanes;  // by the lane of their operation

  // Events that have not ended and their queue hold each other.
  ~GraphTest() override { end_all(); }

  std::shared_ptr<Queue> make_queue(cl_command_queue_properties properties = 0) const {
    return Queue::make_shared(context, nullptr, properties, std::vector<cl_queue_properties>());
  }
  StoragePtr make_storage() const { return std::make_shared<Storage>(context, 64, nullptr); }

  EventPtr submit(const std::shared_ptr<Queue>& to, const std::vector<EventPtr>& waits = {}, std::vector<Use> uses = {},
                  Order order = Order::ordinary, std::shared_ptr<void> held = nullptr, bool tells = true) {
    auto event = Event::make_shared(context, to, CL_COMMAND_NDRANGE_KERNEL);
    event->observed = true;
    auto command =
        std::make_unique<Noted>(planned, static_cast<unsigned>(lanes.size()), std::move(uses), std::move(held));
    if (!tells) command->is_known_at_its_end_only();
    lanes.push_back(event);
    graph.submit(event, std::move(command), waits, order);
    return event;
  }
  EventPtr user_event() const { return Event::make_shared(context, nullptr, CL_COMMAND_USER); }

  bool is_planned(const EventPtr& event) const {
    return std::find(planned.begin(), planned.end(), event) != planned.end();
  }
  engine::NodePtr running_of(const EventPtr& event) const {
    for (const auto& entry : backend.in_flight())
      if (lanes[entry.node->lane.device] == event) return entry.node;
    return nullptr;
  }
  bool is_issued(const EventPtr& event) const { return running_of(event) != nullptr; }
  // Its operation ends with that status.
  void end(const EventPtr& event, cl_int status = CL_SUCCESS) {
    const auto node = running_of(event);
    ASSERT_TRUE(node) << "not issued";
    backend.remove(node);
    graph.ended(node, status);
  }
  void end_all() {
    while (backend.running() > 0) end(lanes[backend.in_flight().front().node->lane.device]);
  }
};

TEST_F(GraphTest, AnInOrderQueuePlansAheadAndEndsInOrder) {
  const auto first = submit(queue), second = submit(queue);
  EXPECT_THAT(planned, ElementsAre(first, second)) << "nothing waits for the end of the first";
  EXPECT_EQ(second->status(), CL_SUBMITTED);
  end(second);
  EXPECT_FALSE(second->ended()) << "the first has not";
  end(first);
  EXPECT_EQ(first->wait(), CL_COMPLETE);
  EXPECT_EQ(second->wait(), CL_COMPLETE);
  EXPECT_GE(second->time(CL_PROFILING_COMMAND_END), first->time(CL_PROFILING_COMMAND_END));
}

struct OutsideTest : GraphTest {
  EventPtr submit_outside(Outside::Then then = Outside::Then::wait, const std::vector<EventPtr>& waits = {},
                          cl_int refused = CL_SUCCESS) {
    auto event = Event::make_shared(context, queue, CL_COMMAND_MARKER);
    EXPECT_EQ(graph.submit(event, std::make_unique<Outside>(seen, refused, then), waits, Order::ordinary), refused);
    return event;
  }
  Outside::Seen seen;
};

TEST_F(OutsideTest, ComesAfterTheEndsOfAllBeforeIt) {
  const auto first = submit(queue);
  const auto elsewhere = submit(other_queue);
  const auto outside = submit_outside(Outside::Then::wait, {elsewhere});
  EXPECT_THAT(seen.offered, ElementsAre(false));
  EXPECT_EQ(seen.planned, 0) << "what comes before it is only planned";
  end(first);
  EXPECT_EQ(seen.planned, 0);
  end(elsewhere);
  EXPECT_EQ(seen.planned, 1);
  EXPECT_EQ(outside->status(), CL_SUBMITTED);
  graph.awaited_ended(outside, CL_SUCCESS);
  EXPECT_EQ(outside->status(), CL_COMPLETE);
}

TEST_F(OutsideTest, IsNextWhereNothingComesBeforeIt) {
  const auto before = submit(queue);
  end(before);
  const auto outside = submit_outside(Outside::Then::wait, {before});
  EXPECT_THAT(seen.offered, ElementsAre(true));
  EXPECT_EQ(seen.planned, 1);
  graph.awaited_ended(outside, CL_SUCCESS);
}

TEST_F(OutsideTest, HoldsBackWhatComesAfterItOrNot) {
  const auto signal = submit_outside(Outside::Then::go_on);
  const auto after_signal = submit(queue);
  EXPECT_TRUE(is_issued(after_signal));
  graph.awaited_ended(signal, CL_SUCCESS);
  end(after_signal);
  const auto wait = submit_outside(Outside::Then::wait);
  const auto after_wait = submit(queue);
  EXPECT_FALSE(is_planned(after_wait));
  graph.awaited_ended(wait, CL_SUCCESS);
  EXPECT_TRUE(is_issued(after_wait));
}

TEST_F(OutsideTest, OneComesAfterTheEndOfAnother) {
  const auto first = submit_outside(Outside::Then::go_on), second = submit_outside(Outside::Then::go_on);
  EXPECT_THAT(seen.offered, ElementsAre(true, false));
  EXPECT_EQ(seen.planned, 1);
  graph.awaited_ended(first, CL_SUCCESS);
  EXPECT_EQ(seen.planned, 2);
  graph.awaited_ended(second, CL_INVALID_OPERATION);
  EXPECT_EQ(second->status(), CL_INVALID_OPERATION);
}

TEST_F(OutsideTest, IsNotEnteredWhenItIsRefused) {
  const auto outside = submit_outside(Outside::Then::wait, {}, CL_INVALID_VALUE);
  EXPECT_THAT(graph.outstanding(*queue), IsEmpty());
  EXPECT_EQ(seen.planned, 0);
  EXPECT_TRUE(is_issued(submit(queue))) << "it does not wait for what was refused";
}

TEST_F(OutsideTest, IsNeverPlannedWhereItsWaitListFails) {
  const auto gate = user_event();
  const auto outside = submit_outside(Outside::Then::wait, {gate});
  EXPECT_THAT(seen.offered, ElementsAre(false));
  graph.finish(gate, -7);
  EXPECT_EQ(seen.planned, 0);
  EXPECT_EQ(outside->status(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

TEST_F(GraphTest, OperationsOnTheSameBytesRunOneAfterAnother) {
  const auto buffer = make_storage();
  const auto first = submit(queue, {}, {{buffer, true}}), second = submit(queue, {}, {{buffer, true}});
  EXPECT_TRUE(is_planned(second));
  EXPECT_FALSE(is_issued(second));
  end(first);
  EXPECT_TRUE(is_issued(second));
}

TEST_F(GraphTest, WaitListHoldsBackUntilItsUserEventIsSet) {
  const auto user = user_event();
  const auto first = submit(queue);
  const auto waiting = submit(loose, {first, user, first});
  EXPECT_FALSE(is_planned(waiting));
  graph.finish(user, CL_COMPLETE);
  EXPECT_TRUE(is_planned(waiting));
  end(waiting);
  EXPECT_FALSE(waiting->ended());
  end(first);
  EXPECT_TRUE(waiting->ended());
}

TEST_F(GraphTest, OutOfOrderQueuePlansWhatItCan) {
  const auto user = user_event();
  const auto held_back = submit(loose, {user}), next = submit(loose);
  EXPECT_THAT(planned, ElementsAre(next));
  graph.finish(user, CL_COMPLETE);
  EXPECT_THAT(planned, ElementsAre(next, held_back));
}

TEST_F(GraphTest, BarrierStandsBetweenBeforeAndAfter) {
  const auto user = user_event();
  const auto before = submit(loose, {user});
  const auto barrier = submit(loose, {}, {}, Order::barrier);
  const auto after = submit(loose);
  EXPECT_THAT(planned, IsEmpty());
  graph.finish(user, CL_COMPLETE);
  EXPECT_THAT(planned, ElementsAre(before, barrier, after));
  end(after);
  end(barrier);
  EXPECT_FALSE(barrier->ended() || after->ended());
  end(before);
  EXPECT_TRUE(barrier->ended() && after->ended());
}

TEST_F(GraphTest, MarkerWaitsForAllBeforeItAndHoldsBackNothing) {
  const auto user = user_event();
  const auto before = submit(loose, {user});
  const auto marker = submit(loose, {}, {}, Order::marker);
  const auto after = submit(loose);
  EXPECT_THAT(planned, ElementsAre(after));
  graph.finish(user, CL_COMPLETE);
  EXPECT_TRUE(is_planned(marker));
}

TEST_F(GraphTest, BarrierWithAWaitListWaitsForThatAlone) {
  const auto user = user_event(), other = user_event();
  const auto before = submit(loose, {other});
  const auto barrier = submit(loose, {user}, {}, Order::barrier);
  const auto after = submit(loose);
  graph.finish(user, CL_COMPLETE);
  EXPECT_THAT(planned, ElementsAre(barrier, after));
  graph.finish(other, CL_COMPLETE);
}

TEST_F(GraphTest, WhatOnlyItsEndTellsHoldsBackThePlanningOfTheNext) {
  const auto merges = submit(queue, {}, {}, Order::ordinary, nullptr, false);
  const auto next = submit(queue);
  EXPECT_THAT(planned, ElementsAre(merges));
  end(merges);
  EXPECT_THAT(planned, ElementsAre(merges, next));
}

TEST_F(GraphTest, WhatOnlyItsEndTellsMayEndBeforeWhatItWaitsFor) {
  const auto before = submit(queue);
  const auto merges = submit(queue, {}, {}, Order::ordinary, nullptr, false);
  const auto next = submit(queue);
  end(merges);
  EXPECT_FALSE(merges->ended());
  EXPECT_TRUE(is_planned(next));
  end(before);
  EXPECT_TRUE(merges->ended());
}

TEST_F(GraphTest, CommandsOwnErrorIsItsStatus) {
  const auto event = submit(queue);
  end(event, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(event->wait(), CL_OUT_OF_RESOURCES);
}

TEST_F(GraphTest, CommandThatFindsNoMemoryAtItsEndFailsAndOthersGoOn) {
  int ends = 0;
  for (const cl_int own : {CL_SUCCESS, CL_OUT_OF_RESOURCES}) {
    const auto held = user_event();
    const auto command = Event::make_shared(context, queue, CL_COMMAND_MARKER);
    graph.submit(command, std::make_shared<EndsWithoutMemory>(own, ends), std::array{held}, Order::ordinary);
    const auto behind = submit(queue), dependent = submit(other_queue, {command});
    graph.finish(held, CL_COMPLETE);
    EXPECT_EQ(command->status(), own == CL_SUCCESS ? CL_OUT_OF_HOST_MEMORY : own);
    EXPECT_EQ(dependent->status(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    end(behind);
    EXPECT_EQ(behind->status(), CL_COMPLETE);
  }
  EXPECT_EQ(ends, 2) << "told also where it could not say whether it may be done again";
}

// What waits for the end of a command is planned, begins and ends then, if only with an error.
TEST_F(GraphTest, EndsAskForNoMemory) {
  const StoragePtr storage = make_storage();
  const auto first = submit(queue, {}, {{storage, true}}, Order::ordinary, nullptr, false);
  std::vector<EventPtr> others;
  for (int i = 0; i < 100; ++i) {
    others.push_back(submit(queue));                                // planned at the end of the first
    others.push_back(submit(loose, {}, {{storage, i % 2 == 0}}));   // begin then
    others.push_back(submit(loose, {first}, {}, Order::ordinary));  // planned then
    others.push_back(submit(loose, {others.back()}));               // and so on
  }
  first->add_callback(CL_COMPLETE, [](cl_event, cl_int, void*) {}, nullptr);
  const auto node = running_of(first);
  ASSERT_TRUE(node);
  backend.remove(node);
  {
    const NoMemory here;
    graph.ended(node, CL_SUCCESS);
  }
  EXPECT_EQ(first->status(), CL_COMPLETE);
  for (const EventPtr& each : others) EXPECT_TRUE(each->ended());
}

TEST_F(GraphTest, AnOperationThatDoesNotStartEndsItsCommand) {
  backend.fail_issue(0, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  const auto event = submit(queue);
  EXPECT_EQ(event->wait(), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  EXPECT_EQ(submit(queue)->status(), CL_SUBMITTED) << "the queue goes on";
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
  EXPECT_THAT(planned, IsEmpty()) << "none of them ran";
}

TEST_F(GraphTest, ErrorOfWhatRunsPassesToWhatIsPlannedBehindIt) {
  const auto first = submit(queue);
  const auto next = submit(queue);
  const auto waiting = submit(loose, {first});
  end(waiting);
  end(next);
  end(first, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(next->wait(), CL_COMPLETE) << "a queue's order passes no errors on";
  EXPECT_EQ(waiting->wait(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

TEST_F(GraphTest, ErrorDoesNotPassThroughAQueuesOrder) {
  const auto user = user_event();
  const auto failing = submit(queue, {user}), next = submit(queue);
  const auto failed = submit(loose), barrier = submit(loose, {}, {}, Order::barrier);
  graph.finish(user, -1);
  EXPECT_EQ(failing->status(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_TRUE(is_planned(next));
  end(failed, -5);
  end(barrier);
  EXPECT_EQ(barrier->wait(), CL_COMPLETE);
}

TEST_F(GraphTest, ErrorOfAnEventThatEndedBeforeCountsToo) {
  const auto failed = submit(queue);
  end(failed, -5);
  const auto late = submit(other_queue, {failed});
  EXPECT_EQ(late->status(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  const auto after = submit(other_queue);
  EXPECT_THAT(planned, ElementsAre(failed, after));
}

TEST_F(GraphTest, CommandWithAFailedEventStillKeepsItsQueuesOrder) {
  const auto user = user_event();
  const auto running = submit(queue);
  const auto failing = submit(queue, {user});
  const auto next = submit(queue);
  graph.finish(user, -1);
  EXPECT_FALSE(failing->ended());
  end(next);
  EXPECT_FALSE(next->ended());
  end(running);
  EXPECT_EQ(failing->status(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(next->wait(), CL_COMPLETE);
}

TEST_F(GraphTest, ReadersShareAndAWriterIsAlone) {
  const auto buffer = make_storage();
  const auto reader = submit(queue, {}, {{buffer, false}});
  const auto second_reader = submit(other_queue, {}, {{buffer, false}});
  const auto writer = submit(loose, {}, {{buffer, true}});
  EXPECT_TRUE(is_issued(reader) && is_issued(second_reader));
  end(reader);
  EXPECT_FALSE(is_issued(writer));
  end(second_reader);
  EXPECT_TRUE(is_issued(writer));
}

TEST_F(GraphTest, NobodyOvertakesAWriterThatWaits) {
  const auto buffer = make_storage();
  const auto reader = submit(loose, {}, {{buffer, false}});
  const auto writer = submit(loose, {}, {{buffer, true}});
  const auto late_reader = submit(loose, {}, {{buffer, false}});
  const auto stranger = submit(loose, {}, {{make_storage(), true}});
  EXPECT_TRUE(is_issued(stranger));
  end(reader);
  EXPECT_TRUE(is_issued(writer));
  EXPECT_FALSE(is_issued(late_reader));
  end(writer);
  EXPECT_TRUE(is_issued(late_reader));
}

TEST_F(GraphTest, ABufferUsedTwiceByOneOperationIsNotWaitedForByItself) {
  const auto buffer = make_storage();
  const auto twice = submit(loose, {}, {{buffer, false}, {buffer, true}, {buffer, false}});
  EXPECT_TRUE(is_issued(twice));
  const auto reader = submit(loose, {}, {{buffer, false}});
  EXPECT_FALSE(is_issued(reader));
  end(twice, -5);
  EXPECT_TRUE(is_issued(reader)) << "an error gives the bytes free, too";
}

TEST_F(GraphTest, CommandIsDestroyedWhenItEndsThoughItsEventLives) {
  auto held = std::make_shared<int>();
  const std::weak_ptr<int> watch = held;
  const auto event = submit(queue, {}, {}, Order::ordinary, std::move(held));
  EXPECT_FALSE(watch.expired());
  end(event);
  EXPECT_TRUE(watch.expired());
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

TEST_F(GraphTest, LongChainsNeedNoDeepStack) {
  constexpr int kLength = 100'000;
  const auto user = user_event();
  std::vector<EventPtr> last = {user};
  for (int i = 0; i < kLength; ++i) {
    auto event = Event::make_shared(context, queue, CL_COMMAND_MARKER);
    graph.submit(event, std::make_unique<EmptyCommand>(), last, Order::marker);
    last[0] = std::move(event);
  }
  graph.finish(user, CL_COMPLETE);
  EXPECT_EQ(last[0]->status(), CL_COMPLETE);
}

TEST_F(GraphTest, LongChainsOfErrorsNeedNoDeepStack) {
  const auto user = user_event();
  std::vector<EventPtr> last = {user};
  for (int i = 0; i < 100'000; ++i) last[0] = submit(queue, last);
  graph.finish(user, -1);
  EXPECT_EQ(last[0]->status(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

// A thousand and four thousand commands that wait for one buffer, ready all at once.
TEST_F(GraphTest, ManyCommandsOnOneBufferAreNotAskedAgainAndAgain) {
  const auto buffer = make_storage();
  std::vector<EventPtr> all;
  for (int i = 0; i < 4000; ++i) all.push_back(submit(loose, {}, {{buffer, true}}));
  EXPECT_EQ(backend.running(), 1u);
  EXPECT_EQ(planned.size(), 4000u) << "each was planned once";
  for (const auto& event : all) end(event);
  EXPECT_TRUE(all.back()->ended());
}

// clSetCommandQueueProperty, while commands run: they keep their order, and what comes is after them or as it is told.
TEST_F(GraphTest, WhatComesAfterAChangeOfOrderIsInTheNewOne) {
  const auto user = user_event();
  const auto first = submit(queue, {user});
  graph.change(*queue, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const auto second = submit(queue);
  const auto third = submit(queue);
  EXPECT_THAT(graph.outstanding(*queue), UnorderedElementsAre(first, second, third));
  EXPECT_EQ(backend.running(), 0u) << "nothing overtakes what was in order";
  graph.finish(user, CL_COMPLETE);
  end(first);
  end(third);
  EXPECT_TRUE(third->ended()) << "in any order";
  EXPECT_THAT(graph.outstanding(*queue), ElementsAre(second));
  end(second);
  graph.change(*queue, CL_QUEUE_PROFILING_ENABLE);
  const auto fourth = submit(queue);
  const auto fifth = submit(queue);
  EXPECT_THAT(graph.outstanding(*queue), ElementsAre(fifth)) << "one after another again";
  end(fourth);
  end(fifth);
  EXPECT_THAT(graph.outstanding(*queue), IsEmpty());
  EXPECT_TRUE(fifth->has_times);
  EXPECT_FALSE(first->has_times);
}

// What a marker or a barrier waits for, and clFinish: not everything again that the one before it waits for.
TEST_F(GraphTest, AfterAMarkerOrBarrierForEverythingItStandsForWhatCameBefore) {
  const auto user = user_event();
  for (const Order order : {Order::marker, Order::barrier}) {
    submit(loose, {user});
    submit(loose, {user});
    const auto everything = submit(loose, {}, {}, order);
    EXPECT_THAT(graph.outstanding(*loose), ElementsAre(everything));
    const auto later = submit(loose, {user});
    EXPECT_THAT(graph.outstanding(*loose), UnorderedElementsAre(everything, later));
    const auto partly = submit(loose, {user}, {}, order);
    EXPECT_THAT(graph.outstanding(*loose), UnorderedElementsAre(everything, later, partly));
  }
  graph.finish(user, CL_COMPLETE);
}

TEST_F(GraphTest, TimesAreInOrderAlsoForWhatNeverRan) {
  const auto user = user_event();
  const auto failed = submit(queue, {user});
  const auto ran = submit(other_queue);
  ran->set_running();
  end(ran);
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

// The first's end is that of what it follows, which ended later on another device; the second's device knows nothing of
// it.
TEST_F(GraphTest, OnOneDeviceNothingBeginsBeforeTheEndThatIsToldOfWhatItFollows) {
  const auto elsewhere = submit(other_queue);
  const auto kernel = [&](const std::vector<EventPtr>& waits) {
    auto event = Event::make_shared(context, queue, CL_COMMAND_NDRANGE_KERNEL);
    event->observed = true;
    event->runs_only_on(*event->context->devices[0]);
    lanes.push_back(event);
    graph.submit(event,
                 std::make_unique<Noted>(planned, static_cast<unsigned>(lanes.size() - 1), std::vector<Use>(), nullptr),
                 waits, Order::ordinary);
    return event;
  };
  const auto first = kernel({elsewhere}), second = kernel({});
  const cl_ulong long_ago = 1, now = now_ns();
  for (const auto& event : {first, second}) {
    event->set_running(long_ago);
    event->note_end(long_ago);
    end(event);
  }
  elsewhere->note_end(now);
  end(elsewhere);
  EXPECT_EQ(first->time(CL_PROFILING_COMMAND_END), now);
  EXPECT_EQ(second->time(CL_PROFILING_COMMAND_START), now);
  EXPECT_EQ(second->time(CL_PROFILING_COMMAND_END), now);
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

TEST_F(GraphTest, NothingIsSeenToRunBeforeWhatItWaitsForHasEnded) {
  const auto first = submit(queue), second = submit(queue);
  second->set_running();
  EXPECT_EQ(second->status(), CL_SUBMITTED);
  end(first);
  EXPECT_EQ(second->status(), CL_RUNNING);
  const auto third = submit(queue);
  end(second);
  third->set_running();
  EXPECT_EQ(third->status(), CL_RUNNING);
}

TEST_F(GraphTest, CallbacksAreToldTheStatusTheyWaitedFor) {
  Told running, complete, late;
  const auto event = submit(queue);
  event->add_callback(CL_COMPLETE, Told::tell, &complete);
  event->add_callback(CL_RUNNING, Told::tell, &running);
  end(event);
  event->add_callback(CL_SUBMITTED, Told::tell, &late);
  EXPECT_EQ(running.status.get_future().get(), CL_RUNNING);
  EXPECT_EQ(complete.status.get_future().get(), CL_COMPLETE);
  EXPECT_EQ(late.status.get_future().get(), CL_SUBMITTED);
}

// Many threads enqueue commands with random wait lists and buffers; the context's threads run them, some with errors.
struct Ledger {
  std::array<std::atomic<int>, 8> readers{}, writers{};
  std::atomic<int> broken = 0, ran = 0;
};

class Checked : public Command {
 public:
  Checked(Ledger& ledger, engine::Lane lane, const std::vector<StoragePtr>& buffers, std::vector<int> reads,
          std::vector<int> writes, cl_int result)
      : ledger_(ledger),
        lane_(lane),
        buffers_(buffers),
        reads_(std::move(reads)),
        writes_(std::move(writes)),
        result_(result) {}

  cl_int plan(Planner& planner, const EventPtr&) override {
    Planner::Accesses accesses;
    for (int i : reads_) accesses.push_back({buffers_[static_cast<size_t>(i)], 0, {0, 64}, false});
    for (int i : writes_) accesses.push_back({buffers_[static_cast<size_t>(i)], 0, {0, 64}, true});
    planner.add(lane_, engine::HostCall{[this] { return work(); }}, std::move(accesses));
    return CL_SUCCESS;
  }

 private:
  cl_int work() {
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
    return result_;
  }

  Ledger& ledger_;
  const engine::Lane lane_;
  const std::vector<StoragePtr> buffers_;
  const std::vector<int> reads_, writes_;
  const cl_int result_;
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
        const engine::Lane lane{static_cast<engine::LaneKind>(random() % 4), static_cast<unsigned>(random() % 2)};
        auto event = Event::make_shared(context, own, CL_COMMAND_NDRANGE_KERNEL);
        auto command =
            std::make_unique<Checked>(ledger, lane, buffers, reads, writes, random() % 50 == 0 ? -5 : CL_COMPLETE);
        const DeviceBackend::HelpingThread help(random() % 2 ? DeviceBackend::HelpingThread::Role::program
                                                             : DeviceBackend::HelpingThread::Role::waiting_program);
        context->graph.submit(event, std::move(command), waits, random() % 20 == 0 ? Order::barrier : Order::ordinary);
        events.push_back(std::move(event));
      }
      for (const auto& event : context->graph.outstanding(*own)) event->wait();
      for (const EventPtr& event : events) {
        if (!event->ended()) ++ledger.broken;
        if (event->status() == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) ++errors;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ledger.broken, 0);
  EXPECT_LE(ledger.ran, kThreads * kCommands);
  EXPECT_GE(ledger.ran + errors, kThreads * kCommands) << "who failed with others may have run before them";
}

}  // namespace
}  // namespace samcl
