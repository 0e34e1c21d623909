// What launching costs by itself: empty kernels in a burst, one at a time, with a buffer argument, and with an event
// each, with other commands between, and recorded (cl_khr_command_buffer); and whether many commands on one buffer,
// from an out-of-order queue, cost each what few do.
#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>

#include "LaunchOverhead.cl.h"
#include "base/json_text.h"
#include "benchmarks/host/jobs.h"
#include "benchmarks/host/statistics.h"
#include "benchmarks/programs/between_launches.h"
#include "benchmarks/programs/recorded_burst.h"

namespace {

using namespace bench;

struct Options {
  unsigned platform = 0;
  unsigned device = 0;
  size_t launches = 0;
  size_t repeats = 0;
  bool on_one_buffer = false;
  bool between = false;
  bool recorded = false;
  bool json = false;
};

class LaunchOverhead {
 public:
  explicit LaunchOverhead(const Options& options)
      : options_(options), session_(Session::open(options.platform, options.device)) {
    cl_int status = CL_SUCCESS;
    queue_ = Queue(clCreateCommandQueue(session_.context.get(), session_.device, 0, &status));
    check(status);
    timed_queue_ =
        Queue(clCreateCommandQueue(session_.context.get(), session_.device, CL_QUEUE_PROFILING_ENABLE, &status));
    check(status);
    program_ = session_.build(kLaunchOverheadCl);
    nothing_ = make_kernel(program_, "nothing");
    one_argument_ = make_kernel(program_, "one_argument");
    if (options.on_one_buffer) {
      loose_ = Queue(clCreateCommandQueue(session_.context.get(), session_.device,
                                          CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status));
      check(status);
    }
    buffer_ = session_.make_buffer(CL_MEM_READ_WRITE, sizeof(cl_int));
    set_arguments(one_argument_, buffer_);
  }

  const std::string& device_name() const { return session_.device_name; }

  // ns per launch of so many launches with one clFinish at the end; the finish is in the time.
  Summary burst() {
    return measure([&] {
      for (size_t i = 0; i < options_.launches; ++i) enqueue(nothing_);
      check(clFinish(queue_.get()));
    });
  }
  // ns per enqueue call of such a burst; the finish is not in the time.
  Summary enqueue_only() {
    std::vector<double> values;
    for (size_t repeat = 0; repeat < options_.repeats + 1; ++repeat) {
      const auto start = Clock::now();
      for (size_t i = 0; i < options_.launches; ++i) enqueue(nothing_);
      values.push_back(per_launch(start));
      check(clFinish(queue_.get()));
    }
    values.erase(values.begin());
    return summarize(std::move(values));
  }
  // ns of launch and clFinish.
  Summary launch_and_finish() {
    return measure([&] {
      for (size_t i = 0; i < options_.launches; ++i) {
        enqueue(nothing_);
        check(clFinish(queue_.get()));
      }
    });
  }
  // ns of setting the argument, launch and clFinish, with a buffer of 4 bytes.
  Summary with_buffer() {
    return measure([&] {
      for (size_t i = 0; i < options_.launches; ++i) {
        set_arguments(one_argument_, buffer_);
        enqueue(one_argument_);
        check(clFinish(queue_.get()));
      }
    });
  }

  // ns per launch of so many with an event each, of which the program asks when they ran once all have.
  Summary events() {
    std::vector<Event> events(options_.launches);
    return measure([&] {
      for (auto& each : events) each = enqueue_seen(timed_queue_);
      check(clFinish(timed_queue_.get()));
      for (const auto& each : events) ask_times(each.get());
    });
  }
  // ns of launch, waiting for its event, and asking when it ran.
  Summary event_and_wait() {
    return measure([&] {
      for (size_t i = 0; i < options_.launches; ++i) {
        const auto event = enqueue_seen(timed_queue_);
        wait_for(event);
        ask_times(event.get());
      }
    });
  }

