// A device is lost in the middle of a program that is to survive that (SAMCL_SURVIVE): whenever it happens, all
// commands end well and leave the bytes that they would have left.
#include <gmock/gmock.h>

#include <cstdlib>
#include <random>

#include "base/test_seed.h"
#include "libsamcl/testing/known_kernels.h"

namespace samcl {
namespace {

const bool kSettings = setenv("SAMCL_SURVIVE", "on", 1) == 0;

using testing::Arguments;
using testing::counting;
using testing::EventPtr;
using testing::Footprints;
using testing::KernelPtr;
using testing::SimulatedMachine;
using testing::sum_of_neighbours;
using testing::Translated;
using testing::Words;

constexpr size_t kItems = 256, kGroup = 16;

void change_some(size_t i, const Arguments& a) {
  if (i % 3 == 0) a[0][i] += 5;
}
void cross(size_t i, const Arguments& a) {
  const cl_uint first = a[0][i];
  a[0][i] = 2 * a[1][i] + 1;
  a[1][i] = first;
}
void add_neighbours(size_t i, const Arguments& a) {
  const cl_uint own = a[1][i];
  sum_of_neighbours(i, a);
  a[1][i] += own;
}
void mix(size_t i, const Arguments& a) { a[0][i] = 5 * a[0][i] + static_cast<cl_uint>(i); }

// A program of launches in place, of a stencil, copies, writes and a fill, on so many devices.
class Program {
 public:
  explicit Program(unsigned devices) : machine(devices) { Lineage::least_saved = 0; }

  SimulatedMachine machine;
  std::vector<EventPtr> events;

