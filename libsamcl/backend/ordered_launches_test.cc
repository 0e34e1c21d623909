// Launches whose parts wait for each other on their devices, as the real backend gives them to a driver that does at
// once what it is given: a wait that comes before what it waits for has been told would never end, and is a misuse.
#include <gmock/gmock.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <random>
#include <thread>

#include "base/test_seed.h"
#include "libsamcl/commands/buffer_commands.h"
#include "libsamcl/commands/launch.h"
#include "libsamcl/testing/fake_manager.h"
#include "libsamcl/testing/known_kernels.h"
#include "libsamcl/testing/simulated_machine.h"

namespace samcl {
namespace {

using testing::Call;
using testing::EventPtr;
using testing::KernelPtr;
using testing::QueuePtr;
using testing::Words;

// By how many devices there are, and which thread gives them operations.
struct OrderedLaunches : ::testing::TestWithParam<unsigned> {
  static constexpr size_t kItems = 4096;

  static void SetUpTestSuite() {
    setenv("SAMCL_TRANSPORT", "peer", 0);
    setenv("SAMCL_ORDERING", "device", 1);
    setenv("SAMCL_SPLIT", "always", 1);
  }
  explicit OrderedLaunches(lease::Client* manager = nullptr)
      : machine(GetParam(), manager), queue(machine.in_order_queue()) {
    for (BufferPtr& buffer : buffers) buffer = machine.buffer(kItems);
  }
  ~OrderedLaunches() override {
    machine.driver.resume();
    if (last) last->wait();
    EXPECT_EQ(machine.driver.misuses(), 0);
  }
  void SetUp() override {
    ASSERT_NE(machine.context->timelines, nullptr);
    machine.context->timelines->prepare();
    while (!machine.context->orders_itself()) std::this_thread::yield();
  }
  EventPtr submit(CommandPtr command) {
    last = Event::make_shared(machine.context, queue, CL_COMMAND_NDRANGE_KERNEL);
    machine.context->graph.submit(last, std::move(command), {}, Order::ordinary);
    return last;
  }
  EventPtr launch(const KernelPtr& kernel, const std::vector<size_t>& arguments) {
    for (cl_uint i = 0; i < arguments.size(); ++i) {
      const cl_mem handle = buffers[arguments[i]]->api();
      kernel->set_argument(i, sizeof handle, &handle);
    }
    LaunchRequest request{kernel, kernel->arguments(), {}, true, {}};
    request.ndrange.global[0] = kItems;
    request.ndrange.local[0] = 16;
    return submit(std::make_shared<KernelLaunch>(std::move(request), *machine.context));
  }
  void write(size_t buffer, const Words& words) {
    submit(write_buffer(buffers[buffer], 0, kItems * sizeof(cl_uint), words.data()))->wait();
  }
  Words contents(size_t buffer) {
    Words words(kItems, 0xdeadbeef);
    EXPECT_EQ(submit(read_buffer(buffers[buffer], 0, kItems * sizeof(cl_uint), words.data()))->wait(), CL_COMPLETE);
    return words;
  }

  // What is to be in the buffers.
  void write_all() {
    for (size_t b = 0; b < model.size(); ++b) {
      model[b] = testing::counting(kItems, static_cast<cl_uint>(1000 * b));
      write(b, model[b]);
    }
  }
  void sum(size_t from, size_t to) {
    launch(stencil, {from, to});
    sum(model[from], model[to]);
  }
  static void sum(Words& from, Words& to) {
    for (size_t i = 0; i < kItems; ++i) testing::sum_of_neighbours(i, {std::span(from), std::span(to)});
  }
  void tripled(size_t buffer) {
    launch(triple, {buffer});
    for (size_t i = 0; i < kItems; ++i) testing::triple(i, {std::span(model[buffer])});
  }
  void scattered(size_t buffer) {
    launch(scattering, {buffer});
    for (size_t i = 0; i < kItems; ++i) testing::scatter(i, {std::span(model[buffer])});
  }
  void expect_all() {
    for (size_t b = 0; b < model.size(); ++b) EXPECT_EQ(contents(b), model[b]) << b;
  }
  std::array<Words, 3> model;

  // Steps of a stencil between two buffers in turn, from that one on.
  void launch_steps(size_t first, size_t end) {
    for (size_t step = first; step < end; ++step) launch(stencil, {step % 2, 1 - step % 2});
  }
  void expect_given_before_any_ends(size_t first, size_t end) {
    expect_given_before_any_ends(end - first, [&] { launch_steps(first, end); });
  }
  void expect_given_before_any_ends(size_t launches, const std::function<void()>& launch_all) {
    machine.driver.suspend();
    const int all = machine.driver.count(Call::launch) + static_cast<int>(GetParam() * launches);
    launch_all();
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (machine.driver.count(Call::launch) < all && std::chrono::steady_clock::now() < until)
      std::this_thread::yield();
    EXPECT_GE(machine.driver.count(Call::launch), all) << "the host waits for none of them";
  }
  void expect_after_steps(size_t steps, Words now) {
    Words next(kItems);
    for (size_t step = 0; step < steps; ++step) {
      sum(now, next);
      std::swap(now, next);
    }
    EXPECT_EQ(contents(steps % 2), now);
  }

