// A process that ends in one of the ways real programs do. Run as a subprocess: what matters is the exit
// code, that it ends at all, and that its output is whole. usage: process_end WAY, where WAY is one of the
// names in main().
#include <CL/cl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/host/session.h"

namespace {

using namespace bench;

constexpr char kSlow[] = R"(
  __kernel void slow(__global uint* x, uint rounds) {
    uint value = x[get_global_id(0)];
    for (uint i = 0; i < rounds; ++i) value = value * 1664525u + 1013904223u + get_group_id(0);
    x[get_global_id(0)] = value;
  })";

// Everything that a program has at hand; leaked on purpose by the ways that release nothing.
struct Work {
  Session session = Session::open(0, 0);
  Program program = session.build(kSlow);
  Kernel kernel = make_kernel(program, "slow");
  Buffer x = session.make_buffer(CL_MEM_READ_WRITE, kItems * sizeof(cl_uint));

  static constexpr size_t kItems = 256;

  Work() { set_arguments(kernel, x, cl_uint{20000}); }
  cl_command_queue queue() const { return session.queue.get(); }
  // Launches without waiting, and a read into memory that lives as long as the process.
  void start() {
    static std::vector<cl_uint> host(kItems);
    const size_t global = kItems, local = 16;
    for (int i = 0; i < 20; ++i)
      check(clEnqueueNDRangeKernel(queue(), kernel.get(), 1, nullptr, &global, &local, 0, nullptr, nullptr));
    check(clEnqueueReadBuffer(queue(), x.get(), CL_FALSE, 0, kItems * sizeof(cl_uint), host.data(), 0,
                              nullptr, nullptr));
    check(clFlush(queue()));
  }
  void finish() { check(clFinish(queue())); }
};

// Destroyed after main, when static destructors run.
Work* at_exit_work = nullptr;
void finish_at_exit() {
  at_exit_work->finish();
  std::puts("finished at exit");
}

int released_in_order() {
  {
    Work work;
    work.start();
    work.finish();
  }
  return 3;
}

int nothing_released() {
  auto* work = new Work;
  work->start();
  work->finish();
  return 3;
}

int released_while_running() {
  {
    Work work;
    work.start();
  }
  return 3;
}

int exit_while_running() {
  auto* work = new Work;
  work->start();
  std::puts("exiting");
  std::exit(3);
}

int quick_exit_while_running() {
  auto* work = new Work;
  work->start();
  std::puts("exiting");
  std::fflush(stdout);
  _exit(3);
}

int exit_from_another_thread() {
  auto* work = new Work;
  work->start();
  std::thread([] { std::exit(3); }).join();
  return 4;
}

int exit_in_a_callback_thread() {
  auto* work = new Work;
  const size_t global = Work::kItems;
  cl_event event = nullptr;
  check(clEnqueueNDRangeKernel(work->queue(), work->kernel.get(), 1, nullptr, &global, nullptr, 0, nullptr,
                               &event));
  check(clSetEventCallback(
      event, CL_COMPLETE, [](cl_event, cl_int, void*) { _exit(3); }, nullptr));
  check(clFlush(work->queue()));
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

int finish_in_an_exit_handler() {
  at_exit_work = new Work;
  at_exit_work->start();
  std::atexit(finish_at_exit);
  return 3;
}

int static_object() {
  static Work work;
  work.start();
  return 3;
}

int gate_never_opened() {
  auto* work = new Work;
  cl_int status = CL_SUCCESS;
  cl_event gate = clCreateUserEvent(work->session.context.get(), &status);
  check(status);
  const size_t global = Work::kItems;
  check(clEnqueueNDRangeKernel(work->queue(), work->kernel.get(), 1, nullptr, &global, nullptr, 1, &gate,
                               nullptr));
  return 3;
}

int mapped_and_left() {
  auto* work = new Work;
  cl_int status = CL_SUCCESS;
  void* mapped = clEnqueueMapBuffer(work->queue(), work->x.get(), CL_TRUE, CL_MAP_WRITE, 0, 64, 0, nullptr,
                                    nullptr, &status);
  check(status);
  std::memset(mapped, 1, 64);
  return 3;
}

int opencl_never_used() {
  return 3;
}

int devices_only_listed() {
  Session::open(0, 0);
  return 3;
}

int forked_child_without_opencl() {
  auto* work = new Work;
  work->start();
  const pid_t child = fork();
  if (child == 0) _exit(0);
  work->finish();
  return 3;
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, std::function<int()>> ways = {
      {"released_in_order", released_in_order},
      {"nothing_released", nothing_released},
      {"released_while_running", released_while_running},
      {"exit_while_running", exit_while_running},
      {"quick_exit_while_running", quick_exit_while_running},
      {"exit_from_another_thread", exit_from_another_thread},
      {"exit_in_a_callback_thread", exit_in_a_callback_thread},
      {"finish_in_an_exit_handler", finish_in_an_exit_handler},
      {"static_object", static_object},
      {"gate_never_opened", gate_never_opened},
      {"mapped_and_left", mapped_and_left},
      {"opencl_never_used", opencl_never_used},
      {"devices_only_listed", devices_only_listed},
      {"forked_child_without_opencl", forked_child_without_opencl},
  };
  const auto way = argc == 2 ? ways.find(argv[1]) : ways.end();
  if (way == ways.end()) {
    std::fprintf(stderr, "usage: process_end WAY, with WAY one of:\n");
    for (const auto& [name, unused] : ways) std::fprintf(stderr, "  %s\n", name.c_str());
    return 2;
  }
  try {
    return way->second();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "process_end: %s\n", error.what());
    return 1;
  }
}
