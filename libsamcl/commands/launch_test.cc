// Kernel launches from their request to the bytes that they leave, on simulated devices.
#include "libsamcl/commands/launch.h"

#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <set>

#include "libsamcl/device/run_ahead.h"
#include "libsamcl/device/sub_kernel.h"
#include "libsamcl/testing/fake_manager.h"
#include "libsamcl/testing/known_kernels.h"

namespace samcl {
namespace {

using engine::LaneKind;
using testing::Arguments;
using testing::Call;
using testing::counting;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::EventPtr;
using testing::Footprints;
using ::testing::IsEmpty;
using testing::KernelPtr;
using ::testing::Lt;
using testing::scatter;
using testing::SimulatedMachine;
using testing::sum_of_neighbours;
using testing::Translated;
using testing::Waits;
using testing::Words;

constexpr size_t kItems = 256, kMany = 1 << 14;

Words of(size_t count, cl_uint value) { return Words(count, value); }

// What kernels do, to one work-item's share of their buffers.
void increment(size_t i, const Arguments& a) { ++a[0][i]; }
void increment_inside(size_t i, const Arguments& a) {
  if (i < a[0].size()) ++a[0][i];
}
void copy(size_t i, const Arguments& a) { a[1][i] = a[0][i]; }
void count_eighths(size_t i, const Arguments& a) { ++a[0][i % 8]; }

// Devices, the kernels above, and one queue in order; every launch that may be split is.
struct Launches : ::testing::Test {
  explicit Launches(unsigned devices = 2, lease::Client* manager = nullptr, std::vector<std::string> servers = {})
      : machine(devices, manager, {}, std::move(servers)) {
    machine.backend.perform = [this, perform = machine.backend.perform](const engine::Node& node) {
      ++performed[node.owner];
      if (std::holds_alternative<engine::RunKernel>(node.operation)) at_work.insert(node.lane.device);
      if (const auto* exchange = std::get_if<engine::Exchange>(&node.operation)) moved += engine::bytes_of(*exchange);
      return perform(node);
    };
  }
  ~Launches() override {
    machine.run();
    EXPECT_EQ(machine.driver.misuses(), 0);
  }

  SimulatedMachine machine;
  std::set<unsigned> at_work;                                  // devices on which kernels ran
  std::map<std::shared_ptr<engine::Owner>, size_t> performed;  // operations, by event
  uint64_t moved = 0;                                          // bytes of memory objects from place to place
  const testing::QueuePtr queue = machine.in_order_queue();
  const KernelPtr incrementing = machine.kernel(testing::in_place("increment"), increment);
  const KernelPtr guarded = machine.kernel(testing::in_place("guarded"), increment_inside);
  const KernelPtr copying =
      machine.kernel(Translated("copy").reads().writes().footprint(
                         Footprints().element(0, Footprints::surely_reads).element(1, Footprints::surely_writes)),
                     copy);
  const KernelPtr stencil = machine.kernel(testing::stencil("stencil"), sum_of_neighbours);
  const KernelPtr scattering = machine.kernel(testing::writes_anywhere("scatter"), scatter);
  const KernelPtr histogram = machine.kernel(
      Translated("histogram").accumulates(Accumulation::add).footprint(Footprints().anywhere(0, Footprints::adds)),
      count_eighths);

