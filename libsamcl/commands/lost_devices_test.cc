// A device is lost in the middle of a program that is to survive that (SAMCL_SURVIVE): whenever it happens, all
// commands end well and leave the bytes that they would have left.
#include <gmock/gmock.h>

#include <cstdlib>
#include <random>

#include "libsamcl/testing/simulated_machine.h"

namespace samcl {
namespace {

const bool kSettings = setenv("SAMCL_SURVIVE", "on", 1) == 0;

using testing::counting;
using testing::EventPtr;
using testing::Footprints;
using testing::KernelPtr;
using testing::SimulatedMachine;
using testing::Translated;
using testing::Words;

constexpr size_t kItems = 256;
using Arguments = std::vector<std::span<cl_uint>>;

void triple(size_t i, const Arguments& a) { a[0][i] = 3 * a[0][i] + 1; }
void sum_of_neighbours(size_t i, const Arguments& a) {
  const auto& from = a[0];
  a[1][i] = (i > 0 ? from[i - 1] : 0) + from[i] + (i + 1 < from.size() ? from[i + 1] : 0);
}
void scatter(size_t i, const Arguments& a) { a[0][(7 * i) % a[0].size()] = static_cast<cl_uint>(1000 + i); }

// A program of launches in place, of a stencil, copies, writes and a fill, on so many devices.
class Program {
 public:
  explicit Program(unsigned devices) : machine(devices) {}

  SimulatedMachine machine;
  std::vector<EventPtr> events;

  void enqueue() {
    write(a, counting(kItems, 1));
    launch(tripling, {a});
    launch(stencil, {a, b});
    launch(tripling, {b});
    events.push_back(machine.submit(queue, copy_buffer(b, c, 0, 0, kItems * sizeof(cl_uint))));
    launch(scattering, {a});
    launch(stencil, {c, a});
    events.push_back(machine.submit(queue, fill_buffer(b, 0, 64, std::vector<std::byte>(4, std::byte{7}))));
    launch(tripling, {b});
    launch(tripling, {a});
  }
  // What is left in the end.
  std::vector<Words> contents() { return {machine.contents(a), machine.contents(b), machine.contents(c)}; }
  bool all_ended_well() const {
    return std::ranges::all_of(events, [](const EventPtr& event) { return event->status() == CL_COMPLETE; });
  }
  uint64_t repeated() const { return tripling->record.repeated_parts + stencil->record.repeated_parts; }

  const testing::QueuePtr queue = machine.in_order_queue();
  const BufferPtr a = machine.buffer(kItems), b = machine.buffer(kItems), c = machine.buffer(kItems);
  const KernelPtr tripling =
      machine.kernel(Translated("triple").updates().footprint(Footprints().element(0, Footprints::adds)), triple);
  const KernelPtr stencil =
      machine.kernel(Translated("stencil").reads().writes().footprint(Footprints()
                                                                          .element(0, Footprints::reads, -1)
                                                                          .element(0, Footprints::reads)
                                                                          .element(0, Footprints::reads, 1)
                                                                          .element(1, Footprints::surely_writes)),
                     sum_of_neighbours);
  const KernelPtr scattering = machine.kernel(
      Translated("scatter").writes().footprint(Footprints().anywhere(0, Footprints::may_write)), scatter);

