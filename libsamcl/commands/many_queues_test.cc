// Programs with several command queues, each with a strand of its own, on the fake driver's queues.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <thread>

#include "libsamcl/commands/launch.h"
#include "libsamcl/device/run_ahead.h"
#include "libsamcl/testing/fake_manager.h"
#include "libsamcl/testing/known_kernels.h"
#include "libsamcl/testing/not_preempted.h"

namespace samcl {
namespace {

using testing::counting;
using testing::KernelPtr;
using testing::QueuePtr;
using testing::SimulatedMachine;
using testing::Translated;
using Words = testing::Words;

constexpr size_t kSize = 64;
const bool kIsSet = setenv("SAMCL_STRANDS", "always", 1) == 0 && setenv("SAMCL_SPLIT", "auto", 1) == 0;

struct ManyQueues : ::testing::Test {
  explicit ManyQueues(lease::Client* manager = nullptr) : machine(2, manager) {}
  ~ManyQueues() override { EXPECT_EQ(machine.driver.misuses(), 0); }

  const testing::NotPreempted here;
  SimulatedMachine machine;
  Context& context = *machine.context;
  const QueuePtr first = machine.in_order_queue(), second = machine.in_order_queue(), third = machine.in_order_queue();
  const KernelPtr add_one = machine.kernel(Translated("add_one").updates().stays_whole("a test"),
                                           [](size_t i, const std::vector<std::span<cl_uint>>& a) { ++a[0][i]; });
  Words numbers = counting(kSize, 0);

