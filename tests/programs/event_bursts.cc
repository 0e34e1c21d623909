// event_bursts: random bursts of short launches with events, as programs that ask each of them when it ran, or wait for
// one in the midst of a burst, poll it, or want to be called back at its end. What buffers hold must be what a model
// says, every event must end, and times must be in the order in which its queue runs. The program knows nothing of what
// it tests: run it as it is, or under samcl.
#include <CLI/CLI.hpp>
#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/host/handle.h"
#include "benchmarks/host/session.h"
#include "tests/programs/sequences.h"

namespace {

using namespace bench;

constexpr size_t kItems = 512, kLocal = 64, kBuffers = 3, kQueues = 3;
constexpr size_t kUntimed = kQueues - 1;  // the queue that tells no times
constexpr char kSource[] =
    "__kernel void advance(__global uint* x, uint n) { size_t i = get_global_id(0); x[i] = 3 * x[i] + n + (uint)i; }\n"
    "__kernel void mix_in(__global uint* x, __global const uint* y, uint n) {\n"
    "  size_t i = get_global_id(0); x[i] += y[i] ^ n;\n"
    "}\n";
using Words = std::vector<cl_uint>;
using Event = Handle<cl_event, clReleaseEvent>;

// One of a launch, in the order of its queue.
struct Seen {
  Event event;
  size_t queue = 0;
};

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

cl_int status_of(cl_event event) {
  cl_int status = CL_QUEUED;
  check(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr));
  return status;
}

struct Times {
  std::array<cl_ulong, 4> at{};
  std::string after(cl_ulong first) const {
    std::string text;
    for (const cl_ulong each : at) text += " " + std::to_string(static_cast<int64_t>(each - first));
    return text;
  }
  explicit Times(cl_event event) {
    constexpr std::array<cl_profiling_info, 4> kWhat{CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                                     CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
    for (size_t i = 0; i < kWhat.size(); ++i)
      check(clGetEventProfilingInfo(event, kWhat[i], sizeof at[i], &at[i], nullptr));
    for (size_t i = 1; i < kWhat.size(); ++i)
      if (at[i] < at[i - 1])
        fail("time " + std::to_string(i) + " of an event is " + std::to_string(at[i - 1] - at[i]) +
             " ns before the one before it");
  }
};

class Bursts {
 public:
  Bursts(const Session& session, const Program& program, uint64_t seed)
      : random_(seed), advance_(make_kernel(program, "advance")), mix_in_(make_kernel(program, "mix_in")) {
    for (Queue& each : queues_) each = session.make_queue();
    cl_int status = CL_SUCCESS;
    queues_[kUntimed] = Queue(clCreateCommandQueue(session.context.get(), session.device, 0, &status));
    check(status);
    for (size_t b = 0; b < kBuffers; ++b) {
      buffers_[b] = session.make_buffer(CL_MEM_READ_WRITE, kItems * sizeof(cl_uint));
      model_[b].resize(kItems);
      for (cl_uint& word : model_[b]) word = static_cast<cl_uint>(random_());
      check(clEnqueueWriteBuffer(queues_[0].get(), buffers_[b].get(), CL_TRUE, 0, kItems * sizeof(cl_uint),
                                 model_[b].data(), 0, nullptr, nullptr));
    }
  }

  void play(size_t actions) {
    for (size_t i = 0; i < actions; ++i) act();
    for (const Queue& each : queues_) check(clFinish(each.get()));
    for (const Seen& each : seen_)
      if (status_of(each.event.get()) != CL_COMPLETE) fail("an event has not ended after clFinish");
    check_times();
    for (size_t b = 0; b < kBuffers; ++b) compare(b);
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (called_ < callbacks_)
      if (std::chrono::steady_clock::now() > until) fail("callbacks are missing");
    if (called_ > callbacks_) fail("an event called back twice");
    if (too_early_ > 0) fail("an event called back before its end");
  }

 private:
  bool in(unsigned percent) { return random_() % 100 < percent; }
  size_t below(size_t count) { return random_() % count; }

  void act() {
    const unsigned what = static_cast<unsigned>(below(100));
    if (what < 40) return burst();
    if (what < 50) return compare(below(kBuffers));
    if (what < 55) return check(clFinish(queues_[below(kQueues)].get()));
    if (what < 60) return check(clFlush(queues_[below(kQueues)].get()));
    if (what < 65) return check_times();
    if (seen_.empty()) return;
    const size_t which = below(seen_.size());
    const cl_event event = seen_[which].event.get();
    if (what < 75) {
      check(clWaitForEvents(1, &event));
      if (status_of(event) != CL_COMPLETE) fail("an event has not ended after clWaitForEvents");
      ask_times(seen_[which]);
    } else if (what < 82) {
      check(clFlush(queues_[seen_[which].queue].get()));
      while (status_of(event) != CL_COMPLETE) std::this_thread::yield();
      ask_times(seen_[which]);
    } else if (what < 90) {
      ++callbacks_;
      check(clSetEventCallback(
          event, CL_COMPLETE,
          [](cl_event of, cl_int status, void* self) {
            auto& bursts = *static_cast<Bursts*>(self);
            if (status != CL_COMPLETE || status_of(of) != CL_COMPLETE) ++bursts.too_early_;
            ++bursts.called_;
          },
          this));
    } else {
      seen_.erase(seen_.begin() + static_cast<std::ptrdiff_t>(which));
    }
  }

