// Launches whose parts all use the memory of one device, which the others see: kernels that take atomic operations'
// results, or write nobody knows where. On simulated devices whose replicas others see, and all that may be split is.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "libsamcl/testing/known_kernels.h"

namespace samcl {
namespace {

using testing::Arguments;
using testing::counting;
using ::testing::ElementsAre;
using testing::Footprints;
using testing::KernelPtr;
using testing::SimulatedMachine;
using testing::Translated;
using testing::Words;

const bool kSettings = setenv("SAMCL_TRANSPORT", "peer", 1) == 0;

constexpr size_t kItems = 256;
constexpr char kWhy[] = "uses atomics on global memory";

// Every third item of the first buffer goes to the next free place of the second, which the third one's first word
// counts.
void compact(size_t i, const Arguments& a) {
  if (a[0][i] % 3 == 0) a[1][a[2][0]++] = a[0][i];
}
Translated compaction(std::string name) {
  return Translated(std::move(name))
      .reads()
      .writes()
      .updates_atomically()
      .splits_in_one_memory(kWhy)
      .footprint(Footprints()
                     .element(0, Footprints::surely_reads)
                     .anywhere(1, Footprints::may_write)
                     .first(2, Footprints::adds));
}

struct HeldLaunches : ::testing::TestWithParam<unsigned> {
  HeldLaunches() {
    if (!kSettings) std::abort();
    machine.backend.perform = [this, perform = machine.backend.perform](const engine::Node& node) {
      if (std::holds_alternative<engine::RunKernel>(node.operation)) at_work.insert(node.lane.device);
      return perform(node);
    };
  }
  ~HeldLaunches() override {
    machine.run();
    EXPECT_EQ(machine.driver.misuses(), 0);
  }

  SimulatedMachine machine{GetParam()};
  std::set<unsigned> at_work;
  const testing::QueuePtr queue = machine.in_order_queue();

