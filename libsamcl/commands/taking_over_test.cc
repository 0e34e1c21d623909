// Launches on devices that are not alike and have memories of their own: what one has not begun another may run that
// has, or can get, what it needs; and what that writes is where it would be without.
#include <gmock/gmock.h>

#include <cstdlib>
#include <random>

#include "base/test_seed.h"
#include "libsamcl/testing/known_kernels.h"

namespace samcl {
namespace {

const bool kSettings = setenv("SAMCL_TRANSPORT", "staged", 0) == 0;

using testing::Arguments;
using testing::counting;
using testing::Footprints;
using testing::KernelPtr;
using testing::SimulatedMachine;
using testing::Translated;
using testing::Words;

constexpr size_t kItems = 4096;

// What ran twice, or began with other bytes, leaves others.
void triple_some(size_t i, const Arguments& a) {
  if (i % 3 == 0) testing::triple(i, a);
}
void add_ends(size_t i, const Arguments& a) { a[1][i] += a[0].front() + a[0].back() + static_cast<cl_uint>(i); }

// The same buffers and kernels on whatever devices.
class Program {
 public:
  explicit Program(const std::vector<unsigned>& kinds) : machine(static_cast<unsigned>(kinds.size()), nullptr, kinds) {
    // Far more than it takes to move one, and other times for each piece: else parts would be cut to end at once.
    machine.driver.ns_per_item = [this](const testing::KernelCall&) { return 500 + random_() % 2500; };
  }

  SimulatedMachine machine;
  const testing::QueuePtr queue = machine.in_order_queue();
  const std::vector<BufferPtr> buffers{machine.buffer(kItems), machine.buffer(kItems), machine.buffer(kItems)};

  const KernelPtr tripling = machine.kernel(testing::in_place("taking_triple"), testing::triple);
  const KernelPtr some = machine.kernel(
      Translated("taking_some").updates().footprint(Footprints().element(0, Footprints::may_write)), triple_some);
  const KernelPtr stencil = machine.kernel(testing::stencil("taking_stencil"), testing::sum_of_neighbours);
  // All items read all of the first buffer.
  const KernelPtr ends =
      machine.kernel(Translated("taking_ends")
                         .reads()
                         .updates()
                         .footprint(Footprints().anywhere(0, Footprints::reads).element(1, Footprints::adds)),
                     add_ends);
  const std::vector<KernelPtr> of_one{tripling, some}, of_two{stencil, ends};

  void write(size_t to, cl_uint first) { machine.write(queue, buffers[to], 0, counting(kItems, first)); }
  testing::EventPtr launch(const KernelPtr& kernel, const std::vector<size_t>& arguments, size_t offset = 0,
                           size_t items = kItems) {
    std::vector<BufferPtr> given;
    for (const size_t index : arguments) given.push_back(buffers[index]);
    return machine.launch(queue, kernel, given, items, {}, 16, offset);
  }
  uint64_t taken_over_in_all() const {  // by all programs of the process
    uint64_t sum = 0;
    for (const auto& kernels : {of_one, of_two})
      for (const KernelPtr& kernel : kernels) sum += kernel->record.taken_over_groups;
    return sum;
  }
  std::vector<Words> contents() {
    std::vector<Words> all;
    for (const BufferPtr& buffer : buffers) all.push_back(machine.contents(buffer));
    return all;
  }

