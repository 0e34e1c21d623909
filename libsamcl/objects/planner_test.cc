#include "libsamcl/objects/planner.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <random>
#include <thread>

#include "libsamcl/commands/buffer_commands.h"
#include "libsamcl/engine/testing/simulated_backend.h"
#include "libsamcl/engine/testing/simulated_bytes.h"
#include "libsamcl/objects/graph.h"
#include "libsamcl/settings/config.h"
#include "libsamcl/testing/fake_driver.h"

namespace samcl {
namespace {

using engine::LaneKind;
using engine::testing::SimulatedBackend;
using engine::testing::SimulatedBytes;
using engine::testing::SimulatedKernel;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Bytes = std::vector<std::byte>;
constexpr uint64_t kSize = 1000;
constexpr unsigned kDevices = 3;

Bytes bytes(size_t size, int value) { return Bytes(size, static_cast<std::byte>(value)); }

// Runs a function on devices: each part reads and writes ranges, and adds one to what it writes.
struct FakePart {
  unsigned device;
  std::vector<Range> reads, writes;
};
class FakeLaunch : public Command {
 public:
  FakeLaunch(SimulatedBytes& memory, std::shared_ptr<Storage> storage, std::vector<FakePart> parts)
      : memory_(memory), storage_(std::move(storage)), parts_(std::move(parts)) {}
  cl_int plan(Planner& planner, const std::shared_ptr<Event>&) override {
    static Traffic traffic;
    Planner::Together together;
    for (const FakePart& part : parts_) {
      planner.bring(storage_, part.reads, part.device, &traffic);
      planner.bring(storage_, part.writes, part.device, &traffic);
    }
    for (const FakePart& part : parts_) {
      Planner::Planned planned;
      planned.lane = {LaneKind::compute, part.device};
      planned.operation = engine::RunKernel{std::make_shared<SimulatedKernel>([this, part] {
        for (const Range& range : part.writes)
          for (uint64_t b = range.begin; b < range.end; ++b) {
            auto& byte = memory_.at(*storage_, part.device)[b];
            byte = static_cast<std::byte>(std::to_integer<int>(byte) + 1);
          }
      })};
      for (const Range& range : part.reads) planned.accesses.push_back({storage_, part.device, range, false});
      for (const Range& range : part.writes) planned.accesses.push_back({storage_, part.device, range, true});
      together.push_back(std::move(planned));
    }
    planner.add(std::move(together));
    for (const FakePart& part : parts_)
      for (const Range& range : part.writes) storage_->written(range, only(part.device));
    return CL_SUCCESS;
  }

 private:
  SimulatedBytes& memory_;
  const std::shared_ptr<Storage> storage_;
  const std::vector<FakePart> parts_;
};

struct PlannerTest : ::testing::Test {
  testing::FakeDriver driver;
  std::shared_ptr<Context> context = driver.make_context();
  SimulatedBytes memory;
  SimulatedBackend backend;
  Graph graph{backend};
  std::shared_ptr<Queue> queue = Queue::make_shared(context, nullptr, 0, std::vector<cl_queue_properties>());
  std::shared_ptr<Storage> storage = std::make_shared<Storage>(context, kSize, nullptr);
  std::shared_ptr<Buffer> buffer = make_buffer(storage);

  explicit PlannerTest(testing::FakeDriver::Kind kind = testing::FakeDriver::Kind::gpu) : driver(kDevices, kind) {
    backend.perform = [this](const engine::Node& node) { return memory.perform(node); };
  }
  ~PlannerTest() override { run(); }

  std::shared_ptr<Buffer> make_buffer(const std::shared_ptr<Storage>& of) const {
    return Buffer::make_shared(context, of, Range{0, of->size()}, CL_MEM_READ_WRITE, nullptr, nullptr,
                               std::vector<cl_mem_properties>());
  }
  std::shared_ptr<Event> submit(CommandPtr command) {
    auto event = Event::make_shared(context, queue, CL_COMMAND_NDRANGE_KERNEL);
    graph.submit(event, std::move(command), {}, Order::ordinary);
    return event;
  }
  // Lets all operations end.
  void run() {
    while (backend.running() > 0) {
      auto first = backend.in_flight().front();
      for (const auto& entry : backend.in_flight())
        if (entry.ended < first.ended) first = entry;
      const auto node = first.node;
      backend.remove(node);
      node_order.push_back(node->lane);
      graph.ended(node, backend.perform(*node));
    }
  }
  std::vector<engine::Lane> node_order;

