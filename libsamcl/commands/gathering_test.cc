// Launches that wait for the driver and are given to it as one, on the fake driver's queues.
#include "libsamcl/commands/gathering.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "libsamcl/commands/launch.h"
#include "libsamcl/testing/not_preempted.h"
#include "libsamcl/testing/simulated_machine.h"

namespace samcl {
namespace {

using testing::Call;
using testing::Footprints;
using testing::KernelPtr;
using testing::QueuePtr;
using testing::SimulatedMachine;
using testing::Translated;
using Words = testing::Words;
using Arguments = std::vector<std::span<cl_uint>>;

constexpr size_t kItems = 16, kPlanes = 40;
const bool kIsSet = setenv("SAMCL_SPLIT", "auto", 1) == 0 && setenv("SAMCL_SUBMISSION", "thread", 1) == 0 &&
                    setenv("SAMCL_GATHERING", "always", 1) == 0;

struct GatheredLaunches : ::testing::Test {
  ~GatheredLaunches() override {
    open_gate();
    contents(filled());
    EXPECT_EQ(machine.driver.misuses(), 0);
  }

  const testing::NotPreempted here;
  SimulatedMachine machine{2};
  Context& context = *machine.context;
  const QueuePtr queue = machine.in_order_queue();
  Words numbers = testing::counting(kItems * kPlanes, 100);
  std::atomic<bool> gate_is_open{true};

  // Plane `start` of `items` words: each counts, and adds its place.
  const KernelPtr plane = machine.kernel(Translated("plane").updates().number().stays_whole("a test").footprint(
                                             Footprints().beyond(0, Footprints::adds, 1)),
                                         [](size_t i, const Arguments& a) { a[0][a[1][0] + i] += 1000 + a[1][0]; });
  // From one memory object to another, the plane before.
  const KernelPtr shifted =
      machine.kernel(Translated("shifted").reads().writes().number().stays_whole("a test").footprint(
                         Footprints().beyond(0, Footprints::reads, 2).beyond(1, Footprints::may_write, 2)),
                     [](size_t i, const Arguments& a) { a[1][a[2][0] + i] = 7 * a[0][a[2][0] + i]; });
  // Holds up who gives it to the driver.
  const KernelPtr gate = machine.kernel(Translated("gate").updates().stays_whole("a test"),
                                        [this](size_t item, const Arguments&) { pass_gate(item); });
  const BufferPtr of_gate = filled();

