// many_launches: a million launches in one process must not make it grow. Memory, descriptors and threads are read at
// ten points of the run; what they are at the second point must not be more at the last one. The launches differ:
// with and without events, waited for one by one and in bursts, from queues in and out of order, with objects that live
// for a few launches. In the end the sum must be that of all launches.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmarks/host/handle.h"
#include "benchmarks/host/session.h"

namespace {

using namespace bench;

constexpr size_t kItems = 256;
constexpr size_t kLocal = 64;
constexpr char kSource[] =
    "__kernel void add(__global uint* x, uint by) { x[get_global_id(0)] += by; }\n"
    "__kernel void copy(__global const uint* x, __global uint* y) { y[get_global_id(0)] = x[get_global_id(0)]; }\n";

// What the kernel counts of this process: resident memory in KiB, open descriptors, threads.
struct Footing {
  long memory = 0, descriptors = 0, threads = 0;

  static Footing now() {
    Footing seen;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++seen.descriptors;
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
      if (word == "Threads:") status >> seen.threads;
      if (word == "VmRSS:") status >> seen.memory;
    }
    return seen;
  }
};

class Launches {
 public:
  // `keeps`: every launch's event is kept, which a test of this test must notice.
  explicit Launches(bool keeps)
      : keeps_(keeps),
        session_(Session::open(0, 0)),
        in_order_(session_.make_queue()),
        loose_(session_.make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)),
        program_(session_.build(kSource)),
        add_(make_kernel(program_, "add")),
        x_(session_.make_buffer(CL_MEM_READ_WRITE, kItems * sizeof(cl_uint))) {
    const std::vector<cl_uint> zeros(kItems, 0);
    check(clEnqueueWriteBuffer(in_order_.get(), x_.get(), CL_TRUE, 0, kItems * sizeof(cl_uint), zeros.data(), 0,
                               nullptr, nullptr));
  }

  // Launch number `i`; launches come in turns of a thousand.
  void play(size_t i) {
    const auto by = static_cast<cl_uint>(i % 7);
    if (i % 1000 == 999) {
      short_lived();
    } else if (i % 10 == 1) {
      in_any_order(by);
    } else {
      cl_event ran = nullptr;
      add(in_order_, by, nullptr, keeps_ ? &ran : nullptr);
      if (keeps_) kept_.emplace_back(ran);
    }
    expected_ += i % 1000 == 999 ? 0 : by;
    if (i % 50 == 49) {
      cl_uint read = 0;
      check(clEnqueueReadBuffer(in_order_.get(), x_.get(), CL_TRUE, sizeof(cl_uint) * (i % kItems), sizeof read, &read,
                                0, nullptr, nullptr));
      if (read != expected_)
        throw std::runtime_error("launch " + std::to_string(i) + ": " + std::to_string(read) + ", expected " +
                                 std::to_string(expected_));
    } else if (i % 100 == 20) {
      check(clFinish(in_order_.get()));
    }
  }

 private:
  void add(const Queue& queue, cl_uint by, const cl_event* after, cl_event* event) {
    const cl_mem x = x_.get();
    check(clSetKernelArg(add_.get(), 0, sizeof x, &x));
    check(clSetKernelArg(add_.get(), 1, sizeof by, &by));
    check(clEnqueueNDRangeKernel(queue.get(), add_.get(), 1, nullptr, &kItems, &kLocal, after ? 1 : 0, after, event));
  }

  // Behind what the queue in order has, and that one goes on behind it.
  void in_any_order(cl_uint by) {
    cl_event before = nullptr, ran = nullptr;
    check(clEnqueueMarkerWithWaitList(in_order_.get(), 0, nullptr, &before));
    const Handle<cl_event, clReleaseEvent> first(before);
    check(clFlush(in_order_.get()));
    add(loose_, by, &before, &ran);
    const Handle<cl_event, clReleaseEvent> second(ran);
    check(clFlush(loose_.get()));
    check(clEnqueueBarrierWithWaitList(in_order_.get(), 1, &ran, nullptr));
  }

  // A queue, a program's kernel, a buffer and what it says when it ends.
  void short_lived() {
    const Queue queue = session_.make_queue();
    const Kernel copy = make_kernel(program_, "copy");
    const Buffer y = session_.make_buffer(CL_MEM_READ_WRITE, kItems * sizeof(cl_uint));
    check(clFinish(in_order_.get()));
    const cl_mem from = x_.get(), to = y.get();
    check(clSetKernelArg(copy.get(), 0, sizeof from, &from));
    check(clSetKernelArg(copy.get(), 1, sizeof to, &to));
    check(clEnqueueNDRangeKernel(queue.get(), copy.get(), 1, nullptr, &kItems, &kLocal, 0, nullptr, nullptr));
    cl_int status = CL_SUCCESS;
    auto* shown = static_cast<cl_uint*>(clEnqueueMapBuffer(queue.get(), to, CL_TRUE, CL_MAP_READ, 0,
                                                           kItems * sizeof(cl_uint), 0, nullptr, nullptr, &status));
    check(status);
    const cl_uint last = shown[kItems - 1];
    check(clEnqueueUnmapMemObject(queue.get(), to, shown, 0, nullptr, nullptr));
    check(clFinish(queue.get()));
    if (last != expected_)
      throw std::runtime_error("a copy has " + std::to_string(last) + ", expected " + std::to_string(expected_));
  }

  bool keeps_;
  std::vector<Handle<cl_event, clReleaseEvent>> kept_;
  Session session_;
  Queue in_order_, loose_;
  Program program_;
  Kernel add_;
  Buffer x_;
  cl_uint expected_ = 0;
};

// A thread may be begun, and a file opened, only when there is need of it: so many late ones are no growth.
constexpr long kLate = 4;

// Whether the process has not grown since the second of the points.
bool run(size_t count, long memory_limit, bool keeps) {
  constexpr size_t kPoints = 10;
  Launches launches(keeps);
  Footing first, last;
  std::printf("  launches   KiB resident   descriptors   threads\n");
  for (size_t point = 1, i = 0; point <= kPoints; ++point) {
    for (; i < count * point / kPoints; ++i) launches.play(i);
    last = Footing::now();
    if (point == 2) first = last;
    std::printf("%10zu %14ld %13ld %9ld\n", i, last.memory, last.descriptors, last.threads);
    std::fflush(stdout);
  }
  const bool grew = last.memory - first.memory > memory_limit || last.descriptors - first.descriptors > kLate ||
                    last.threads - first.threads > kLate;
  std::printf("%s\n", grew ? "GREW" : "PASS");
  return !grew;
}

}  // namespace

int main(int argc, char** argv) {
  size_t count = 1'000'000;
  long memory_limit = 4096;
  bool keeps = false;
  CLI::App app("many_launches: launches without end must not make the process grow");
  app.add_option("--launches", count, "How many")
      ->capture_default_str()
      ->check(CLI::Range(size_t{10}, size_t{1} << 40U));
  app.add_option("--memory-limit", memory_limit, "KiB by which resident memory may grow after the first fifth")
      ->capture_default_str();
  app.add_flag("--keep-events", keeps, "Keep the event of every launch: this must be noticed");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(count, memory_limit, keeps) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "many_launches: %s\n", error.what());
    return 1;
  }
}
