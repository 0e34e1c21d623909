// Which commands of an out-of-order queue run at once: those that touch different bytes, or only read them. And what
// one that fails leaves to the others. Every command, on a device that has the bytes.
#include <gmock/gmock.h>

#include "libsamcl/testing/simulated_machine.h"

namespace samcl {
namespace {

using testing::counting;
using testing::EventPtr;
using testing::Footprints;
using testing::KernelPtr;
using testing::QueuePtr;
using testing::SimulatedMachine;
using testing::Translated;
using testing::Words;

constexpr size_t kHalf = 64;

enum class Does : uint8_t { read, write, fill, copy_from, copy_to, kernel_reads, kernel_writes };
constexpr Does kAll[] = {Does::read,    Does::write,        Does::fill,         Does::copy_from,
                         Does::copy_to, Does::kernel_reads, Does::kernel_writes};
const char* name_of(Does what) {
  switch (what) {
    case Does::read: return "read";
    case Does::write: return "write";
    case Does::fill: return "fill";
    case Does::copy_from: return "copy_from";
    case Does::copy_to: return "copy_to";
    case Does::kernel_reads: return "kernel_reads";
    case Does::kernel_writes: return "kernel_writes";
  }
  return "";
}
bool only_reads(Does what) { return what == Does::read || what == Does::copy_from || what == Does::kernel_reads; }

// A buffer of two halves on the one device, another one that commands copy from, and what the first should hold.
struct Commands : ::testing::Test {
  Commands() {
    machine.launch(queue, incrementing, {buffer}, 2 * kHalf);
    machine.launch(queue, incrementing, {source}, kHalf);
    machine.run();
    machine.backend.lanes_are_apart = true;
  }
  ~Commands() override {
    machine.run();
    EXPECT_EQ(machine.driver.misuses(), 0);
  }

  SimulatedMachine machine{1};
  const QueuePtr queue = machine.in_order_queue(), loose = machine.out_of_order_queue();
  const KernelPtr incrementing =
      machine.kernel(Translated("increment").updates().footprint(Footprints().element(0, Footprints::adds)),
                     [](size_t i, const auto& a) { ++a[0][i]; });
  const KernelPtr copying =
      machine.kernel(Translated("copy").reads().writes().footprint(
                         Footprints().element(0, Footprints::reads).element(1, Footprints::surely_writes)),
                     [](size_t i, const auto& a) { a[1][i] = a[0][i]; });
  const BufferPtr buffer = filled(counting(2 * kHalf, 100)), source = filled(counting(kHalf, 500));
  Words expected = counting(2 * kHalf, 101);

  BufferPtr filled(Words what) {
    const BufferPtr made = machine.buffer(what.size());
    machine.write(queue, made, 0, std::move(what));
    return made;
  }

  // A command on one half, and what comes of it there, or in `copies`.
  EventPtr submit(Does what, size_t half, const testing::Waits& waits = {}) {
    const size_t at = half * kHalf;
    const uint64_t offset = at * sizeof(cl_uint), bytes = kHalf * sizeof(cl_uint);
    const auto begin = expected.begin() + static_cast<long>(at);
    switch (what) {
      case Does::read: {
        readings.push_back({machine.read(loose, buffer, at, kHalf, waits), Words(begin, begin + kHalf)});
        return readings.back().found.event;
      }
      case Does::write: {
        const Words words = counting(kHalf, 900 + static_cast<cl_uint>(readings.size()));
        std::copy(words.begin(), words.end(), begin);
        return machine.write(loose, buffer, at, words, waits);
      }
      case Does::fill: {
        std::fill_n(begin, kHalf, 0x07070707u);
        return machine.submit(loose, fill_buffer(buffer, offset, bytes, std::vector(4, std::byte{7})), waits);
      }
      case Does::copy_from: {
        copies.push_back({machine.buffer(kHalf), Words(begin, begin + kHalf)});
        return machine.submit(loose, copy_buffer(buffer, copies.back().first, offset, 0, bytes), waits);
      }
      case Does::copy_to: {
        const Words words = counting(kHalf, 501);
        std::copy(words.begin(), words.end(), begin);
        return machine.submit(loose, copy_buffer(source, buffer, 0, offset, bytes), waits);
      }
      case Does::kernel_reads: {
        copies.push_back({machine.buffer(kHalf), Words(begin, begin + kHalf)});
        return machine.launch(loose, copying, {machine.part(buffer, at, kHalf), copies.back().first}, kHalf, waits);
      }
      case Does::kernel_writes: {
        for (size_t i = 0; i < kHalf; ++i) ++*(begin + static_cast<long>(i));
        return machine.launch(loose, incrementing, {machine.part(buffer, at, kHalf)}, kHalf, waits);
      }
    }
    return nullptr;
  }
  void expect_all_right() {
    machine.run();
    for (const auto& [found, words] : readings) EXPECT_EQ(*found.words, words);
    for (const auto& [copy, words] : copies) EXPECT_EQ(machine.contents(copy), words);
    EXPECT_EQ(machine.contents(buffer), expected);
  }