  // The next four in a queue that tells no times. ns per launch of so many whose events are released at once,
  Summary untimed_events() {
    return measure([&] {
      for (size_t i = 0; i < options_.launches; ++i) enqueue_seen(queue_);
      check(clFinish(queue_.get()));
    });
  }
  // of launch and waiting for its event,
  Summary untimed_event_and_wait() {
    return measure([&] {
      for (size_t i = 0; i < options_.launches; ++i) wait_for(enqueue_seen(queue_));
    });
  }
  // or for that of the launch before it,
  Summary wait_for_the_one_before() {
    return measure([&] {
      Event before = enqueue_seen(queue_);
      for (size_t i = 1; i < options_.launches; ++i) {
        Event next = enqueue_seen(queue_);
        wait_for(std::exchange(before, std::move(next)));
      }
      wait_for(before);
    });
  }
  // and asking for its status until it has ended.
  Summary event_and_poll() {
    return measure([&] {
      for (size_t i = 0; i < options_.launches; ++i) {
        const Event event = enqueue_seen(queue_);
        check(clFlush(queue_.get()));
        for (cl_int status = CL_QUEUED; status > CL_COMPLETE;)
          check(clGetEventInfo(event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr));
      }
    });
  }

  // ns per round of a launch and another command, in a queue that tells no times; whatever each is, they end with a
  // clFinish.
  template <typename Report>
  void between(const Report& report) {
    BetweenLaunches others(session_, queue_);
    set_arguments(one_argument_, others.used());
    for (const BetweenLaunches::Command& other : others.commands()) {
      report(other.what, other.key, measure([&] {
               for (size_t i = 0; i < options_.launches; ++i) {
                 enqueue(one_argument_);
                 other.enqueue();
               }
               check(clFinish(queue_.get()));
             }));
    }
  }

  // ns per launch of a burst that ends with a clFinish, one by one and recorded; whether both compute the same.
  template <typename Report>
  bool recorded(const Report& report) {
    RecordedBurst burst(session_, queue_, program_, options_.launches);
    report("burst of changed arguments", "changed_burst", measure([&] {
             burst.enqueue_one_by_one();
             check(clFinish(queue_.get()));
           }));
    report("the same, recorded", "recorded_burst", measure([&] {
             burst.enqueue_recorded();
             check(clFinish(queue_.get()));
           }));
    return burst.computes_the_same();
  }

  // ns per command of so many on one buffer, from a queue out of order, until all have ended. They begin together, when
  // all are enqueued: each must know which ones it comes after. Counts take turns, so that all see the same machine.
  template <size_t Counts>
  std::array<Summary, Counts> on_one_buffer(const std::array<size_t, Counts>& counts) {
    set_arguments(one_argument_, buffer_);
    std::array<std::vector<double>, Counts> values;
    for (size_t repeat = 0; repeat < options_.repeats + 1; ++repeat) {
      for (size_t i = 0; i < Counts; ++i) {
        const double ns = gated_burst(counts[i]) / static_cast<double>(counts[i]);
        if (repeat > 0) values[i].push_back(ns);
      }
    }
    std::array<Summary, Counts> summaries;
    for (size_t i = 0; i < Counts; ++i) summaries[i] = summarize(std::move(values[i]));
    return summaries;
  }

 private:
  // ns from the first enqueue to the last end.
  double gated_burst(size_t commands) {
    cl_int status = CL_SUCCESS;
    const Handle<cl_event, clReleaseEvent> gate(clCreateUserEvent(session_.context.get(), &status));
    check(status);
    const cl_event first = gate.get();
    const auto start = Clock::now();
    for (size_t i = 0; i < commands; ++i) enqueue(loose_, one_argument_, &first);
    check(clSetUserEventStatus(first, CL_COMPLETE));
    check(clFinish(loose_.get()));
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  }

  void enqueue(const Kernel& kernel) { enqueue(queue_, kernel, nullptr); }
  static void enqueue(const Queue& queue, const Kernel& kernel, const cl_event* after) {
    const size_t one = 1;
    check(clEnqueueNDRangeKernel(queue.get(), kernel.get(), 1, nullptr, &one, &one, after ? 1 : 0, after, nullptr));
  }
  using Event = Handle<cl_event, clReleaseEvent>;
  Event enqueue_seen(const Queue& queue) {
    const size_t one = 1;
    cl_event event = nullptr;
    check(clEnqueueNDRangeKernel(queue.get(), nothing_.get(), 1, nullptr, &one, &one, 0, nullptr, &event));
    return Event(event);
  }
  static void wait_for(const Event& event) {
    const cl_event handle = event.get();
    check(clWaitForEvents(1, &handle));
  }
  static void ask_times(cl_event event) {
    cl_ulong time = 0;
    for (const cl_profiling_info what : {CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END})
      check(clGetEventProfilingInfo(event, what, sizeof time, &time, nullptr));
  }
  double per_launch(Clock::time_point start) const {
    const std::chrono::duration<double, std::nano> ns = Clock::now() - start;
    return ns.count() / static_cast<double>(options_.launches);
  }
  // One warm-up, then the repeats.
  Summary measure(const std::function<void()>& launches) {
    launches();
    std::vector<double> values;
    for (size_t repeat = 0; repeat < options_.repeats; ++repeat) {
      const auto start = Clock::now();
      launches();
      values.push_back(per_launch(start));
    }
    return summarize(std::move(values));
  }