  void close_gate() { gate_is_open = false; }
  void open_gate() { gate_is_open = true; }
  // Not for ever: who looks for ends may want what waits to be given.
  void pass_gate(size_t item) const {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
    while (item == 0 && !gate_is_open && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  }
  testing::EventPtr enqueue(CommandPtr command) {
    auto event = Event::make_shared(machine.context, queue, CL_COMMAND_NDRANGE_KERNEL);
    EXPECT_EQ(context.graph.submit(event, std::move(command), {}, Order::ordinary), CL_SUCCESS);
    return event;
  }
  // buffers, and then numbers. Whether it has followed.
  bool launch(const KernelPtr& kernel, const std::vector<BufferPtr>& buffers,
              const std::vector<uint64_t>& values = {}) {
    cl_uint index = 0;
    for (const BufferPtr& buffer : buffers) {
      const cl_mem handle = buffer->api();
      kernel->set_argument(index++, sizeof handle, &handle);
    }
    for (const uint64_t value : values) kernel->set_argument(index++, sizeof value, &value);
    LaunchRequest launch{kernel, kernel->arguments(), {}, true, {}};
    launch.ndrange.global[0] = launch.ndrange.local[0] = kItems;
    if (context.graph.follow(queue, launch, {}, nullptr)) return true;
    enqueue(std::make_shared<KernelLaunch>(std::move(launch), context));
    context.graph.locked([this] { context.devices[0]->submissions().drain(SubmissionQueue::Lock::held); });
    return false;
  }
  BufferPtr filled() {
    const BufferPtr made = machine.buffer(numbers.size());
    enqueue(write_buffer(made, 0, made->size(), numbers.data()))->wait();
    return made;
  }
  Words contents(const BufferPtr& buffer) {
    Words words(numbers.size());
    enqueue(read_buffer(buffer, 0, buffer->size(), words.data()))->wait();
    return words;
  }
  // Kernels that nobody knows are planned.
  void begin(const BufferPtr& a, const BufferPtr& b) {
    for (int i = 0; i < 3; ++i) {
      launch(gate, {of_gate});
      launch(plane, {a}, {0});
      launch(shifted, {a, b}, {0});
      contents(a);
    }
  }
  // Launches while the driver is held up; how many it was given of them.
  template <typename Launches>
  int while_held_up(const Launches& launches) {
    launch(gate, {of_gate});
    close_gate();
    EXPECT_TRUE(launch(gate, {of_gate}));
    const int before = machine.driver.count(Call::launch);
    launches();
    open_gate();
    contents(of_gate);
    return machine.driver.count(Call::launch) - before;
  }
  // The fewest that it was given in several such jobs, each of which is looked at: a thread that has to wait may divide
  // what would be one.
  template <typename Launches, typename Look>
  int fewest(const Launches& launches, const Look& look) {
    int found = INT_MAX;
    for (int times = 0; times < 20; ++times) {
      found = std::min(found, while_held_up(launches));
      look();
    }
    return found;
  }
  void expect_sevenfold(const BufferPtr& buffer, Words expected) {
    for (cl_uint& each : expected) each *= 7;
    EXPECT_EQ(contents(buffer), expected);
  }
  // What a launch for each plane makes of it, from that item on.
  static void count_planes(Words& words, size_t first = 0) {
    for (size_t i = first; i < words.size(); ++i) words[i] += 1000 + static_cast<cl_uint>(i / kItems * kItems);
  }
};

TEST_F(GatheredLaunches, RunAsOne) {
  const BufferPtr a = filled(), b = filled();
  begin(a, b);
  Words expected = contents(a);
  const uint64_t before = plane->record.gathered_launches;
  const int given = fewest(
      [&] {
        for (size_t z = 0; z < kPlanes; ++z) launch(plane, {a}, {z * kItems});
      },
      [&] {
        count_planes(expected);
        EXPECT_EQ(contents(a), expected);
      });
  EXPECT_LE(given, 2) << "the gate, and all others";
  EXPECT_GE(plane->record.gathered_launches - before, kPlanes - 1);
}

TEST_F(GatheredLaunches, GoDownAsWell) {
  const BufferPtr a = filled(), b = filled();
  begin(a, b);
  Words expected = contents(a);
  const int given = fewest(
      [&] {
        for (size_t z = kPlanes; z-- > 0;) launch(plane, {a}, {z * kItems});
      },
      [&] {
        count_planes(expected);
        EXPECT_EQ(contents(a), expected);
      });
  EXPECT_LE(given, 2);
}

TEST_F(GatheredLaunches, OfTwoKernelsInTurnChangePlaces) {
  const BufferPtr a = filled(), b = filled();
  begin(a, b);
  Words expected = contents(a);
  const int given = fewest(
      [&] {
        for (size_t z = 0; z < kPlanes; ++z) {
          launch(plane, {a}, {z * kItems});
          launch(shifted, {a, b}, {z * kItems});
        }
      },
      [&] {
        count_planes(expected);
        EXPECT_EQ(contents(a), expected);
        expect_sevenfold(b, expected);
      });
  EXPECT_LE(given, 3);
}

TEST_F(GatheredLaunches, OfTwoKernelsNeedNotHaveBegunAtTheSamePlane) {
  const BufferPtr a = filled(), b = filled();
  begin(a, b);
  Words expected = contents(a);
  const int given = fewest(
      [&] {
        for (size_t z = 0; z < kPlanes; ++z) {
          if (z > 0) launch(plane, {a}, {z * kItems});
          launch(shifted, {a, b}, {z * kItems});
        }
      },
      [&] {
        count_planes(expected, kItems);
        EXPECT_EQ(contents(a), expected);
        expect_sevenfold(b, expected);
      });
  EXPECT_LE(given, 4) << "the gate, the first plane of one, and both";
}

// Each overwrites half of what the one before wrote.
TEST_F(GatheredLaunches, AreNoneWhereTheyMeet) {
  const BufferPtr a = filled(), b = filled();
  begin(a, b);
  Words expected = contents(a);
  const uint64_t before = plane->record.gathered_launches;
  for (int job = 0; job < 3; ++job) {
    const int launches = while_held_up([&] {
      for (size_t z = 0; z < kPlanes; ++z) launch(plane, {a}, {z * kItems / 2});
    });
    EXPECT_GE(launches, static_cast<int>(kPlanes));
    for (cl_uint z = 0; z < kPlanes; ++z)
      for (cl_uint i = 0; i < kItems; ++i) expected[z * kItems / 2 + i] += 1000 + z * cl_uint{kItems} / 2;
    EXPECT_EQ(contents(a), expected);
  }
  EXPECT_EQ(plane->record.gathered_launches, before);
}

// What one writes the other one reads in the launch after.
TEST_F(GatheredLaunches, OfOneKernelDoNotPassThoseThatTheyNeed) {
  const BufferPtr a = filled(), b = filled();
  begin(a, b);
  Words expected = contents(a);
  for (int job = 0; job < 5; ++job) {
    while_held_up([&] {
      for (size_t z = 0; z < kPlanes; ++z) {
        launch(plane, {a}, {z * kItems});
        launch(shifted, {a, b}, {(kPlanes - 1 - z) * kItems});
      }
    });
    Words copied = expected;
    count_planes(expected);
    // Planes of the second half were copied before they were counted.
    for (size_t i = 0; i < copied.size(); ++i) copied[i] = 7 * (i < copied.size() / 2 ? expected[i] : copied[i]);
    EXPECT_EQ(contents(a), expected);
    EXPECT_EQ(contents(b), copied);
  }
}

TEST_F(GatheredLaunches, ThatTheDriverRefusesRunOneByOne) {
  const BufferPtr a = filled(), b = filled();
  begin(a, b);
  Words expected = contents(a);
  for (int job = 0; job < 5; ++job) {
    // The gate, and then what is together.
    machine.driver.fail(Call::launch, CL_INVALID_WORK_GROUP_SIZE, job == 0 ? 0 : 1, 2);
    while_held_up([&] {
      for (size_t z = 0; z < kPlanes; ++z) launch(plane, {a}, {z * kItems});
      launch(plane, {a}, {2 * kItems});
    });
    count_planes(expected);
    for (size_t i = 0; i < kItems; ++i) expected[2 * kItems + i] += 1000 + 2 * kItems;
    EXPECT_EQ(contents(a), expected) << job;
  }
}

}  // namespace
}  // namespace samcl
