// Bursts of short launches without events, at random, with other commands between them: a program that launches
// hundreds of kernels of a few us sees what it would see if each had been waited for.
#include <algorithm>
#include <array>
#include <random>

#include "base/test_seed.h"
#include "tests/programs/opencl_fixture.h"

namespace cases {
namespace {

constexpr char kSource[] = R"(
  __kernel void add_value(__global uint* a, uint first, uint value) { a[first + get_global_id(0)] += value; }
  __kernel void copy_turned(__global const uint* from, __global uint* to, uint shift) {
    size_t i = get_global_id(0);
    to[i] = from[(i + shift) % get_global_size(0)];
  }
  __kernel void mix_in(__global uint* a, __global const uint* b) {
    size_t i = get_global_id(0);
    a[i] = a[i] * 3u + b[i];
  })";

constexpr size_t kWords = 512, kHalf = kWords / 2, kGroup = 32;
using Words = std::vector<cl_uint>;

// The same on the host, at once.
struct Bursts : OpenCl {
  explicit Bursts(cl_command_queue_properties properties = 0) : plain(make_plain(properties)) {
    for (size_t i = 0; i < kBuffers; ++i) {
      model.push_back(counting<cl_uint>(kWords, static_cast<cl_uint>(1000 * i)));
      buffers.push_back(buffer(model[i]));
    }
    // The second half of the first one.
    const cl_buffer_region region{kHalf * sizeof(cl_uint), kHalf * sizeof(cl_uint)};
    cl_int status = CL_SUCCESS;
    half =
        Buffer(clCreateSubBuffer(buffers[0].get(), CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
    check(status);
  }

  // Of no profiling.
  Queue make_plain(cl_command_queue_properties properties) const {
    cl_int status = CL_SUCCESS;
    Queue made(clCreateCommandQueue(context(), device(), properties, &status));
    check(status);
    return made;
  }
  size_t any(size_t below) { return random() % below; }
  void run(const Kernel& kernel, size_t items, cl_command_queue where) {
    check(clEnqueueNDRangeKernel(where, kernel.get(), 1, nullptr, &items, &kGroup, 0, nullptr, nullptr));
  }

  void launch_add(cl_command_queue where) {
    const auto value = static_cast<cl_uint>(any(100));
    if (any(4) == 0) {
      set_arguments(add, half, cl_uint{0}, value);
      run(add, kHalf, where);
      for (size_t i = kHalf; i < kWords; ++i) model[0][i] += value;
      return;
    }
    const size_t which = any(kBuffers), first = any(3) * kGroup;
    set_arguments(add, buffers[which], static_cast<cl_uint>(first), value);
    run(add, kHalf, where);
    for (size_t i = first; i < first + kHalf; ++i) model[which][i] += value;
  }
  void launch_copy(cl_command_queue where) {
    const size_t from = any(kBuffers), to = (from + 1 + any(kBuffers - 1)) % kBuffers;
    const auto shift = static_cast<cl_uint>(any(7));
    set_arguments(copy, buffers[from], buffers[to], shift);
    run(copy, kWords, where);
    for (size_t i = 0; i < kWords; ++i) model[to][i] = model[from][(i + shift) % kWords];
  }
  void launch_mix(cl_command_queue where) {
    const size_t a = any(kBuffers), b = any(kBuffers);
    if (a == b) return;
    set_arguments(mix, buffers[a], buffers[b]);
    run(mix, kWords, where);
    for (size_t i = 0; i < kWords; ++i) model[a][i] = model[a][i] * 3 + model[b][i];
  }
  void launch_any(cl_command_queue where) {
    switch (any(3)) {
      case 0: return launch_add(where);
      case 1: return launch_copy(where);
      default: return launch_mix(where);
    }
  }

  // Everything but a launch.
  void do_something_else(cl_command_queue where) {
    const size_t which = any(kBuffers), first = any(kHalf), count = 1 + any(kHalf);
    const size_t at = first * sizeof(cl_uint), bytes = count * sizeof(cl_uint);
    Words& words = model[which];
    switch (any(8)) {
      case 0: check(clFinish(where)); break;
      case 1: check(clFlush(where)); break;
      case 2: {
        Words values(count);
        check(clEnqueueReadBuffer(where, buffers[which].get(), CL_TRUE, at, bytes, values.data(), 0, nullptr, nullptr));
        EXPECT_TRUE(std::equal(values.begin(), values.end(), words.begin() + static_cast<ptrdiff_t>(first)));
        break;
      }
      case 3: {
        const Words values = counting<cl_uint>(count, static_cast<cl_uint>(any(1000)));
        check(
            clEnqueueWriteBuffer(where, buffers[which].get(), CL_TRUE, at, bytes, values.data(), 0, nullptr, nullptr));
        std::ranges::copy(values, words.begin() + static_cast<ptrdiff_t>(first));
        break;
      }
      case 4: {
        const cl_uint value = static_cast<cl_uint>(any(1000));
        check(clEnqueueFillBuffer(where, buffers[which].get(), &value, sizeof value, at, bytes, 0, nullptr, nullptr));
        std::fill_n(words.begin() + static_cast<ptrdiff_t>(first), count, value);
        break;
      }
      case 5: {
        const size_t to = (which + 1) % kBuffers;
        check(clEnqueueCopyBuffer(where, buffers[which].get(), buffers[to].get(), at, 0, bytes, 0, nullptr, nullptr));
        std::copy_n(words.begin() + static_cast<ptrdiff_t>(first), count, model[to].begin());
        break;
      }
      case 6: map_and_change(which, first, count, where); break;
      default: replace(which, where);
    }
  }
  // Launches that use other buffers come between.
  void map_and_change(size_t which, size_t first, size_t count, cl_command_queue where) {
    cl_int status = CL_SUCCESS;
    auto* mapped = static_cast<cl_uint*>(clEnqueueMapBuffer(where, buffers[which].get(), CL_TRUE,
                                                            CL_MAP_READ | CL_MAP_WRITE, first * sizeof(cl_uint),
                                                            count * sizeof(cl_uint), 0, nullptr, nullptr, &status));
    check(status);
    const auto begin = model[which].begin() + static_cast<ptrdiff_t>(first);
    EXPECT_TRUE(std::equal(mapped, mapped + count, begin));
    for (int i = 0; i < 3; ++i) {
      const size_t other = (which + 1) % kBuffers;
      set_arguments(add, buffers[other], cl_uint{0}, cl_uint{1});
      run(add, kHalf, where);
      for (size_t w = 0; w < kHalf; ++w) ++model[other][w];
    }
    for (size_t i = 0; i < count; ++i) mapped[i] += 5, begin[static_cast<ptrdiff_t>(i)] += 5;
    check(clEnqueueUnmapMemObject(where, buffers[which].get(), mapped, 0, nullptr, nullptr));
  }
  // By a new buffer of the same contents; the old one goes while launches use it.
  void replace(size_t which, cl_command_queue where) {
    if (which == 0) return;
    Buffer next = buffer_of(kWords * sizeof(cl_uint));
    set_arguments(copy, buffers[which], next, cl_uint{0});
    run(copy, kWords, where);
    buffers[which] = std::move(next);
  }
  void check_all(cl_command_queue where) {
    for (size_t i = 0; i < kBuffers; ++i) EXPECT_EQ(read<cl_uint>(buffers[i], kWords, 0, where), model[i]) << i;
  }
  void warm_up() {
    for (int i = 0; i < 16; ++i) {
      launch_add(plain.get());
      launch_copy(plain.get());
      launch_mix(plain.get());
      check(clFinish(plain.get()));
    }
  }

  static constexpr size_t kBuffers = 4;
  const samcl::TestSeed seed;
  std::mt19937_64 random{seed};
  const Queue plain;
  const Program program = build(kSource);
  const Kernel add = bench::make_kernel(program, "add_value"), copy = bench::make_kernel(program, "copy_turned"),
               mix = bench::make_kernel(program, "mix_in");
  std::vector<Words> model;
  std::vector<Buffer> buffers;
  Buffer half;
};

TEST_F(Bursts, ComputeWhatLaunchesOneByOneWould) {
  warm_up();
  for (int round = 0; round < 60; ++round) {
    for (size_t i = 0, launches = any(60); i < launches; ++i) launch_any(plain.get());
    do_something_else(plain.get());
    if (round % 10 == 0) check_all(plain.get());
  }
  check_all(plain.get());
}

// One after the other: the program waits in between.
TEST_F(Bursts, InTwoQueuesByTurnsDoSo) {
  const Queue other = make_plain(0);
  warm_up();
  for (int round = 0; round < 80; ++round) {
    const cl_command_queue where = round % 2 == 0 ? plain.get() : other.get();
    for (size_t i = 0, launches = any(20); i < launches; ++i) launch_any(where);
    if (any(2) == 0) do_something_else(where);
    check(clFinish(where));
  }
  check_all(plain.get());
}

TEST_F(Bursts, WaitedForOneByOneDoSo) {
  warm_up();
  for (int i = 0; i < 300; ++i) {
    launch_any(plain.get());
    if (any(3) > 0) check(clFinish(plain.get()));
    if (any(20) == 0) do_something_else(plain.get());
  }
  check_all(plain.get());
}

// Some of the launches have events, which end when they have: in a queue that profiles.
TEST_F(Bursts, WithEventsNowAndThenDoSo) {
  warm_up();
  for (int round = 0; round < 40; ++round) {
    for (size_t i = 0, launches = any(30); i < launches; ++i) launch_any(queue());
    const size_t which = any(kBuffers);
    set_arguments(add, buffers[which], cl_uint{0}, cl_uint{7});
    const Event event = launch(add, {{kHalf}, {kGroup}});
    for (size_t i = 0; i < kHalf; ++i) model[which][i] += 7;
    for (size_t i = 0, launches = any(30); i < launches; ++i) launch_any(queue());
    const cl_event waits[] = {event.get()};
    check(clWaitForEvents(1, waits));
    EXPECT_EQ(status_of(event), CL_COMPLETE);
  }
  check_all(queue());
}

}  // namespace
}  // namespace cases
