// An ordinary OpenCL program for the tests of devices: kernels that can be split, kernels that can only run
// whole, and a buffer that both change. opencl_task [COMMAND [JOBS]]: runs COMMAND after its first job, and then so
// many more (1; the last one is not marked). With BUILD_IN_JOB in the environment it builds another program in its
// first job. With BUILDS_WHEN_TOLD (tests/programs/builds_when_told.cc) a job comes before, while another thread builds
// a program: it prints when that began, and lets the build end; the shell command $WHILE_BUILDING runs some time after
// it was to begin. Exit 0 if the memory holds what it should.
#include <samcl/samcl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/host/session.h"

namespace {

constexpr size_t kItems = 4096;
constexpr size_t kGroups = 8;

constexpr char kSource[] = R"CL(
__kernel void plain(__global uint* values) { values[get_global_id(0)] += get_group_id(0); }

__kernel void slow(__global uint* unused) {
  uint value = get_global_id(0);
  for (int i = 0; i < 2000; ++i) value = value * 1664525u + 1013904223u ^ value >> 7;
  unused[get_global_id(0)] = value;
}

// Each work-group waits for the one before it.
__kernel void in_turn(__global uint* values, __global uint* turn) {
  const uint group = get_group_id(0);
  while (atomic_add(turn, 0) != group) {}
  values[group] = values[group] * 2 + get_num_groups(0);
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  atomic_inc(turn);
}
)CL";

struct Task {
  bench::Session session = bench::Session::open(0, 0);
  bench::Program program = session.build(kSource);
  bench::Kernel plain = bench::make_kernel(program, "plain");
  bench::Kernel slow = bench::make_kernel(program, "slow");
  bench::Kernel in_turn = bench::make_kernel(program, "in_turn");
  bench::Buffer values = session.make_buffer(CL_MEM_READ_WRITE, kItems * sizeof(cl_uint));
  bench::Buffer unused = session.make_buffer(CL_MEM_READ_WRITE, kItems * sizeof(cl_uint));
  bench::Buffer turn = session.make_buffer(CL_MEM_READ_WRITE, sizeof(cl_uint));
  bool builds_in_job = std::getenv("BUILD_IN_JOB") != nullptr;
  std::vector<cl_uint> expected = std::vector<cl_uint>(kItems, 5);

  void write(const bench::Buffer& to, const std::vector<cl_uint>& from) const {
    bench::check(clEnqueueWriteBuffer(session.queue.get(), to.get(), CL_TRUE, 0, from.size() * sizeof(cl_uint),
                                      from.data(), 0, nullptr, nullptr));
  }

  void launch(const bench::Kernel& kernel, size_t global, size_t local) const {
    bench::check(
        clEnqueueNDRangeKernel(session.queue.get(), kernel.get(), 1, nullptr, &global, &local, 0, nullptr, nullptr));
  }

  void compute() {
    bench::set_arguments(plain, values);
    bench::set_arguments(in_turn, values, turn);
    for (int round = 0; round < 3; ++round) {
      launch(plain, kItems, kItems / kGroups);
      write(turn, {0});
      launch(in_turn, kGroups, 1);
      for (size_t i = 0; i < kItems; ++i) expected[i] += static_cast<cl_uint>(i / (kItems / kGroups));
      for (size_t i = 0; i < kGroups; ++i) expected[i] = expected[i] * 2 + static_cast<cl_uint>(kGroups);
    }
  }

  void do_job(bool is_slow) {
    samcl_job_begin();
    if (builds_in_job) {
      session.build(kSource + std::string("// once more\n"));
      builds_in_job = false;
    }
    if (is_slow) {
      bench::set_arguments(slow, unused);
      launch(slow, kItems, kItems / kGroups);
    }
    compute();
    bench::check(clFinish(session.queue.get()));
    samcl_job_end();
  }

  void do_job_beside_a_build(const std::string& folder) {
    using Clock = std::chrono::steady_clock;
    const auto is_there = [&](const char* file) { return access((folder + file).c_str(), F_OK) == 0; };
    std::thread builder([&] { session.build(kSource + std::string("// beside\n"), "-DWHEN_TOLD"); });
    while (!is_there("/builds")) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::thread other([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      if (const char* command = std::getenv("WHILE_BUILDING"); command && std::system(command) != 0)
        std::fprintf(stderr, "opencl_task: %s failed\n", command);
    });
    const auto before = Clock::now();
    samcl_job_begin();
    std::printf("began %s, after %lld ms\n", is_there("/go") ? "when it was built" : "while it was built",
                static_cast<long long>((Clock::now() - before) / std::chrono::milliseconds(1)));
    std::ofstream(folder + "/go") << "x";
    builder.join();
    other.join();
    compute();
    bench::check(clFinish(session.queue.get()));
    samcl_job_end();
  }

  bool is_right() const {
    std::vector<cl_uint> found(kItems);
    bench::check(clEnqueueReadBuffer(session.queue.get(), values.get(), CL_TRUE, 0, found.size() * sizeof(cl_uint),
                                     found.data(), 0, nullptr, nullptr));
    return found == expected;
  }
};

}  // namespace

int main(int argc, char** argv) {
  try {
    Task task;
    task.write(task.values, task.expected);
    if (const char* folder = std::getenv("BUILDS_WHEN_TOLD")) task.do_job_beside_a_build(folder);
    task.do_job(false);
    if (argc > 1) {
      if (std::system(argv[1]) != 0) return 2;
    }
    for (int more = argc > 2 ? std::atoi(argv[2]) : 1; more > 1; --more) task.do_job(true);
    task.compute();
    return task.is_right() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "opencl_task: %s\n", error.what());
    return 3;
  }
}
