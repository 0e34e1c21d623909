// A process that ends in one of the ways real programs do. Run as a subprocess: what matters is the exit
// code, that it ends at all, and that its output is whole. usage: process_end WAY, where WAY is one of the
// names in main().
#include <CL/cl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
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
    check(
        clEnqueueReadBuffer(queue(), x.get(), CL_FALSE, 0, kItems * sizeof(cl_uint), host.data(), 0, nullptr, nullptr));
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

// The callback runs on one of OpenCL's threads, perhaps.
int ended_by_callback(void(CL_CALLBACK* callback)(cl_event, cl_int, void*)) {
  auto* work = new Work;
  const size_t global = Work::kItems;
  cl_event event = nullptr;
  check(clEnqueueNDRangeKernel(work->queue(), work->kernel.get(), 1, nullptr, &global, nullptr, 0, nullptr, &event));
  check(clSetEventCallback(event, CL_COMPLETE, callback, nullptr));
  check(clFlush(work->queue()));
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

int quick_exit_in_a_callback() {
  return ended_by_callback([](cl_event, cl_int, void*) { _exit(3); });
}

int exit_in_a_callback() {
  return ended_by_callback([](cl_event, cl_int, void*) { std::exit(3); });
}

int finish_in_an_exit_handler() {
  at_exit_work = new Work;
  at_exit_work->start();
  std::atexit(finish_at_exit);
  return 3;
}

// The handler comes after those of OpenCL, which was not used yet when it was registered.
int works_in_an_early_exit_handler() {
  std::atexit([] {
    at_exit_work->start();
    finish_at_exit();
  });
  at_exit_work = new Work;
  at_exit_work->start();
  return 3;
}

int first_used_in_an_exit_handler() {
  std::atexit([] {
    Work work;
    work.start();
    work.finish();
    std::puts("finished at exit");
  });
  return 3;
}

// Whose children are all its own: there are none.
int waits_for_all_children() {
  static std::atomic<int> signals = 0;
  std::signal(SIGCHLD, [](int) { ++signals; });
  std::atomic<bool> built = false;
  int children = 0;
  std::thread waiter([&] {
    while (!built) children += wait(nullptr) > 0;
  });
  {
    Work work;
    // Never the same, so that no cache knows it.
    const std::string source =
        "#define COME " + std::to_string(time(nullptr)) + std::to_string(getpid()) + "\n" + kSlow;
    work.session.build(source);
    work.start();
    work.finish();
  }
  built = true;
  waiter.join();
  while (wait(nullptr) > 0) ++children;
  std::printf("children: %d, signals: %d\n", children, signals.load());
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
  check(clEnqueueNDRangeKernel(work->queue(), work->kernel.get(), 1, nullptr, &global, nullptr, 1, &gate, nullptr));
  return 3;
}

int mapped_and_left() {
  auto* work = new Work;
  cl_int status = CL_SUCCESS;
  void* mapped =
      clEnqueueMapBuffer(work->queue(), work->x.get(), CL_TRUE, CL_MAP_WRITE, 0, 64, 0, nullptr, nullptr, &status);
  check(status);
  std::memset(mapped, 1, 64);
  return 3;
}

int opencl_never_used() { return 3; }

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

// How the child ended: its exit code, or 128 + the signal.
int end_of(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int forked_child_exits() {
  auto* work = new Work;
  work->start();
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) std::exit(5);
  const int end = end_of(child);
  work->finish();
  std::printf("child: %d\n", end);
  return 3;
}

// By shells and daemons: the child comes before the first call of OpenCL, and is the one that makes them.
int forked_child_works() {
  const pid_t child = fork();
  if (child == 0) std::exit(nothing_released());
  std::printf("child: %d\n", end_of(child));
  return 3;
}

int child_is_another_program() {
  auto* work = new Work;
  work->start();
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "process_end", "nothing_released", nullptr);
    _exit(127);
  }
  const int end = end_of(child);
  work->finish();
  std::printf("child: %d\n", end);
  return 3;
}

// As daemon(3) does, but for the output.
int daemon_works() {
  if (fork() != 0) _exit(3);
  setsid();
  if (fork() != 0) _exit(0);
  Work work;
  work.start();
  work.finish();
  std::puts("the daemon finished");
  return 0;
}