  struct Read {
    SimulatedMachine::Reading found;
    Words expected;
  };
  std::vector<Read> readings;
  std::vector<std::pair<BufferPtr, Words>> copies;
};

// ---- Two commands ----

struct Pair {
  Does first, second;
};
std::string name_of(const Pair& pair) { return std::string(name_of(pair.first)) + "_then_" + name_of(pair.second); }
void PrintTo(const Pair& pair, std::ostream* out) { *out << name_of(pair); }
std::vector<Pair> pairs() {
  std::vector<Pair> all;
  for (const Does first : kAll)
    for (const Does second : kAll) all.push_back({first, second});
  return all;
}
struct TwoCommands : Commands, ::testing::WithParamInterface<Pair> {};

TEST_P(TwoCommands, OnDifferentHalvesRunAtOnce) {
  submit(GetParam().first, 0);
  submit(GetParam().second, 1);
  EXPECT_EQ(machine.backend.running(), 2u);
  expect_all_right();
}

TEST_P(TwoCommands, OnTheSameHalfRunAtOnceIfBothOnlyRead) {
  submit(GetParam().first, 0);
  submit(GetParam().second, 0);
  EXPECT_EQ(machine.backend.running(), only_reads(GetParam().first) && only_reads(GetParam().second) ? 2u : 1u);
  expect_all_right();
}
INSTANTIATE_TEST_SUITE_P(All, TwoCommands, ::testing::ValuesIn(pairs()),
                         [](const auto& info) { return name_of(info.param); });

// ---- One that fails ----

struct EachCommand : Commands, ::testing::WithParamInterface<Does> {};

TEST_P(EachCommand, ThatDoesNotStartFailsAndTheNextOnItsBytesRuns) {
  machine.backend.fail_issue(0, CL_OUT_OF_RESOURCES);
  const EventPtr failing = submit(GetParam(), 0), next = machine.write(loose, buffer, 0, counting(2 * kHalf, 7));
  machine.run();
  EXPECT_EQ(failing->status(), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(next->status(), CL_COMPLETE);
  EXPECT_EQ(machine.contents(buffer), counting(2 * kHalf, 7));
}

TEST_P(EachCommand, ThatFailsDoesNotFailTheNextOnItsBytes) {
  machine.backend.fail_end(0, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  const EventPtr failing = submit(GetParam(), 0), next = machine.write(loose, buffer, 0, counting(2 * kHalf, 7));
  machine.run();
  EXPECT_EQ(failing->status(), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  EXPECT_EQ(next->status(), CL_COMPLETE);
  EXPECT_EQ(machine.contents(buffer), counting(2 * kHalf, 7));
}

TEST_P(EachCommand, WhoseDeviceIsLostIsTheLastThatTheContextTakes) {
  const EventPtr gate = machine.user_event();
  submit(GetParam(), 1, {gate});
  machine.graph.finish(gate, CL_DEVICE_NOT_AVAILABLE);
  machine.run();
  EXPECT_FALSE(machine.context->has_lost_device) << "the program said that, and no device";
  machine.backend.fail_end(0, CL_DEVICE_NOT_AVAILABLE);
  submit(GetParam(), 0);
  machine.run();
  EXPECT_TRUE(machine.context->has_lost_device);
}

TEST_P(EachCommand, WaitsForAUserEventAndThenRuns) {
  const EventPtr gate = machine.user_event();
  const EventPtr waiting = submit(GetParam(), 0, {gate});
  EXPECT_EQ(machine.backend.running(), 0u);
  EXPECT_EQ(waiting->status(), CL_QUEUED);
  machine.graph.finish(gate, CL_COMPLETE);
  EXPECT_EQ(machine.backend.running(), 1u);
  expect_all_right();
  EXPECT_EQ(waiting->status(), CL_COMPLETE);
}

TEST_P(EachCommand, WhoseUserEventFailsDoesNothing) {
  const Words before = expected;
  const EventPtr gate = machine.user_event();
  const EventPtr waiting = submit(GetParam(), 0, {gate});
  machine.graph.finish(gate, -5);
  EXPECT_EQ(waiting->status(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(machine.backend.running(), 0u);
  EXPECT_EQ(machine.contents(buffer), before);
}

TEST_P(EachCommand, OnALostDeviceFails) {
  machine.backend.lose_device(0, CL_DEVICE_NOT_AVAILABLE);
  const EventPtr lost = submit(GetParam(), 1);
  const bool is_kernel = GetParam() == Does::kernel_reads || GetParam() == Does::kernel_writes;
  const bool needs_device = is_kernel || !machine.context->shares_host_memory();
  machine.run();
  EXPECT_EQ(lost->status(), needs_device ? CL_DEVICE_NOT_AVAILABLE : CL_COMPLETE);
}

INSTANTIATE_TEST_SUITE_P(Of, EachCommand, ::testing::ValuesIn(kAll),
                         [](const auto& info) { return name_of(info.param); });

// ---- Many on one buffer ----

struct ManyCommands : Commands, ::testing::WithParamInterface<size_t> {};

// As many as a program enqueues: what is looked at for each does not grow with their number.
TEST_P(ManyCommands, OnOneBufferLookAtTheLastWriterOnly) {
  const size_t before = machine.backend.asked();
  for (size_t i = 0; i < GetParam(); ++i) machine.launch(loose, incrementing, {buffer}, 2 * kHalf);
  EXPECT_LE(machine.backend.asked() - before, GetParam());
  EXPECT_EQ(machine.backend.running(), 1u);
  for (cl_uint& word : expected) word += static_cast<cl_uint>(GetParam());
  expect_all_right();
}

// One that writes looks at all that have read since the last that wrote; each of them is looked at once.
TEST_P(ManyCommands, ThatReadAreLookedAtByTheNextThatWrites) {
  const size_t before = machine.backend.asked();
  for (size_t i = 0; i < GetParam(); ++i) i % 10 == 9 ? submit(Does::kernel_writes, 0) : submit(Does::copy_from, 0);
  EXPECT_LE(machine.backend.asked() - before, 2 * GetParam());
  machine.run();
  EXPECT_EQ(machine.contents(buffer), expected);
}
INSTANTIATE_TEST_SUITE_P(Count, ManyCommands, ::testing::Values(500, 1000, 4000));

}  // namespace
}  // namespace samcl