  void enqueue() {
    write(a, counting(kItems, 1));
    launch(tripling, {a});
    launch(stencil, {a, b});
    launch(tripling, {b});
    launch(crossing, {a, b});
    events.push_back(machine.submit(queue, copy_buffer(b, c, 0, 0, kItems * sizeof(cl_uint))));
    launch(mixing, {a});
    launch(scattering, {a});
    launch(mixing, {a});
    launch(stencil, {c, a});
    launch(crossing, {c, a});
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
  const BufferPtr unread = machine.buffer(kItems);
  const KernelPtr tripling = machine.kernel(testing::in_place("triple"), testing::triple);
  const KernelPtr stencil = machine.kernel(testing::stencil("stencil"), testing::sum_of_neighbours);
  const KernelPtr crossing =
      machine.kernel(Translated("cross").updates().updates().footprint(Footprints()
                                                                           .element(0, Footprints::reads)
                                                                           .element(1, Footprints::reads)
                                                                           .element(0, Footprints::surely_writes)
                                                                           .element(1, Footprints::surely_writes)),
                     cross);
  const KernelPtr scattering = machine.kernel(testing::writes_anywhere("scatter"), testing::scatter);
  const KernelPtr mixing = machine.kernel(
      Translated("mix").updates().stays_whole("it says so").footprint(Footprints().anywhere(0, Footprints::adds)), mix);
  const KernelPtr adding =
      machine.kernel(Translated("add").reads().updates().footprint(Footprints()
                                                                       .element(0, Footprints::reads, -1)
                                                                       .element(0, Footprints::reads)
                                                                       .element(0, Footprints::reads, 1)
                                                                       .element(1, Footprints::adds)),
                     add_neighbours);
  const KernelPtr some = machine.kernel(
      Translated("some").updates().footprint(Footprints().element(0, Footprints::may_write)), change_some);

  void write(const BufferPtr& buffer, Words what) {
    events.push_back(machine.write(queue, buffer, 0, std::move(what)));
  }
  void launch(const KernelPtr& kernel, const std::vector<BufferPtr>& arguments) {
    events.push_back(machine.launch(queue, kernel, arguments, arguments[0]->size() / sizeof(cl_uint)));
  }
  // Of one work-group only, which stays whole.
  void launch_group(const KernelPtr& kernel, const BufferPtr& buffer, size_t group) {
    events.push_back(machine.launch(queue, kernel, {buffer}, kGroup, {}, kGroup, group * kGroup));
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

bool is_at_host(const BufferPtr& buffer) {
  return buffer->storage->directory().missing_bytes({0, buffer->size()}, kHost) == 0;
}

// What can be computed again stays where it is, until the program wants it.
TEST(LostDevices, WhatCanBeComputedAgainIsNotTakenToTheHost) {
  Program program(2);
  program.write(program.a, counting(kItems, 1));
  program.launch(program.stencil, {program.a, program.b});
  program.launch(program.stencil, {program.b, program.c});
  program.machine.run();
  EXPECT_TRUE(is_at_host(program.a));
  EXPECT_FALSE(is_at_host(program.b)) << "but for what one device needed of the other";
  EXPECT_FALSE(is_at_host(program.c));
  EXPECT_EQ(program.machine.context->lineage.runs(), 4u);
  program.launch(program.mixing, {program.a});  // what b was computed from, on one device
  program.machine.run();
  EXPECT_TRUE(is_at_host(program.b));
  EXPECT_FALSE(is_at_host(program.c));
}

// What they began with is still in host memory: should a device be lost, all of them are made again there from that.
TEST(LostDevices, LaunchesInPlaceStayOnTheirDevicesOneAfterTheOther) {
  for (const bool loses : {false, true}) {
    Program program(2);
    program.write(program.a, counting(kItems, 1));
    for (int i = 0; i < 3; ++i) program.launch(program.tripling, {program.a});
    program.machine.run();
    EXPECT_FALSE(is_at_host(program.a));
    EXPECT_EQ(program.machine.context->lineage.chains(), 2u);
    EXPECT_EQ(program.machine.context->lineage.runs(), 6u);
    const uint64_t before = program.repeated();
    if (loses) program.machine.backend.lose_device(1, CL_DEVICE_NOT_AVAILABLE);
    EXPECT_THAT(program.machine.contents(program.a), ::testing::Contains(27 * kItems + 13));
    EXPECT_EQ(program.repeated() - before, loses ? 3u : 0u);
    EXPECT_TRUE(program.all_ended_well());
  }
}

TEST(LostDevices, WhatRunsWholeStaysOnItsDevice) {
  for (const bool loses : {false, true}) {
    Program program(2);
    program.write(program.a, counting(kItems, 1));
    for (int i = 0; i < 3; ++i) program.launch(program.mixing, {program.machine.part(program.a, 64, 128)});
    program.machine.run();
    EXPECT_FALSE(is_at_host(program.a));
    EXPECT_EQ(program.machine.context->lineage.chains(), 1u);
    const uint64_t before = program.mixing->record.repeated_parts;
    if (loses) program.machine.backend.lose_device(0, CL_DEVICE_NOT_AVAILABLE);
    EXPECT_EQ(program.machine.contents(program.a)[64], 125u * 65);
    EXPECT_EQ(program.mixing->record.repeated_parts - before, loses ? 3u : 0u);
    EXPECT_TRUE(program.all_ended_well());
  }
}

// What such a launch leaves alone is neither brought to the host for it, nor computed again with what it writes.
TEST(LostDevices, OfALaunchInOnePieceOnlyWhatItWritesIsOnItsDeviceAlone) {
  Program program(2);
  const auto words_elsewhere = [&program] {
    return program.a->storage->directory().missing_bytes({0, program.a->size()}, kHost) / sizeof(cl_uint);
  };
  program.write(program.a, counting(kItems, 1));
  program.launch_group(program.tripling, program.a, 3);
  program.machine.run();
  EXPECT_EQ(words_elsewhere(), kGroup);
  program.launch_group(program.tripling, program.a, 7);
  program.machine.run();
  EXPECT_EQ(words_elsewhere(), 2 * kGroup);
  EXPECT_EQ(program.machine.context->lineage.chains(), 2u);
}

// One after the other all work-groups, each in a launch of its own, where what is written is kept at the host at once.
TEST(LostDevices, LaunchesInOnePieceTakeWhatTheyWriteToTheHostAndNoMore) {
  Program program(2);
  program.write(program.a, counting(kItems, 1));
  program.tripling->keeps_outputs = true;
  const std::atomic<uint64_t>& downloaded = program.tripling->record.traffic.downloaded_bytes;
  const uint64_t before = downloaded;
  for (size_t group = 0; group < kItems / kGroup; ++group) program.launch_group(program.tripling, program.a, group);
  program.machine.run();
  EXPECT_TRUE(is_at_host(program.a));
  EXPECT_EQ(downloaded - before, program.a->size());
}

TEST(LostDevices, WhatMayPrintIsNotMadeAgain) {
  Program program(2);
  const KernelPtr prints = program.machine.kernel(Translated("prints")
                                                      .updates()
                                                      .prints()
                                                      .stays_whole("it prints")
                                                      .footprint(Footprints().anywhere(0, Footprints::adds)),
                                                  mix);
  program.write(program.a, counting(kItems, 1));
  program.launch(prints, {program.a});
  program.machine.run();
  EXPECT_TRUE(is_at_host(program.a));
  EXPECT_EQ(program.machine.context->lineage.chains(), 0u);
}

// Of which each launch overwrites what the one before it has read.
TEST(LostDevices, TwoBuffersInTurnStayOnTheirDevices) {
  Program program(2);
  program.write(program.a, counting(kItems, 1));
  program.write(program.b, counting(kItems, 1));
  for (int i = 0; i < 4; ++i) program.launch(program.crossing, {program.a, program.b});
  program.machine.run();
  EXPECT_FALSE(is_at_host(program.a));
  EXPECT_EQ(program.machine.context->lineage.runs(), 8u);
  program.machine.backend.lose_device(0, CL_DEVICE_NOT_AVAILABLE);
  EXPECT_EQ(program.machine.contents(program.a)[0], 4u * 1 + 3);
  EXPECT_TRUE(is_at_host(program.a));
  EXPECT_FALSE(is_at_host(program.b)) << "what host memory had of a for it is saved";
  EXPECT_EQ(program.machine.contents(program.b)[0], 4u * 1 + 3);
}

// b is computed of a and changed in place: a launch on the other device needs an item of each half of it.
TEST(LostDevices, OfAChainOnlyWhatAnotherDeviceNeedsGoesToTheHost) {
  Words right;
  for (const int lost : {-1, 0, 1}) {
    Program program(2);
    program.write(program.a, counting(kItems, 1));
    program.launch(program.stencil, {program.a, program.b});
    program.launch(program.tripling, {program.b});
    program.launch(program.stencil, {program.b, program.c});
    program.machine.run();
    EXPECT_EQ(program.b->storage->directory().missing_bytes({0, program.b->size()}, kHost),
              (kItems - 2) * sizeof(cl_uint));
    const uint64_t before = program.repeated();
    if (lost >= 0) program.machine.backend.lose_device(static_cast<unsigned>(lost), CL_DEVICE_NOT_AVAILABLE);
    const std::vector<Words> found{program.machine.contents(program.c), program.machine.contents(program.b)};
    if (lost < 0) right = found[0];
    EXPECT_EQ(found[0], right);
    EXPECT_EQ(found[1][1], 3u * (1 + 2 + 3) + 1);
    EXPECT_EQ(program.repeated() - before, lost >= 0 ? 3u : 0u);
    EXPECT_TRUE(program.all_ended_well());
  }
}

// A stencil with halos, each of whose steps writes over what the one before it has read: two buffers in turn, or two
// that are changed in place by what the other one has beside each item.
class Halos : public Program {
 public:
  Halos(unsigned devices, bool is_in_place) : Program(devices), kernel_(is_in_place ? adding : stencil) {
    write(a, counting(kItems, 1));
    write(b, counting(kItems, 5));
  }
  void steps(size_t count) {
    for (size_t i = 0; i < count; ++i, ++steps_) launch(kernel_, steps_ % 2 ? std::vector{b, a} : std::vector{a, b});
  }
  // Since it was asked last.
  uint64_t words_to_host() {
    const uint64_t all =
        (program_traffic().downloaded_bytes + kernel_->record.traffic.downloaded_bytes) / sizeof(cl_uint);
    return all - std::exchange(words_to_host_, all);
  }

 private:
  const KernelPtr& kernel_;
  size_t steps_ = 0;
  uint64_t words_to_host_ = 0;
};

// What host memory had there, and a device is made again from, is saved; also what it has read of the other one.
TEST(LostDevices, OfStepsWithHalosOnlyTheseGoToTheHost) {
  for (const bool is_in_place : {false, true}) {
    Halos program(2, is_in_place);
    program.machine.run();
    program.words_to_host();
    for (size_t step = 0; step < Lineage::kLongestChain; ++step) {
      program.steps(1);
      program.machine.run();
      ASSERT_EQ(program.words_to_host(), step == 0 ? 0u : 2u) << "step " << step;
    }
    program.steps(1);
    program.machine.run();
    EXPECT_EQ(program.words_to_host(), 2 * kItems - 2) << "all that two chains of the greatest length wrote";
    EXPECT_EQ(program.machine.context->lineage.runs(), 2u);
  }
}

TEST(LostDevices, OfFewBytesAllGoToTheHostAtOnce) {
  Halos program(2, false);
  Lineage::least_saved = 2 * kItems * sizeof(cl_uint);
  program.steps(3);
  program.machine.run();
  program.words_to_host();
  program.steps(1);
  program.machine.run();
  EXPECT_EQ(program.words_to_host(), kItems);
}

TEST(LostDevices, OfStepsWithHalosWhatIsLostIsMadeAgainOfWhatWasSaved) {
  constexpr size_t kSteps = 7;
  for (const bool is_in_place : {false, true}) {
    const auto run = [&](unsigned devices, std::optional<unsigned> lost, size_t lost_after, unsigned losses) {
      Halos program(devices, is_in_place);
      program.steps(kSteps);
      for (unsigned i = 0; lost && i < losses; ++i) {
        for (size_t step = 0; step < (i == 0 ? lost_after : 3) && program.machine.backend.running() > 0; ++step)
          program.machine.backend.step(program.machine.graph);
        program.machine.backend.lose_device((*lost + i) % devices, CL_DEVICE_NOT_AVAILABLE);
      }
      program.machine.run();
      program.steps(2);
      std::vector<Words> found = program.contents();
      EXPECT_TRUE(program.all_ended_well());
      return found;
    };
    const std::vector<Words> right = run(1, std::nullopt, 0, 0);
    EXPECT_EQ(run(3, std::nullopt, 0, 0), right);
    for (const unsigned losses : {1u, 2u})
      for (const unsigned lost : {0u, 1u, 2u})
        for (size_t lost_after = 0; lost_after < 20 * kSteps; ++lost_after)
          ASSERT_EQ(run(3, lost, lost_after, losses), right)
              << losses << " lost from " << lost << " on after " << lost_after << " operations";
  }
}

TEST(LostDevices, WhatIsMadeAgainIsBounded) {
  Program program(2);
  program.write(program.a, counting(kItems, 1));
  for (size_t i = 0; i < 3 * Lineage::kLongestChain; ++i) {
    program.launch(program.mixing, {program.a});
    program.machine.run();
    ASSERT_LE(program.machine.context->lineage.runs(), Lineage::kLongestChain);
  }
  EXPECT_FALSE(is_at_host(program.a));
  EXPECT_FALSE(program.mixing->keeps_outputs) << "the next ones stay on their devices, too";
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

// Random commands over four buffers, on so many devices, of which some are lost at random points.
class RandomProgram {
 public:
  RandomProgram(uint32_t seed, unsigned devices, size_t losses)
      : program_(devices), seed_(seed), random_(seed), losses_(losses) {
    for (const BufferPtr& buffer : {program_.a, program_.b, program_.c}) buffers_.push_back(buffer);
    buffers_.push_back(program_.machine.buffer(kItems));
    for (size_t i = 0; i < buffers_.size(); ++i) program_.write(buffers_[i], counting(kItems, static_cast<cl_uint>(i)));
  }

  // What is read on the way, and left in the end.
  std::vector<Words> run(int steps) {
    for (int i = 0; i < steps; ++i) {
      const size_t to = any(buffers_.size()), from = (to + 1 + any(buffers_.size() - 1)) % buffers_.size();
      enqueue(to, from, any(kItems / 2));
      const bool loses = any(12) == 0;
      const size_t when = 5 * any(4);
      if (loses) lose_one(when);
      if (any(3) == 0) program_.machine.run();
    }
    program_.machine.run();
    std::vector<Words> left;
    for (const auto& reading : readings_) left.push_back(*reading.words);
    for (const BufferPtr& buffer : buffers_) left.push_back(program_.machine.contents(buffer));
    return left;
  }
  bool all_ended_well() const { return program_.all_ended_well(); }

 private:
  size_t any(size_t below) { return static_cast<size_t>(random_()) % below; }

  // at: a word in the first half.
  void enqueue(size_t to, size_t from, size_t at) {
    SimulatedMachine& machine = program_.machine;
    const auto submit = [&](CommandPtr command) {
      program_.events.push_back(machine.submit(program_.queue, std::move(command)));
    };
    const bool has_halo = seed_ % 2 && any(4) > 0;  // most in every other program
    switch (has_halo ? 18 + any(2) : any(21)) {
      case 0: program_.launch(program_.tripling, {buffers_[to]}); break;
      case 1: program_.launch(program_.scattering, {buffers_[to]}); break;
      case 2: program_.launch(program_.some, {buffers_[to]}); break;
      case 3: submit(copy_buffer(buffers_[from], buffers_[to], at * 4, at * 2, kItems)); break;
      case 4: program_.events.push_back(machine.write(program_.queue, buffers_[to], at, Words(64, 5))); break;
      case 5: submit(fill_buffer(buffers_[to], at * 4, 64, std::vector<std::byte>(4, std::byte{7}))); break;
      case 6: {
        const Rectangle rows{at * 4, 32, 256, {12, 8, 1}};
        submit(copy_rectangle(buffers_[from], buffers_[to], rows, rows));
        break;
      }
      case 7:
        readings_.push_back(machine.read(program_.queue, buffers_[to], at, 100));
        program_.events.push_back(readings_.back().event);
        break;
      case 8: map_and_change(buffers_[to], at); break;
      case 9: release(buffers_[to]); break;
      case 10:
        program_.events.push_back(
            machine.launch(program_.queue, program_.stencil, {buffers_[from], buffers_[to]}, 96, {}, 16, at / 16 * 16));
        break;
      case 12: program_.launch(program_.mixing, {buffers_[to]}); break;
      case 13: program_.launch(program_.mixing, {part(to, at)}); break;
      case 14: program_.launch(program_.tripling, {part(to, at)}); break;
      case 15: {  // two at once
        const testing::QueuePtr other = machine.out_of_order_queue();
        const testing::Waits before = program_.events;
        const auto first = machine.launch(other, program_.tripling, {buffers_[to]}, kItems, before);
        const auto second = machine.launch(other, program_.stencil, {buffers_[from], program_.unread}, kItems, before);
        program_.events.push_back(machine.submit(program_.queue, std::make_shared<EmptyCommand>(), {first, second}));
        break;
      }
      case 16: program_.launch_group(program_.tripling, buffers_[to], at / kGroup); break;
      case 17: program_.launch_group(program_.some, buffers_[to], at / kGroup); break;
      case 18: program_.launch(program_.adding, {buffers_[from], buffers_[to]}); break;
      case 11: program_.launch(program_.crossing, {buffers_[from], buffers_[to]}); break;
      default: program_.launch(program_.stencil, {buffers_[from], buffers_[to]});
    }
  }

  // A half, or nearly that.
  BufferPtr part(size_t of, size_t at) { return program_.machine.part(buffers_[of], at / 16 * 16, kItems / 2); }

  void map_and_change(const BufferPtr& buffer, size_t at) {
    SimulatedMachine& machine = program_.machine;
    const Rectangle words = Rectangle::run(at * 4, 80);
    program_.events.push_back(machine.submit(program_.queue, map_buffer(buffer, words, CL_MAP_READ | CL_MAP_WRITE)));
    machine.run();
    ++reinterpret_cast<cl_uint*>(buffer->storage->host())[at + 3];
    program_.events.push_back(
        machine.submit(program_.queue, unmap_buffer(buffer, {nullptr, words, CL_MAP_READ | CL_MAP_WRITE})));
  }

  // Its launches need it no more, those that may have to be done again do.
  void release(BufferPtr& buffer) {
    SimulatedMachine& machine = program_.machine;
    const std::shared_ptr<Storage> memory = buffer->storage;
    buffer = machine.buffer(kItems);
    machine.graph.memory_released(machine.context, *memory);
    program_.write(buffer, counting(kItems, 9));
  }

  void lose_one(size_t steps) {
    SimulatedMachine& machine = program_.machine;
    if (losses_ == 0) return;
    for (size_t i = 0; i < steps && machine.backend.running() > 0; ++i) machine.backend.step(machine.graph);
    machine.backend.lose_device(static_cast<unsigned>(seed_ + losses_--) % 3, CL_DEVICE_NOT_AVAILABLE);
  }

  Program program_;
  const uint32_t seed_;
  std::mt19937 random_;
  size_t losses_;
  std::vector<BufferPtr> buffers_;
  std::vector<SimulatedMachine::Reading> readings_;
};

TEST(LostDevices, RandomProgramsLeaveWhatOneDeviceLeaves) {
  const auto first = static_cast<uint32_t>(test_seed());
  for (uint32_t seed = first; seed < first + static_cast<uint32_t>(test_sets(100)); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::vector<Words> right = RandomProgram(seed, 1, 0).run(24);
    RandomProgram together(seed, 3, 2);
    ASSERT_EQ(together.run(24), right);
    EXPECT_TRUE(together.all_ended_well());
  }
}

// What a released buffer was computed to is kept, so that it need not be computed again, and the buffer is gone then.
TEST(LostDevices, WhatTheProgramHasReleasedIsHeldNoLonger) {
  Program program(2);
  BufferPtr input = program.machine.buffer(kItems);
  program.write(input, counting(kItems, 1));
  program.launch(program.stencil, {input, program.b});
  program.machine.run();
  EXPECT_EQ(program.machine.context->lineage.runs(), 2u);
  const std::shared_ptr<Storage> memory = input->storage;
  const std::weak_ptr<Buffer> object = input;
  input->leave_kernels();
  input = nullptr;
  program.events.clear();
  EXPECT_FALSE(object.expired());
  program.machine.graph.memory_released(program.machine.context, *memory);
  program.machine.run();
  EXPECT_EQ(program.machine.context->lineage.runs(), 0u);
  EXPECT_TRUE(object.expired());
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