int exec_while_running() {
  auto* work = new Work;
  work->start();
  execl("/proc/self/exe", "process_end", "nothing_released", nullptr);
  return 127;
}

int ended_by(int signal) {
  auto* work = new Work;
  work->start();
  std::raise(signal);
  return 4;
}

int aborted() {
  auto* work = new Work;
  work->start();
  std::abort();
}

int exception_that_nobody_catches() {
  auto* work = new Work;
  work->start();
  std::thread([] { throw 1; }).join();
  return 4;
}

int quick_exit_with_handler() {
  auto* work = new Work;
  work->start();
  std::at_quick_exit([] {
    std::puts("quickly");
    std::fflush(stdout);
  });
  std::quick_exit(3);
}

// The signal does not come while the thread is inside OpenCL: drivers need not survive that (PoCL may lock itself).
int exit_in_a_signal_handler() {
  std::signal(SIGALRM, [](int) { std::exit(3); });
  auto* work = new Work;
  work->start();
  ualarm(1'000, 0);
  for (;;) pause();
}

int threads_enqueue_while_main_returns() {
  auto* work = new Work;
  static std::atomic<int> begun = 0;
  for (int t = 0; t < 3; ++t)
    std::thread([work] {
      for (;; ++begun) {
        const size_t global = Work::kItems, local = 16;
        clEnqueueNDRangeKernel(work->queue(), work->kernel.get(), 1, nullptr, &global, &local, 0, nullptr, nullptr);
        clFinish(work->queue());
      }
    }).detach();
  while (begun < 10) std::this_thread::yield();
  return 3;
}

// The process ends with its last thread, with 0.
int main_thread_ends_first() {
  auto* work = new Work;
  std::thread([work] {
    work->start();
    work->finish();
    std::puts("the other thread finished");
  }).detach();
  pthread_exit(nullptr);
}

int main_thread_ends_and_another_exits() {
  auto* work = new Work;
  std::thread([work] {
    work->start();
    work->finish();
    std::exit(3);
  }).detach();
  pthread_exit(nullptr);
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
      {"quick_exit_in_a_callback", quick_exit_in_a_callback},
      {"finish_in_an_exit_handler", finish_in_an_exit_handler},
      {"works_in_an_early_exit_handler", works_in_an_early_exit_handler},
      {"first_used_in_an_exit_handler", first_used_in_an_exit_handler},
      {"waits_for_all_children", waits_for_all_children},
      {"static_object", static_object},
      {"gate_never_opened", gate_never_opened},
      {"mapped_and_left", mapped_and_left},
      {"opencl_never_used", opencl_never_used},
      {"devices_only_listed", devices_only_listed},
      {"forked_child_without_opencl", forked_child_without_opencl},
      {"forked_child_exits", forked_child_exits},
      {"forked_child_works", forked_child_works},
      {"child_is_another_program", child_is_another_program},
      {"daemon_works", daemon_works},
      {"exec_while_running", exec_while_running},
      {"killed", [] { return ended_by(SIGKILL); }},
      {"terminated", [] { return ended_by(SIGTERM); }},
      {"interrupted", [] { return ended_by(SIGINT); }},
      {"segmentation_fault", [] { return ended_by(SIGSEGV); }},
      {"aborted", aborted},
      {"exception_that_nobody_catches", exception_that_nobody_catches},
      {"quick_exit_with_handler", quick_exit_with_handler},
      {"exit_in_a_signal_handler", exit_in_a_signal_handler},
      {"exit_in_a_callback", exit_in_a_callback},
      {"threads_enqueue_while_main_returns", threads_enqueue_while_main_returns},
      {"main_thread_ends_first", main_thread_ends_first},
      {"main_thread_ends_and_another_exits", main_thread_ends_and_another_exits},
  };
  const auto way = argc == 2 ? ways.find(argv[1]) : ways.end();
  if (way == ways.end()) {
    std::fprintf(stderr, "usage: process_end WAY, with WAY one of:\n");
    for (const auto& [name, unused] : ways) std::fprintf(stderr, "  %s\n", name.c_str());
    return 2;
  }
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  try {
    return way->second();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "process_end: %s\n", error.what());
    return 1;
  }
}