 private:
  std::mt19937 random_;
};

uint64_t taken_over(const KernelPtr& kernel) { return kernel->record.taken_over_groups; }

// The simulated device that ends first has run all that it may by then.
TEST(TakingOver, WhatAllReadIsThere) {
  Program program({0, 1, 2});
  program.write(0, 7);
  program.write(1, 1);
  program.machine.run();
  const uint64_t taken = taken_over(program.ends), split = program.ends->record.split_launches;
  program.launch(program.ends, {0, 1});
  Words expected = counting(kItems, 1);
  for (size_t i = 0; i < kItems; ++i) expected[i] += 7 + 7 + kItems - 1 + static_cast<cl_uint>(i);
  EXPECT_EQ(program.machine.contents(program.buffers[1]), expected);
  EXPECT_EQ(program.ends->record.split_launches, split + 1);
  EXPECT_GT(taken_over(program.ends), taken);
}

TEST(TakingOver, WhatIsAtTheHostIsBrought) {
  Program program({0, 1});
  program.write(0, 1);
  program.machine.run();
  const uint64_t taken = taken_over(program.stencil);
  program.launch(program.stencil, {0, 1});
  const Words found = program.machine.contents(program.buffers[1]);
  EXPECT_EQ(found[0], 3u);
  EXPECT_EQ(found[kItems / 2], 3 * (kItems / 2 + 1));
  EXPECT_EQ(found[kItems - 1], 2 * kItems - 1);
  EXPECT_GT(taken_over(program.stencil), taken);
}

// The second launch in place finds on each device what that one alone has written.
TEST(TakingOver, WhatAnotherDeviceAloneHasIsLeftToIt) {
  Program program({0, 1});
  program.write(0, 1);
  program.machine.run();
  const uint64_t taken = taken_over(program.tripling);
  program.launch(program.tripling, {0});
  program.machine.run();
  const uint64_t first = taken_over(program.tripling);
  EXPECT_GT(first, taken);
  program.launch(program.tripling, {0});
  Words expected = counting(kItems, 1);
  for (cl_uint& word : expected) word = 3 * (3 * word + 1) + 1;
  EXPECT_EQ(program.machine.contents(program.buffers[0]), expected);
  EXPECT_EQ(taken_over(program.tripling), first);
}

// Directories say that each part's bytes are on its own device: the next launch finds them there, and moves nothing.
TEST(TakingOver, WhatWasTakenOverIsBroughtBack) {
  Program program({0, 1});
  program.write(0, 1);
  program.machine.run();
  const uint64_t taken = taken_over(program.stencil);
  program.launch(program.stencil, {0, 1});
  program.machine.run();
  ASSERT_GT(taken_over(program.stencil), taken);
  const auto& directory = program.buffers[1]->storage->directory();
  EXPECT_EQ(directory.missing_bytes({0, kItems * 2}, 0), 0u);
  EXPECT_EQ(directory.missing_bytes({kItems * 2, kItems * 4}, 1), 0u);
  program.launch(program.tripling, {1});
  EXPECT_EQ(program.machine.contents(program.buffers[1])[kItems - 1], 3 * (2 * kItems - 1) + 1);
}

TEST(TakingOver, PartsThatEndAtOnceRunAsTheyAreCut) {
  Program program({0, 1});
  program.machine.driver.ns_per_item = [](const testing::KernelCall&) { return 1000; };
  const KernelPtr even = program.machine.kernel(
      Translated("taking_even").writes().footprint(Footprints().element(0, Footprints::surely_writes)),
      [](size_t i, const Arguments& a) { a[0][i] = static_cast<cl_uint>(i); });
  for (int i = 0; i < 40; ++i) {
    program.launch(even, {0});
    program.machine.run();
  }
  const uint64_t taken = taken_over(even);
  EXPECT_GT(taken, 0u) << "nobody knew";
  program.launch(even, {0});
  EXPECT_EQ(program.machine.contents(program.buffers[0]), counting(kItems, 0));
  EXPECT_EQ(taken_over(even), taken);
}

TEST(TakingOver, AlikeOnesRunWhatThePlanGivesThem) {
  Program program({0, 0});
  program.write(0, 1);
  const uint64_t taken = taken_over(program.stencil), split = program.stencil->record.split_launches;
  program.launch(program.stencil, {0, 1});
  program.machine.run();
  EXPECT_EQ(program.stencil->record.split_launches, split + 1);
  EXPECT_EQ(taken_over(program.stencil), taken);
}

TEST(TakingOver, WhatTakesNoLongerThanMovingIsLeft) {
  Program program({0, 1});
  program.machine.driver.ns_per_item = [](const testing::KernelCall&) { return 1; };
  program.write(0, 1);
  const uint64_t taken = taken_over(program.stencil), split = program.stencil->record.split_launches;
  program.launch(program.stencil, {0, 1});
  program.machine.run();
  EXPECT_EQ(program.stencil->record.split_launches, split + 1);
  EXPECT_EQ(taken_over(program.stencil), taken);
}

TEST(TakingOver, APieceThatTheDriverRefusesFailsTheLaunchAndNoOther) {
  Program program({0, 1});
  program.write(0, 1);
  program.machine.driver.fail(testing::Call::launch, CL_INVALID_WORK_GROUP_SIZE, 1, 3);
  const auto failed = program.launch(program.stencil, {0, 1});
  program.machine.run();
  EXPECT_EQ(failed->status(), CL_INVALID_WORK_GROUP_SIZE);
  program.launch(program.stencil, {0, 1});
  EXPECT_EQ(program.machine.contents(program.buffers[1])[1], 6u);
}

// Random launches, writes and reads in between, some while the launches before are in flight.
struct RandomRun {
  std::vector<Words> left;
  uint64_t taken_over = 0;
};
RandomRun run_random(uint32_t seed, const std::vector<unsigned>& kinds) {
  Program program(kinds);
  const uint64_t before = program.taken_over_in_all();
  std::mt19937 random(seed);
  const auto any = [&](size_t below) { return static_cast<size_t>(random()) % below; };
  std::vector<SimulatedMachine::Reading> readings;
  for (size_t i = 0; i < program.buffers.size(); ++i) program.write(i, static_cast<cl_uint>(i));
  for (int step = 0; step < 20; ++step) {
    const size_t to = any(3), from = (to + 1 + any(2)) % 3, at = any(kItems / 2), which = any(2);
    switch (any(8)) {
      case 0: program.launch(program.of_one[which], {to}); break;
      case 1: program.launch(program.of_one[which], {to}, at / 16 * 16, kItems / 2); break;
      case 2: program.machine.write(program.queue, program.buffers[to], at, Words(700, 5)); break;
      case 3: program.write(to, static_cast<cl_uint>(step)); break;
      case 4: readings.push_back(program.machine.read(program.queue, program.buffers[to], at, 1000)); break;
      default: program.launch(program.of_two[which], {from, to});
    }
    if (any(3) == 0) program.machine.run();
    for (size_t some = any(4); some > 0 && program.machine.backend.running() > 0; --some)
      program.machine.backend.step(program.machine.graph);
  }
  program.machine.run();
  std::vector<Words> all = program.contents();
  for (const auto& reading : readings) all.push_back(*reading.words);
  return {std::move(all), program.taken_over_in_all() - before};
}

TEST(TakingOver, RandomProgramsLeaveWhatOneDeviceLeaves) {
  const auto first = static_cast<uint32_t>(test_seed());
  uint64_t taken = 0;
  for (uint32_t seed = first; seed < first + static_cast<uint32_t>(test_sets(60)); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::vector<Words> right = run_random(seed, {0}).left;
    const auto kinds = seed % 2 == 0 ? std::vector<unsigned>{0, 1} : std::vector<unsigned>{0, 1, 1, 2};
    const RandomRun together = run_random(seed, kinds);
    ASSERT_EQ(together.left, right);
    taken += together.taken_over;
  }
  EXPECT_GT(taken, 0u);
}

}  // namespace
}  // namespace samcl