  // meanwhile: before each.
  void expect_right_at_random(int launches, const std::function<void(std::mt19937&)>& meanwhile) {
    const unsigned seed = test_seed();
    std::mt19937 random(seed);
    SCOPED_TRACE(seed);
    write_all();
    for (int i = 0; i < launches; ++i) {
      const size_t from = random() % 3, to = (from + 1 + random() % 2) % 3;
      meanwhile(random);
      const auto which = random() % 6;
      which < 2 ? tripled(to) : which == 2 ? scattered(to) : sum(from, to);
      if (random() % 20 == 0) last->wait();
      if (random() % 50 == 0) {
        ASSERT_EQ(contents(to), model[to]) << i;
      }
    }
    expect_all();
  }
  // What of it ended is told, and leases are given back.
  void rest() const {
    for (const auto& device : machine.context->devices) device->drain(10'000);
  }

  testing::SimulatedMachine machine;
  const QueuePtr queue;
  std::array<BufferPtr, 3> buffers;
  EventPtr last;
  const KernelPtr stencil = machine.kernel(testing::stencil("ordered_stencil"), testing::sum_of_neighbours);
  const KernelPtr scattering = machine.kernel(testing::writes_anywhere("ordered_scatter"), testing::scatter);
  const KernelPtr triple = machine.kernel(testing::in_place("ordered_triple"), testing::triple);
};

TEST_P(OrderedLaunches, AStencilsStepsAreGivenWhileNothingHasEnded) {
  const Words first = testing::counting(kItems);
  write(0, first);
  launch_steps(0, 1);
  last->wait();
  expect_given_before_any_ends(1, 20);
  machine.driver.resume();
  expect_after_steps(20, first);
}

// Each part waits for the others of the launch before, whose bytes they all use.
TEST_P(OrderedLaunches, OverOneCopyAreGivenWhileNothingHasEnded) {
  if (!machine.context->may_hold()) GTEST_SKIP() << "what they write is merged";
  constexpr size_t kLaunches = 4;
  write_all();
  scattered(0);
  last->wait();
  expect_given_before_any_ends(kLaunches, [this] {
    for (size_t i = 0; i < kLaunches; ++i) scattered(0);
  });
  machine.driver.resume();
  expect_all();
}

TEST_P(OrderedLaunches, OfAnyBuffersInAnyOrderAreRight) {
  expect_right_at_random(300, [](std::mt19937&) {});
}

// The driver refuses a launch now and then: it is asked for again, and what others wait for is told all the same.
TEST_P(OrderedLaunches, ThatTheDriverRefusesAtFirstAreRight) {
  Words now = testing::counting(kItems), next(kItems);
  write(0, now);
  constexpr size_t kSteps = 60;
  for (size_t step = 0; step < kSteps; ++step) {
    if (step % 5 == 4) machine.driver.fail(Call::launch, CL_OUT_OF_RESOURCES, 1, static_cast<int>(step % 7));
    launch(stencil, {step % 2, 1 - step % 2});
    last->wait();
    sum(now, next);
    std::swap(now, next);
  }
  EXPECT_EQ(contents(kSteps % 2), now);
}

// A driver may read the program's memory in the call: what another device reads into it has to have come.
TEST_P(OrderedLaunches, WhatDevicesReadIntoHostMemoryIsThereBeforeOthersGetIt) {
  write_all();
  tripled(0);
  last->wait();
  machine.driver.suspend();
  Words words(kItems);
  const EventPtr read = submit(read_buffer(buffers[0], 0, kItems * sizeof(cl_uint), words.data()));
  const int reads = machine.driver.count(Call::read), writes = machine.driver.count(Call::write);
  submit(write_buffer(buffers[1], 0, kItems * sizeof(cl_uint), words.data()));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_GT(reads, 0);
  EXPECT_EQ(machine.driver.count(Call::write), writes);
  machine.driver.resume();
  EXPECT_EQ(last->wait(), CL_COMPLETE);
  EXPECT_EQ(contents(1), model[0]);
}

// Of a program that waits for each launch.
struct OrderedAndAwaited : OrderedLaunches {
  void step() {
    launch(stencil, {steps % 2, 1 - steps % 2})->wait();
    machine.context->program_waited();
    sum(now, next);
    std::swap(now, next);
    ++steps;
  }
  // Copies by commands: the devices of these tests leave their kernels alone.
  int copies() {
    rest();
    return machine.driver.count(Call::copy);
  }
  size_t steps = 0;
  Words now = testing::counting(kItems), next = Words(kItems);
};

TEST_P(OrderedAndAwaited, WhatTheNextOneNeedsPassesBeforeItComes) {
  write(0, now);
  for (int i = 0; i < 10; ++i) step();
  const int before = copies();
  EXPECT_TRUE(machine.context->has_waited());
  launch(stencil, {0, 1});  // as of a program that has not
  EXPECT_EQ(copies(), before);
  last->wait();
  sum(now, next);
  EXPECT_EQ(contents(1), next);
}

// Nothing of the program's waits for it, but what comes after counts on it.
TEST_P(OrderedAndAwaited, WhatFailsToPassAheadFailsWhatCountedOnIt) {
  write(0, now);
  for (int i = 0; i < 10; ++i) step();
  machine.driver.suspend();
  machine.driver.fail(Call::copy, CL_OUT_OF_RESOURCES, 100'000'000);
  const EventPtr first = launch(stencil, {0, 1});
  const EventPtr second = launch(stencil, {1, 0});
  machine.driver.resume();
  EXPECT_EQ(first->wait(), CL_COMPLETE);
  EXPECT_LT(second->wait(), 0);
  machine.driver.fail(Call::copy, CL_SUCCESS, 0);
  sum(now, next);
  EXPECT_EQ(contents(1), next);
  write(0, next);
  EXPECT_EQ(launch(stencil, {1, 0})->wait(), CL_COMPLETE);
  sum(next, now);
  EXPECT_EQ(contents(0), now);
}

// Some launches again and again, and then others.
TEST_P(OrderedAndAwaited, AnyThatRepeatForAWhileAreRight) {
  const unsigned seed = test_seed();
  std::mt19937 random(seed);
  SCOPED_TRACE(seed);
  write_all();
  for (int phase = 0; phase < 40; ++phase) {
    const size_t a = random() % 3, b = (a + 1 + random() % 2) % 3, steps = 1 + random() % 12, other = random() % 4;
    for (size_t step = 0; step < steps; ++step) {
      sum(step % 2 ? b : a, step % 2 ? a : b);
      if (other == 1) tripled(step % 2 ? a : b);
      if (other == 2) tripled(3 - a - b);
      if (random() % 8 == 0) continue;
      last->wait();
      machine.context->program_waited();
    }
    if (random() % 4 == 0) write(b, model[b] = testing::counting(kItems, random()));
    if (random() % 4 == 0) {
      ASSERT_EQ(contents(a), model[a]) << phase;
    }
  }
  expect_all();
}

struct KeepsManager {
  testing::FakeManager manager;
};

// Where a manager grants the devices, as long as no other program is connected.
struct GrantedInOrder : KeepsManager, OrderedLaunches {
  GrantedInOrder() : OrderedLaunches(&manager) {
    manager.choose_all(GetParam());
    manager.alone = true;
  }
  // So that they need not run alone.
  void know_times() {
    for (const KernelPtr& kernel : {stencil, triple}) {
      for (unsigned d = 0; d < GetParam(); ++d) kernel->sub_kernels[d]->times.took(kItems / GetParam(), 10'000);
    }
  }
  long held() const {
    long held = 0;
    for (unsigned d = 0; d < GetParam(); ++d)
      held += manager.count("+gpu " + std::to_string(d)) - manager.count("-gpu " + std::to_string(d));
    return held;
  }
};

TEST_P(GrantedInOrder, AStencilsStepsAreGivenWhileNothingHasEnded) {
  const Words first = testing::counting(kItems);
  write(0, first);
  know_times();
  launch_steps(0, 4);
  last->wait();
  rest();
  expect_given_before_any_ends(4, 24);
  EXPECT_EQ(held(), static_cast<long>(GetParam())) << "all are held while anything is in flight";
  machine.driver.resume();
  expect_after_steps(24, first);
  rest();
  EXPECT_EQ(held(), 0);
}

// Others come and go meanwhile, and times are known, doubted and too long.
TEST_P(GrantedInOrder, OfAnyBuffersInAnyOrderAreRight) {
  expect_right_at_random(400, [this](std::mt19937& random) {
    if (random() % 10 == 0) know_times();
    if (random() % 25 == 0) manager.alone = random() % 3 != 0;
    if (random() % 25 == 0) manager.is_taken = random() % 3 == 0;
    if (random() % 40 == 0) stencil->sub_kernels[random() % GetParam()]->times.took(kItems / GetParam(), 40'000'000);
  });
  manager.is_taken = false;
  rest();
  EXPECT_EQ(held(), 0);
}

TEST_P(GrantedInOrder, WaitInTheHostWhereAnotherProgramIsConnected) {
  manager.alone = false;
  EXPECT_FALSE(machine.context->orders_itself());
  EXPECT_EQ(machine.context->rates_in_order(), nullptr);
  write_all();
  know_times();
  for (int i = 0; i < 20; ++i) sum(i % 2, 1 - i % 2);
  expect_all();
}

INSTANTIATE_TEST_SUITE_P(Devices, GrantedInOrder, ::testing::Values(2, 3));
INSTANTIATE_TEST_SUITE_P(Devices, OrderedAndAwaited, ::testing::Values(2, 3));
INSTANTIATE_TEST_SUITE_P(Devices, OrderedLaunches, ::testing::Values(2, 3, 4));

}  // namespace
}  // namespace samcl