  static void ask_times(const Seen& ended) {
    if (ended.queue != kUntimed) Times{ended.event.get()};
  }

  void burst() {
    const size_t queue = below(kQueues), length = 1 + below(in(20) ? 60 : 8);
    const unsigned with_event = in(50) ? 100 : in(50) ? 50 : 0;
    const size_t from = below(kBuffers), others = in(50) ? 1 : 2;
    for (size_t i = 0; i < length; ++i) launch(queue, (from + i % others) % kBuffers, in(with_event));
  }

  // What another queue has done with a buffer comes first, and what this one does comes before what that one does next.
  void launch(size_t queue, size_t target, bool wants_event) {
    const size_t source = (target + 1) % kBuffers;
    const bool mixes = in(40);
    std::vector<Event> before;
    for (const size_t b : {target, source}) {
      if (user_[b] && *user_[b] != queue && (b == target || mixes)) {
        cl_event marker = nullptr;
        check(clEnqueueMarkerWithWaitList(queues_[*user_[b]].get(), 0, nullptr, &marker));
        before.emplace_back(marker);
        check(clFlush(queues_[*user_[b]].get()));
      }
      if (b == target || mixes) user_[b] = queue;
    }
    std::vector<cl_event> waits;
    for (const Event& each : before) waits.push_back(each.get());
    if (in(20) && !seen_.empty()) {
      const Seen& earlier = seen_[below(seen_.size())];
      if (earlier.queue != queue) check(clFlush(queues_[earlier.queue].get()));
      waits.push_back(earlier.event.get());
    }
    const auto n = static_cast<cl_uint>(random_());
    const cl_mem x = buffers_[target].get(), y = buffers_[source].get();
    cl_kernel kernel = (mixes ? mix_in_ : advance_).get();
    check(clSetKernelArg(kernel, 0, sizeof x, &x));
    if (mixes) check(clSetKernelArg(kernel, 1, sizeof y, &y));
    check(clSetKernelArg(kernel, mixes ? 2 : 1, sizeof n, &n));
    cl_event event = nullptr;
    check(clEnqueueNDRangeKernel(queues_[queue].get(), kernel, 1, nullptr, &kItems, &kLocal,
                                 static_cast<cl_uint>(waits.size()), waits.empty() ? nullptr : waits.data(),
                                 wants_event ? &event : nullptr));
    if (event) seen_.push_back({Event(event), queue});
    for (cl_uint i = 0; i < kItems; ++i) {
      cl_uint& word = model_[target][i];
      word = mixes ? word + (model_[source][i] ^ n) : 3 * word + n + i;
    }
  }

  void compare(size_t buffer) {
    const Queue& queue = queues_[user_[buffer].value_or(0)];
    Words words(kItems);
    check(clEnqueueReadBuffer(queue.get(), buffers_[buffer].get(), CL_TRUE, 0, kItems * sizeof(cl_uint), words.data(),
                              0, nullptr, nullptr));
    for (size_t i = 0; i < kItems; ++i)
      if (words[i] != model_[buffer][i])
        fail("buffer " + std::to_string(buffer) + " has " + std::to_string(words[i]) + " at " + std::to_string(i) +
             ", expected " + std::to_string(model_[buffer][i]));
  }

  // Those that have ended ran one after the other.
  void check_times() {
    std::array<std::optional<Times>, kQueues> last;
    for (const Seen& each : seen_) {
      if (each.queue == kUntimed || status_of(each.event.get()) != CL_COMPLETE) continue;
      const Times times(each.event.get());
      if (std::optional<Times>& before = last[each.queue]; before && times.at[2] < before->at[3])
        fail("a launch began before the one before it in its queue had ended, ns after that was queued:" +
             before->after(before->at[0]) + ", then" + times.after(before->at[0]));
      last[each.queue] = times;
    }
  }

  std::mt19937_64 random_;
  Kernel advance_, mix_in_;
  std::array<Queue, kQueues> queues_;
  std::array<Buffer, kBuffers> buffers_;
  std::array<Words, kBuffers> model_;
  std::array<std::optional<size_t>, kBuffers> user_;  // the queue that used it last
  std::vector<Seen> seen_;
  int callbacks_ = 0;
  std::atomic<int> called_{0}, too_early_{0};
};

}  // namespace

int main(int argc, char** argv) {
  uint64_t seed = 1;
  size_t count = 20, actions = 120;
  CLI::App app("event_bursts: random bursts of launches with events, compared with a model");
  app.add_option("--seed", seed, "Seed of the first sequence; the next ones follow")->capture_default_str();
  app.add_option("--count", count, "How many sequences")->capture_default_str();
  app.add_option("--actions", actions, "Bursts, waits, reads and the like in each")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const Session session = Session::open(0, 0);
  const Program program = session.build(kSource);
  return play_sequences(seed, count, [&](uint64_t each) { Bursts(session, program, each).play(actions); });
}