  void write(const BufferPtr& buffer, Words what) {
    events.push_back(machine.write(queue, buffer, 0, std::move(what)));
  }
  void launch(const KernelPtr& kernel, const std::vector<BufferPtr>& arguments) {
    events.push_back(machine.launch(queue, kernel, arguments, kItems));
  }
};

std::vector<Words> expected() {
  Program program(1);
  program.enqueue();
  return program.contents();
}

TEST(LostDevices, NothingIsRepeatedWhileNoneIsLost) {
  const std::vector<Words> right = expected();
  const uint64_t before = Program(2).repeated();  // of all programs in this process
  Program program(2);
  program.enqueue();
  EXPECT_EQ(program.contents(), right);
  EXPECT_EQ(program.repeated(), before);
  EXPECT_GT(program.tripling->record.split_launches, 0u);
}

// After each operation of the program, one that is in flight with it.
TEST(LostDevices, EitherDeviceMayBeLostAfterAnyOperation) {
  const std::vector<Words> right = expected();
  for (const unsigned lost : {0u, 1u}) {
    const uint64_t before = Program(2).repeated();
    size_t lost_after = 0;
    for (bool is_over = false; !is_over; ++lost_after) {
      Program program(2);
      program.enqueue();
      for (size_t step = 0; step < lost_after && program.machine.backend.running() > 0; ++step)
        program.machine.backend.step(program.machine.graph);
      is_over = program.machine.backend.running() == 0;
      program.machine.backend.lose_device(lost, CL_DEVICE_NOT_AVAILABLE);
      ASSERT_EQ(program.contents(), right) << "lost " << lost << " after " << lost_after << " operations";
      EXPECT_TRUE(program.all_ended_well()) << "lost " << lost << " after " << lost_after << " operations";
      EXPECT_FALSE(program.machine.context->has_lost_device);
    }
    EXPECT_GT(lost_after, 20u);
    EXPECT_GT(Program(2).repeated(), before);
  }
}

TEST(LostDevices, TwoOfThreeMayBeLostOneAfterTheOther) {
  const std::vector<Words> right = expected();
  for (size_t first = 0; first < 40; first += 3) {
    for (size_t later = 0; later < 10; ++later) {
      const auto sooner = static_cast<unsigned>((first + later) % 3), last = (sooner + 1) % 3;
      Program program(3);
      program.enqueue();
      const auto steps = [&](size_t count) {
        for (size_t i = 0; i < count && program.machine.backend.running() > 0; ++i)
          program.machine.backend.step(program.machine.graph);
      };
      steps(first);
      program.machine.backend.lose_device(sooner, CL_DEVICE_NOT_AVAILABLE);
      steps(later);
      program.machine.backend.lose_device(last, CL_DEVICE_NOT_AVAILABLE);
      ASSERT_EQ(program.contents(), right) << "lost after " << first << " operations, and " << later;
      EXPECT_TRUE(program.all_ended_well()) << "lost after " << first << " operations, and " << later;
    }
  }
}

// What can be computed again stays where it is, until the program wants it.
TEST(LostDevices, WhatCanBeComputedAgainIsNotTakenToTheHost) {
  Program program(2);
  program.write(program.a, counting(kItems, 1));
  program.launch(program.stencil, {program.a, program.b});
  program.launch(program.stencil, {program.b, program.c});
  program.machine.run();
  const auto at_host = [](const BufferPtr& buffer) {
    return buffer->storage->directory().missing_bytes({0, buffer->size()}, kHost) == 0;
  };
  EXPECT_TRUE(at_host(program.a));
  EXPECT_FALSE(at_host(program.b)) << "but for what one device needed of the other";
  EXPECT_FALSE(at_host(program.c));
  EXPECT_EQ(program.machine.context->lineage.parts(), 4u);
  program.launch(program.tripling, {program.a});  // what b was computed from
  program.machine.run();
  EXPECT_TRUE(at_host(program.b));
  EXPECT_FALSE(at_host(program.c));
}

// b and c were on the devices alone: b is computed again of a, and c of that.
TEST(LostDevices, WhatIsLostIsComputedAgainWithWhatItWasComputedFrom) {
  for (const unsigned lost : {0u, 1u}) {
    Words right;
    for (const bool loses : {false, true}) {
      Program program(2);
      program.write(program.a, counting(kItems, 1));
      program.launch(program.stencil, {program.a, program.b});
      program.launch(program.stencil, {program.b, program.c});
      program.machine.run();
      const uint64_t before = program.repeated();
      if (loses) program.machine.backend.lose_device(lost, CL_DEVICE_NOT_AVAILABLE);
      const Words found = program.machine.contents(program.c);
      if (!loses) right = found;
      EXPECT_EQ(found, right) << "lost " << lost;
      EXPECT_EQ(program.repeated() - before, loses ? 2u : 0u);
      EXPECT_TRUE(program.all_ended_well());
    }
  }
}

// Random launches, copies, writes and fills over four buffers; one device or two are lost at random points.
TEST(LostDevices, RandomProgramsLeaveWhatOneDeviceLeaves) {
  const uint32_t first = std::random_device{}();
  for (uint32_t seed = first; seed < first + 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::vector<std::vector<Words>> left;
    for (const unsigned devices : {1u, 3u}) {
      std::mt19937 random(seed);
      const auto any = [&](size_t below) { return static_cast<size_t>(random()) % below; };
      Program program(devices);
      std::vector<BufferPtr> buffers{program.a, program.b, program.c, program.machine.buffer(kItems)};
      for (size_t i = 0; i < buffers.size(); ++i) program.write(buffers[i], counting(kItems, static_cast<cl_uint>(i)));
      size_t losses = 0;
      for (int step = 0; step < 24; ++step) {
        const size_t to = any(buffers.size()), from = (to + 1 + any(buffers.size() - 1)) % buffers.size();
        const size_t what = any(12), at = any(kItems / 2), lost = any(3), when = any(4);
        if (what < 6) program.launch(program.stencil, {buffers[from], buffers[to]});
        if (what == 6) program.launch(program.tripling, {buffers[to]});
        if (what == 7) program.launch(program.scattering, {buffers[to]});
        if (what == 8)
          program.events.push_back(
              program.machine.submit(program.queue, copy_buffer(buffers[from], buffers[to], at * 4, at * 2, kItems)));
        if (what == 9) program.events.push_back(program.machine.write(program.queue, buffers[to], at, Words(64, 5)));
        if (what == 10)
          program.events.push_back(program.machine.submit(
              program.queue, fill_buffer(buffers[to], at * 4, 64, std::vector<std::byte>(4, std::byte{7}))));
        if (what == 11 && losses < 2 && devices > 1) {
          for (size_t i = 0; i < when * 5 && program.machine.backend.running() > 0; ++i)
            program.machine.backend.step(program.machine.graph);
          program.machine.backend.lose_device(static_cast<unsigned>((seed + losses++) % 3), CL_DEVICE_NOT_AVAILABLE);
        }
        if (lost == 0) program.machine.run();
      }
      left.emplace_back();
      for (const BufferPtr& buffer : buffers) left.back().push_back(program.machine.contents(buffer));
      EXPECT_TRUE(program.all_ended_well());
    }
    ASSERT_EQ(left[0], left[1]);
  }
}

TEST(LostDevices, LaunchesGoOnWithTheOthersThatAreLeft) {
  Program program(3);
  program.write(program.a, counting(kItems, 1));
  program.machine.run();
  program.machine.backend.lose_device(1, CL_DEVICE_NOT_AVAILABLE);
  program.launch(program.tripling, {program.a});
  program.machine.run();
  EXPECT_EQ(program.machine.context->lost(), only(1));
  EXPECT_THAT(program.machine.context->devices_in_use(), ::testing::ElementsAre(0, 2));
  const uint64_t split = program.tripling->record.split_launches;
  program.launch(program.tripling, {program.a});
  program.machine.run();
  EXPECT_EQ(program.tripling->record.split_launches, split + 1);
  EXPECT_TRUE(program.all_ended_well());
}

TEST(LostDevices, WhatStaysWholeGoesOnElsewhereThanOnTheFirst) {
  Program program(2);
  program.write(program.a, counting(kItems, 1));
  program.machine.run();
  program.machine.backend.lose_device(0, CL_DEVICE_NOT_AVAILABLE);
  program.launch(program.scattering, {program.a});  // in flight there
  program.machine.run();
  EXPECT_EQ(program.machine.context->lost(), only(0));
  program.launch(program.scattering, {program.b});
  program.machine.run();
  EXPECT_TRUE(program.all_ended_well());
  EXPECT_EQ(program.machine.contents(program.a), program.machine.contents(program.b));
}

TEST(LostDevices, WithoutAnyNothingGoesOn) {
  Program program(2);
  program.enqueue();
  program.machine.backend.lose_device(0, CL_DEVICE_NOT_AVAILABLE);
  program.machine.backend.lose_device(1, CL_DEVICE_NOT_AVAILABLE);
  program.machine.run();
  EXPECT_FALSE(program.all_ended_well());
  EXPECT_TRUE(program.machine.context->has_lost_device);
}

// An error that is not the device's loss is the program's, as ever.
TEST(LostDevices, OtherErrorsAreTheProgramsToHandle) {
  Program program(2);
  program.write(program.a, counting(kItems, 1));
  program.machine.run();
  program.machine.backend.lose_device(1, CL_OUT_OF_RESOURCES);
  program.launch(program.tripling, {program.a});
  program.machine.run();
  EXPECT_EQ(program.events.back()->status(), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(program.machine.context->lost(), 0u);
}

}  // namespace
}  // namespace samcl