  EventPtr launch(const KernelPtr& kernel, const std::vector<BufferPtr>& arguments, size_t items = kItems) {
    return machine.launch(queue, kernel, arguments, items);
  }
  EventPtr write(const BufferPtr& buffer, Words what) { return machine.write(queue, buffer, 0, std::move(what)); }
  BufferPtr filled(Words what) {
    const BufferPtr made = machine.buffer(what.size());
    write(made, std::move(what));
    return made;
  }
  // One memory for all: no byte moves, and the directory knows one place.
  bool shares_memory() const { return machine.context->shares_host_memory(); }
  // Parts write to one device's memory what nobody knows where they do (held_launches_test.cc).
  bool holds_memory() const { return machine.context->may_hold(); }
};

TEST_F(Launches, InPartsEachDeviceDoesItsShare) {
  const BufferPtr a = filled(counting(kItems));
  launch(incrementing, {a});
  EXPECT_EQ(machine.contents(a), counting(kItems, 1));
  EXPECT_THAT(at_work, ElementsAre(0, 1));
}

TEST_F(Launches, OneWorkGroupIsNotSplit) {
  const BufferPtr a = filled(counting(16));
  launch(incrementing, {a}, 16);
  EXPECT_EQ(machine.contents(a), counting(16, 1));
  EXPECT_THAT(at_work, ElementsAre(0));
}

TEST_F(Launches, LastWorkGroupMayBeSmaller) {
  const BufferPtr a = filled(counting(100));
  launch(incrementing, {a}, 100);
  EXPECT_EQ(machine.contents(a), counting(100, 1));
  EXPECT_THAT(at_work, ElementsAre(0, 1));
}

// The buffer ends where the first quarter of the work-items does.
TEST_F(Launches, DevicesGetEquallyMuchToDo) {
  const BufferPtr a = filled(counting(kItems / 4));
  launch(guarded, {a});
  machine.run();
  if (!shares_memory()) {
    const auto pieces = a->storage->directory().pieces(a->range);
    ASSERT_EQ(pieces.size(), 2u);
    EXPECT_EQ(pieces[0].range, (Range{0, kItems / 8 * sizeof(cl_uint)}));
    EXPECT_EQ(pieces[1].valid, only(1));
  }
  EXPECT_THAT(at_work, ElementsAre(0, 1));
  EXPECT_EQ(machine.contents(a), counting(kItems / 4, 1));
  const BufferPtr b = filled(counting(kItems));
  launch(guarded, {b});
  EXPECT_EQ(machine.contents(b), counting(kItems, 1)) << "cut elsewhere again";
}

// The first launch's cut, after the first of 64 work-groups, would leave one device nothing of two.
TEST_F(Launches, OfFewWorkGroupsAreSplitWhereverOthersWereCut) {
  const BufferPtr few = filled(counting(32)), all = filled(counting(32));
  launch(guarded, {few}, 1024);
  machine.run();
  at_work.clear();
  launch(guarded, {all}, 32);
  EXPECT_EQ(machine.contents(all), counting(32, 1));
  EXPECT_THAT(at_work, ElementsAre(0, 1));
}

TEST_F(Launches, BeginWhereTheProgramsOffsetIs) {
  const BufferPtr a = filled(of(kItems, 5));
  machine.launch(queue, incrementing, {a}, 64, {}, 16, 128);
  Words expected = of(kItems, 5);
  std::fill_n(expected.begin() + 128, 64, 6u);
  EXPECT_EQ(machine.contents(a), expected);
}

TEST_F(Launches, ThatTheTranslatorForbidsToSplitStayWhole) {
  const KernelPtr whole = machine.kernel(Translated("whole").updates().stays_whole("waits for others"), increment);
  const BufferPtr a = filled(counting(kItems));
  launch(whole, {a});
  EXPECT_EQ(machine.contents(a), counting(kItems, 1));
  EXPECT_THAT(at_work, ElementsAre(0));
  EXPECT_EQ(whole->record.split_launches, 0u);
}

TEST_F(Launches, WhosePartsDoNotBuildStayWhole) {
  machine.driver.fail(Call::build, CL_BUILD_PROGRAM_FAILURE, 2);
  const BufferPtr a = filled(counting(kItems));
  launch(incrementing, {a});
  launch(incrementing, {a});
  EXPECT_EQ(machine.contents(a), counting(kItems, 2));
  EXPECT_THAT(at_work, ElementsAre(0));
}

TEST_F(Launches, WhosePartsWouldReadWhatOthersWriteStayWhole) {
  const KernelPtr shift =
      machine.kernel(Translated("shift").updates().footprint(
                         Footprints().element(0, Footprints::surely_reads, 1).element(0, Footprints::surely_writes)),
                     [](size_t i, const Arguments& a) { a[0][i] = i + 1 < a[0].size() ? a[0][i + 1] : 0; });
  const BufferPtr a = filled(counting(kItems));
  launch(shift, {a});
  Words expected = counting(kItems, 1);
  expected.back() = 0;
  EXPECT_EQ(machine.contents(a), expected);
  EXPECT_THAT(at_work, ElementsAre(0));
}

TEST_F(Launches, WhatPartsWriteIsValidWhereTheyRan) {
  if (shares_memory()) GTEST_SKIP() << "no byte moves";
  const BufferPtr a = machine.buffer(kItems), b = machine.buffer(kItems);
  write(a, counting(kItems));
  launch(copying, {a, b});
  machine.run();
  Directory& directory = b->storage->directory();
  EXPECT_THAT(directory.pieces({0, 4 * kItems}), ElementsAre(Directory::Piece{{0, 2 * kItems}, only(0)},
                                                             Directory::Piece{{2 * kItems, 4 * kItems}, only(1)}));
}

TEST_F(Launches, WhatIsSurelyOverwrittenIsNotBrought) {
  const BufferPtr a = filled(counting(kItems)), b = filled(of(kItems, 9));
  launch(incrementing, {a});
  launch(incrementing, {b});
  machine.run();
  moved = 0;
  launch(copying, {a, b});
  machine.run();
  EXPECT_EQ(moved, 0u);
  EXPECT_EQ(machine.contents(b), counting(kItems, 1));
}

TEST_F(Launches, OfAStencilExchangeTheirEdgesOnly) {
  if (shares_memory()) GTEST_SKIP() << "no byte moves";
  const BufferPtr a = filled(of(kItems, 1)), b = filled(of(kItems, 0));
  launch(stencil, {a, b});
  machine.run();
  moved = 0;
  for (int step = 0; step < 3; ++step) {
    launch(stencil, {b, a});
    launch(stencil, {a, b});
  }
  machine.run();
  EXPECT_EQ(moved, 6u * 2 * sizeof(cl_uint)) << "one uint in each direction for each step";
}

// A kernel takes 1 ns for each work-item, an exchange a third of what a half of the launch takes.
TEST_F(Launches, OfAStencilPassTheirEdgesWhileTheyCompute) {
  if (shares_memory()) GTEST_SKIP() << "no byte moves";
  if (machine.context->windows) GTEST_SKIP() << "exchanges wait for kernels, or are short and the compute lanes'";
  constexpr uint64_t kHalf = kMany / 2;
  machine.backend.duration = [](const engine::Node& node) -> uint64_t {
    const auto* run = std::get_if<engine::RunKernel>(&node.operation);
    if (!run) return kHalf / 3;
    const auto& kernel = static_cast<const SubKernel&>(*run->work);
    return kernel.work_items(kernel.box());
  };
  const BufferPtr a = filled(counting(kMany)), b = filled(of(kMany, 0));
  Words now = counting(kMany), next(kMany);
  uint64_t began = 0;
  for (int step = 0; step < 40; ++step) {
    if (step == 20) {
      machine.run();
      began = machine.backend.now();
    }
    launch(stencil, {step % 2 ? b : a, step % 2 ? a : b}, kMany);
    for (size_t i = 0; i < kMany; ++i) sum_of_neighbours(i, {now, next});
    std::swap(now, next);
  }
  machine.run();
  EXPECT_LT(machine.backend.now() - began, 21 * kHalf) << "as long as the halves compute, and one exchange";
  EXPECT_EQ(machine.contents(a), now);
}

TEST_F(Launches, OfAStencilComputeWhatOneDeviceWould) {
  const BufferPtr a = filled(counting(kItems)), b = filled(of(kItems, 0));
  Words now = counting(kItems), next(kItems);
  for (int step = 0; step < 5; ++step) {
    launch(stencil, {step % 2 ? b : a, step % 2 ? a : b});
    for (size_t i = 0; i < kItems; ++i) sum_of_neighbours(i, {now, next});
    std::swap(now, next);
  }
  EXPECT_EQ(machine.contents(b), now);
}

TEST_F(Launches, ThatReadAllBringItToEveryDevice) {
  const KernelPtr reverse =
      machine.kernel(Translated("reverse").reads().writes().footprint(
                         Footprints().anywhere(0, Footprints::reads).element(1, Footprints::surely_writes)),
                     [](size_t i, const Arguments& a) { a[1][i] = a[0][a[0].size() - 1 - i]; });
  const BufferPtr a = filled(counting(kItems)), b = machine.buffer(kItems);
  launch(incrementing, {a});
  launch(reverse, {a, b});
  Words expected = counting(kItems, 1);
  std::reverse(expected.begin(), expected.end());
  EXPECT_EQ(machine.contents(b), expected);
  EXPECT_THAT(at_work, ElementsAre(0, 1));
}

struct LaunchesOnFour : Launches {
  explicit LaunchesOnFour(std::vector<std::string> servers = {}) : Launches(4, nullptr, std::move(servers)) {}
};

// What all devices need of a buffer that the program writes, by which exchanges it gets there, and how many
// copies of the program's bytes.
struct Broadcasts : LaunchesOnFour {
  explicit Broadcasts(std::vector<std::string> servers = {}) : LaunchesOnFour(std::move(servers)) {
    machine.backend.perform = [this, perform = machine.backend.perform](const engine::Node& node) {
      if (const auto* exchange = std::get_if<engine::Exchange>(&node.operation))
        exchanged.emplace_back(exchange->from, exchange->to);
      if (const auto* copy = std::get_if<engine::ProgramCopy>(&node.operation); copy && !copy->to_program) ++writes;
      return perform(node);
    };
  }
  // Has each of four devices sum up all of it, which is so much.
  void sum_up(const BufferPtr& a, cl_uint sum) {
    machine.run();
    const BufferPtr b = machine.buffer(64);
    launch(summing, {a, b}, 64);
    EXPECT_EQ(machine.contents(b), counting(64, sum));
    EXPECT_THAT(at_work, ElementsAre(0, 1, 2, 3));
  }
  void expect_a_tree() const {
    EXPECT_THAT(exchanged, ::testing::UnorderedElementsAre(std::pair(0U, 1U), std::pair(0U, 2U), std::pair(1U, 3U)));
  }