  testing::EventPtr enqueue(CommandPtr command, const QueuePtr& to) {
    auto event = Event::make_shared(machine.context, to, CL_COMMAND_NDRANGE_KERNEL);
    EXPECT_EQ(context.graph.submit(event, std::move(command), {}, Order::ordinary), CL_SUCCESS);
    return event;
  }
  // Whether it has followed the one before it.
  bool launch(const BufferPtr& buffer, const QueuePtr& to) { return launch(add_one, buffer, to); }
  bool launch(const KernelPtr& kernel, const BufferPtr& buffer, const QueuePtr& to) {
    const cl_mem handle = buffer->api();
    kernel->set_argument(0, sizeof handle, &handle);
    LaunchRequest launch{kernel, kernel->arguments(), {}, true, {}};
    launch.ndrange.global[0] = kSize;
    launch.ndrange.local[0] = 16;
    if (context.graph.follow(to, launch, {}, nullptr)) return true;
    enqueue(std::make_shared<KernelLaunch>(std::move(launch), context), to);
    return false;
  }
  BufferPtr filled() {
    const BufferPtr made = machine.buffer(kSize);
    enqueue(write_buffer(made, 0, made->size(), numbers.data()), first)->wait();
    return made;
  }
  Words contents(const BufferPtr& buffer, const QueuePtr& by) {
    Words words(kSize);
    enqueue(read_buffer(buffer, 0, buffer->size(), words.data()), by)->wait();
    return words;
  }
  // How many launches go beside others of two that need nothing of each other, of which none has ended until the driver
  // is resumed. between: what happens when the first one has been given.
  uint64_t beside(
      const KernelPtr& kernel, const BufferPtr& a, const BufferPtr& b, const std::function<void()>& between = [] {}) {
    const uint64_t before = kernel->record.launches_beside;
    while (context.devices[0]->on_their_way() > 0) std::this_thread::yield();  // what has ended, and is being told
    machine.driver.suspend();
    launch(kernel, a, first);
    between();
    launch(kernel, b, first);
    return kernel->record.launches_beside - before;
  }
  // Until the device's strand has been given something: a feeder may do that.
  void wait_for_work(unsigned strand) {
    while (context.devices[0]->strand(strand)->completions().in_flight() == 0) std::this_thread::yield();
  }
  // So many launches of each queue, by turns: how many follow their queue's own.
  struct Followed {
    int of_first = 0, of_second = 0;
  };
  Followed launch_in_turn(const BufferPtr& a, const BufferPtr& b, int each) {
    Followed followed;
    for (int i = 0; i < each; ++i) {
      followed.of_first += launch(a, first);
      followed.of_second += launch(b, second);
    }
    return followed;
  }
  // Kernels are timed and counted at first.
  void begin(const BufferPtr& buffer) {
    for (int i = 0; i < 8; ++i) {
      launch(buffer, first);
      contents(buffer, first);
    }
  }
};

TEST_F(ManyQueues, HaveStrandsOfOneDevice) {
  const BufferPtr a = filled();
  begin(a);
  launch(filled(), second);
  launch(filled(), third);
  EXPECT_TRUE(context.devices[0]->strand(1));
  EXPECT_TRUE(context.devices[0]->strand(2));
  EXPECT_FALSE(context.devices[0]->strand(3));
  EXPECT_FALSE(context.devices[1]->strand(1));
}

TEST_F(ManyQueues, EachFollowTheirOwnLaunches) {
  const BufferPtr a = filled(), b = filled();
  begin(a);
  launch(a, first);
  launch(b, second);
  const auto [of_first, of_second] = launch_in_turn(a, b, 16);
  // Now and then it is found out where they are to run.
  EXPECT_GE(of_first, 13);
  EXPECT_GE(of_second, 13);
  EXPECT_EQ(contents(a, first), counting(kSize, 25));
  EXPECT_EQ(contents(b, second), counting(kSize, 17));
}

// Its lines come in the order of the launches, also where these use nothing of each other's.
TEST_F(ManyQueues, LaunchesThatPrintStayInOneStrand) {
  const KernelPtr prints = machine.kernel(Translated("prints").updates().prints().stays_whole("a test"),
                                          [](size_t i, const std::vector<std::span<cl_uint>>& a) { ++a[0][i]; });
  const BufferPtr a = filled(), b = filled();
  begin(a);
  machine.driver.suspend();
  launch(a, first);
  launch(b, second);
  RealDevice* const strand = context.devices[0]->strand(1);
  ASSERT_TRUE(strand);
  EXPECT_GT(strand->on_their_way(), 0u);
  machine.driver.resume();
  EXPECT_EQ(contents(b, second), counting(kSize, 1));
  machine.driver.suspend();
  launch(prints, b, second);
  EXPECT_EQ(strand->on_their_way(), 0u);
  EXPECT_GT(context.devices[0]->on_their_way(), 0u);
  machine.driver.resume();
  EXPECT_EQ(contents(b, second), counting(kSize, 2));
}

// What needs nothing of what is on its way does not follow it.
TEST_F(ManyQueues, RunLaunchesBesideOthersOfTheirOwn) {
  const BufferPtr a = filled(), b = filled();
  begin(a);
  const uint64_t before = add_one->record.launches_beside;
  machine.driver.suspend();
  launch(a, first);
  EXPECT_FALSE(launch(b, first));
  EXPECT_EQ(add_one->record.launches_beside - before, 1u);
  RealDevice* const strand = context.devices[0]->strand(Strands::kFirstBeside);
  ASSERT_TRUE(strand);
  EXPECT_GT(strand->on_their_way(), 0u);
  machine.driver.resume();
  for (int i = 0; i < 5; ++i) {
    launch(a, first);
    launch(b, first);
    launch(b, first);
  }
  EXPECT_EQ(contents(a, first), counting(kSize, 14));
  EXPECT_EQ(contents(b, first), counting(kSize, 11));
}

TEST_F(ManyQueues, RunLaunchesBesideOneThatAThreadWaitsFor) {
  const BufferPtr a = filled(), b = filled();
  begin(a);
  const auto waits = [&] {
    context.devices[0]->completions().hurry();
    while (context.devices[0]->completions().pending() > 0) std::this_thread::yield();
    EXPECT_EQ(context.devices[0]->on_their_way(), 1u);
  };
  EXPECT_EQ(beside(add_one, a, b, waits), 1u);
  machine.driver.resume();
  EXPECT_EQ(contents(b, first), counting(kSize, 1));
}

struct NoOtherProgram {
  NoOtherProgram() {
    manager.choose_all(2);
    manager.alone = true;
  }
  testing::FakeManager manager;
};
struct ManagedQueues : NoOtherProgram, ManyQueues {
  ManagedQueues() : ManyQueues(&manager) {}
};

TEST_F(ManagedQueues, HaveStrandsUnderOneLease) {
  const BufferPtr a = filled(), b = filled();
  begin(a);
  launch(b, first);
  contents(b, first);
  EXPECT_EQ(beside(add_one, a, b), 1u);
  ASSERT_TRUE(context.devices[0]->strand(Strands::kFirstBeside));
  for (const unsigned strand : {0u, Strands::kFirstBeside}) wait_for_work(strand);
  EXPECT_EQ(manager.count("+gpu 0") - manager.count("-gpu 0"), 1);
  machine.driver.resume();
  EXPECT_EQ(contents(a, first), counting(kSize, 9));
  EXPECT_EQ(contents(b, first), counting(kSize, 2));
}

TEST_F(ManagedQueues, EachFollowTheirOwnLaunches) {
  const BufferPtr a = filled(), b = filled();
  begin(a);
  launch(b, second);
  contents(b, second);
  machine.driver.suspend();
  launch(a, first);
  launch(b, second);
  for (const unsigned strand : {0u, 1u}) {
    const RunAhead& ahead = *context.devices[0]->strand(strand)->run_ahead();
    while (ahead.entries() > 0) std::this_thread::yield();
  }
  const auto [of_first, of_second] = launch_in_turn(a, b, 8);
  // Now and then one is timed.
  EXPECT_GE(of_first, 7);
  EXPECT_GE(of_second, 7);
  machine.driver.resume();
  EXPECT_EQ(contents(a, first), counting(kSize, 17));
  EXPECT_EQ(contents(b, second), counting(kSize, 10));
}

// What is longer than a slice, and would be cut as soon as another program comes: each strand has its own rewritten
// kernel.
TEST_F(ManagedQueues, HaveWhatMayHaveToBeCutInStrands) {
  manager.chosen.devices = {0};
  manager.chosen.gpus = 1;
  machine.driver.ns_per_item = [](const testing::KernelCall&) { return uint64_t{30'000}; };
  const KernelPtr cut =
      machine.kernel(testing::in_place("cut"), [](size_t i, const testing::Arguments& a) { ++a[0][i]; });
  const BufferPtr a = filled(), b = filled();
  for (int i = 0; i < 4; ++i) {
    launch(cut, a, first);
    contents(a, first);
    launch(cut, b, first);
    contents(b, first);
  }
  ASSERT_GT(cut->sub_kernels[0]->times.expect(kSize), RunAhead::kSliceNs);
  EXPECT_EQ(beside(cut, a, b), 1u);
  for (const unsigned strand : {0u, Strands::kFirstBeside}) wait_for_work(strand);
  machine.driver.resume();
  EXPECT_EQ(contents(a, first), counting(kSize, 5));
  EXPECT_EQ(contents(b, first), counting(kSize, 5));
}

// As its model has them.
TEST_F(ManagedQueues, OfATaskHaveNone) {
  manager.chosen.task = "a task";
  const BufferPtr a = filled(), b = filled();
  begin(a);
  EXPECT_EQ(beside(add_one, a, b), 0u);
  EXPECT_FALSE(context.devices[0]->has_strands());
  machine.driver.resume();
  EXPECT_EQ(contents(b, first), counting(kSize, 1));
}

TEST_F(ManyQueues, WaitForWhatOthersWrite) {
  const BufferPtr a = filled();
  begin(a);
  for (int i = 0; i < 6; ++i) {
    launch(a, first);
    EXPECT_FALSE(launch(a, second));
    EXPECT_FALSE(launch(a, third));
  }
  EXPECT_EQ(contents(a, second), counting(kSize, 26));
}

}  // namespace
}  // namespace samcl
