// Random commands on random numbers of simulated devices, ending in random order, against the bytes that a sequence of
// them on one device leaves; and the same where random operations fail: everything ends, and with the right status.
#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "base/test_seed.h"
#include "libsamcl/objects/eviction.h"
#include "libsamcl/testing/fake_manager.h"
#include "libsamcl/testing/known_kernels.h"

namespace samcl {
namespace {

using testing::Arguments;
using testing::EventPtr;
using testing::Footprints;
using testing::KernelPtr;
using testing::QueuePtr;
using testing::SimulatedMachine;
using testing::Translated;
using testing::Waits;
using testing::Words;

constexpr size_t kWords = 300, kBuffers = 4;

struct RandomKernel {
  KernelTranslation translation;
  SimulatedMachine::ItemFunction run;
};
std::vector<RandomKernel> kernels() {
  using F = Footprints;
  return {
      {testing::in_place("r_increment"), [](size_t i, const Arguments& a) { ++a[0][i]; }},
      {Translated("r_copy").reads().writes().footprint(F().element(0, F::reads).element(1, F::surely_writes)),
       [](size_t i, const Arguments& a) { a[1][i] = a[0][i]; }},
      {testing::stencil("r_stencil"),
       [](size_t i, const Arguments& a) {
         a[1][i] = (i > 0 ? a[0][i - 1] : 0) + 3 * a[0][i] + (i + 1 < a[0].size() ? a[0][i + 1] : 0);
       }},
      {testing::writes_anywhere("r_reverse"),
       [](size_t i, const Arguments& a) { a[0][a[0].size() - 1 - i] = static_cast<cl_uint>(i + 5); }},
      {Translated("r_histogram").accumulates(Accumulation::add).footprint(F().anywhere(0, F::adds)),
       [](size_t i, const Arguments& a) { a[0][i % 9] += static_cast<cl_uint>(i); }},
      {Translated("r_some").updates().footprint(F().element(0, F::may_write)),
       [](size_t i, const Arguments& a) {
         if (i % 3 == 0) a[0][i] = static_cast<cl_uint>(i);
       }},
      {Translated("r_whole").updates().stays_whole("a test says so"),
       [](size_t i, const Arguments& a) { a[0][i] ^= 1; }},
  };
}

// Commands on some buffers from queues in order and out of order; those that touch one buffer wait for each other, by
// their queue's order or by events.
class Play {
 public:
  // evicts: the devices' memory is needed by others, too.
  explicit Play(unsigned seed, bool evicts = false)
      : random_(seed), evicts_(evicts), machine_(1 + any(4), evicts ? &manager_ : nullptr) {
    if (evicts) manager_.limit = any(2) * (1 + any(4)) * kWords * sizeof(cl_uint);
    machine_.backend.duration = [this](const engine::Node&) { return 1 + random_() % 50; };
    machine_.backend.lanes_are_apart = any(3) == 0;
    for (RandomKernel& kernel : kernels()) {
      made_.push_back(machine_.kernel(kernel.translation, kernel.run));
      known_.push_back(std::move(kernel));
    }
    for (size_t b = 0; b < kBuffers; ++b) {
      buffers_.push_back(machine_.buffer(kWords));
      model_.emplace_back(kWords, 0);
      write(b, {0, kWords});
    }
  }

  void commands(int count) {
    for (int i = 0; i < count; ++i) {
      command();
      if (any(15) == 0) machine_.run();
    }
  }

  void expect_all_right() {
    open_gates(CL_COMPLETE);
    machine_.run();
    for (const auto& [found, expected] : readings_) ASSERT_EQ(*found.words, expected);
    for (size_t b = 0; b < kBuffers; ++b) ASSERT_EQ(machine_.contents(buffers_[b]), model_[b]) << "buffer " << b;
    EXPECT_EQ(machine_.driver.misuses(), 0);
  }