  // The bytes are kept: the program may not touch them before they have been taken.
  void write(uint64_t offset, const Bytes& what) {
    written.push_back(std::make_unique<Bytes>(what));
    submit(write_buffer(buffer, offset, what.size(), written.back()->data()));
  }
  std::vector<std::unique_ptr<Bytes>> written;
  Bytes read(uint64_t offset, size_t size) {
    Bytes to = bytes(size, 0x11);
    const auto event = submit(read_buffer(buffer, offset, size, to.data()));
    run();
    EXPECT_EQ(event->status(), CL_COMPLETE);
    return to;
  }
  void launch(std::vector<FakePart> parts) { submit(std::make_unique<FakeLaunch>(memory, storage, std::move(parts))); }
  uint64_t missing(Place place, Range range = {0, kSize}) { return storage->directory().missing_bytes(range, place); }
};

TEST_F(PlannerTest, UndefinedBytesAreReadAsZerosAndNeverMoved) {
  EXPECT_THAT(read(10, 20), Each(std::byte{0}));
  EXPECT_EQ(memory.exchanges, 0u);
}

TEST_F(PlannerTest, WhatIsWrittenIsRead) {
  const Bytes what = bytes(50, 7);
  write(100, what);
  EXPECT_EQ(read(100, 50), what);
}

TEST_F(PlannerTest, BytesComeFromTheDeviceThatHasThem) {
  write(0, bytes(kSize, 5));
  launch({{1, {}, {{100, 200}}}});
  launch({{0, {{150, 160}}, {{500, 501}}}});
  EXPECT_EQ(missing(1, {100, 200}), 0u);
  EXPECT_EQ(missing(0, {150, 160}), 0u);
  EXPECT_EQ(read(150, 1), bytes(1, 6));
}

TEST_F(PlannerTest, OnlyWhatIsMissingMoves) {
  write(0, bytes(kSize, 1));
  launch({{0, {}, {{0, kSize}}}});
  run();
  memory.moved = 0;
  launch({{1, {{300, 400}}, {{300, 301}}}});
  launch({{1, {{250, 450}}, {{300, 301}}}});
  run();
  EXPECT_EQ(memory.moved, 200u) << "a hundred for each";
}

TEST_F(PlannerTest, PartsOfALaunchRunAtOnce) {
  write(0, bytes(kSize, 1));
  run();
  launch({{0, {}, {{0, 500}}}, {1, {}, {{500, kSize}}}});
  run();
  launch({{0, {}, {{0, 500}}}, {1, {}, {{500, kSize}}}});
  EXPECT_EQ(backend.running(), 2u);
  launch({{0, {}, {{0, 500}}}, {1, {}, {{500, kSize}}}});
  EXPECT_EQ(backend.running(), 4u) << "the next is behind them in their lanes";
  EXPECT_EQ(read(0, kSize), bytes(kSize, 4));
}

std::vector<Range> every_second(uint64_t first) {
  std::vector<Range> ranges;
  for (uint64_t begin = first; begin + 20 <= kSize; begin += 40) ranges.push_back({begin, begin + 20});
  return ranges;
}

TEST_F(PlannerTest, ExchangesOfOneCommandDoNotWaitForEachOtherThoughTheirRangesLieBetweenEachOther) {
  write(0, bytes(kSize, 1));
  launch({{0, {}, every_second(0)}, {1, {}, every_second(20)}});
  run();
  launch({{2, {{0, kSize}}, {{0, 1}}}});
  EXPECT_EQ(backend.running(), 2u);
  run();
  EXPECT_EQ(memory.at(*storage, 2)[1], std::byte{2});
  EXPECT_EQ(memory.at(*storage, 2)[21], std::byte{2});
}

TEST_F(PlannerTest, ZerosBetweenManyRangesThatAreFilledAreFilledWithThem) {
  std::vector<std::vector<Range>> fills;
  backend.perform = [&](const engine::Node& node) {
    if (const auto* const fill = std::get_if<engine::Fill>(&node.operation)) fills.push_back(fill->ranges);
    return memory.perform(node);
  };
  submit(fill_buffer(buffer, 0, kSize, bytes(1, 0)));
  launch({{1, {}, {{95, 105}}}});
  run();
  fills.clear();
  launch({{0, every_second(0), every_second(0)}});
  run();
  EXPECT_THAT(fills, ElementsAre(std::vector<Range>{{0, 95}, {105, every_second(0).back().end}}));
  EXPECT_EQ(read(100, 5), bytes(5, 1)) << "what a kernel wrote between them";
  EXPECT_EQ(read(20, 20), bytes(20, 0));
  EXPECT_EQ(read(40, 20), bytes(20, 1));
}

TEST_F(PlannerTest, OnlyTheHaloIsExchanged) {
  write(0, bytes(kSize, 1));
  run();
  const std::vector<FakePart> step{{0, {{0, 510}}, {{0, 500}}}, {1, {{490, kSize}}, {{500, kSize}}}};
  launch(step);
  run();
  memory.moved = 0;
  for (int i = 0; i < 10; ++i) launch(step);
  run();
  EXPECT_EQ(memory.moved, 10u * 20u);
  EXPECT_EQ(read(0, kSize), bytes(kSize, 12));
}

TEST_F(PlannerTest, ZerosAreNotWrittenUntilSomebodyNeedsThem) {
  submit(fill_buffer(buffer, 0, kSize, bytes(4, 0)));
  run();
  EXPECT_THAT(node_order, IsEmpty());
  EXPECT_EQ(read(0, 10), bytes(10, 0));
  launch({{2, {}, {{0, 10}}}});
  EXPECT_EQ(read(0, 12), Bytes({std::byte{1}, std::byte{1}, std::byte{1}, std::byte{1}, std::byte{1}, std::byte{1},
                                std::byte{1}, std::byte{1}, std::byte{1}, std::byte{1}, std::byte{0}, std::byte{0}}));
}

TEST_F(PlannerTest, CommandsOnDifferentHalvesOfABufferRunAtOnce) {
  write(0, bytes(kSize, 1));
  run();
  launch({{0, {}, {{0, 500}}}});
  launch({{1, {}, {{500, kSize}}}});
  run();
  launch({{0, {}, {{0, 500}}}});
  launch({{1, {}, {{500, kSize}}}});
  EXPECT_EQ(backend.running(), 2u);
}

TEST_F(PlannerTest, ReadsWaitForTheirBytesOnly) {
  write(0, bytes(kSize, 1));
  run();
  launch({{0, {}, {{0, 500}}}});
  Bytes high(100);
  const auto event = submit(read_buffer(buffer, 700, 100, high.data()));
  EXPECT_EQ(backend.running(), 2u);
  run();
  EXPECT_EQ(high, bytes(100, 1));
  EXPECT_TRUE(event->ended());
}

TEST_F(PlannerTest, TheProgramsOwnMemoryIsKeptInOrder) {
  Bytes between = bytes(100, 9);
  write(0, bytes(kSize, 3));
  submit(read_buffer(buffer, 0, 100, between.data()));
  submit(write_buffer(buffer, 500, 100, between.data()));  // what the read before brings
  EXPECT_EQ(read(500, 100), bytes(100, 3));
}

TEST_F(PlannerTest, MapsWaitForWhatIsUnderWay) {
  write(0, bytes(kSize, 1));
  launch({{1, {}, {{0, 100}}}});
  const auto event = submit(map_buffer(buffer, Rectangle::run(0, 100), CL_MAP_READ));
  EXPECT_FALSE(event->ended());
  run();
  EXPECT_TRUE(event->ended());
  EXPECT_EQ(memory.at(*storage, kHost)[50], std::byte{2});
}

TEST_F(PlannerTest, WhatIsMappedForWritingIsTheHostsAlone) {
  write(0, bytes(kSize, 1));
  launch({{0, {}, {{0, kSize}}}});
  submit(map_buffer(buffer, Rectangle::run(0, 100), CL_MAP_WRITE));
  run();
  EXPECT_EQ(missing(0, {0, 100}), 100u);
  EXPECT_EQ(missing(kHost, {0, 100}), 0u);
}

TEST_F(PlannerTest, InvalidatingMapsMoveNothing) {
  write(0, bytes(kSize, 1));
  launch({{0, {}, {{0, kSize}}}});
  run();
  memory.moved = 0;
  submit(map_buffer(buffer, Rectangle::run(0, 100), CL_MAP_WRITE_INVALIDATE_REGION));
  run();
  EXPECT_EQ(memory.moved, 0u);
}

TEST_F(PlannerTest, RowsAreWrittenIntoZerosThatAreFilledOnce) {
  submit(fill_buffer(buffer, 0, kSize, bytes(1, 0)));
  const Bytes what = bytes(100, 4);
  const Rectangle rows{0, 100, 1000, {10, 10, 1}}, host{0, 10, 100, {10, 10, 1}};
  submit(write_rectangle(buffer, rows, host, what.data()));
  run();
  EXPECT_THAT(storage->directory().pieces({0, 910}), SizeIs(1)) << "one piece, not one for each row";
  const Bytes all = read(0, 200);
  EXPECT_EQ(Bytes(all.begin(), all.begin() + 10), bytes(10, 4));
  EXPECT_EQ(Bytes(all.begin() + 10, all.begin() + 100), bytes(90, 0));
}

TEST_F(PlannerTest, CopiesStayWhereTheirSourceIs) {
  write(0, bytes(kSize, 1));
  launch({{2, {}, {{0, 100}}}});
  run();
  memory.moved = 0;
  submit(copy_buffer(buffer, buffer, 0, 500, 100));
  run();
  EXPECT_EQ(memory.moved, 0u);
  EXPECT_EQ(missing(2, {500, 600}), 0u);
  EXPECT_EQ(missing(0, {500, 600}), 100u);
  EXPECT_EQ(read(500, 100), bytes(100, 2));
}

TEST_F(PlannerTest, AFailedTransferFailsItsCommandAndNothingHangs) {
  write(0, bytes(kSize, 1));
  launch({{0, {}, {{0, kSize}}}});
  run();
  backend.fail_issue(0, CL_OUT_OF_RESOURCES);
  auto failing = submit(std::make_unique<FakeLaunch>(memory, storage, std::vector<FakePart>{{1, {{0, 10}}, {{0, 1}}}}));
  run();
  EXPECT_EQ(failing->wait(), CL_OUT_OF_RESOURCES);
  launch({{2, {}, {{0, kSize}}}});
  run();
}

// Random commands, ending in random order, against the bytes that one device would have.
TEST_F(PlannerTest, RandomSequencesReadWhatOneDeviceWouldHave) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  backend.duration = [&](const engine::Node&) { return 1 + random() % 50; };
  Bytes model(kSize, std::byte{0});
  write(0, model);
  std::vector<std::pair<std::unique_ptr<Bytes>, Bytes>> reads;  // where they go, what is expected
  std::vector<std::unique_ptr<Bytes>> sources;
  auto range = [&] {
    const uint64_t begin = random() % kSize;
    return Range{begin, begin + 1 + random() % (kSize - begin)};
  };
  for (int i = 0; i < 2000; ++i) {
    const Range r = range();
    switch (random() % 7) {
      case 0: {
        sources.push_back(std::make_unique<Bytes>(r.size()));
        for (auto& byte : *sources.back()) byte = static_cast<std::byte>(random());
        std::copy(sources.back()->begin(), sources.back()->end(), model.begin() + static_cast<long>(r.begin));
        submit(write_buffer(buffer, r.begin, r.size(), sources.back()->data()));
        break;
      }
      case 1: {
        const Bytes pattern = bytes(1, static_cast<int>(random() % 3));
        std::fill(model.begin() + static_cast<long>(r.begin), model.begin() + static_cast<long>(r.end), pattern[0]);
        submit(fill_buffer(buffer, r.begin, r.size(), pattern));
        break;
      }
      case 2: {
        const uint64_t length = std::min(r.size(), kSize / 2 - 1), to = (r.begin + kSize / 2) % (kSize - length);
        const Range target{to, to + length}, source{r.begin, r.begin + length};
        if (!intersect(source, target).empty()) break;
        std::copy(model.begin() + static_cast<long>(source.begin), model.begin() + static_cast<long>(source.end),
                  model.begin() + static_cast<long>(to));
        submit(copy_buffer(buffer, buffer, source.begin, to, length));
        break;
      }
      case 3: {
        reads.emplace_back(std::make_unique<Bytes>(r.size()),
                           Bytes(model.begin() + static_cast<long>(r.begin), model.begin() + static_cast<long>(r.end)));
        submit(read_buffer(buffer, r.begin, r.size(), reads.back().first->data()));
        break;
      }
      default: {
        std::vector<FakePart> parts;
        const uint64_t count = 1 + random() % kDevices, share = (r.size() + count - 1) / count;
        for (unsigned d = 0; d < count; ++d) {
          const Range mine{std::min(r.begin + d * share, r.end), std::min(r.begin + (d + 1) * share, r.end)};
          if (mine.empty()) break;
          parts.push_back({static_cast<unsigned>((d + i) % kDevices), {range()}, {mine}});
          for (uint64_t b = mine.begin; b < mine.end; ++b)
            model[b] = static_cast<std::byte>(std::to_integer<int>(model[b]) + 1);
        }
        // A part must not read what another one writes.
        for (auto& part : parts) part.reads = {part.writes[0]};
        launch(parts);
      }
    }
    if (random() % 40 == 0) run();
  }
  run();
  for (const auto& [found, expected] : reads) ASSERT_EQ(*found, expected);
  EXPECT_EQ(read(0, kSize), model);
}

// Devices that order themselves and see windows of each other's memory, not their replicas.
struct ThroughWindows : PlannerTest {
  static void SetUpTestSuite() {
    setenv("SAMCL_TRANSPORT", "windows", 1);
    setenv("SAMCL_ORDERING", "device", 1);
  }
  ThroughWindows() : PlannerTest(testing::FakeDriver::Kind::cpu) {}
  void SetUp() override {
    if (Config::get().transport != Config::Transport::windows)
      GTEST_SKIP() << "settings were read before: run it alone";
    ASSERT_NE(context->timelines, nullptr);
    context->timelines->prepare();
    while (!context->orders_itself()) std::this_thread::yield();
    write(0, bytes(kSize, 0));
    launch({{0, {{0, 100}}, {}}, {1, {{200, 300}}, {}}});
    run();
    node_order.clear();
  }
};

TEST_F(ThroughWindows, BothHalvesOfAnExchangeAreInTheDevicesOwnLanes) {
  launch({{0, {}, {{0, 100}}}});
  launch({{1, {{0, 100}}, {{200, 300}}}});
  run();
  const engine::Lane first{LaneKind::compute, 0}, second{LaneKind::compute, 1};
  EXPECT_THAT(node_order, ElementsAre(first, first, second, second));
  EXPECT_EQ(memory.at(*storage, 1)[50], std::byte{1});
}

// The one that fills them is much faster, and waits for the other one only when all windows are full.
TEST_F(ThroughWindows, AWindowIsFilledWhenItHasBeenEmptied) {
  backend.duration = [](const engine::Node& node) { return node.lane.device == 1 ? uint64_t{1000} : uint64_t{1}; };
  std::vector<int> seen;
  backend.perform = [&](const engine::Node& node) {
    const cl_int done = memory.perform(node);
    const auto* const copy = std::get_if<engine::WindowCopy>(&node.operation);
    if (copy && !copy->fills) seen.push_back(std::to_integer<int>(memory.at(*storage, 1)[50]));
    return done;
  };
  for (int i = 0; i < 12; ++i) {
    launch({{0, {}, {{0, 100}}}});
    launch({{1, {{0, 100}}, {{200, 300}}}});
  }
  run();
  EXPECT_THAT(seen, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
}

TEST_F(ThroughWindows, WhatIsLargerIsLeftToAThread) {
  constexpr uint64_t kLarge = PeerWindows::kOrdered + 1;
  storage = std::make_shared<Storage>(context, kLarge, nullptr);
  launch({{0, {}, {{0, kLarge}}}});
  run();
  node_order.clear();
  launch({{1, {{0, kLarge}}, {{0, 1}}}});
  run();
  EXPECT_THAT(node_order, ElementsAre(engine::Lane{LaneKind::up, 1}, engine::Lane{LaneKind::compute, 1}));
}

}  // namespace
}  // namespace samcl
