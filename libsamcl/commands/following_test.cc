// Launches that become part of the one before them, on the fake driver's queues.
#include "libsamcl/commands/following.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "libsamcl/device/run_ahead.h"
#include "libsamcl/objects/arriving.h"
#include "libsamcl/settings/config.h"
#include "libsamcl/testing/fake_manager.h"
#include "libsamcl/testing/known_kernels.h"
#include "libsamcl/testing/not_preempted.h"
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

// Whether launches run in parts is left to the runtime.
const bool kLeftToRuntime = setenv("SAMCL_SPLIT", "auto", 1) == 0;

struct FollowingLaunches : ::testing::Test {
  ~FollowingLaunches() override {
    machine.driver.resume();
    finish();
    EXPECT_EQ(machine.driver.misuses(), 0);
  }

  explicit FollowingLaunches(lease::Client* manager = nullptr, unsigned devices = 2, bool profiling = false)
      : machine(devices, manager), queue(profiling ? machine.profiling_queue() : machine.in_order_queue()) {}

  const testing::NotPreempted here;
  const bool by_thread = Config::get().submission == Config::Submission::thread;
  SimulatedMachine machine;
  Context& context = *machine.context;
  const QueuePtr queue, other = machine.in_order_queue();
  const KernelPtr add_one = machine.kernel(Translated("add_one").updates().stays_whole("a test"),
                                           [](size_t i, const std::vector<std::span<cl_uint>>& a) { ++a[0][i]; });
  const KernelPtr copy = machine.kernel(Translated("copy_all").reads().writes().stays_whole("a test"),
                                        [](size_t i, const std::vector<std::span<cl_uint>>& a) { a[1][i] = a[0][i]; });