  // From now on one operation in so many fails, when it starts or later.
  void fail_one_in(unsigned many) {
    for (size_t n = any(many); n < 400; n += 1 + any(2 * many)) {
      any(2) == 0 ? machine_.backend.fail_issue(n, CL_OUT_OF_RESOURCES)
                  : machine_.backend.fail_end(n, CL_OUT_OF_RESOURCES);
    }
  }
  void expect_all_ended() {
    open_gates(any(2) == 0 ? CL_COMPLETE : -9);
    machine_.run();
    unsigned failed = 0;
    for (const auto& [event, waits] : submitted_) {
      ASSERT_TRUE(event->ended());
      const bool waits_for_failed =
          std::any_of(waits.begin(), waits.end(), [](const EventPtr& on) { return on->status() < 0; });
      if (waits_for_failed) {
        EXPECT_EQ(event->status(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
      } else {
        EXPECT_THAT(event->status(), ::testing::AnyOf(CL_COMPLETE, CL_OUT_OF_RESOURCES));
      }
      failed += event->status() < 0 ? 1 : 0;
    }
    EXPECT_GT(failed, 0u);
    EXPECT_EQ(machine_.driver.misuses(), 0);
  }
  // Whatever has failed: what is written now is what is read.
  void start_anew() {
    machine_.backend.forget_failures();
    readings_.clear();
    for (size_t b = 0; b < kBuffers; ++b) {
      last_[b].clear();
      write(b, {0, kWords});
    }
  }

 private:
  size_t any(size_t below) { return random_() % below; }
  Range range() {
    const size_t begin = any(kWords);
    return {begin, begin + 1 + any(kWords - begin)};
  }

  // What has to have ended before a command on these buffers, which are different ones.
  Waits waits_for(std::initializer_list<size_t> touched) {
    Waits waits;
    for (const size_t b : touched) waits.insert(waits.end(), last_[b].begin(), last_[b].end());
    if (any(12) == 0) {
      gates_.push_back(machine_.user_event());
      waits.push_back(gates_.back());
    }
    return waits;
  }
  const QueuePtr& queue() { return queues_[any(queues_.size())]; }
  void note(const EventPtr& event, const Waits& waits, std::initializer_list<size_t> touched) {
    submitted_.push_back({event, waits});
    for (const size_t b : touched) last_[b] = {event};
    if (gates_.size() > 2 || any(8) == 0) open_gates(CL_COMPLETE);
  }
  void open_gates(cl_int status) {
    for (const EventPtr& gate : std::exchange(gates_, {})) machine_.graph.finish(gate, status);
  }

  void write(size_t b, Range words) {
    Words what(words.size());
    for (cl_uint& word : what) word = static_cast<cl_uint>(random_());
    std::copy(what.begin(), what.end(), model_[b].begin() + static_cast<long>(words.begin));
    const Waits waits = waits_for({b});
    note(machine_.write(queue(), buffers_[b], words.begin, std::move(what), waits), waits, {b});
  }
  void read(size_t b, Range words) {
    const Waits waits = waits_for({b});
    const auto begin = model_[b].begin();
    auto found = machine_.read(queue(), buffers_[b], words.begin, words.size(), waits);
    note(found.event, waits, {b});
    readings_.push_back(
        {std::move(found), Words(begin + static_cast<long>(words.begin), begin + static_cast<long>(words.end))});
  }
  void fill(size_t b, Range words) {
    const auto byte = static_cast<unsigned>(any(3));
    std::fill_n(model_[b].begin() + static_cast<long>(words.begin), words.size(), byte * 0x01010101u);
    const Waits waits = waits_for({b});
    note(machine_.submit(queue(),
                         fill_buffer(buffers_[b], 4 * words.begin, 4 * words.size(),
                                     std::vector(1, std::byte{static_cast<uint8_t>(byte)})),
                         waits),
         waits, {b});
  }
  void copy(size_t from, size_t to, Range words) {
    const size_t at = any(kWords - words.size() + 1);
    std::copy_n(model_[from].begin() + static_cast<long>(words.begin), words.size(),
                model_[to].begin() + static_cast<long>(at));
    const Waits waits = waits_for({from, to});
    note(machine_.submit(queue(), copy_buffer(buffers_[from], buffers_[to], 4 * words.begin, 4 * at, 4 * words.size()),
                         waits),
         waits, {from, to});
  }
  void copy_rows(size_t from, size_t to) {
    const Rectangle source{4 * any(5), 40, 400, {4 + 4 * any(8), 5, 1}}, target{4 * any(9), 44, 440, source.region};
    auto* const bytes_from = reinterpret_cast<std::byte*>(model_[from].data());
    auto* const bytes_to = reinterpret_cast<std::byte*>(model_[to].data());
    source.for_each_row([&](uint64_t index, Range row) {
      std::copy_n(bytes_from + row.begin, row.size(), bytes_to + target.row(index));
    });
    const Waits waits = waits_for({from, to});
    note(machine_.submit(queue(), copy_rectangle(buffers_[from], buffers_[to], source, target), waits), waits,
         {from, to});
  }
  // Brings bytes to the host; what a program does with a map is the map's.
  void map(size_t b, Range words) {
    const Waits waits = waits_for({b});
    note(machine_.submit(queue(),
                         map_buffer(buffers_[b], Rectangle::run(4 * words.begin, 4 * words.size()),
                                    any(2) ? CL_MAP_READ : CL_MAP_WRITE),
                         waits),
         waits, {b});
  }
  // On a part of a buffer now and then.
  void launch(size_t kernel, size_t first, size_t second) {
    const bool two = known_[kernel].translation.arguments.size() == 2;
    const size_t begin = any(3) == 0 ? 10 + any(20) : 0, items = 50 + any(kWords - begin - 50);
    std::vector<BufferPtr> arguments;
    Arguments words;
    for (const size_t b : two ? std::vector{first, second} : std::vector{first}) {
      arguments.push_back(begin > 0 ? machine_.part(buffers_[b], begin, kWords - begin) : buffers_[b]);
      words.push_back(std::span(model_[b]).subspan(begin));
    }
    for (size_t i = 0; i < items; ++i) known_[kernel].run(i, words);
    const Waits waits = two ? waits_for({first, second}) : waits_for({first});
    const EventPtr event = machine_.launch(queue(), made_[kernel], arguments, items, waits, 1 + any(32));
    two ? note(event, waits, {first, second}) : note(event, waits, {first});
  }

  void evict() {
    const auto event = Event::make_shared(machine_.context, nullptr, CL_COMMAND_MIGRATE_MEM_OBJECTS);
    const auto device = static_cast<unsigned>(any(machine_.context->devices.size()));
    machine_.graph.enter(event, eviction(device, 1 + any(kBuffers * kWords * sizeof(cl_uint))));
  }

  void command() {
    if (evicts_ && any(4) == 0) evict();
    const size_t b = any(kBuffers), other = (b + 1 + any(kBuffers - 1)) % kBuffers;
    switch (any(14)) {
      case 0: return write(b, range());
      case 1:
      case 2: return read(b, range());
      case 3: return fill(b, range());
      case 4: return copy(b, other, range());
      case 5: return copy_rows(b, other);
      case 6: return map(b, range());
      default: return launch(any(made_.size()), b, other);
    }
  }

  std::mt19937 random_;
  const bool evicts_;
  testing::FakeManager manager_;
  SimulatedMachine machine_;
  const std::vector<QueuePtr> queues_ = {machine_.in_order_queue(), machine_.in_order_queue(),
                                         machine_.out_of_order_queue()};
  std::vector<RandomKernel> known_;
  std::vector<KernelPtr> made_;
  std::vector<BufferPtr> buffers_;
  std::vector<Words> model_;
  std::vector<EventPtr> last_[kBuffers];  // commands that touched it last
  std::vector<EventPtr> gates_;           // user events that are open
  struct Submitted {
    EventPtr event;
    Waits waits;
  };
  std::vector<Submitted> submitted_;
  struct Read {
    SimulatedMachine::Reading found;
    Words expected;
  };
  std::vector<Read> readings_;
};

TEST(RandomCommands, LeaveTheBytesThatOneDeviceWould) {
  const unsigned seed = static_cast<unsigned>(test_seed());
  for (unsigned run = 0; run < 150 && !::testing::Test::HasFatalFailure(); ++run) {
    SCOPED_TRACE("SAMCL_SEED=" + std::to_string(seed + run));
    Play play(seed + run);
    play.commands(80);
    play.expect_all_right();
  }
}

TEST(RandomCommands, LeaveTheSameBytesWhileMemoryIsGivenBack) {
  const unsigned seed = static_cast<unsigned>(test_seed());
  for (unsigned run = 0; run < 300 && !::testing::Test::HasFatalFailure(); ++run) {
    SCOPED_TRACE("SAMCL_SEED=" + std::to_string(seed + run));
    Play play(seed + run, true);
    play.commands(80);
    play.expect_all_right();
  }
}

TEST(RandomCommands, OfWhichSomeFailAllEndAndHoldNothingUp) {
  const unsigned seed = static_cast<unsigned>(test_seed());
  for (unsigned run = 0; run < 150 && !::testing::Test::HasFatalFailure(); ++run) {
    SCOPED_TRACE("SAMCL_SEED=" + std::to_string(seed + run));
    Play play(seed + run);
    play.fail_one_in(10);
    play.commands(60);
    play.expect_all_ended();
    play.start_anew();
    play.commands(20);
    play.expect_all_right();
  }
}

}  // namespace
}  // namespace samcl