  BufferPtr filled(Words what) {
    const BufferPtr made = machine.buffer(what.size());
    machine.write(queue, made, 0, std::move(what));
    return made;
  }
  void launch(const KernelPtr& kernel, const std::vector<BufferPtr>& arguments, size_t items = kItems) {
    machine.launch(queue, kernel, arguments, items);
  }
  static Places valid_at(const BufferPtr& buffer) {
    const auto pieces = buffer->storage->directory().pieces(buffer->range);
    return pieces.size() == 1 ? pieces[0].valid : 0;
  }
};

TEST_P(HeldLaunches, RunOnAllDevicesOverOneCopy) {
  const KernelPtr compacting = machine.kernel(compaction("compact"), compact);
  const BufferPtr from = filled(counting(kItems)), to = machine.buffer(kItems), count = filled({0});
  const auto before = compacting->record.split_launches.load();
  launch(compacting, {from, to, count});
  machine.run();
  EXPECT_EQ(at_work.size(), GetParam());
  EXPECT_EQ(valid_at(to), only(0));
  EXPECT_EQ(valid_at(count), only(0));
  constexpr size_t kFound = (kItems + 2) / 3;
  EXPECT_EQ(machine.contents(count), Words{kFound});
  Words found = machine.contents(to);
  found.resize(kFound);
  std::ranges::sort(found);
  Words expected = counting(kFound);
  for (cl_uint& word : expected) word *= 3;
  EXPECT_EQ(found, expected);
  EXPECT_EQ(compacting->record.split_launches, before + 1);
  EXPECT_EQ(compacting->record.reason(), "");
}

// What they write is one device's: what others need of it comes from there.
TEST_P(HeldLaunches, AreFollowedByOthersThatSeeWhatTheyWrote) {
  const KernelPtr scattering = machine.kernel(testing::writes_anywhere("scatter"), testing::scatter);
  const KernelPtr tripling = machine.kernel(testing::in_place("triple"), testing::triple);
  const KernelPtr stencil = machine.kernel(testing::stencil("stencil"), testing::sum_of_neighbours);
  const KernelPtr compacting = machine.kernel(compaction("compact"), compact);
  std::mt19937 random(7);
  Words model = counting(kItems), other(kItems);
  const BufferPtr a = filled(model), b = filled(other);
  for (int step = 0; step < 60; ++step) {
    const size_t items = 16 + random() % (kItems - 15);
    switch (random() % 4) {
      case 0:
        launch(scattering, {a}, items);
        for (size_t i = 0; i < items; ++i) testing::scatter(i, {model});
        break;
      case 1:
        launch(tripling, {a}, items);
        for (size_t i = 0; i < items; ++i) testing::triple(i, {model});
        break;
      case 2:
        launch(stencil, {a, b});
        for (size_t i = 0; i < kItems; ++i) testing::sum_of_neighbours(i, {model, other});
        break;
      default: {
        const BufferPtr to = machine.buffer(kItems), count = filled({0});
        launch(compacting, {a, to, count}, items);
        const auto found = std::count_if(model.begin(), model.begin() + static_cast<ptrdiff_t>(items),
                                         [](cl_uint word) { return word % 3 == 0; });
        ASSERT_EQ(machine.contents(count)[0], static_cast<cl_uint>(found)) << "step " << step;
      }
    }
    if (random() % 4 != 0) continue;
    ASSERT_EQ(machine.contents(a), model) << "step " << step;
  }
  EXPECT_EQ(machine.contents(a), model);
  EXPECT_EQ(machine.contents(b), other);
}

// Sums need no other's results: they are merged as ever where nothing else is to be held.
TEST_P(HeldLaunches, ThatOnlyAccumulateAreMerged) {
  const KernelPtr counting_kernel = machine.kernel(
      Translated("count").accumulates(Accumulation::add).footprint(Footprints().anywhere(0, Footprints::adds)),
      [](size_t i, const Arguments& a) { ++a[0][i % 8]; });
  const BufferPtr bins = filled(Words(8, 5));
  launch(counting_kernel, {bins});
  EXPECT_EQ(machine.contents(bins), Words(8, 5 + kItems / 8));
  EXPECT_EQ(at_work.size(), GetParam());
}

// What one work-group reads of another one's would depend on which came first, as one device has it.
TEST_P(HeldLaunches, ThatLoadWhatTheyWriteElsewhereStayWhole) {
  const KernelPtr last_block = machine.kernel(
      Translated("last").updates().updates_atomically().splits_in_one_memory(kWhy).footprint(
          Footprints().element(0, Footprints::surely_writes).anywhere(0, Footprints::reads).first(1, Footprints::adds)),
      [](size_t i, const Arguments& a) {
        a[0][i] = static_cast<cl_uint>(i);
        ++a[1][0];
      });
  launch(last_block, {machine.buffer(kItems), filled({0})});
  machine.run();
  EXPECT_THAT(at_work, ElementsAre(0));
  EXPECT_EQ(last_block->record.reason(), kWhy);
}

// Their own alone is another matter.
TEST_P(HeldLaunches, MayLoadWhatNoOtherPartWrites) {
  const KernelPtr kernel =
      machine.kernel(Translated("own").updates().updates_atomically().splits_in_one_memory(kWhy).footprint(
                         Footprints().element(0, Footprints::adds).first(1, Footprints::adds)),
                     [](size_t i, const Arguments& a) {
                       a[0][i] += 7;
                       ++a[1][0];
                     });
  const BufferPtr a = filled(counting(kItems)), count = filled({0});
  launch(kernel, {a, count});
  machine.run();
  EXPECT_EQ(at_work.size(), GetParam());
  EXPECT_EQ(valid_at(a), 0) << "each device has its own";
  EXPECT_EQ(machine.contents(a), counting(kItems, 7));
  EXPECT_EQ(machine.contents(count), Words{kItems});
}

// Sums that are tried again until no other has come between: what they read first may be old.
TEST_P(HeldLaunches, MayLoadWhatIsWrittenByAtomicOperationsAlone) {
  Translated facts = Translated("retries").reads().updates_atomically().splits_in_one_memory(kWhy).footprint(
      Footprints().element(0, Footprints::surely_reads).anywhere(1, Footprints::adds));
  facts.loads(1);
  const KernelPtr kernel = machine.kernel(facts, [](size_t i, const Arguments& a) { a[1][i % 8] += a[0][i]; });
  const BufferPtr a = filled(Words(kItems, 3)), sums = filled(Words(8, 1));
  launch(kernel, {a, sums});
  machine.run();
  EXPECT_EQ(at_work.size(), GetParam());
  EXPECT_EQ(machine.contents(sums), Words(8, 1 + 3 * kItems / 8));
}

TEST_P(HeldLaunches, ThatCountOnAnOrderOfWritesStayWhole) {
  const KernelPtr kernel = machine.kernel(compaction("fenced").orders_memory(), compact);
  launch(kernel, {filled(counting(kItems)), machine.buffer(kItems), filled({0})});
  machine.run();
  EXPECT_THAT(at_work, ElementsAre(0));
  EXPECT_EQ(kernel->record.reason(), kWhy);
}

TEST_P(HeldLaunches, OnPartsOfBuffersStayWhole) {
  const KernelPtr kernel = machine.kernel(compaction("of_part"), compact);
  const BufferPtr counts = filled(Words(64, 0)), count = machine.part(counts, 32, 1);
  launch(kernel, {filled(counting(kItems)), machine.buffer(kItems), count});
  machine.run();
  EXPECT_THAT(at_work, ElementsAre(0));
  EXPECT_EQ(machine.contents(counts)[32], (kItems + 2) / 3);
}

// A replica that others do not see, as drivers make of short memory objects: another device has the copy, or it is made
// anew.
TEST_P(HeldLaunches, MakeAReplicaAnewWhereNobodySeesIt) {
  const KernelPtr compacting = machine.kernel(compaction("compact"), compact);
  const BufferPtr from = filled(counting(kItems));
  for (unsigned unseen = 0; unseen <= GetParam(); ++unseen) {
    const BufferPtr to = machine.buffer(kItems), count = machine.buffer(1);
    for (unsigned device = 0; device < unseen; ++device) {
      cl_int error = CL_SUCCESS;
      machine.driver.fail(testing::Call::create_buffer, CL_MEM_OBJECT_ALLOCATION_FAILURE, 1);
      ASSERT_TRUE(count->storage->replica(device, &error));
    }
    machine.write(queue, count, 0, {5});
    machine.run();
    at_work.clear();
    launch(compacting, {from, to, count});
    machine.run();
    EXPECT_EQ(at_work.size(), GetParam()) << unseen;
    EXPECT_EQ(valid_at(count), only(unseen % GetParam()));
    EXPECT_EQ(machine.contents(count), Words{5 + (kItems + 2) / 3});
  }
}

// No replica can be had: the program's launch does not suffer.
TEST_P(HeldLaunches, StayWholeWhereNobodyHasTheMemory) {
  const KernelPtr compacting = machine.kernel(compaction("compact"), compact);
  const BufferPtr from = filled(counting(kItems)), to = machine.buffer(kItems), count = filled({0});
  machine.run();
  cl_int error = CL_SUCCESS;
  for (const BufferPtr& each : {from, to, count}) ASSERT_TRUE(each->storage->replica(0, &error));
  machine.driver.fail(testing::Call::create_buffer, CL_MEM_OBJECT_ALLOCATION_FAILURE, 1);
  launch(compacting, {from, to, count});
  machine.run();
  EXPECT_THAT(at_work, ElementsAre(0));
  EXPECT_EQ(compacting->record.reason(), kNotHeld);
  EXPECT_EQ(machine.contents(count), Words{(kItems + 2) / 3});
  launch(compacting, {from, to, count});
  machine.run();
  EXPECT_EQ(at_work.size(), GetParam());
}

// Each of its operations: what comes to the holder, and the parts.
TEST_P(HeldLaunches, FailAndRunTheNextTime) {
  const KernelPtr scattering = machine.kernel(testing::writes_anywhere("scatter"), testing::scatter);
  const BufferPtr a = machine.buffer(kItems);
  for (unsigned operation = 0; operation <= GetParam(); ++operation) {
    const Rectangle all = Rectangle::run(0, 4 * kItems);
    machine.submit(queue, map_buffer(a, all, CL_MAP_WRITE));
    machine.submit(queue, unmap_buffer(a, {nullptr, all, CL_MAP_WRITE}));
    machine.run();
    machine.backend.fail_end(operation, CL_OUT_OF_RESOURCES);
    const testing::EventPtr failing = machine.launch(queue, scattering, {a}, kItems);
    machine.run();
    EXPECT_EQ(failing->status(), CL_OUT_OF_RESOURCES) << operation;
    machine.write(queue, a, 0, counting(kItems));
    launch(scattering, {a});
    Words expected = counting(kItems);
    for (size_t i = 0; i < kItems; ++i) testing::scatter(i, {expected});
    EXPECT_EQ(machine.contents(a), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, HeldLaunches, ::testing::Values(2, 3, 4));

}  // namespace
}  // namespace samcl
