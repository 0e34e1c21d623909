// Launches that become part of the one before them, on the fake driver's queues.
#include "libsamcl/commands/following.h"

#include <gmock/gmock.h>

#include "libsamcl/testing/simulated_machine.h"

namespace samcl {
namespace {

using testing::Call;
using testing::counting;
using testing::KernelPtr;
using testing::QueuePtr;
using testing::SimulatedMachine;
using testing::Translated;
using Words = testing::Words;

constexpr size_t kSize = 64;

struct FollowingLaunches : ::testing::Test {
  ~FollowingLaunches() override {
    machine.driver.resume();
    finish();
    EXPECT_EQ(machine.driver.misuses(), 0);
  }

  SimulatedMachine machine{2};
  Context& context = *machine.context;
  const QueuePtr queue = machine.in_order_queue(), other = machine.in_order_queue();
  const KernelPtr add_one = machine.kernel(Translated("add_one").updates().stays_whole("a test"),
                                           [](size_t i, const std::vector<std::span<cl_uint>>& a) { ++a[0][i]; });
  const KernelPtr copy = machine.kernel(Translated("copy_all").reads().writes().stays_whole("a test"),
                                        [](size_t i, const std::vector<std::span<cl_uint>>& a) { a[1][i] = a[0][i]; });

  testing::EventPtr enqueue(CommandPtr command, const QueuePtr& to) {
    auto event = Event::make_shared(machine.context, to, CL_COMMAND_NDRANGE_KERNEL);
    EXPECT_EQ(context.graph.submit(event, std::move(command), {}, Order::ordinary), CL_SUCCESS);
    return event;
  }
  // As the program's launch without an event. Whether it has followed.
  bool launch(const KernelPtr& kernel, const std::vector<BufferPtr>& arguments, const QueuePtr& to) {
    for (cl_uint i = 0; i < arguments.size(); ++i) {
      const cl_mem handle = arguments[i]->api();
      kernel->set_argument(i, sizeof handle, &handle);
    }
    LaunchRequest request{kernel, kernel->arguments(), {}, true, {}};
    request.ndrange.global[0] = kSize;
    request.ndrange.local[0] = 16;
    if (context.graph.follow(*to, request)) return true;
    last = enqueue(std::make_shared<KernelLaunch>(std::move(request), context), to);
    return false;
  }
  bool launch(const KernelPtr& kernel, const std::vector<BufferPtr>& arguments) {
    return launch(kernel, arguments, queue);
  }
  BufferPtr filled(cl_uint first) {
    const BufferPtr made = machine.buffer(kSize);
    kept.push_back(std::make_unique<Words>(counting(kSize, first)));
    enqueue(write_buffer(made, 0, made->size(), kept.back()->data()), queue)->wait();
    return made;
  }
  Words contents(const BufferPtr& buffer) {
    Words words(kSize);
    enqueue(read_buffer(buffer, 0, buffer->size(), words.data()), queue)->wait();
    return words;
  }
  void finish() {
    for (const QueuePtr& each : {queue, other})
      for (const auto& event : context.graph.outstanding(*each)) event->wait();
  }
  size_t awaited() const { return context.devices[0]->completions().pending(); }