  testing::EventPtr enqueue(CommandPtr command, const QueuePtr& to, const std::vector<testing::EventPtr>& waits = {}) {
    auto event = Event::make_shared(machine.context, to, CL_COMMAND_NDRANGE_KERNEL);
    EXPECT_EQ(context.graph.submit(event, std::move(command), waits, Order::ordinary), CL_SUCCESS);
    return event;
  }
  static LaunchRequest request(const KernelPtr& kernel, const std::vector<BufferPtr>& arguments) {
    for (cl_uint i = 0; i < arguments.size(); ++i) {
      const cl_mem handle = arguments[i]->api();
      kernel->set_argument(i, sizeof handle, &handle);
    }
    LaunchRequest launch{kernel, kernel->arguments(), {}, true, {}};
    launch.ndrange.global[0] = kSize;
    launch.ndrange.local[0] = 16;
    return launch;
  }
  // What is on its way to the driver, it has then, unless it refuses.
  void give_all() {
    context.graph.locked([this] {
      for (const auto& device : context.devices) device->submissions().drain(SubmissionQueue::Lock::held);
    });
  }
  // As the program's launch without an event. Whether it has followed.
  bool launch(const KernelPtr& kernel, const std::vector<BufferPtr>& arguments, const QueuePtr& to) {
    LaunchRequest wanted = request(kernel, arguments);
    if (context.graph.follow(to, wanted, {}, nullptr)) return true;
    last = enqueue(std::make_shared<KernelLaunch>(std::move(wanted), context), to);
    give_all();
    return false;
  }
  // With an event, which waits for those.
  struct Seen {
    testing::EventPtr event;
    bool has_followed = false;
  };
  Seen launch_seen(const BufferPtr& buffer, const std::vector<testing::EventPtr>& waits = {}) {
    LaunchRequest wanted = request(add_one, {buffer});
    Seen seen;
    if (context.graph.follow(queue, wanted, waits, &seen.event)) return {seen.event, true};
    seen.event = Event::make_shared(machine.context, queue, CL_COMMAND_NDRANGE_KERNEL);
    seen.event->observed = true;
    auto command = std::make_shared<KernelLaunch>(std::move(wanted), context);
    EXPECT_EQ(context.graph.submit(seen.event, std::move(command), waits, Order::ordinary), CL_SUCCESS);
    give_all();
    return seen;
  }
  // One that others may follow: the kernel is known, and the device's clock.
  testing::EventPtr first_seen(const BufferPtr& buffer) {
    launch_seen(buffer).event->wait();
    const Seen seen = launch_seen(buffer);
    EXPECT_FALSE(seen.has_followed);
    return seen.event;
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

// A time that is due would have the device become idle first.
TEST_F(FollowingLaunches, FollowWhereATimeIsDueThatCannotBeTakenNow) {
  const KernelPtr splits = machine.kernel(
      Translated("splits").updates().footprint(testing::Footprints().element(0, testing::Footprints::adds)),
      [](size_t i, const std::vector<std::span<cl_uint>>& a) { ++a[0][i]; });
  const BufferPtr a = filled(0);
  KernelTimes& times = splits->cost_model->times;
  RealDevice& device = *context.devices[0];
  unsigned launches = 0;
  for (; launches < 20; ++launches) {
    launch(splits, {a});
    finish();
    times.took(kSize, 2000);
  }
  machine.driver.suspend();
  launch(splits, {a});
  ASSERT_TRUE(device.waits_until_idle(ComputeQueues::Use::timed));
  int planned = 0;
  for (int i = 0; i < 100; ++i) {
    if (i % 10 == 0) times.doubt();
    planned += launch(splits, {a}) ? 0 : 1;
  }
  EXPECT_EQ(planned, 0);
  EXPECT_TRUE(times.time_is_due(kSize)) << "of the first one that comes when nothing runs";
  machine.driver.resume();
  EXPECT_EQ(contents(a), counting(kSize, launches + 101));
}

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

// As where it had to wait for something else: it is of the same lane, and may not have come into the queue yet. Nor
// must it be forgotten that it uses what the next launch does.
TEST_F(FollowingLaunches, DoNotPassWhatWasIssuedLater) {
  const BufferPtr a = filled(0), b = filled(0);
  launch(add_one, {a});
  finish();
  machine.driver.suspend();
  launch(add_one, {b}, other);
  engine::AccessMap& users = b->storage->users(b->storage->place_of(0));
  engine::NodeList before;
  users.find_conflicts(b->range, true, before);
  ASSERT_EQ(before.size(), 1u);
  const engine::NodePtr earlier = before[0];
  EXPECT_FALSE(launch(add_one, {a}));
  EXPECT_TRUE(launch(add_one, {a}));
  earlier->number_issued = UINT64_MAX;
  EXPECT_FALSE(context.graph.follow(queue, request(add_one, {b}), {}, nullptr));
  before.clear();
  users.find_conflicts(b->range, true, before);
  ASSERT_EQ(before.size(), 1u);
  EXPECT_EQ(before[0], earlier);
  machine.driver.resume();
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

struct LaunchesOnOneDevice : FollowingLaunches {
  LaunchesOnOneDevice() : FollowingLaunches(nullptr, 1) {}
};

TEST_F(LaunchesOnOneDevice, FollowThoughOnSeveralTheyCouldBeSplit) {
  const KernelPtr splittable = machine.kernel(Translated("add_two").updates(),
                                              [](size_t i, const std::vector<std::span<cl_uint>>& a) { a[0][i] += 2; });
  const BufferPtr a = filled(0);
  launch(splittable, {a});
  finish();
  machine.driver.suspend();
  EXPECT_FALSE(launch(splittable, {a}));
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(launch(splittable, {a}));
  machine.driver.resume();
  EXPECT_EQ(contents(a), counting(kSize, 44));
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
  EXPECT_FALSE(launch(add_one, {b}, other));
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
  if (!hosts->storage->shared()) {
    EXPECT_FALSE(launch(copy, {hosts, b}));
  }
  EXPECT_EQ(contents(fresh), counting(kSize, 0));
}

TEST_F(FollowingLaunches, AreNoneOfWhatTheProgramWrites) {
  const BufferPtr a = filled(0);
  launch(add_one, {a});
  context.graph.locked([&] { a->storage->mapped_to_write(Rectangle::run(0, 16)); });
  EXPECT_FALSE(launch(add_one, {a}));
  context.graph.locked([&] { a->storage->unmapped(Rectangle::run(0, 16)); });
}

TEST_F(FollowingLaunches, ThatTheDriverRefusesFailAsOthersDo) {
  const BufferPtr a = filled(0);
  launch(add_one, {a});
  machine.driver.fail(Call::launch, CL_OUT_OF_RESOURCES, 100);
  EXPECT_EQ(launch(add_one, {a}), by_thread) << "another thread hears of it when it has followed";
  EXPECT_EQ(last->wait(), CL_OUT_OF_RESOURCES);
  machine.driver.fail(Call::launch, CL_SUCCESS, 0);
  EXPECT_EQ(contents(a), counting(kSize, 1));
}

// Those that the driver has taken before run all the same, and later ones are right.
TEST_F(FollowingLaunches, AmongOthersFailAlone) {
  const BufferPtr a = filled(0), b = filled(500);
  launch(copy, {a, b});
  finish();
  launch(add_one, {a});
  machine.driver.fail(Call::launch, CL_OUT_OF_RESOURCES, 1, 2);
  for (int i = 0; i < 3; ++i) launch(add_one, {a});
  give_all();
  finish();
  launch(copy, {a, b});
  const Words found = contents(b);
  EXPECT_EQ(found, counting(kSize, by_thread ? 3 : 4)) << "where its caller hears of it, it is asked once more";
}

// A value that the driver refuses when it comes to it: all are told it anew.
TEST_F(FollowingLaunches, AfterAnArgumentThatWasRefusedHaveTheirs) {
  const BufferPtr a = filled(0), b = filled(500), c = filled(1000);
  launch(copy, {a, b});
  finish();
  launch(copy, {a, b});
  request(copy, {a, c});  // the kernel that checks them has them by then
  machine.driver.fail(Call::argument, CL_OUT_OF_RESOURCES, 2);
  launch(copy, {a, c});
  give_all();
  finish();
  machine.driver.fail(Call::argument, CL_SUCCESS, 0);
  launch(copy, {a, b});
  EXPECT_TRUE(launch(copy, {b, c}));
  EXPECT_EQ(contents(c), counting(kSize, 0));
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
  if (by_thread) GTEST_SKIP() << "what a thread of ours has given is waited for by a marker";
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
  EXPECT_EQ(machine.driver.count(Call::mark), 0);
  EXPECT_EQ(contents(a), counting(kSize, 5));
}

// Whatever the driver has to say of what it gets from then on.
TEST_F(FollowingLaunches, HaveEndedForWhoHasWaitedForTheirQueue) {
  if (by_thread) GTEST_SKIP() << "what a thread of ours has given is waited for by a marker";
  const BufferPtr a = filled(0);
  launch(add_one, {a});
  finish();
  const testing::EventPtr first = launch_seen(a).event;
  ASSERT_TRUE(context.graph.followed(*queue)->wait_untold());
  machine.driver.suspend();
  EXPECT_EQ(first->look(), CL_COMPLETE);
  machine.driver.resume();
  const Seen second = launch_seen(a), third = launch_seen(a);
  ASSERT_TRUE(second.has_followed && third.has_followed);
  ASSERT_TRUE(context.graph.followed(*queue)->wait_untold());
  machine.driver.suspend();
  EXPECT_EQ(second.event->look(), CL_COMPLETE);
  EXPECT_EQ(third.event->look(), CL_COMPLETE);
  machine.driver.resume();
}

TEST_F(FollowingLaunches, ThatHaveRunLetGoOfWhatTheProgramReleases) {
  const BufferPtr a = filled(0);
  BufferPtr b = filled(500);
  const std::weak_ptr<Buffer> released = b;
  const std::weak_ptr<Storage> memory = b->storage;
  launch(copy, {a, b});
  finish();
  launch(add_one, {a});
  EXPECT_TRUE(launch(copy, {a, b}));
  ASSERT_TRUE(context.graph.followed(*queue)->wait_untold());
  b->leave_kernels();
  b = nullptr;
  EXPECT_TRUE(released.expired());
  EXPECT_FALSE(memory.expired());
  context.tell_untold();
  EXPECT_TRUE(memory.expired());
  EXPECT_EQ(awaited(), 0u);
}

// A program that makes parts of its memory for each launch.
TEST_F(FollowingLaunches, UsePartsThatAreGivenBackWhenTheyHaveRun) {
  const BufferPtr all = filled(0);
  launch(add_one, {all});
  finish();
  EXPECT_FALSE(launch(add_one, {all}));
  for (int i = 0; i < 100; ++i) {
    BufferPtr part = machine.part(all, 0, kSize);
    const std::weak_ptr<Buffer> released = part;
    EXPECT_TRUE(launch(add_one, {part})) << i;
    part->leave_kernels();
    part = nullptr;
    EXPECT_FALSE(released.expired()) << "it may not have run";
    ASSERT_TRUE(context.graph.followed(*queue)->wait_untold());
    EXPECT_TRUE(released.expired());
  }
  EXPECT_EQ(awaited(), 1u);
  EXPECT_EQ(contents(all), counting(kSize, 102));
}

TEST_F(FollowingLaunches, UseSoManyPartsThatNobodyHasWaitedFor) {
  const BufferPtr all = filled(0);
  launch(add_one, {all});
  finish();
  launch(add_one, {all});
  machine.driver.suspend();
  std::vector<std::weak_ptr<Buffer>> released;
  int followed = 0;
  for (int i = 0; i < 100; ++i) {
    BufferPtr part = machine.part(all, 0, kSize);
    released.push_back(part);
    followed += launch(add_one, {part});
    part->leave_kernels();
  }
  EXPECT_GT(followed, 50);
  EXPECT_LT(followed, 100);
  machine.driver.resume();
  EXPECT_EQ(contents(all), counting(kSize, 102));
  finish();
  for (const auto& each : released) EXPECT_TRUE(each.expired());
}

// So do they when all was told, and what came first had to be planned.
TEST_F(FollowingLaunches, StayUntoldBehindWhatWasPlanned) {
  if (by_thread || context.shares_host_memory()) GTEST_SKIP() << "a thread of ours writes";
  const BufferPtr a = filled(0);
  launch(add_one, {a});
  finish();
  const Words words = counting(kSize, 7);
  const testing::EventPtr written = enqueue(write_buffer(a, 0, a->size(), words.data()), queue);
  EXPECT_FALSE(launch(add_one, {a}));
  const testing::EventPtr operation = context.graph.followed(*queue);
  ASSERT_TRUE(operation);
  EXPECT_TRUE(operation->wait_untold());
  EXPECT_TRUE(written->ended());
  EXPECT_FALSE(operation->ended());
  EXPECT_EQ(awaited(), 1u);
  EXPECT_TRUE(launch(add_one, {a}));
  EXPECT_EQ(contents(a), counting(kSize, 9));
}

TEST_F(FollowingLaunches, StayUntoldAfterAnotherThreadHasLaunched) {
  const BufferPtr a = filled(0);
  std::thread another([&] {
    launch(add_one, {a});
    finish();
  });
  another.join();
  EXPECT_FALSE(launch(add_one, {a}));
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(launch(add_one, {a}));
    EXPECT_TRUE(context.graph.followed(*queue)->wait_untold());
  }
  EXPECT_EQ(awaited(), 1u);
  EXPECT_EQ(contents(a), counting(kSize, 5));
}

// The driver's queue that tells times takes twice as long for what has an event.
TEST_F(FollowingLaunches, LeaveTheQueueThatTellsTimesWhileNothingRuns) {
  const BufferPtr a = filled(0);
  const auto timed = Event::make_shared(machine.context, machine.profiling_queue(), CL_COMMAND_NDRANGE_KERNEL);
  timed->observed = true;
  auto command = std::make_shared<KernelLaunch>(request(add_one, {a}), context);
  ASSERT_EQ(context.graph.submit(timed, std::move(command), {}, Order::ordinary), CL_SUCCESS);
  timed->wait();
  const cl_command_queue tells_times = context.devices[0]->compute_queue();
  int followed = 0;
  for (int i = 0; i < 6; ++i) {
    const Seen seen = launch_seen(a);
    followed += seen.has_followed;
    EXPECT_EQ(seen.event->wait(), CL_COMPLETE);
  }
  EXPECT_GT(followed, 3);
  EXPECT_NE(context.devices[0]->compute_queue(), tells_times);
  EXPECT_EQ(contents(a), counting(kSize, 7));
}

// Which have an event each, that the program may ask for its times.
struct SeenLaunches : FollowingLaunches {
  SeenLaunches() : FollowingLaunches(nullptr, 2, true) {}
  const BufferPtr a = filled(0);
};

TEST_F(SeenLaunches, EndOneByOneForWhoWaits) {
  std::vector<testing::EventPtr> events{first_seen(a)};
  for (int i = 0; i < 4; ++i) {
    const Seen seen = launch_seen(a);
    EXPECT_TRUE(seen.has_followed);
    events.push_back(seen.event);
  }
  EXPECT_EQ(awaited(), 1u);
  EXPECT_EQ(events[2]->wait(), CL_COMPLETE);
  EXPECT_EQ(awaited(), 1u) << "nobody was told the end of all of them";
  EXPECT_FALSE(events[1]->ended());
  EXPECT_EQ(events[1]->present_status(), CL_COMPLETE);
  EXPECT_EQ(events[0]->wait(), CL_COMPLETE) << "the first one, which was planned";
  EXPECT_FALSE(events[3]->ended());
  EXPECT_TRUE(launch_seen(a).has_followed);
  finish();
  EXPECT_EQ(contents(a), counting(kSize, 7));
  for (const auto& each : events) EXPECT_TRUE(each->ended());
}

TEST_F(SeenLaunches, DoNotEndBeforeTheDeviceHasComeThere) {
  std::vector<testing::EventPtr> events{first_seen(a)};
  machine.driver.suspend();
  for (int i = 0; i < 2; ++i) events.push_back(launch_seen(a).event);
  for (const auto& each : events) EXPECT_GT(each->present_status(), CL_COMPLETE);
  machine.driver.resume();
  for (const auto& each : events) EXPECT_EQ(each->wait(), CL_COMPLETE);
}

TEST_F(SeenLaunches, ThatTheProgramWaitsForEachTimeStillFollow) {
  first_seen(a)->wait();
  for (int i = 0; i < 10; ++i) {
    const Seen seen = launch_seen(a);
    EXPECT_TRUE(seen.has_followed);
    EXPECT_EQ(seen.event->wait(), CL_COMPLETE);
    EXPECT_EQ(awaited(), 1u);
  }
  EXPECT_EQ(contents(a), counting(kSize, 12));
}

TEST_F(SeenLaunches, TellTimesInOrder) {
  std::vector<testing::EventPtr> events{first_seen(a)};
  for (int i = 0; i < 3; ++i) events.push_back(launch_seen(a).event);
  events[2]->wait();
  finish();
  uint64_t last = 0;
  for (const auto& each : events) {
    ASSERT_EQ(each->present_status(), CL_COMPLETE);
    for (const cl_profiling_info what : {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                         CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END}) {
      if (what == CL_PROFILING_COMMAND_QUEUED) last = 0;  // they are enqueued before the one before them has run
      EXPECT_GE(each->time(what), last);
      last = each->time(what);
      EXPECT_GT(last, 0u);
    }
  }
  EXPECT_LT(events[0]->time(CL_PROFILING_COMMAND_START), events[3]->time(CL_PROFILING_COMMAND_START));
  EXPECT_LE(events[3]->time(CL_PROFILING_COMMAND_QUEUED), events[3]->time(CL_PROFILING_COMMAND_START));
}

// And not when somebody hears of it: what follows would seem to have begun no earlier.
TEST_F(SeenLaunches, ComeBehindAWriteThatEndsWhenTheDeviceHasDoneIt) {
  if (a->storage->shared()) GTEST_SKIP() << "the host does it";
  first_seen(a)->wait();
  const auto write = Event::make_shared(machine.context, queue, CL_COMMAND_WRITE_BUFFER);
  write->observed = true;
  EXPECT_EQ(context.graph.submit(write, write_buffer(a, 0, 4, kept[0]->data()), {}, Order::ordinary), CL_SUCCESS);
  const Seen launched = launch_seen(a);
  give_all();
  const cl_ulong given = now_ns();
  constexpr auto kBeforeAnybodyLooks = 2 * CompletionQueue::kLongestSilence / 3;
  std::this_thread::sleep_for(kBeforeAnybodyLooks);
  EXPECT_EQ(launched.event->wait(), CL_COMPLETE);
  finish();
  const cl_ulong soon = given + static_cast<cl_ulong>(std::chrono::nanoseconds(kBeforeAnybodyLooks).count()) / 2;
  EXPECT_LT(write->time(CL_PROFILING_COMMAND_END), soon);
  EXPECT_GE(launched.event->time(CL_PROFILING_COMMAND_START), write->time(CL_PROFILING_COMMAND_END));
  EXPECT_LT(launched.event->time(CL_PROFILING_COMMAND_START), soon);
}

TEST_F(SeenLaunches, MayWaitForThoseBeforeThem) {
  const auto first = first_seen(a);
  const auto second = launch_seen(a, {first});
  EXPECT_TRUE(second.has_followed);
  EXPECT_TRUE(launch_seen(a, {first, second.event}).has_followed);
  const auto user = Event::make_shared(machine.context, nullptr, CL_COMMAND_USER);
  const Seen held = launch_seen(a, {user});
  EXPECT_FALSE(held.has_followed);
  EXPECT_FALSE(launch_seen(a).has_followed);
  EXPECT_FALSE(held.event->ended());
  ASSERT_TRUE(user->claim_user_status());
  context.graph.finish(user, CL_COMPLETE);
  EXPECT_EQ(contents(a), counting(kSize, 6));
}

// What is behind them must not make those wait.
TEST_F(SeenLaunches, AreTheLastWhereSomebodyElseWaits) {
  first_seen(a);
  const Seen awaited_elsewhere = launch_seen(a);
  EXPECT_TRUE(awaited_elsewhere.has_followed);
  auto elsewhere = Event::make_shared(machine.context, other, CL_COMMAND_MARKER);
  const std::vector waits{awaited_elsewhere.event};
  machine.driver.suspend();
  context.graph.submit(elsewhere, std::make_shared<EmptyCommand>(), waits, Order::marker);
  EXPECT_FALSE(launch_seen(a).has_followed);
  EXPECT_TRUE(launch_seen(a).has_followed);
  EXPECT_FALSE(elsewhere->ended());
  machine.driver.resume();
  EXPECT_EQ(elsewhere->wait(), CL_COMPLETE);
  EXPECT_TRUE(awaited_elsewhere.event->ended());
}

TEST_F(SeenLaunches, CallBackAndAreTheLastThen) {
  first_seen(a);
  machine.driver.suspend();
  const Seen watched = launch_seen(a);
  EXPECT_TRUE(watched.has_followed);
  static std::atomic<bool> called;
  called = false;
  watched.event->add_callback(
      CL_COMPLETE, [](cl_event, cl_int status, void*) { called = status == CL_COMPLETE; }, nullptr);
  EXPECT_FALSE(launch_seen(a).has_followed);
  EXPECT_FALSE(called);
  machine.driver.resume();
  while (!called) std::this_thread::yield();
  EXPECT_TRUE(watched.event->ended());
}

// Who waits for the queue waits for what has no event, too.
TEST_F(SeenLaunches, HaveEndedBeforeThoseWithoutAnEventHave) {
  const auto seen = first_seen(a);
  EXPECT_TRUE(launch(add_one, {a}));
  EXPECT_EQ(seen->wait(), CL_COMPLETE);
  EXPECT_FALSE(seen->is_over());
  machine.driver.suspend();
  auto marker = Event::make_shared(machine.context, queue, CL_COMMAND_MARKER);
  context.graph.submit(marker, std::make_shared<EmptyCommand>(), {}, Order::marker);
  EXPECT_FALSE(marker->ended());
  machine.driver.resume();
  seen->wait_until_over();
  EXPECT_EQ(marker->wait(), CL_COMPLETE);
  EXPECT_EQ(contents(a), counting(kSize, 3));
}

TEST_F(SeenLaunches, AreNotTooMany) {
  first_seen(a);
  int followed = 0;
  for (int i = 0; i < 200; ++i) followed += launch_seen(a).has_followed;
  EXPECT_GT(followed, 180);
  EXPECT_LT(followed, 199) << "whoever waits for one elsewhere waits for all";
  EXPECT_EQ(contents(a), counting(kSize, 202));
}

TEST_F(SeenLaunches, AndOthersFollowEachOther) {
  first_seen(a);
  EXPECT_TRUE(launch(add_one, {a}));
  const Seen seen = launch_seen(a);
  EXPECT_TRUE(seen.has_followed);
  EXPECT_TRUE(launch(add_one, {a}));
  EXPECT_EQ(seen.event->wait(), CL_COMPLETE);
  EXPECT_EQ(contents(a), counting(kSize, 5));
}

TEST_F(SeenLaunches, ThatTheDriverRefusesHaveNoEvent) {
  first_seen(a);
  machine.driver.fail(Call::launch, CL_OUT_OF_RESOURCES, 100);
  const Seen refused = launch_seen(a);
  EXPECT_FALSE(refused.has_followed);
  EXPECT_EQ(refused.event->wait(), CL_OUT_OF_RESOURCES);
  machine.driver.fail(Call::launch, CL_SUCCESS, 0);
  EXPECT_EQ(contents(a), counting(kSize, 2));
}

TEST_F(SeenLaunches, ThatWereWaitedForLetGoOfWhatTheProgramReleases) {
  BufferPtr b = filled(500);
  const std::weak_ptr<Buffer> released = b;
  first_seen(a);
  const Seen seen = launch_seen(b);
  EXPECT_TRUE(seen.has_followed);
  seen.event->wait();
  b->leave_kernels();
  b = nullptr;
  request(add_one, {a});
  EXPECT_FALSE(released.expired());
  context.tell_untold();
  EXPECT_TRUE(released.expired());
  EXPECT_EQ(awaited(), 0u);
}

// Which have an event each, whose times nobody can ask for.
struct UntimedLaunches : FollowingLaunches {
  const BufferPtr a = filled(0);
  cl_uint launched = 0;

  testing::EventPtr one(bool follows = true) {
    ++launched;
    const Seen seen = launch_seen(a);
    EXPECT_TRUE(!follows || seen.has_followed);
    return seen.event;
  }
  // How many of the next ten have an event of the driver's, if `use` is what the program does with each.
  template <typename Use>
  int with_event_of_ten(const Use& use) {
    const int before = machine.driver.launches_with_event;
    for (int i = 0; i < 10; ++i) use(one(false));
    return machine.driver.launches_with_event - before;
  }
  // The program has only asked for events that nothing was behind.
  void learn() {
    one(false)->wait();
    for (uint32_t i = 0; i < EventUse::kNeeded; ++i) one(false)->wait();
  }
  void TearDown() override { EXPECT_EQ(contents(a), counting(kSize, launched)); }
};

TEST_F(UntimedLaunches, HaveNoEventWhereTheProgramWaitsForTheLast) {
  learn();
  EXPECT_EQ(with_event_of_ten([](const testing::EventPtr& each) { EXPECT_EQ(each->wait(), CL_COMPLETE); }), 0);
  EXPECT_EQ(awaited(), 1u) << "nobody was told the end of all of them";
}

// Then it is one operation of the device's, as others are, though it was several.
TEST_F(UntimedLaunches, FollowOneThatHadItsBytesBrought) {
  const BufferPtr large = machine.buffer(3 << 20);  // longer than what goes to the compute queue (UploadsBeside)
  enqueue(fill_buffer(large, 0, large->size(), std::vector<std::byte>(4)), queue);
  ASSERT_TRUE(large->storage->host());
  launch_seen(large).event->wait();
  // A thread of ours may have begun to wait for its end, which does not come yet, before the next one does.
  std::atomic<bool> holds{false};
  machine.driver.ns_per_item = [&](const testing::KernelCall&) {
    if (holds) machine.driver.suspend();
    return uint64_t{0};
  };
  bool has_followed = false;
  for (int tries = 0; tries < 100 && !has_followed; ++tries) {
    context.graph.locked([&] { large->storage->written(large->range, only(kHost)); });
    holds = true;
    const auto brought = launch_seen(large).event;
    while (!context.graph.followed(*queue)) std::this_thread::yield();
    has_followed = launch_seen(large).has_followed;
    holds = false;
    machine.driver.resume();
    EXPECT_EQ(brought->wait(), CL_COMPLETE);
  }
  EXPECT_TRUE(has_followed);
}

TEST_F(UntimedLaunches, HaveNoEventWhereTheProgramNeverAsks) {
  one(false)->wait();
  for (uint32_t i = 0; i < EventUse::kNeeded; ++i) one(false);
  contents(a);  // they have ended, and are gone
  EXPECT_EQ(with_event_of_ten([](const testing::EventPtr&) {}), 0);
}

TEST_F(UntimedLaunches, HaveNoEventWhereTheProgramWaitsForSeveralAtATime) {
  const auto wait_for_three = [&] {
    const std::vector three{one(false), one(false), one(false)};
    for (size_t i = three.size(); i-- > 0;) EXPECT_EQ(three[i]->wait(), CL_COMPLETE);
  };
  one(false)->wait();
  for (uint32_t i = 0; i < 2 * EventUse::kNeeded; ++i) wait_for_three();
  const int before = machine.driver.launches_with_event;
  wait_for_three();
  EXPECT_EQ(machine.driver.launches_with_event, before);
}

TEST_F(UntimedLaunches, EndNoEarlierThanTheDeviceComesThere) {
  learn();
  machine.driver.suspend();
  const auto first = one(), second = one();
  EXPECT_GT(first->look(), CL_COMPLETE);
  EXPECT_GT(second->look(), CL_COMPLETE);
  machine.driver.resume();
  EXPECT_EQ(second->look(), CL_COMPLETE);
  EXPECT_EQ(first->look(), CL_COMPLETE);
}

TEST_F(UntimedLaunches, HaveEventsAgainWhereTheProgramAsksForEarlierOnes) {
  learn();
  std::vector<testing::EventPtr> kept{one()};
  const auto keep_and_ask = [&](const testing::EventPtr& each) {
    kept.push_back(each);
    EXPECT_EQ(kept[kept.size() - 2]->wait(), CL_COMPLETE);
  };
  EXPECT_EQ(with_event_of_ten(keep_and_ask), 9) << "all but the first";
  EXPECT_EQ(with_event_of_ten(keep_and_ask), 10);
  const int before = machine.driver.launches_with_event;
  for (uint32_t i = 0; i < 4 * EventUse::kNeeded; ++i) one(false)->wait();
  EXPECT_GT(machine.driver.launches_with_event, before + 20);
  EXPECT_EQ(with_event_of_ten([](const testing::EventPtr& each) { each->wait(); }), 0);
}

TEST_F(UntimedLaunches, ThatSeveralThreadsGiveAreWaitedForOneByOne) {
  learn();
  std::thread another([&] { one(false)->wait(); });
  another.join();
  const auto early = one(false), late = one(false);
  EXPECT_EQ(early->wait(), CL_COMPLETE);
  EXPECT_EQ(late->wait(), CL_COMPLETE);
}

TEST_F(UntimedLaunches, ThatTheDriverRefusesFail) {
  learn();
  one(false);
  give_all();
  machine.driver.fail(Call::launch, CL_OUT_OF_RESOURCES, 100);
  const auto refused = one(by_thread);
  while (refused->look() > CL_COMPLETE) std::this_thread::yield();
  EXPECT_EQ(refused->wait(), CL_OUT_OF_RESOURCES);
  machine.driver.fail(Call::launch, CL_SUCCESS, 0);
  --launched;
}

TEST_F(UntimedLaunches, CallBack) {
  learn();
  const auto watched = one();
  static std::atomic<bool> called;
  called = false;
  watched->add_callback(CL_COMPLETE, [](cl_event, cl_int, void*) { called = true; }, nullptr);
  while (!called) std::this_thread::yield();
  EXPECT_TRUE(watched->ended());
  one(false)->wait();
}

// What is no launch.
struct FollowingCommands : FollowingLaunches {
  explicit FollowingCommands(bool profiling = false) : FollowingLaunches(nullptr, 2, profiling) {
    for (const BufferPtr& each : {a, b}) {
      launch(add_one, {each});
      finish();  // both are on the device
    }
    machine.driver.suspend();
    EXPECT_FALSE(launch(add_one, {a}));
  }
  const BufferPtr a = filled(0), b = filled(500);

  bool follows(const CommandPtr& command, const QueuePtr& to, std::shared_ptr<Event>* seen = nullptr,
               const std::vector<testing::EventPtr>& waits = {}) {
    return context.graph.follow(to, CL_COMMAND_COPY_BUFFER, *command, waits, seen);
  }
  bool follows(const CommandPtr& command, std::shared_ptr<Event>* seen = nullptr) {
    return follows(command, queue, seen);
  }
  CommandPtr copy_all() { return copy_buffer(a, b, 0, 0, a->size()); }
  static std::vector<std::byte> pattern(cl_uint value) {
    std::vector<std::byte> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  }
};

TEST_F(FollowingCommands, ArePartOfTheLaunchBeforeThem) {
  const Words written{7, 8, 9};
  Words read(2);
  EXPECT_TRUE(follows(copy_all()));
  EXPECT_TRUE(launch(add_one, {b}));
  EXPECT_TRUE(follows(fill_buffer(a, 0, 8, pattern(40))));
  EXPECT_TRUE(follows(fill_buffer(a, 8, 4, pattern(0)))) << "of zeros, too";
  EXPECT_TRUE(follows(write_buffer(a, 16, 12, written.data())));
  EXPECT_TRUE(launch(add_one, {a}));
  EXPECT_TRUE(follows(read_buffer(a, 16, 8, read.data())));
  EXPECT_TRUE(launch(add_one, {a}));
  EXPECT_EQ(awaited(), 1u);
  machine.driver.resume();
  finish();
  EXPECT_EQ(read, (Words{8, 9}));
  EXPECT_EQ(contents(b), counting(kSize, 3));
  Words expected = counting(kSize, 4);
  expected[0] = expected[1] = 42;
  expected[2] = 2;
  for (size_t i = 0; i < written.size(); ++i) expected[4 + i] = written[i] + 2;
  EXPECT_EQ(contents(a), expected);
}

TEST_F(FollowingCommands, MapWhatComesAfterIsNotSeenIn) {
  const auto words_at_host = [&](size_t at) {
    Words words(2);
    std::memcpy(words.data(), a->storage->host() + at, 8);
    return words;
  };
  machine.driver.resume();
  finish();
  machine.driver.suspend();
  EXPECT_FALSE(launch(add_one, {a}));
  const bool is_shared = a->storage->shared();
  EXPECT_EQ(follows(map_buffer(a, Rectangle::run(8, 8), CL_MAP_READ)), !is_shared) << "it is there";
  EXPECT_FALSE(follows(map_buffer(a, Rectangle::run(32, 8), CL_MAP_READ | CL_MAP_WRITE)));
  if (is_shared) return;
  EXPECT_TRUE(launch(add_one, {a}));
  EXPECT_TRUE(follows(map_buffer(a, Rectangle::run(24, 8), CL_MAP_READ)));
  EXPECT_EQ(awaited(), 1u);
  machine.driver.resume();
  finish();
  const Words last = contents(a);
  EXPECT_EQ(words_at_host(8), (Words{last[2] - 1, last[3] - 1}));
  EXPECT_EQ(words_at_host(24), (Words{last[6], last[7]}));
}

TEST_F(FollowingCommands, ThatMoveRowsDoSoToo) {
  const Rectangle square{0, 32, 128, {8, 4, 1}};
  EXPECT_TRUE(follows(copy_rectangle(a, b, square, square)));
  machine.driver.resume();
  Words expected = counting(kSize, 501);
  for (size_t row = 0; row < 4; ++row)
    for (size_t i = 0; i < 2; ++i) expected[8 * row + i] = static_cast<cl_uint>(8 * row + i + 2);
  EXPECT_EQ(contents(b), expected);
}

TEST_F(FollowingCommands, NeedTheirBytesThereAndNotAtTheHost) {
  const BufferPtr fresh = machine.buffer(kSize);
  EXPECT_FALSE(follows(copy_buffer(a, fresh, 0, 0, 4))) << "it is planned where the source is";
  EXPECT_FALSE(follows(copy_buffer(fresh, a, 0, 0, 4)));
  EXPECT_FALSE(follows(write_buffer(fresh, 0, 4, kept[0]->data()))) << "nobody knows where it will be used";
  Words read(1);
  if (!a->storage->shared()) {
    context.graph.locked([&] { a->storage->directory().copied({0, 4}, kHost); });
    EXPECT_FALSE(follows(read_buffer(a, 0, 4, read.data()))) << "it need not wait for the device";
  }
  EXPECT_TRUE(follows(read_buffer(a, 4, 4, read.data())));
  machine.driver.resume();
  finish();
  EXPECT_EQ(read[0], 3u);
}

// Else each launch would have its bytes brought, and nothing would follow it.
TEST_F(FollowingCommands, AreDoneWhereMemoryWithAHostCopyIsUsed) {
  machine.driver.resume();
  finish();
  const BufferPtr source = machine.buffer(kSize);
  const Words at_host = counting(kSize, 900);
  std::memcpy(source->storage->host(), at_host.data(), source->size());
  context.graph.locked([&] { source->storage->written({0, source->size()}, only(kHost)); });
  ASSERT_NE(a->storage->host(), nullptr);
  EXPECT_FALSE(follows(copy_buffer(source, a, 0, 16, 8)));
  enqueue(fill_buffer(a, 0, 8, pattern(40)), queue)->wait();
  enqueue(copy_buffer(source, a, 0, 16, 8), queue)->wait();
  machine.driver.suspend();
  EXPECT_FALSE(launch(add_one, {a}));
  EXPECT_TRUE(follows(fill_buffer(a, 8, 8, pattern(60))));
  EXPECT_TRUE(follows(copy_buffer(source, a, 0, 24, 8)));
  EXPECT_TRUE(launch(add_one, {a}));
  EXPECT_EQ(awaited(), 1u);
  machine.driver.resume();
  finish();
  const Words found = contents(a), first(found.begin(), found.begin() + 8);
  EXPECT_EQ(first, (Words{42, 42, 61, 61, 902, 903, 901, 902}));
}

// Which the program maps to write what others are to have.
TEST_F(FollowingCommands, CopyFromMemoryThatIsMappedAtTimesWithoutMemoryOfTheDevice) {
  machine.driver.resume();
  finish();
  const BufferPtr staging = machine.buffer(kSize);
  enqueue(map_buffer(staging, Rectangle::run(0, staging->size()), CL_MAP_WRITE), queue)->wait();
  const Words written = counting(kSize, 900);
  std::memcpy(staging->storage->host(), written.data(), staging->size());
  staging->storage->unmapped(Rectangle::run(0, staging->size()));
  const BufferPtr fresh = machine.buffer(kSize);
  for (const BufferPtr& to : {a, fresh}) {
    enqueue(copy_buffer(staging, to, 0, 0, to->size()), queue)->wait();
    EXPECT_FALSE(launch(add_one, {to}));
    EXPECT_TRUE(launch(add_one, {to}) || by_thread);
    finish();
    EXPECT_EQ(contents(to), counting(kSize, 902));
  }
  EXPECT_TRUE(staging->storage->shared() || !staging->storage->has_replica(0));
}

TEST_F(FollowingCommands, AreShortOrStayOnTheDevice) {
  constexpr size_t kMany = 1 << 17;
  const BufferPtr large = machine.buffer(kMany), other_large = machine.buffer(kMany);
  EXPECT_FALSE(write_buffer(large, 0, large->size(), &a)->on_device(0));
  EXPECT_FALSE(read_buffer(large, 0, large->size(), nullptr)->on_device(0));
  EXPECT_TRUE(copy_buffer(large, other_large, 0, 0, large->size())->on_device(0));
  EXPECT_TRUE(write_buffer(large, 0, 4, &a)->on_device(0));
  EXPECT_FALSE(write_buffer(large, 0, 0, &a)->on_device(0)) << "nothing to do";
}

TEST_F(FollowingCommands, DoNotTouchWhatTheProgramWrites) {
  context.graph.locked([&] { a->storage->mapped_to_write(Rectangle::run(0, 16)); });
  EXPECT_FALSE(follows(copy_all()));
  context.graph.locked([&] { a->storage->unmapped(Rectangle::run(0, 16)); });
  EXPECT_TRUE(follows(copy_all()));
}

// What another lane still reads into must not be read by the device's before.
TEST_F(FollowingCommands, DoNotUseTheProgramsMemoryBeforeOthersAreDone) {
  Words memory(kSize);
  const std::shared_ptr<engine::Node> others =
      std::make_shared<engine::Node>(engine::Lane{engine::LaneKind::down, 1}, engine::HostCall{}, 1);
  engine::AccessMap program_memory;
  const auto begin = reinterpret_cast<uintptr_t>(memory.data());
  program_memory.record({begin, begin + 64}, true, others);
  const auto in_use = write_buffer(a, 0, 16, memory.data()), free = write_buffer(a, 0, 16, memory.data() + 16);
  bool has_followed = false;
  for (int tries = 0; tries < 100 && !has_followed; ++tries) {
    machine.driver.resume();
    finish();
    machine.driver.suspend();
    const auto launched = std::make_shared<KernelLaunch>(request(add_one, {a}), context);
    enqueue(launched, queue);
    give_all();
    context.graph.locked([&] {
      EXPECT_FALSE(launched->is_followed_by(*in_use, nullptr, program_memory));
      has_followed = launched->is_followed_by(*free, nullptr, program_memory);
    });
  }
  EXPECT_TRUE(has_followed);
}

TEST_F(FollowingCommands, ThatTheDriverRefusesFailAsOthersDo) {
  machine.driver.fail(Call::copy, CL_OUT_OF_RESOURCES, 100);
  const CommandPtr command = copy_all();
  EXPECT_FALSE(follows(command));
  if (a->storage->shared()) return;  // it is then the host's
  const auto planned = enqueue(command, queue);
  machine.driver.resume();
  EXPECT_EQ(planned->wait(), CL_OUT_OF_RESOURCES);
  machine.driver.fail(Call::copy, CL_SUCCESS, 0);
  EXPECT_EQ(contents(a), counting(kSize, 2));
}

TEST_F(FollowingCommands, KeepTheirBuffers) {
  machine.driver.resume();
  BufferPtr copied = filled(900);
  const std::weak_ptr<Buffer> released = copied;
  launch(add_one, {copied});
  finish();
  machine.driver.suspend();
  launch(add_one, {a});
  EXPECT_TRUE(follows(copy_buffer(copied, b, 0, 0, copied->size())));
  request(add_one, {a});
  copied = nullptr;
  EXPECT_FALSE(released.expired());
  machine.driver.resume();
  EXPECT_EQ(contents(b), counting(kSize, 901));
  EXPECT_TRUE(released.expired());
}

// What devices share with the host needs no device, when these have nothing to do.
TEST_F(FollowingCommands, OfAFewBytesAreTheHostsWhereItHasTheBytes) {
  if (by_thread) GTEST_SKIP() << "what a thread of ours has given is waited for by a marker";
  const bool is_shared = a->storage->shared();
  Words written{70, 80}, read(3);
  const auto at_once = [&](const CommandPtr& command) { return context.graph.do_at_once(queue, *command, {}); };
  EXPECT_TRUE(launch(add_one, {a}));
  EXPECT_FALSE(at_once(read_buffer(a, 0, 12, read.data()))) << "the device is busy";
  machine.driver.resume();
  ASSERT_TRUE(context.graph.followed(*queue)->wait_untold());
  EXPECT_EQ(at_once(write_buffer(a, 4, 8, written.data())), is_shared);
  EXPECT_EQ(at_once(read_buffer(a, 0, 12, read.data())), is_shared);
  EXPECT_EQ(read, is_shared ? (Words{3, 70, 80}) : Words(3));
  EXPECT_FALSE(at_once(copy_all()));
  EXPECT_FALSE(at_once(read_buffer(machine.buffer(1 << 14), 0, 1 << 15, read.data()))) << "that takes long";
  EXPECT_TRUE(launch(add_one, {a}));
  EXPECT_FALSE(at_once(read_buffer(a, 0, 12, read.data()))) << "it is busy again";
  EXPECT_EQ(contents(a)[1], is_shared ? 71u : 5u);
}

// Short ones that the program waits for.
struct AwaitedCommands : FollowingCommands {
  const bool is_shared = a->storage->shared();
  // Whose parts could run one after another: it prints nothing.
  const KernelPtr add = machine.kernel(Translated("add_silently").updates().stays_on_one_device("a test"),
                                       [](size_t i, const std::vector<std::span<cl_uint>>& a) { ++a[0][i]; });
  Arriving arriving;

  AwaitedCommands() {
    machine.driver.resume();
    finish();
    launch(add, {a});
    finish();
    EXPECT_TRUE(is_shared || has_pinned_place());
    machine.driver.suspend();
    EXPECT_FALSE(launch(add, {a}));
  }
  // Short reads come to memory that is pinned, on a thread, once it pays.
  bool has_pinned_place() {
    for (int tries = 0; tries < 1000; ++tries) {
      if (context.devices[0]->pinned_place(8).memory()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }

  bool is_taken(const CommandPtr& command, Arriving& to, std::shared_ptr<Event>* seen = nullptr) {
    return context.graph.follow(queue, CL_COMMAND_USER, *command, {}, to, seen) != nullptr;
  }
  bool is_taken(const CommandPtr& command) { return is_taken(command, arriving); }
  // Behind a launch.
  bool is_read(const CommandPtr& read, std::shared_ptr<Event>* seen = nullptr) {
    launch(add, {a});
    return is_taken(read, arriving, seen);
  }
  void finish_all() {
    machine.driver.resume();
    give_all();
    context.graph.followed(*queue)->wait_untold();
  }
};

TEST_F(AwaitedCommands, WriteWhatIsKept) {
  Words written{70, 80};
  ASSERT_TRUE(launch(add, {a}));
  EXPECT_EQ(is_taken(write_buffer(a, 4, 8, written.data())), !is_shared);
  EXPECT_FALSE(arriving.awaits_any());
  if (is_shared) return;
  written = {0, 0};
  EXPECT_TRUE(launch(add, {a}));
  EXPECT_EQ(awaited(), 1u);
  machine.driver.resume();
  EXPECT_EQ(contents(a)[1], 71u);
  EXPECT_EQ(contents(a)[2], 81u);
  EXPECT_EQ(contents(a)[3], 9u) << "six launches in all";
}

// The program may use what is read, and change what is written from, when a later write that it waits for has ended.
TEST_F(AwaitedCommands, AreWaitedForWhereTheProgramSeesWhetherOthersHaveEnded) {
  if (is_shared) GTEST_SKIP() << "the host writes";
  Words read(2), written{70, 80};
  for (const bool reads : {true, false}) {
    ASSERT_TRUE(follows(reads ? read_buffer(a, 0, 8, read.data()) : write_buffer(b, 0, 8, written.data())));
    EXPECT_FALSE(is_taken(write_buffer(a, 4, 8, written.data())));
    finish_all();
    EXPECT_TRUE(is_taken(write_buffer(a, 4, 8, written.data()))) << "all has run";
    machine.driver.suspend();
    EXPECT_TRUE(is_taken(write_buffer(a, 4, 8, written.data()))) << "nothing else is on its way";
  }
}

TEST_F(AwaitedCommands, ReadThroughPinnedMemory) {
  if (is_shared) GTEST_SKIP() << "the host reads";
  Words read(2), again(2);
  ASSERT_TRUE(is_read(read_buffer(a, 8, 8, read.data())));
  EXPECT_TRUE(arriving.awaits_any());
  Arriving another;
  EXPECT_FALSE(is_taken(read_buffer(a, 0, 8, again.data()), another)) << "it has one place";
  EXPECT_EQ(read, Words(2));
  finish_all();
  arriving.take();
  EXPECT_EQ(read[1], read[0] + 1);
  EXPECT_EQ(read[0], contents(a)[2]);
}

TEST_F(AwaitedCommands, ReadIntoLockedMemoryWithoutAnother) {
  if (is_shared) GTEST_SKIP() << "the host reads";
  Words read(4);
  const auto* const memory = reinterpret_cast<const std::byte*>(read.data());
  context.locked_memory.add(memory, 16);
  Arriving another;
  ASSERT_TRUE(launch(add, {a}));
  EXPECT_TRUE(is_taken(read_buffer(a, 8, 8, read.data()), arriving));
  EXPECT_TRUE(is_taken(read_buffer(a, 8, 8, read.data() + 2), another)) << "it needs no place";
  EXPECT_TRUE(arriving.awaits_any());
  finish_all();
  arriving.take();
  another.take();
  EXPECT_EQ(read[0], contents(a)[2]);
  EXPECT_EQ(read[2], contents(a)[2]);
  EXPECT_EQ(read[1], read[0] + 1);
  context.locked_memory.remove(memory, 16);
}

TEST_F(AwaitedCommands, EndByThemselvesIfTheProgramHasTheirEvents) {
  if (is_shared) GTEST_SKIP() << "the host reads";
  Words read(2), written{70, 80};
  std::shared_ptr<Event> seen;
  ASSERT_TRUE(is_read(read_buffer(a, 8, 8, read.data()), &seen));
  EXPECT_TRUE(launch(add, {a}));
  machine.driver.resume();
  EXPECT_EQ(seen->wait(), CL_COMPLETE);
  arriving.take();
  EXPECT_EQ(read[1], read[0] + 1);
  EXPECT_LE(seen->time(CL_PROFILING_COMMAND_START), seen->time(CL_PROFILING_COMMAND_END));
  EXPECT_TRUE(launch(add, {a})) << "nobody has waited for the operation";
  Arriving none;
  EXPECT_FALSE(is_taken(write_buffer(a, 4, 8, written.data()), none, &seen)) << "what is kept ends later";
  ASSERT_TRUE(follows(write_buffer(a, 4, 8, written.data()), &seen));
  EXPECT_EQ(seen->wait(), CL_COMPLETE);
  EXPECT_EQ(contents(a)[1], 70u);
}

TEST_F(AwaitedCommands, DoNotFollowWhatComesAfterAnotherLanes) {
  if (is_shared) GTEST_SKIP() << "all is the host's";
  machine.driver.resume();
  finish();
  const auto user = machine.user_event();
  const auto first = std::make_shared<KernelLaunch>(request(add, {a}), context);
  enqueue(first, queue, {user});
  Words written{70, 80};
  EXPECT_FALSE(is_taken(write_buffer(a, 4, 8, written.data())));
  ASSERT_TRUE(user->claim_user_status());
  context.graph.finish(user, CL_COMPLETE);
}

TEST_F(AwaitedCommands, MapToReadAsOneReads) {
  const CommandPtr read = map_buffer(a, Rectangle::run(8, 8), CL_MAP_READ);
  const auto on_device = read->on_device(0);
  ASSERT_TRUE(on_device);
  EXPECT_TRUE(on_device->is_host_copy);
  EXPECT_FALSE(map_buffer(a, Rectangle::run(8, 8), CL_MAP_READ | CL_MAP_WRITE)->on_device(0));
  if (is_shared) return;
  ASSERT_TRUE(is_read(read));
  finish_all();
  arriving.take();
  Words mapped(2);
  std::memcpy(mapped.data(), a->storage->host() + 8, 8);
  EXPECT_EQ(mapped[1], mapped[0] + 1);
  EXPECT_EQ(mapped[0], contents(a)[2]);
}

struct SeenCommands : FollowingCommands {
  SeenCommands() : FollowingCommands(true) {
    machine.driver.resume();
    first_seen(a);
  }
};

TEST_F(SeenCommands, EndByThemselves) {
  std::shared_ptr<Event> copied;
  ASSERT_TRUE(follows(copy_all(), &copied));
  const Seen seen = launch_seen(b);
  EXPECT_TRUE(seen.has_followed);
  EXPECT_EQ(copied->wait(), CL_COMPLETE);
  EXPECT_EQ(awaited(), 1u);
  EXPECT_FALSE(seen.event->ended());
  EXPECT_EQ(seen.event->wait(), CL_COMPLETE);
  EXPECT_EQ(copied->type, static_cast<cl_command_type>(CL_COMMAND_COPY_BUFFER));
  EXPECT_LE(copied->time(CL_PROFILING_COMMAND_START), copied->time(CL_PROFILING_COMMAND_END));
  EXPECT_LE(copied->time(CL_PROFILING_COMMAND_END), seen.event->time(CL_PROFILING_COMMAND_END));
}

TEST_F(SeenCommands, WaitForWhatTheyAreToldTo) {
  const auto user = machine.user_event();
  EXPECT_FALSE(follows(copy_all(), queue, nullptr, {user}));
  ASSERT_TRUE(user->claim_user_status());
  context.graph.finish(user, CL_COMPLETE);
  EXPECT_TRUE(follows(copy_all(), queue, nullptr, {user}));
}

// An out-of-order queue's, which run in the order in which they come all the same.
struct UnorderedCommands : FollowingLaunches {
  const QueuePtr unordered = machine.out_of_order_queue();
  const BufferPtr a = filled(0), b = filled(500);
  UnorderedCommands() {
    launch(add_one, {a});
    launch(copy, {a, b});
    finish();
  }
  ~UnorderedCommands() override {
    machine.driver.resume();
    for (const auto& event : context.graph.outstanding(*unordered)) event->wait();
  }
  testing::EventPtr barrier(const std::vector<testing::EventPtr>& waits = {}) {
    auto event = Event::make_shared(machine.context, unordered, CL_COMMAND_BARRIER);
    context.graph.submit(event, std::make_shared<EmptyCommand>(), waits, Order::barrier);
    return event;
  }
  testing::EventPtr held(const testing::EventPtr& by) {
    auto event = Event::make_shared(machine.context, unordered, CL_COMMAND_NDRANGE_KERNEL);
    auto command = std::make_shared<KernelLaunch>(request(add_one, {b}), context);
    context.graph.submit(event, std::move(command), std::vector{by}, Order::ordinary);
    return event;
  }
  void set(const testing::EventPtr& user) {
    ASSERT_TRUE(user->claim_user_status());
    context.graph.finish(user, CL_COMPLETE);
  }
};

TEST_F(UnorderedCommands, FollowOnesOfTheSameQueue) {
  machine.driver.suspend();
  EXPECT_FALSE(launch(add_one, {a}, unordered));
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(launch(add_one, {a}, unordered));
  EXPECT_TRUE(context.graph.follow(unordered, CL_COMMAND_COPY_BUFFER, *copy_buffer(a, b, 0, 0, 4), {}, nullptr));
  EXPECT_FALSE(launch(add_one, {a}, queue));
  EXPECT_FALSE(launch(add_one, {a}, unordered));
  machine.driver.resume();
  for (const auto& event : context.graph.outstanding(*unordered)) event->wait();
  EXPECT_EQ(contents(a), counting(kSize, 14));
  EXPECT_EQ(contents(b)[0], 12u);
}

TEST_F(UnorderedCommands, ThatTheProgramWaitsForTogetherNeedNotBeTold) {
  if (by_thread) GTEST_SKIP() << "what a thread of ours has given is waited for by a marker";
  launch(add_one, {a}, unordered);
  EXPECT_TRUE(launch(add_one, {a}, unordered));
  const auto followed = context.graph.followed(*unordered);
  ASSERT_TRUE(followed);
  EXPECT_TRUE(followed->wait_untold());
  EXPECT_TRUE(launch(add_one, {a}, unordered));
  const auto user = machine.user_event();
  const auto waits = held(user);
  EXPECT_FALSE(context.graph.followed(*unordered)) << "another one is to be waited for";
  set(user);
  EXPECT_EQ(waits->wait(), CL_COMPLETE);
  EXPECT_EQ(contents(a), counting(kSize, 4));
}

TEST_F(UnorderedCommands, NeedNoBarrierBehindOneCommand) {
  EXPECT_TRUE(context.graph.is_ordered(unordered, Order::barrier)) << "nothing is before it";
  machine.driver.suspend();
  launch(add_one, {a}, unordered);
  EXPECT_TRUE(context.graph.is_ordered(unordered, Order::barrier));
  EXPECT_TRUE(launch(add_one, {a}, unordered)) << "which runs after it";
  // Another device's would not.
  const auto after = enqueue(write_buffer(machine.buffer(kSize), 0, 4, kept[0]->data()), unordered);
  EXPECT_FALSE(after->ended());
  machine.driver.resume();
  EXPECT_EQ(after->wait(), CL_COMPLETE);
  EXPECT_TRUE(context.graph.outstanding(*unordered).empty()) << "what it waited for has ended";
}

TEST_F(UnorderedCommands, DoNotPassABarrier) {
  const auto user = machine.user_event();
  launch(add_one, {a}, unordered);
  EXPECT_TRUE(launch(add_one, {a}, unordered));
  const auto waits = held(user);
  EXPECT_FALSE(context.graph.is_ordered(unordered, Order::barrier)) << "two commands are before it";
  EXPECT_TRUE(context.graph.is_ordered(unordered, Order::marker)) << "nothing comes after a marker";
  const auto at = barrier();
  EXPECT_FALSE(launch(copy, {b, a}, unordered));
  EXPECT_FALSE(launch(copy, {b, a}, unordered));
  EXPECT_FALSE(last->ended());
  EXPECT_FALSE(at->ended());
  set(user);
  EXPECT_EQ(last->wait(), CL_COMPLETE);
  EXPECT_EQ(contents(a), counting(kSize, 2)) << "b was a copy of a, and is one more now";
}

TEST_F(UnorderedCommands, AnInOrderQueueNeedsNoBarrier) {
  EXPECT_TRUE(context.graph.is_ordered(queue, Order::barrier));
  EXPECT_TRUE(context.graph.is_ordered(queue, Order::marker));
}

struct HasManager {
  testing::FakeManager manager;
};

// Where a manager grants the devices.
struct GrantedLaunches : HasManager, FollowingLaunches {
  GrantedLaunches() : FollowingLaunches(&manager) { manager.choose_all(2); }
  void SetUp() override {
    if (by_thread) GTEST_SKIP() << "what is planned is given by the feeder then, and nothing follows it";
  }
  ~GrantedLaunches() override {
    machine.driver.resume();
    finish();
    machine.run();
    EXPECT_EQ(leases("+gpu 0"), leases("-gpu 0"));
  }
  long leases(const char* what) const { return manager.count(what); }

  // One that others may follow, of a kernel that is known to take that long. The device has no end until resume().
  void first(const KernelPtr& kernel, const BufferPtr& buffer, uint64_t ns = 10'000) {
    launch(kernel, {buffer});
    finish();
    for (int i = 0; i < 2; ++i) kernel->own(0).times.took(kSize, ns);
    while (kernel->own(0).times.wants_time()) continue;
    machine.run();
    manager.forget_events();
    machine.driver.suspend();
    EXPECT_FALSE(launch(kernel, {buffer}));
    // A thread of ours may give it; nothing follows before that one is done.
    while (!context.devices[0]->worker(engine::LaneKind::compute).drain(0)) continue;
  }
  void first(const BufferPtr& buffer, uint64_t ns = 10'000) { first(add_one, buffer, ns); }
};

TEST_F(GrantedLaunches, FollowUnderOneLease) {
  const BufferPtr a = filled(0);
  first(a);
  for (int i = 0; i < 30; ++i) EXPECT_TRUE(launch(add_one, {a}));
  EXPECT_EQ(awaited(), 1u);
  EXPECT_EQ(leases("+gpu 0"), 1);
  EXPECT_EQ(leases("-gpu 0"), 0);
  machine.driver.resume();
  EXPECT_EQ(contents(a), counting(kSize, 32));
}

TEST_F(GrantedLaunches, AreNoMoreThanOthersWaitFor) {
  const BufferPtr a = filled(0);
  first(a, 150'000);
  EXPECT_TRUE(launch(add_one, {a}));
  EXPECT_TRUE(launch(add_one, {a}));
  EXPECT_FALSE(launch(add_one, {a})) << "the end of these is heard of when that one begins";
  EXPECT_EQ(machine.driver.count(Call::mark), 1);
  EXPECT_FALSE(launch(add_one, {a}));
  EXPECT_EQ(machine.driver.count(Call::launch), 1 + 5);
  EXPECT_FALSE(launch(add_one, {a})) << "what is in flight takes 750 us";
  EXPECT_EQ(machine.driver.count(Call::launch), 1 + 5);
  machine.driver.resume();
  EXPECT_EQ(contents(a), counting(kSize, 7));
}

TEST_F(GrantedLaunches, AreMoreWhileTheProgramIsAlone) {
  manager.alone = true;
  const BufferPtr a = filled(0);
  first(a, 150'000);
  for (int i = 0; i < 30; ++i) EXPECT_TRUE(launch(add_one, {a}));
  EXPECT_FALSE(launch(add_one, {a}) && launch(add_one, {a}) && launch(add_one, {a}) && launch(add_one, {a}))
      << "what comes next would have to wait for all of it";
}

TEST_F(GrantedLaunches, TakeLongerInOnePieceWhileTheProgramIsAlone) {
  manager.alone = true;
  manager.chosen.gpus = 1;
  manager.chosen.devices = {0};
  const KernelPtr sliceable = machine.kernel(
      testing::in_place("sliceable"), [](size_t i, const std::vector<std::span<cl_uint>>& args) { ++args[0][i]; });
  const BufferPtr a = filled(0);
  first(sliceable, a, 15'000'000);
  const uint64_t slices = sliceable->record.slices;
  const int launches = machine.driver.count(Call::launch);
  for (int i = 0; i < 2; ++i) launch(sliceable, {a});
  EXPECT_EQ(machine.driver.count(Call::launch), launches + 2) << "45 ms";
  launch(sliceable, {a});
  EXPECT_EQ(machine.driver.count(Call::launch), launches + 2) << "there is no room";
  EXPECT_EQ(sliceable->record.slices, slices);
  manager.alone = false;
  machine.driver.resume();
  EXPECT_EQ(contents(a), counting(kSize, 5));
  EXPECT_GT(sliceable->record.slices, slices) << "another program would wait for it";
}

TEST_F(GrantedLaunches, AreBuiltForADeviceWhenThatIsToRunThem) {
  manager.chosen.devices = {0};
  manager.chosen.gpus = 1;
  const int builds = machine.driver.count(Call::build);
  const KernelPtr sliceable = machine.kernel(
      testing::in_place("sliceable"), [](size_t i, const std::vector<std::span<cl_uint>>& args) { ++args[0][i]; });
  EXPECT_EQ(machine.driver.count(Call::build), builds) << "what the first device runs is the program's own";
  const BufferPtr a = filled(0);
  launch(sliceable, {a});
  finish();
  EXPECT_EQ(machine.driver.count(Call::build), builds);
  manager.chosen.devices = {1};
  launch(sliceable, {a});
  finish();
  EXPECT_EQ(machine.driver.count(Call::build), builds + 1);
  EXPECT_EQ(contents(a), counting(kSize, 2));
}

TEST_F(GrantedLaunches, OfATaskAreBuiltForAllDevicesBeforeTheyBegin) {
  manager.chosen.task = "camera";
  const int builds = machine.driver.count(Call::build);
  const KernelPtr sliceable = machine.kernel(
      testing::in_place("sliceable"), [](size_t i, const std::vector<std::span<cl_uint>>& args) { ++args[0][i]; });
  EXPECT_EQ(machine.driver.count(Call::build), builds + 1);
  const BufferPtr a = filled(0);
  launch(sliceable, {a});
  EXPECT_EQ(contents(a), counting(kSize, 1));
  EXPECT_EQ(machine.driver.count(Call::build), builds + 1);
}

TEST_F(GrantedLaunches, HaveShortTransfersBehindThemWhileTheProgramIsAlone) {
  if (context.shares_host_memory()) GTEST_SKIP() << "there are none";
  for (const bool is_alone : {false, true}) {
    manager.alone = is_alone;
    const BufferPtr a = filled(0);
    const Words words = counting(kSize, 7);
    first(a);
    const int writes = machine.driver.count(Call::write);
    const auto write = enqueue(write_buffer(a, 0, a->size(), words.data()), queue);
    give_all();
    EXPECT_EQ(machine.driver.count(Call::write) - writes, is_alone ? 1 : 0);
    launch(add_one, {a});
    machine.driver.resume();
    EXPECT_EQ(write->wait(), CL_COMPLETE);
    EXPECT_EQ(contents(a), counting(kSize, 8));
    finish();
    EXPECT_EQ(leases("+link 0"), is_alone ? 0 : 2) << "to read, and to write";
  }
}

TEST_F(GrantedLaunches, AreFollowedByShortTransfersWhileTheProgramIsAlone) {
  if (context.shares_host_memory()) GTEST_SKIP() << "there are none";
  const Words words = counting(4, 7);
  Words read(4);
  for (const bool is_alone : {false, true}) {
    manager.alone = is_alone;
    const BufferPtr a = filled(0);
    first(a);
    const auto follows = [&](const CommandPtr& command, cl_command_type type) {
      return context.graph.follow(queue, type, *command, {}, nullptr);
    };
    EXPECT_EQ(follows(write_buffer(a, 0, 16, words.data()), CL_COMMAND_WRITE_BUFFER), is_alone);
    EXPECT_EQ(follows(read_buffer(a, 8, 16, read.data()), CL_COMMAND_READ_BUFFER), is_alone);
    launch(add_one, {a});
    machine.driver.resume();
    finish();
    EXPECT_EQ(read, is_alone ? (Words{9, 10, 6, 7}) : Words(4));
  }
}

TEST_F(GrantedLaunches, GiveWay) {
  const BufferPtr a = filled(0);
  first(a);
  EXPECT_TRUE(launch(add_one, {a}));
  manager.revocations = 1;
  EXPECT_FALSE(launch(add_one, {a}));
  EXPECT_EQ(machine.driver.count(Call::launch), 1 + 2) << "it waits until these have ended";
  machine.driver.resume();
  EXPECT_EQ(contents(a), counting(kSize, 4));
  EXPECT_GE(leases("+gpu 0"), 2);
}

TEST_F(GrantedLaunches, HoldNoLeaseWhenTheProgramHasWaited) {
  const BufferPtr a = filled(0);
  first(a);
  for (int i = 1; i < 4; ++i) {
    EXPECT_TRUE(launch(add_one, {a}));
    machine.driver.resume();
    const auto followed = context.graph.followed(*queue);
    ASSERT_TRUE(followed && followed->wait_untold());
    EXPECT_EQ(leases("+gpu 0"), i);
    EXPECT_EQ(leases("-gpu 0"), i);
    EXPECT_EQ(awaited(), 1u) << "of which nobody is told";
  }
  EXPECT_TRUE(launch(add_one, {a}));
  EXPECT_EQ(leases("+gpu 0"), 4);
  EXPECT_EQ(contents(a), counting(kSize, 6));
}

TEST_F(GrantedLaunches, ThatTheProgramWaitsForEachTimeHoldNoLeaseThen) {
  const BufferPtr a = filled(0);
  first_seen(a)->wait();
  for (int i = 0; i < 2; ++i) add_one->own(0).times.took(kSize, 10'000);
  launch_seen(a).event->wait();
  launch_seen(a).event->wait();
  bool has_followed = false;
  for (int i = 0; i < 10; ++i) {
    const Seen seen = launch_seen(a);
    has_followed |= seen.has_followed;
    EXPECT_EQ(seen.event->wait(), CL_COMPLETE);
    // A thread of ours may have waited, too, and be about to give it back.
    for (int ms = 0; ms < 10'000 && leases("+gpu 0") != leases("-gpu 0"); ++ms)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(leases("+gpu 0"), leases("-gpu 0"));
  }
  EXPECT_TRUE(has_followed);
  EXPECT_EQ(contents(a), counting(kSize, 14));
}

TEST_F(GrantedLaunches, AreNoneWhereTheManagerWantsAnotherDevice) {
  const KernelPtr splits = machine.kernel(
      Translated("splits").updates().footprint(testing::Footprints().element(0, testing::Footprints::adds)),
      [](size_t i, const std::vector<std::span<cl_uint>>& a) { ++a[0][i]; });
  manager.chosen.gpus = 1;
  manager.chosen.devices = {0};
  const BufferPtr a = filled(0);
  splits->sub_kernels[0]->times.took(kSize, 10'000);
  first(splits, a);
  EXPECT_TRUE(launch(splits, {a}));
  manager.chosen.devices = {1};
  EXPECT_FALSE(launch(splits, {a}));
  machine.driver.resume();
  EXPECT_EQ(contents(a), counting(kSize, 4));
}

TEST_F(GrantedLaunches, ThatTheDriverRefusesAreNotInFlight) {
  const BufferPtr a = filled(0);
  first(a);
  machine.driver.fail(Call::launch, CL_OUT_OF_RESOURCES, 100);
  EXPECT_FALSE(launch(add_one, {a}));
  machine.driver.fail(Call::launch, CL_SUCCESS, 0);
  EXPECT_EQ(leases("+gpu 0"), 1);
  EXPECT_EQ(leases("-gpu 0"), 0) << "the first one is in flight";
}

}  // namespace
}  // namespace samcl