  const KernelPtr summing =
      machine.kernel(Translated("sum").reads().writes().footprint(
                         Footprints().anywhere(0, Footprints::reads).element(1, Footprints::surely_writes)),
                     [](size_t i, const Arguments& a) {
                       a[1][i] = std::accumulate(a[0].begin(), a[0].end(), static_cast<cl_uint>(i));
                     });
  std::vector<std::pair<Place, Place>> exchanged;
  int writes = 0;
};

TEST_F(Broadcasts, GoToOneAndOnFromThereWhereDevicesHaveAWay) {
  const BufferPtr a = filled(counting(kMany));
  sum_up(a, kMany * (kMany - 1) / 2);
  if (!machine.context->shares_contexts()) return;
  EXPECT_EQ(writes, 1) << "over one link";
  expect_a_tree();
}

// Two devices in each of two machines, and the bytes that come into each of these: over the slow links.
struct OnTwoMachines : Broadcasts {
  explicit OnTwoMachines(std::array<size_t, 4> of_device = {0, 0, 1, 1})
      : Broadcasts({server(of_device[0]), server(of_device[1]), server(of_device[2]), server(of_device[3])}) {
    machine.backend.perform = [this, of_device, perform = machine.backend.perform](const engine::Node& node) {
      if (const auto* exchange = std::get_if<engine::Exchange>(&node.operation)) {
        const bool crosses =
            exchange->from == kHost || (exchange->to != kHost && of_device[exchange->from] != of_device[exchange->to]);
        if (crosses) came_in[of_device[exchange->to]] += engine::bytes_of(*exchange);
      }
      if (const auto* copy = std::get_if<engine::ProgramCopy>(&node.operation); copy && copy->replica.place != kHost)
        if (!copy->to_program) came_in[of_device[copy->replica.place]] += copy->rows.bytes();
      return perform(node);
    };
  }
  static std::string server(size_t number) { return "10.0.0." + std::to_string(number + 1) + ":7700"; }
  void forget() {
    machine.run();
    exchanged.clear();
    came_in = {};
  }
  std::array<uint64_t, 2> came_in{};
};

TEST_F(OnTwoMachines, WhatAllNeedGoesToEachMachineOnce) {
  const BufferPtr a = filled(counting(kMany));
  sum_up(a, kMany * (kMany - 1) / 2);
  if (!machine.context->shares_contexts()) return;
  EXPECT_THAT(came_in, ::testing::Each(kMany * sizeof(cl_uint)));
  EXPECT_THAT(exchanged, ::testing::IsSupersetOf({std::pair(0U, 1U), std::pair(2U, 3U)}));
  if (machine.context->one_context(0, 2)) {
    EXPECT_EQ(writes, 1) << "over one link";
    EXPECT_THAT(exchanged, ::testing::Contains(std::pair(0U, 2U)));
  } else {
    EXPECT_EQ(writes, 2) << "over each machine's link";
  }
}

// Neighbours in a machine have neighbouring parts: of six edges that devices get two come from the other machine,
// whatever the order of devices is.
struct StencilsOnTwoMachines : OnTwoMachines, ::testing::WithParamInterface<std::array<size_t, 4>> {
  StencilsOnTwoMachines() : OnTwoMachines(GetParam()) {}
};

TEST_P(StencilsOnTwoMachines, OneEdgeComesIntoEach) {
  const BufferPtr a = filled(counting(1024)), b = machine.buffer(1024);
  launch(stencil, {a, b}, 1024);
  forget();
  launch(stencil, {b, a}, 1024);
  machine.run();
  if (shares_memory() || machine.context->windows) return;
  EXPECT_EQ(exchanged.size(), 6U);
  EXPECT_THAT(came_in, ::testing::Each(sizeof(cl_uint)));
}

INSTANTIATE_TEST_SUITE_P(Orders, StencilsOnTwoMachines,
                         ::testing::Values(std::array<size_t, 4>{0, 0, 1, 1}, std::array<size_t, 4>{0, 1, 0, 1},
                                           std::array<size_t, 4>{1, 0, 0, 1}));

// Each of few rows by each of many, which two devices share: C = A * B transposed, work-item (column, row).
struct RowsByRows : Launches {
  static constexpr size_t kFew = 8, kColumns = 1024, kInner = 1024;
  RowsByRows() {
    machine.backend.perform = [this, perform = machine.backend.perform](const engine::Node& node) {
      if (const auto* exchange = std::get_if<engine::Exchange>(&node.operation); exchange && exchange->to != kHost)
        came_in += engine::bytes_of(*exchange);
      if (const auto* copy = std::get_if<engine::ProgramCopy>(&node.operation); copy && copy->replica.place != kHost)
        if (!copy->to_program) came_in += copy->rows.bytes();
      return perform(node);
    };
  }
  void multiply() {
    for (cl_uint i = 0; i < 3; ++i) {
      const cl_mem handle = std::array{a, b, c}[i]->api();
      product->set_argument(i, sizeof handle, &handle);
    }
    LaunchRequest request{product, product->arguments(), {}, true, {}};
    request.ndrange = {.dimensions = 2, .global = {kColumns, kFew, 1}, .local = {16, 1, 1}};
    machine.submit(queue, std::make_shared<KernelLaunch>(std::move(request), *machine.context));
  }
  const KernelPtr product = machine.kernel(
      Translated("rows_by_rows")
          .reads()
          .reads()
          .writes()
          .footprint(Footprints()
                         .row(0, Footprints::reads, 1, kInner)
                         .row(1, Footprints::reads, 0, kInner)
                         .cell(2, Footprints::surely_writes, kColumns)),
      [](const testing::KernelCall& call) {
        const auto of = [&](size_t argument) { return reinterpret_cast<cl_uint*>(call.arguments[argument].data()); };
        for (size_t row = call.offset[1]; row < call.offset[1] + call.size[1]; ++row)
          for (size_t column = call.offset[0]; column < call.offset[0] + call.size[0]; ++column)
            of(2)[row * kColumns + column] = std::inner_product(of(0) + row * kInner, of(0) + (row + 1) * kInner,
                                                                of(1) + column * kInner, cl_uint{0});
      });
  const BufferPtr a = filled(counting(kFew * kInner)), b = filled(counting(kColumns * kInner)),
                  c = machine.buffer(kFew * kColumns);
  uint64_t came_in = 0;  // bytes, to devices
};

TEST_F(RowsByRows, AreCutSoThatTheManyGoToOneDeviceEach) {
  multiply();
  machine.run();
  write(b, counting(kColumns * kInner, 7));
  came_in = 0;
  multiply();
  Words expected(kFew * kColumns);
  const Words first = counting(kFew * kInner), second = counting(kColumns * kInner, 7);
  for (size_t row = 0; row < kFew; ++row)
    for (size_t column = 0; column < kColumns; ++column)
      expected[row * kColumns + column] =
          std::inner_product(&first[row * kInner], &first[row * kInner] + kInner, &second[column * kInner], cl_uint{0});
  EXPECT_EQ(machine.contents(c), expected);
  EXPECT_THAT(at_work, ElementsAre(0, 1));
  if (shares_memory()) return;
  EXPECT_EQ(came_in, kColumns * kInner * sizeof(cl_uint)) << "not twice";
}

// In rows that are each too short to be worth a way of their own, in all columns but the first one.
struct BroadcastRectangles : Broadcasts {
  static constexpr size_t kRow = 256, kRows = kMany / kRow, kWord = sizeof(cl_uint);
  void write_ones() {
    const Rectangle rows{kWord, kRow * kWord, kMany * kWord, {(kRow - 1) * kWord, kRows, 1}};
    const Rectangle packed{0, (kRow - 1) * kWord, kMany * kWord, {(kRow - 1) * kWord, kRows, 1}};
    machine.submit(queue, write_rectangle(a, rows, packed, ones.data()));
  }
  void forget() {
    machine.run();
    exchanged.clear();
    writes = 0;
  }
  const Words ones = of(kRows * (kRow - 1), 1);
  const BufferPtr a = filled(of(kMany, 0));
};

TEST_F(BroadcastRectangles, GoTheSameWay) {
  sum_up(a, 0);
  forget();
  write_ones();
  sum_up(a, kRows * (kRow - 1));
  if (!machine.context->shares_contexts()) return;
  EXPECT_EQ(writes, 1) << "over one link";
  expect_a_tree();
}

// What is between the rows is a fourth on each device.
TEST_F(BroadcastRectangles, GoTheSameWayWhereRowsStayApart) {
  launch(incrementing, {a}, kMany);
  forget();
  write_ones();
  sum_up(a, kRows * kRow);
  if (!machine.context->shares_contexts()) return;
  EXPECT_EQ(writes, 1) << "over one link";
  EXPECT_THAT(exchanged, ::testing::Not(::testing::Contains(std::pair(0U, 3U))));
  EXPECT_THAT(exchanged, ::testing::Contains(std::pair(1U, 3U)));
}

TEST_F(Launches, ThatScatterAreCompared) {
  const BufferPtr a = filled(of(kItems, 3));
  launch(scattering, {a}, 100);
  Words expected = of(kItems, 3);
  for (size_t i = 0; i < 100; ++i) scatter(i, {expected});
  EXPECT_EQ(machine.contents(a), expected);
  EXPECT_THAT(at_work, ElementsAre(0, 1));
}

TEST_F(Launches, ThatScatterIntoUndefinedBytesAreComparedWithZeros) {
  const BufferPtr a = machine.buffer(kItems);
  launch(scattering, {a}, 100);
  const Words found = machine.contents(a);
  for (size_t i = 0; i < 100; ++i) EXPECT_EQ(found[7 * i % kItems], 1000 + i);
}

TEST_F(Launches, ComparedAgainAndAgainStartFromWhatTheLastLeft) {
  const BufferPtr a = filled(of(kItems, 3));
  Words expected = of(kItems, 3);
  for (int round = 0; round < 3; ++round) {
    launch(scattering, {a}, 50);
    launch(incrementing, {a});
    for (size_t i = 0; i < 50; ++i) scatter(i, {expected});
    for (cl_uint& word : expected) ++word;
  }
  EXPECT_EQ(machine.contents(a), expected);
}

TEST_F(Launches, OneOfTwoBuffersIsComparedTheOtherNot) {
  const KernelPtr both =
      machine.kernel(Translated("both").writes().writes().footprint(
                         Footprints().anywhere(0, Footprints::may_write).element(1, Footprints::surely_writes)),
                     [](size_t i, const Arguments& a) {
                       scatter(i, a);
                       a[1][i] = static_cast<cl_uint>(i);
                     });
  const BufferPtr scattered = filled(of(kItems, 0)), straight = machine.buffer(kItems);
  launch(both, {scattered, straight});
  Words expected = of(kItems, 0);
  for (size_t i = 0; i < kItems; ++i) scatter(i, {expected});
  EXPECT_EQ(machine.contents(scattered), expected);
  EXPECT_EQ(machine.contents(straight), counting(kItems));
}

TEST_F(Launches, WhatNobodyChangedIsStillValidEverywhere) {
  if (shares_memory() || holds_memory()) GTEST_SKIP() << "nothing is merged";
  const KernelPtr idle =
      machine.kernel(Translated("idle").writes().footprint(Footprints().anywhere(0, Footprints::may_write)),
                     [](size_t, const Arguments&) {});
  const BufferPtr a = filled(of(kItems, 8));
  launch(idle, {a});
  machine.run();
  for (const Place place : {Place{0}, Place{1}, kHost})
    EXPECT_EQ(a->storage->directory().missing_bytes({0, 4 * kItems}, place), 0u);
}

TEST_F(Launches, ThatOnlyOneDeviceChangedBytesOfStayValidThere) {
  if (shares_memory() || holds_memory()) GTEST_SKIP() << "nothing is merged";
  constexpr size_t kWords = 4096;  // four granules of the directory's
  const KernelPtr first_only =
      machine.kernel(Translated("first_only").writes().footprint(Footprints().anywhere(0, Footprints::may_write)),
                     [](size_t i, const Arguments& a) {
                       if (i == 0) a[0][0] = 77;
                     });
  const BufferPtr a = filled(of(kWords, 8));
  launch(first_only, {a}, kItems);
  machine.run();
  Directory& directory = a->storage->directory();
  EXPECT_EQ(directory.missing_bytes({0, 4096}, 0), 0u) << "who wrote has it";
  EXPECT_EQ(directory.missing_bytes({0, 4096}, 1), 4096u);
  EXPECT_EQ(directory.missing_bytes({4096, 4 * kWords}, 1), 0u) << "of the rest everybody";
}

TEST_F(Launches, ThatAccumulateAreSummedUp) {
  const BufferPtr bins = filled(counting(8, 100));
  launch(histogram, {bins});
  EXPECT_EQ(machine.contents(bins), counting(8, 100 + kItems / 8));
  EXPECT_THAT(at_work, ElementsAre(0, 1));
}

TEST_F(Launches, ThatAccumulateWrapAround) {
  const BufferPtr bins = filled(of(8, 0xfffffff0));
  launch(histogram, {bins});
  EXPECT_EQ(machine.contents(bins), of(8, 0xfffffff0u + static_cast<cl_uint>(kItems / 8)));
}

struct Accumulating {
  const char* name;
  Accumulation how;
  cl_uint (*combine)(cl_uint, cl_uint);
};
void PrintTo(const Accumulating& one, std::ostream* out) { *out << one.name; }

struct AccumulatingLaunches : Launches, ::testing::WithParamInterface<Accumulating> {};

// Every work-item brings its own number, spread over all bits, into one of eight words.
TEST_P(AccumulatingLaunches, CombineWhatTheirPartsFound) {
  const auto combine = GetParam().combine;
  const auto bring = [combine](size_t i, const Arguments& a) {
    a[0][i % 8] = combine(a[0][i % 8], static_cast<cl_uint>(i) * 0x9e3779b9);
  };
  const KernelPtr kernel = machine.kernel(Translated(std::string("accumulate_") + GetParam().name)
                                              .accumulates(GetParam().how)
                                              .footprint(Footprints().anywhere(0, Footprints::adds)),
                                          bring);
  Words expected = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x5a5a5a5a, 17, 0xfffffff0};
  const BufferPtr bins = filled(expected);
  launch(kernel, {bins});
  launch(kernel, {bins}, 100);
  for (size_t i = 0; i < kItems; ++i) bring(i, {expected});
  for (size_t i = 0; i < 100; ++i) bring(i, {expected});
  EXPECT_EQ(machine.contents(bins), expected);
  EXPECT_THAT(at_work, ElementsAre(0, 1));
}

cl_int as_signed(cl_uint word) { return static_cast<cl_int>(word); }
INSTANTIATE_TEST_SUITE_P(
    Of, AccumulatingLaunches,
    ::testing::Values(
        Accumulating{"add", Accumulation::add, [](cl_uint a, cl_uint b) { return a + b; }},
        Accumulating{"and", Accumulation::bit_and, [](cl_uint a, cl_uint b) { return a & b; }},
        Accumulating{"or", Accumulation::bit_or, [](cl_uint a, cl_uint b) { return a | b; }},
        Accumulating{"xor", Accumulation::bit_xor, [](cl_uint a, cl_uint b) { return a ^ b; }},
        Accumulating{"min_signed", Accumulation::min_signed,
                     [](cl_uint a, cl_uint b) { return as_signed(a) < as_signed(b) ? a : b; }},
        Accumulating{"max_signed", Accumulation::max_signed,
                     [](cl_uint a, cl_uint b) { return as_signed(a) > as_signed(b) ? a : b; }},
        Accumulating{"min_unsigned", Accumulation::min_unsigned, [](cl_uint a, cl_uint b) { return std::min(a, b); }},
        Accumulating{"max_unsigned", Accumulation::max_unsigned, [](cl_uint a, cl_uint b) { return std::max(a, b); }}),
    [](const auto& info) { return info.param.name; });

// The same kernels on other numbers of devices.
struct LaunchesOnSome : Launches, ::testing::WithParamInterface<unsigned> {
  LaunchesOnSome() : Launches(GetParam()) {}
};

TEST_P(LaunchesOnSome, LeaveTheBytesThatOneDeviceWould) {
  const BufferPtr a = filled(counting(kItems)), b = filled(of(kItems, 0)), bins = filled(of(8, 0));
  Words model_a = counting(kItems), model_b = of(kItems, 0), model_bins = of(8, 0);
  for (int round = 0; round < 3; ++round) {
    launch(stencil, {a, b});
    launch(scattering, {b}, 40);
    launch(copying, {b, a});
    launch(incrementing, {a});
    launch(histogram, {bins});
    for (size_t i = 0; i < kItems; ++i) sum_of_neighbours(i, {model_a, model_b});
    for (size_t i = 0; i < 40; ++i) scatter(i, {model_b});
    for (size_t i = 0; i < kItems; ++i) copy(i, {model_b, model_a});
    for (size_t i = 0; i < kItems; ++i) increment(i, {model_a});
    for (size_t i = 0; i < kItems; ++i) count_eighths(i, {model_bins});
  }
  EXPECT_EQ(machine.contents(a), model_a);
  EXPECT_EQ(machine.contents(b), model_b);
  EXPECT_EQ(machine.contents(bins), model_bins);
  EXPECT_EQ(at_work.size(), GetParam());
}
INSTANTIATE_TEST_SUITE_P(Devices, LaunchesOnSome, ::testing::Values(1, 2, 3, 5, 8));

// What a kernel may ask about the NDRange that it is a part of.
TEST_F(Launches, InPartsAreToldOfTheWhole) {
  const KernelPtr asking = machine.kernel(
      Translated("asking").writes().needs_ndrange().footprint(Footprints().element(0, Footprints::surely_writes)),
      [](size_t i, const Arguments& a) {
        NdrangeArgument told;
        std::memcpy(&told, a[1].data(), sizeof told);
        EXPECT_EQ(told.num_groups[0], kItems / 16);
        EXPECT_EQ(told.global_size[0], kItems);
        EXPECT_EQ(told.global_offset[0], 0u);
        a[0][i] = static_cast<cl_uint>(told.group_offset[0]);
      });
  const BufferPtr a = machine.buffer(kItems);
  launch(asking, {a});
  Words expected = of(kItems, 0);
  std::fill(expected.begin() + kItems / 2, expected.end(), kItems / 2 / 16);
  EXPECT_EQ(machine.contents(a), expected) << "the first group of each half";
}

TEST_F(Launches, OnPartsOfOneBufferLeaveTheRestAlone) {
  const BufferPtr all = filled(of(kItems, 1)), half = machine.part(all, kItems / 2, kItems / 2);
  launch(incrementing, {half}, kItems / 2);
  Words expected = of(kItems, 1);
  std::fill(expected.begin() + kItems / 2, expected.end(), 2u);
  EXPECT_EQ(machine.contents(all), expected);
  EXPECT_EQ(machine.contents(half), of(kItems / 2, 2));
}

TEST_F(Launches, OnOverlappingPartsOfOneBufferComputeWhatOneDeviceWould) {
  const BufferPtr all = filled(counting(kItems));
  const BufferPtr low = machine.part(all, 0, 128), high = machine.part(all, 64, 128);
  launch(copying, {low, high}, 128);  // each work-item reads what an earlier one may have written
  Words expected = counting(kItems);
  for (size_t i = 0; i < 128; ++i) expected[64 + i] = expected[i];
  EXPECT_EQ(machine.contents(all), expected);
  EXPECT_THAT(at_work, ElementsAre(0)) << "parts would race";
}

TEST_F(Launches, ArgumentsAreThoseOfTheirEnqueueing) {
  const BufferPtr a = filled(of(kItems, 1)), b = filled(of(kItems, 10));
  const EventPtr gate = machine.user_event();
  machine.launch(queue, incrementing, {a}, kItems, {gate});
  launch(incrementing, {b});  // sets the kernel's argument before the first has begun
  machine.graph.finish(gate, CL_COMPLETE);
  EXPECT_EQ(machine.contents(a), of(kItems, 2));
  EXPECT_EQ(machine.contents(b), of(kItems, 11));
}

TEST_F(Launches, OfOneKernelRunAtOnceOnBothDevices) {
  const BufferPtr a = filled(of(kItems, 1));
  launch(incrementing, {a});
  machine.run();
  machine.backend.duration = [](const engine::Node&) { return uint64_t{100}; };
  const uint64_t began = machine.backend.now();
  launch(incrementing, {a});
  machine.run();
  EXPECT_EQ(machine.backend.now() - began, 100u);
}

TEST_F(Launches, FollowEachOtherWithoutTheHost) {
  const BufferPtr a = filled(of(kItems, 1));
  launch(incrementing, {a});
  machine.run();
  for (int i = 0; i < 10; ++i) launch(incrementing, {a});
  EXPECT_EQ(machine.backend.running(), 20u) << "all are in the devices' queues";
  EXPECT_EQ(machine.contents(a), of(kItems, 12));
}

TEST_F(Launches, ReadsOfOtherBuffersDoNotWaitForThem) {
  const BufferPtr a = filled(of(kItems, 1)), b = filled(of(kItems, 2));
  machine.run();
  machine.backend.duration = [](const engine::Node& node) {
    return std::holds_alternative<engine::RunKernel>(node.operation) ? 1000u : 1u;
  };
  machine.backend.lanes_are_apart = true;
  const EventPtr computing = machine.launch(machine.out_of_order_queue(), incrementing, {a}, kItems);
  const auto reading = machine.read(machine.out_of_order_queue(), b, 0, kItems);
  while (!reading.event->ended()) machine.backend.step(machine.graph);
  EXPECT_FALSE(computing->ended());
  EXPECT_EQ(*reading.words, of(kItems, 2));
}

TEST_F(Launches, AReadGetsWhatWasWrittenBeforeItNotAfter) {
  const BufferPtr a = filled(of(kItems, 1));
  launch(incrementing, {a});
  const auto between = machine.read(queue, a, 0, kItems);
  launch(incrementing, {a});
  machine.run();
  EXPECT_EQ(*between.words, of(kItems, 2));
  EXPECT_EQ(machine.contents(a), of(kItems, 3));
}

TEST_F(Launches, ThatWaitForAFailedEventDoNotRun) {
  const BufferPtr a = filled(of(kItems, 1));
  machine.run();
  const EventPtr gate = machine.user_event();
  const EventPtr waiting = machine.launch(queue, incrementing, {a}, kItems, {gate});
  const EventPtr behind = launch(incrementing, {a});
  machine.graph.finish(gate, -77);
  EXPECT_EQ(machine.contents(a), of(kItems, 2)) << "the one behind it in the queue does";
  EXPECT_EQ(waiting->status(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(behind->status(), CL_COMPLETE);
}

TEST_F(Launches, AreCountedAndSoIsWhyTheyWereNotSplit) {
  const KernelPtr kernel =
      machine.kernel(Translated("counted_launches").updates().stays_whole("stores addresses"), increment);
  const BufferPtr a = filled(of(kItems, 1));
  launch(kernel, {a});
  launch(kernel, {a});
  EXPECT_EQ(kernel->record.launches, 2u);
  EXPECT_EQ(kernel->record.split_launches, 0u);
  EXPECT_EQ(kernel->record.reason(), "stores addresses");
}

TEST_F(Launches, MergingWhatWasWrittenMeanwhileLeavesThatAlone) {
  const BufferPtr a = filled(of(kItems, 3));
  launch(scattering, {a}, 50);
  write(a, counting(kItems));
  EXPECT_EQ(machine.contents(a), counting(kItems));
}

// The program writes into the host copy, with which merging would compare.
TEST_F(Launches, WhatWouldBeMergedStaysWholeWhileAPartIsMappedToBeWritten) {
  if (shares_memory() || holds_memory()) GTEST_SKIP() << "nothing is merged";
  const BufferPtr a = filled(of(kItems, 3));
  const Rectangle part = Rectangle::run(4 * (kItems - 5), 12);
  const auto split_launches = [this] { return scattering->record.split_launches.load(); };
  const auto first = split_launches();
  machine.submit(queue, map_buffer(a, part, CL_MAP_READ));
  launch(scattering, {a});
  machine.run();
  EXPECT_EQ(split_launches(), first + 1) << "mapped to be read";
  for (const cl_map_flags flags : {cl_map_flags{CL_MAP_WRITE}, cl_map_flags{CL_MAP_WRITE_INVALIDATE_REGION}}) {
    const auto before = split_launches();
    machine.submit(queue, map_buffer(a, part, flags));
    launch(scattering, {a});
    machine.run();
    EXPECT_EQ(split_launches(), before);
    machine.submit(queue, unmap_buffer(a, {nullptr, part, flags}));
    launch(scattering, {a});
    machine.run();
    EXPECT_EQ(split_launches(), before + 1);
  }
}

// ---- Failures ----

// What runs into a failure, and how many operations it has.
struct Story {
  const char* name;
  unsigned operations;
  EventPtr (*begin)(Launches& on, const BufferPtr& a, const BufferPtr& b);
  bool merges = false;  // what parts write nobody knows where
};

// Two buffers whose bytes lie on the host alone.
const Story kStories[] = {
    {"in_parts", 4, [](Launches& on, const BufferPtr& a, const BufferPtr&) { return on.launch(on.incrementing, {a}); }},
    {"halo", 4, [](Launches& on, const BufferPtr& a, const BufferPtr& b) { return on.launch(on.stencil, {a, b}); }},
    {"compared", 6, [](Launches& on, const BufferPtr& a, const BufferPtr&) { return on.launch(on.scattering, {a}); },
     true},
    {"combined", 6, [](Launches& on, const BufferPtr& a, const BufferPtr&) { return on.launch(on.histogram, {a}); }},
};

struct Failure {
  Story story;
  unsigned operation;
  bool starts;  // and then fails
};
std::vector<Failure> failures() {
  std::vector<Failure> all;
  for (const Story& story : kStories) {
    for (unsigned n = 0; n < story.operations; ++n) {
      all.push_back({story, n, false});
      all.push_back({story, n, true});
    }
  }
  return all;
}
std::string name_of(const Failure& failure) {
  return std::string(failure.story.name) + "_operation_" + std::to_string(failure.operation) +
         (failure.starts ? "_fails" : "_does_not_start");
}
void PrintTo(const Failure& failure, std::ostream* out) { *out << name_of(failure); }
struct FailingLaunches : Launches, ::testing::WithParamInterface<Failure> {};

// The n-th operation of a launch fails: the launch has failed with that, what waits for it does not run, what does not
// is as ever, and the buffers can be used again.
TEST_P(FailingLaunches, FailAloneAndHoldNobodyUp) {
  const auto& [story, operation, starts] = GetParam();
  if (shares_memory()) GTEST_SKIP() << "it has fewer operations";
  if (holds_memory() && story.merges) GTEST_SKIP() << "nothing is merged";
  const BufferPtr a = filled(counting(kItems)), b = filled(counting(kItems)), other = filled(of(kItems, 1));
  for (const BufferPtr& each : {a, b, other}) {
    const Rectangle all = Rectangle::run(0, 4 * kItems);
    machine.submit(queue, map_buffer(each, all, CL_MAP_WRITE));
    machine.submit(queue, unmap_buffer(each, {nullptr, all, CL_MAP_WRITE}));
  }
  machine.run();
  starts ? machine.backend.fail_end(operation, CL_OUT_OF_RESOURCES)
         : machine.backend.fail_issue(operation, CL_OUT_OF_RESOURCES);
  const EventPtr failing = story.begin(*this, a, b);
  const EventPtr follower = machine.launch(machine.out_of_order_queue(), incrementing, {b}, kItems, {failing});
  const EventPtr stranger = launch(incrementing, {other});
  machine.run();
  EXPECT_EQ(failing->status(), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(follower->status(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(stranger->status(), CL_COMPLETE);
  EXPECT_EQ(performed[failing], story.operations - 1) << "the others of its operations have run";
  EXPECT_EQ(machine.contents(other), of(kItems, 2));
  for (const BufferPtr& each : {a, b}) {
    write(each, of(kItems, 40));
    launch(incrementing, {each});
    EXPECT_EQ(machine.contents(each), of(kItems, 41));
  }
}
INSTANTIATE_TEST_SUITE_P(AtEachOperation, FailingLaunches, ::testing::ValuesIn(failures()),
                         [](const auto& info) { return name_of(info.param); });

// A command of the driver's fails; the others of that kind do not.
struct Refusal {
  const char* name;
  Call call;
  int others;  // of that kind that succeed first
  cl_int error;
  const Story* story;
};
void PrintTo(const Refusal& one, std::ostream* out) { *out << one.name; }
struct RefusedLaunches : Launches, ::testing::WithParamInterface<Refusal> {};

TEST_P(RefusedLaunches, TellTheDriversErrorAndRunTheNextTime) {
  if (shares_memory()) GTEST_SKIP() << "the driver moves nothing";
  const Refusal& refusal = GetParam();
  if (holds_memory() && refusal.story->merges) GTEST_SKIP() << "nothing is merged";
  const BufferPtr a = filled(counting(kItems)), b = filled(counting(kItems));
  machine.run();
  machine.driver.fail(refusal.call, refusal.error, 1, refusal.others);
  const EventPtr failing = refusal.story->begin(*this, a, b);
  machine.run();
  EXPECT_EQ(failing->status(), refusal.error);
  write(a, of(kItems, 1));
  launch(incrementing, {a});
  EXPECT_EQ(machine.contents(a), of(kItems, 2));
}
INSTANTIATE_TEST_SUITE_P(
    By, RefusedLaunches,
    ::testing::Values(Refusal{"first_launch", Call::launch, 0, CL_OUT_OF_HOST_MEMORY, &kStories[0]},
                      Refusal{"second_launch", Call::launch, 1, CL_INVALID_WORK_GROUP_SIZE, &kStories[0]},
                      Refusal{"second_launch_of_compared", Call::launch, 1, CL_OUT_OF_HOST_MEMORY, &kStories[2]},
                      Refusal{"first_read_of_merging", Call::read, 0, CL_OUT_OF_HOST_MEMORY, &kStories[2]},
                      Refusal{"last_read_of_merging", Call::read, 1, CL_DEVICE_NOT_AVAILABLE, &kStories[2]},
                      Refusal{"first_read_of_combining", Call::read, 0, CL_OUT_OF_RESOURCES, &kStories[3]},
                      Refusal{"last_read_of_combining", Call::read, 1, CL_OUT_OF_RESOURCES, &kStories[3]}),
    [](const auto& info) { return info.param.name; });

TEST_F(Launches, WithoutMemoryOnTheSecondDeviceFail) {
  if (shares_memory()) GTEST_SKIP() << "all devices use one memory";
  const BufferPtr a = machine.buffer(kItems);
  cl_int error;
  a->storage->replica(0, &error);
  machine.driver.fail(Call::create_buffer, CL_MEM_OBJECT_ALLOCATION_FAILURE, 100);
  const EventPtr failing = launch(incrementing, {a});
  machine.run();
  EXPECT_EQ(failing->status(), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  machine.driver.fail(Call::create_buffer, CL_SUCCESS, 0);
  write(a, of(kItems, 1));
  launch(incrementing, {a});
  EXPECT_EQ(machine.contents(a), of(kItems, 2));
}

TEST_F(Launches, OnADeviceThatIsLostFailAndOthersGoOn) {
  const BufferPtr a = filled(counting(kItems)), b = filled(counting(16));
  launch(incrementing, {a});
  machine.run();
  const EventPtr in_flight = launch(incrementing, {a});
  machine.backend.lose_device(1, CL_DEVICE_NOT_AVAILABLE);
  const EventPtr later = launch(incrementing, {a}), elsewhere = launch(incrementing, {b}, 16);
  machine.run();
  EXPECT_EQ(in_flight->status(), CL_DEVICE_NOT_AVAILABLE);
  EXPECT_EQ(later->status(), CL_DEVICE_NOT_AVAILABLE);
  EXPECT_EQ(elsewhere->status(), CL_COMPLETE) << "one work-group, on the first device";
}

TEST_F(Launches, BytesOnALostDeviceCannotBeReadOthersCan) {
  if (shares_memory()) GTEST_SKIP() << "no byte is on a device alone";
  const BufferPtr a = filled(counting(kItems)), b = filled(counting(kItems));
  launch(incrementing, {a});
  machine.run();
  machine.backend.lose_device(1, CL_DEVICE_NOT_AVAILABLE);
  const auto lost = machine.read(queue, a, 0, kItems), kept = machine.read(queue, a, 0, kItems / 2);
  machine.run();
  EXPECT_EQ(lost.event->status(), CL_DEVICE_NOT_AVAILABLE);
  EXPECT_EQ(kept.event->status(), CL_COMPLETE);
  EXPECT_EQ(*kept.words, counting(kItems / 2, 1));
}

// ---- Under a manager ----

struct HasManager {
  testing::FakeManager manager;
};
struct ManagedLaunches : HasManager, Launches {
  ManagedLaunches() : Launches(2, &manager) { manager.choose_all(2); }
  long leases_of(const char* what) const { return manager.count(what); }
};

TEST_F(ManagedLaunches, RunInSlicesUnderOneLeaseForEachDevice) {
  const BufferPtr a = filled(counting(kMany));
  machine.run();
  manager.forget_events();
  launch(incrementing, {a}, kMany);
  machine.run();
  EXPECT_GT(incrementing->record.slices, 2u);
  EXPECT_EQ(leases_of("+gpu 0"), 1);
  EXPECT_EQ(leases_of("+gpu 1"), 1);
  EXPECT_EQ(leases_of("-gpu 0"), 1);
  EXPECT_EQ(leases_of("-gpu 1"), 1);
  EXPECT_EQ(machine.contents(a), counting(kMany, 1));
}

TEST_F(ManagedLaunches, GiveWayBetweenSlicesWhenTheyAreAskedTo) {
  const BufferPtr a = filled(counting(kMany));
  machine.run();
  manager.forget_events();
  manager.revocations = 2;
  launch(incrementing, {a}, kMany);
  EXPECT_EQ(machine.contents(a), counting(kMany, 1));
  EXPECT_EQ(leases_of("+gpu 0") + leases_of("+gpu 1"), 4) << "one for each device, and one more for each time";
  EXPECT_EQ(leases_of("+gpu 0"), leases_of("-gpu 0"));
  EXPECT_EQ(leases_of("+gpu 1"), leases_of("-gpu 1"));
}

TEST_F(ManagedLaunches, WhoseSliceFailsEndAndGiveTheLeaseBack) {
  const BufferPtr a = filled(counting(kMany));
  machine.run();
  manager.forget_events();
  machine.driver.fail(Call::launch, CL_OUT_OF_RESOURCES, 1, 2);
  const EventPtr failing = launch(incrementing, {a}, kMany);
  machine.run();
  EXPECT_EQ(failing->status(), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(leases_of("+gpu 0"), leases_of("-gpu 0"));
  EXPECT_EQ(leases_of("+gpu 1"), leases_of("-gpu 1"));
}

TEST_F(ManagedLaunches, ThatMayNotBeSlicedRunInOnePiece) {
  const KernelPtr whole = machine.kernel(Translated("unsliced").updates().stays_whole("waits for others"), increment);
  const BufferPtr a = filled(counting(kMany));
  launch(whole, {a}, kMany);
  machine.run();
  EXPECT_EQ(whole->record.slices, 0u);
  EXPECT_EQ(machine.driver.count(Call::launch), 1);
  EXPECT_EQ(machine.contents(a), counting(kMany, 1));
}

TEST_F(ManagedLaunches, KeepToTheDevicesThatTheManagerChose) {
  manager.chosen.devices = {1};
  manager.chosen.gpus = 1;
  const KernelPtr made_now = machine.kernel(
      Translated("on_the_second").updates().footprint(Footprints().element(0, Footprints::adds)), increment);
  const BufferPtr a = filled(counting(kMany));
  launch(made_now, {a}, kMany);
  EXPECT_EQ(machine.contents(a), counting(kMany, 1));
  EXPECT_THAT(at_work, ElementsAre(1));
}

struct ManagedLaunchesOnOneDevice : ManagedLaunches {
  ManagedLaunchesOnOneDevice() {
    manager.chosen.devices = {0};
    manager.chosen.gpus = 1;
  }
  // How many slices a launch runs in; 0: the program's own kernel runs, in one piece.
  uint64_t slices(const KernelPtr& kernel, const BufferPtr& buffer) {
    const uint64_t before = kernel->record.slices;
    launch(kernel, {buffer}, kMany);
    machine.run();
    return kernel->record.slices - before;
  }
};

TEST_F(ManagedLaunchesOnOneDevice, ThatFitInASliceRunAsTheProgramsOwn) {
  const BufferPtr a = filled(counting(kMany));
  EXPECT_GT(slices(incrementing, a), 0u) << "nothing is known";
  incrementing->sub_kernels[0]->times.took(kMany, RunAhead::kSliceNs);
  incrementing->sub_kernels[0]->times.took(kMany, RunAhead::kSliceNs);
  EXPECT_EQ(slices(incrementing, a), 0u);
  incrementing->own(0).times.took(kMany, 2 * RunAhead::kSliceNs);
  incrementing->own(0).times.took(kMany, 2 * RunAhead::kSliceNs);
  EXPECT_GT(slices(incrementing, a), 0u) << "it has become longer";
  EXPECT_EQ(machine.contents(a), counting(kMany, 3));
}

TEST_F(ManagedLaunchesOnOneDevice, AreInSlicesWhereTheProgramsOwnKernelIsOnAnotherOne) {
  manager.chosen.devices = {1};
  const BufferPtr a = filled(counting(kMany));
  incrementing->sub_kernels[1]->times.took(kMany, 1000);
  EXPECT_GT(slices(incrementing, a), 0u);
  EXPECT_THAT(at_work, ElementsAre(1));
  EXPECT_EQ(machine.contents(a), counting(kMany, 1));
}

TEST_F(ManagedLaunches, TransfersOfTheirBytesTakeLeasesOfLinks) {
  if (shares_memory()) GTEST_SKIP() << "no byte moves";
  const BufferPtr a = filled(counting(kMany));
  launch(incrementing, {a}, kMany);
  machine.run();
  EXPECT_GT(leases_of("+link 0"), 0);
  EXPECT_EQ(leases_of("+link 0"), leases_of("-link 0"));
  EXPECT_EQ(leases_of("+link 1"), leases_of("-link 1"));
}

}  // namespace
}  // namespace samcl