  std::vector<std::unique_ptr<Words>> kept;
  testing::EventPtr last;  // that did not follow
};

TEST_F(FollowingLaunches, ArePartOfTheOneBeforeThem) {
  const BufferPtr a = filled(0);
  launch(add_one, {a});
  finish();
  machine.driver.suspend();
  EXPECT_FALSE(launch(add_one, {a}));
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(launch(add_one, {a}));
  EXPECT_EQ(awaited(), 1u);
  EXPECT_FALSE(last->ended());
  machine.driver.resume();
  EXPECT_EQ(contents(a), counting(kSize, 102));
  EXPECT_EQ(machine.driver.count(Call::launch), 102);
  EXPECT_EQ(add_one->record.launches, 102u);
}

TEST_F(FollowingLaunches, OfOtherKernelsAndBuffersDoSoToo) {
  const BufferPtr a = filled(0), b = filled(500);
  launch(copy, {a, b});
  launch(add_one, {b});
  machine.driver.suspend();
  launch(add_one, {a});
  EXPECT_TRUE(launch(copy, {a, b}));
  EXPECT_TRUE(launch(add_one, {b}));
  EXPECT_TRUE(launch(copy, {b, a}));
  machine.driver.resume();
  EXPECT_EQ(contents(a), counting(kSize, 2));
  EXPECT_EQ(contents(b), counting(kSize, 2));
}

// The first one of a kernel tells the report why it runs as it does.
TEST_F(FollowingLaunches, AreNoKernelsFirst) {
  const KernelPtr another = machine.kernel(Translated("add_two").updates().stays_whole("a test"),
                                           [](size_t i, const std::vector<std::span<cl_uint>>& a) { a[0][i] += 2; });
  const BufferPtr a = filled(0);
  launch(add_one, {a});
  EXPECT_FALSE(launch(another, {a}));
  EXPECT_TRUE(launch(another, {a}));
  EXPECT_EQ(another->record.reason(), "a test");
  EXPECT_EQ(contents(a), counting(kSize, 5));
}

TEST_F(FollowingLaunches, DoNotPassACommandOfAnyQueue) {
  const BufferPtr a = filled(0), b = filled(500);
  launch(add_one, {a});
  EXPECT_TRUE(launch(add_one, {a}));
  enqueue(write_buffer(b, 0, b->size(), kept[0]->data()), other);
  EXPECT_FALSE(launch(add_one, {a}));
  EXPECT_TRUE(launch(add_one, {a}));
  EXPECT_FALSE(launch(add_one, {a}, other));
  EXPECT_FALSE(launch(add_one, {a}));
  EXPECT_EQ(contents(a), counting(kSize, 6));
}

TEST_F(FollowingLaunches, NeedTheirBytesOnTheDevice) {
  const BufferPtr a = filled(0), b = filled(500);
  launch(copy, {a, b});
  finish();
  launch(add_one, {a});
  const BufferPtr fresh = machine.buffer(kSize);
  EXPECT_TRUE(launch(copy, {b, fresh})) << "nobody has written what it overwrites";
  const BufferPtr hosts = machine.buffer(kSize);
  context.graph.locked([&] { hosts->storage->written(hosts->range, only(kHost)); });
  EXPECT_FALSE(launch(copy, {hosts, b}));
  EXPECT_EQ(contents(fresh), counting(kSize, 0));
}

TEST_F(FollowingLaunches, AreNoneOfWhatTheProgramWrites) {
  const BufferPtr a = filled(0);
  launch(add_one, {a});
  context.graph.locked([&] { a->storage->mapped_to_write(Rectangle::run(0, 16)); });
  EXPECT_FALSE(launch(add_one, {a}));
  context.graph.locked([&] { a->storage->unmapped(Rectangle::run(0, 16)); });
}

TEST_F(FollowingLaunches, AreNoneBehindAnEventThatTheProgramHas) {
  const BufferPtr a = filled(0);
  launch(add_one, {a});
  const cl_mem handle = a->api();
  add_one->set_argument(0, sizeof handle, &handle);
  LaunchRequest request{add_one, add_one->arguments(), {}, true, {}};
  request.ndrange.global[0] = kSize;
  request.ndrange.local[0] = 16;
  auto seen = Event::make_shared(machine.context, queue, CL_COMMAND_NDRANGE_KERNEL);
  seen->observed = true;
  context.graph.submit(seen, std::make_shared<KernelLaunch>(std::move(request), context), {}, Order::ordinary);
  EXPECT_FALSE(launch(add_one, {a}));
  EXPECT_EQ(contents(a), counting(kSize, 3));
}

TEST_F(FollowingLaunches, ThatTheDriverRefusesFailAsOthersDo) {
  const BufferPtr a = filled(0);
  launch(add_one, {a});
  machine.driver.fail(Call::launch, CL_OUT_OF_RESOURCES, 100);
  EXPECT_FALSE(launch(add_one, {a}));
  EXPECT_EQ(last->wait(), CL_OUT_OF_RESOURCES);
  machine.driver.fail(Call::launch, CL_SUCCESS, 0);
  EXPECT_EQ(contents(a), counting(kSize, 1));
}

// What it has let go of while that was used is free when it has waited.
TEST_F(FollowingLaunches, EndAsOthersDoAfterARelease) {
  EXPECT_TRUE(context.may_leave_untold());
  context.tell_untold();
  EXPECT_FALSE(context.may_leave_untold());
  EXPECT_TRUE(context.may_leave_untold());
}

// The program waits for its queue: all has run, and what comes next still follows.
TEST_F(FollowingLaunches, GoOnAfterTheProgramHasWaited) {
  const BufferPtr a = filled(0);
  launch(add_one, {a});
  finish();
  launch(add_one, {a});
  for (int i = 0; i < 3; ++i) {
    const auto followed = context.graph.followed(*queue);
    ASSERT_TRUE(followed);
    ASSERT_TRUE(followed->wait_untold());
    EXPECT_EQ(awaited(), 1u);
    EXPECT_TRUE(launch(add_one, {a}));
  }
  EXPECT_EQ(contents(a), counting(kSize, 5));
  EXPECT_EQ(machine.driver.count(Call::mark), 0);
}

TEST_F(FollowingLaunches, ThatHaveRunLetGoOfWhatTheProgramReleases) {
  const BufferPtr a = filled(0);
  BufferPtr b = filled(500);
  const std::weak_ptr<Buffer> released = b;
  launch(copy, {a, b});
  finish();
  launch(copy, {a, b});
  EXPECT_TRUE(launch(copy, {a, b}));
  ASSERT_TRUE(context.graph.followed(*queue)->wait_untold());
  b->leave_kernels();
  b = nullptr;
  EXPECT_FALSE(released.expired());
  context.tell_untold();
  EXPECT_TRUE(released.expired());
  EXPECT_EQ(awaited(), 0u);
}

}  // namespace
}  // namespace samcl