  Options options_;
  Session session_;
  Queue queue_, timed_queue_, loose_;  // in order; so, with times; out of order, where it is asked for
  Program program_;
  Kernel nothing_, one_argument_;
  Buffer buffer_;
};

void run_with(const Options& options) {
  LaunchOverhead measured(options);
  std::printf("LaunchOverhead on %s: %zu launches, %zu repeats\n", measured.device_name().c_str(), options.launches,
              options.repeats);
  std::printf("ns per launch                           min    median\n");
  nlohmann::ordered_json line = {{"program", "LaunchOverhead"},
                                 {"device", measured.device_name()},
                                 {"launches", options.launches},
                                 {"repeats", options.repeats}};
  auto report = [&](const char* what, const char* key, const Summary& ns) {
    std::printf("  %-30s %10.0f %9.0f\n", what, ns.min, ns.median);
    line[key] = {{"min_ns", ns.min}, {"median_ns", ns.median}};
  };
  report("burst", "burst", measured.burst());
  report("enqueue call in a burst", "enqueue", measured.enqueue_only());
  report("launch + finish", "launch_finish", measured.launch_and_finish());
  report("4-byte buffer + finish", "buffer_finish", measured.with_buffer());
  report("burst, an event each", "events", measured.events());
  report("launch + its event", "event_wait", measured.event_and_wait());
  report("no times: event released", "untimed_events", measured.untimed_events());
  report("no times: launch + its event", "untimed_event_wait", measured.untimed_event_and_wait());
  report("no times: + the event before", "untimed_event_before", measured.wait_for_the_one_before());
  report("no times: launch + polling it", "untimed_event_poll", measured.event_and_poll());
  if (options.between) {
    std::printf("ns per launch and\n");
    measured.between(report);
  }
  if (options.recorded && !measured.recorded(report))
    throw std::runtime_error("recorded launches compute something else than the same launches one by one");
  if (options.on_one_buffer) {
    const std::array<size_t, 3> counts{options.launches / 2, options.launches, 4 * options.launches};
    const auto ns = measured.on_one_buffer(counts);
    for (size_t i = 0; i < counts.size(); ++i) {
      const std::string count = std::to_string(counts[i]);
      report((count + " on one buffer").c_str(), ("one_buffer_" + count).c_str(), ns[i]);
    }
    const double growth = ns[2].median / ns[1].median;
    std::printf("  a command of %zu costs %.2f times one of %zu\n", counts[2], growth, counts[1]);
    line["one_buffer_growth"] = growth;
  }
  std::printf("PASS\n");
  if (options.json) std::printf("%s\n", samcl::json_text(line).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("LaunchOverhead: what launching an empty OpenCL kernel costs");
  app.add_option("--platform", options.platform, "Index of the OpenCL platform")->capture_default_str();
  app.add_option("--device", options.device, "Index of the device in the platform's list")->capture_default_str();
  Sizes sizes(app);
  sizes.add("--launches", options.launches, {.usual = 1000, .small = 50, .least = 1, .most = 1'000'000},
            "Launches per measurement");
  sizes.add("--repeats", options.repeats, {.usual = 11, .small = 3, .least = 1, .most = 1'000'000},
            "Measurements of each kind");
  app.add_flag(
      "--on-one-buffer", options.on_one_buffer,
      "Also half as many, as many and four times as many commands on one buffer, from an out-of-order queue, that "
      "begin together (PoCL's basic devices, bare, wait for ever)");
  app.add_flag("--between", options.between, "Also rounds of a launch and another short command");
  app.add_flag("--recorded", options.recorded,
               "Also a burst that is recorded in a command buffer, and must compute what it does one by one");
  app.add_flag("--json", options.json, "One more line at the end: everything as JSON");
  if (const std::optional<int> exit_code = sizes.parse(argc, argv)) return *exit_code;
  try {
    run_with(options);
    return 0;
  } catch (const std::exception& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "LaunchOverhead: %s\n", error.what());
    std::printf("FAIL\n");
    return 1;
  }
}
