// Atomics on global and on local memory.
#include <algorithm>

#include "tests/programs/opencl_fixture.h"

namespace cases {
namespace {

class Atomics : public OpenCl {};

TEST_F(Atomics, CounterCountsEveryWorkItem) {
  const auto k = kernel("__kernel void k(__global int* counter) { atomic_inc(counter); }");
  const Buffer counter = buffer(std::vector<cl_int>{5});
  set_arguments(k, counter);
  launch(k, {{1000}, {10}});
  launch(k, {{1000}, {10}});
  EXPECT_EQ(read<cl_int>(counter, 1)[0], 2005);
}

TEST_F(Atomics, TicketsAreUnique) {
  const auto k = kernel(
      "__kernel void k(__global int* counter, __global int* ticket) { ticket[get_global_id(0)] = "
      "atomic_inc(counter); }");
  const Buffer counter = buffer(std::vector<cl_int>{0}), ticket = buffer(std::vector<cl_int>(1000, -1));
  set_arguments(k, counter, ticket);
  launch(k, {{1000}, {10}});
  std::vector<cl_int> tickets = read<cl_int>(ticket, 1000);
  std::sort(tickets.begin(), tickets.end());
  EXPECT_EQ(tickets, counting<cl_int>(1000));
}

// Each work-item appends to a list: order is open, contents are not.
TEST_F(Atomics, AppendThroughACounter) {
  const auto k = kernel(R"(__kernel void k(__global const int* x, __global int* count, __global int* list) {
                             size_t i = get_global_id(0);
                             if (x[i] % 3 == 0) list[atomic_add(count, 1)] = x[i]; })");
  const Buffer x = buffer(counting<cl_int>(300)), count = buffer(std::vector<cl_int>{0}),
               list = buffer(std::vector<cl_int>(300, -1));
  set_arguments(k, x, count, list);
  launch(k, {{300}, {6}});
  ASSERT_EQ(read<cl_int>(count, 1)[0], 100);
  std::vector<cl_int> found = read<cl_int>(list, 100), expected(100);
  std::sort(found.begin(), found.end());
  for (cl_int i = 0; i < 100; ++i) expected[static_cast<size_t>(i)] = 3 * i;
  EXPECT_EQ(found, expected);
}

// A race, which goes well where work-group 0 comes first: what others have added would be cleared (gpuowl's sum64).
TEST_F(Atomics, SumThatTheFirstWorkGroupClears) {
  const auto k = kernel(R"(__kernel void k(__global uint* out, __global const uint* x) {
                             if (get_global_id(0) == 0) out[0] = 0;
                             __local uint sum;
                             if (get_local_id(0) == 0) sum = 0;
                             barrier(CLK_LOCAL_MEM_FENCE);
                             atomic_add(&sum, x[get_global_id(0)]);
                             barrier(CLK_LOCAL_MEM_FENCE);
                             if (get_local_id(0) == 0) atomic_add(out, sum); })");
  const Buffer x = buffer(counting<cl_uint>(4096)), out = buffer(std::vector<cl_uint>{77});
  set_arguments(k, out, x);
  for (int i = 0; i < 20; ++i) {
    launch(k, {{4096}, {16}});
    ASSERT_EQ(read<cl_uint>(out, 1)[0], 4095u * 4096 / 2);
  }
}

TEST_F(Atomics, Histogram) {
  const auto k = kernel(R"(__kernel void k(__global const uchar* x, __global uint* bins) {
                             atomic_inc(&bins[x[get_global_id(0)] & 15]); })");
  std::vector<cl_uchar> contents(4000);
  std::vector<cl_uint> expected(16, 0);
  for (size_t i = 0; i < contents.size(); ++i) ++expected[(contents[i] = static_cast<cl_uchar>(i * i >> 3)) & 15];
  const Buffer x = buffer(contents), bins = buffer(std::vector<cl_uint>(16, 0));
  set_arguments(k, x, bins);
  launch(k, {{4000}, {20}});
  EXPECT_EQ(read<cl_uint>(bins, 16), expected);
}

TEST_F(Atomics, EveryCommutativeOperation) {
  const auto k = kernel(R"(__kernel void k(__global int* x) {
    int i = (int)get_global_id(0) + 1;
    atomic_add(x + 0, i);
    atomic_sub(x + 1, i);
    atomic_inc(x + 2);
    atomic_dec(x + 3);
    atomic_min(x + 4, -i);
    atomic_max(x + 5, i);
    atomic_and(x + 6, ~(1 << (i & 15)));
    atomic_or(x + 7, 1 << (i & 15));
    atomic_xor(x + 8, i);
  })");
  const Buffer x = buffer(std::vector<cl_int>{0, 0, 0, 0, 0, 0, -1, 0, 0});
  set_arguments(k, x);
  launch(k, {{100}, {10}});
  EXPECT_EQ(read<cl_int>(x, 9), (std::vector<cl_int>{5050, -5050, 100, -100, -100, 100, ~0xffff, 0xffff, 100}));
}

// Each alone in its kernel, on places that many groups share.
TEST_F(Atomics, EveryKindByItself) {
  const struct {
    const char* statement;
    cl_uint first;
    cl_uint (*step)(cl_uint, cl_uint);
  } kinds[] = {
      {"atomic_add(x + i % 7, i * i)", 5, [](cl_uint x, cl_uint i) { return x + i * i; }},
      {"atomic_sub(x + i % 7, i)", 5, [](cl_uint x, cl_uint i) { return x - i; }},
      {"atomic_dec(x + i % 7)", 5, [](cl_uint x, cl_uint) { return x - 1; }},
      {"atomic_and(x + i % 7, ~(1u << i % 31))", 0xffffffff, [](cl_uint x, cl_uint i) { return x & ~(1u << i % 31); }},
      {"atomic_or(x + i % 7, 1u << i % 31)", 4, [](cl_uint x, cl_uint i) { return x | 1u << i % 31; }},
      {"atomic_xor(x + i % 7, i * 77)", 9, [](cl_uint x, cl_uint i) { return x ^ i * 77; }},
      {"atomic_min(x + i % 7, 3000 - i)", 2990, [](cl_uint x, cl_uint i) { return std::min(x, 3000 - i); }},
      {"atomic_max((__global int*)x + i % 7, (int)i - 20)", 0xfffffff0u, [](cl_uint x, cl_uint i) {
         return static_cast<cl_uint>(std::max(static_cast<cl_int>(x), static_cast<cl_int>(i) - 20));
       }}};
  for (const auto& kind : kinds) {
    const auto k =
        kernel(std::string("__kernel void k(__global uint* x) { uint i = get_global_id(0); ") + kind.statement + "; }");
    std::vector<cl_uint> expected(10, kind.first);
    const Buffer x = buffer(expected);
    set_arguments(k, x);
    for (int launches = 0; launches < 2; ++launches) {
      launch(k, {{300}, {10}});
      for (cl_uint i = 0; i < 300; ++i) expected[i % 7] = kind.step(expected[i % 7], i);
    }
    EXPECT_EQ(read<cl_uint>(x, 10), expected) << kind.statement;
  }
}

// What one argument counts the other one tells: not to be seen apart.
TEST_F(Atomics, CountedAndStoredThroughTwoArgumentsOfOneBuffer) {
  const auto k = kernel(R"(__kernel void k(__global int* count, __global int* list) {
                             const int i = get_global_id(0);
                             list[i] = 3 * i;
                             atomic_inc(count); })");
  const Buffer x = buffer(std::vector<cl_int>(400, 7));
  set_arguments(k, x, x);
  launch(k, {{399}, {3}});
  auto found = read<cl_int>(x, 400);
  EXPECT_EQ(found[399], 7);
  for (cl_int i = 1; i < 399; ++i) ASSERT_EQ(found[static_cast<size_t>(i)], 3 * i);
}

TEST_F(Atomics, CompareAndExchangeMaximum) {
  const auto k = kernel(R"(__kernel void k(__global const int* x, __global int* best) {
                             int mine = x[get_global_id(0)], seen = *best;
                             while (mine > seen) {
                               int was = atomic_cmpxchg(best, seen, mine);
                               if (was == seen) break;
                               seen = was;
                             } })");
  std::vector<cl_int> contents(500);
  for (cl_int i = 0; i < 500; ++i) contents[static_cast<size_t>(i)] = i * 337 % 500;
  const Buffer x = buffer(contents), best = buffer(std::vector<cl_int>{-1});
  set_arguments(k, x, best);
  launch(k, {{500}, {5}});
  EXPECT_EQ(read<cl_int>(best, 1)[0], 499);
}

TEST_F(Atomics, OnLocalMemory) {
  const auto k = kernel(R"(
    __kernel void k(__global const int* x, __global int* sums) {
      __local int sum;
      if (get_local_id(0) == 0) sum = 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      atomic_add(&sum, x[get_global_id(0)]);
      barrier(CLK_LOCAL_MEM_FENCE);
      if (get_local_id(0) == 0) sums[get_group_id(0)] = sum;
    })");
  const Buffer x = buffer(counting<cl_int>(80)), sums = buffer_of(32);
  set_arguments(k, x, sums);
  launch(k, {{80}, {10}});
  EXPECT_EQ(read<cl_int>(sums, 8), (std::vector<cl_int>{45, 145, 245, 345, 445, 545, 645, 745}));
}

TEST_F(Atomics, InAHelperFunction) {
  const auto k = kernel(R"(
    void count(volatile __global int* where, int by) { atomic_add(where, by); }
    __kernel void k(__global int* x) { count(x + (get_global_id(0) & 1), 2); })");
  const Buffer x = buffer(std::vector<cl_int>{0, 100});
  set_arguments(k, x);
  launch(k, {{50}, {5}});
  EXPECT_EQ(read<cl_int>(x, 2), (std::vector<cl_int>{50, 150}));
}

TEST_F(Atomics, FloatSumByCompareAndExchange) {
  const auto k = kernel(R"(
    void add(volatile __global float* sum, float value) {
      union { uint bits; float number; } seen, next;
      do {
        seen.number = *sum;
        next.number = seen.number + value;
      } while (atomic_cmpxchg((volatile __global uint*)sum, seen.bits, next.bits) != seen.bits);
    }
    __kernel void k(__global float* sum) { add(sum, (float)get_global_id(0)); })");
  const Buffer sum = buffer(std::vector<cl_float>{0.5f});
  set_arguments(k, sum);
  launch(k, {{200}, {10}});
  EXPECT_EQ(read<cl_float>(sum, 1)[0], 19900.5f) << "sums of integers below 2^24 are exact in any order";
}

}  // namespace
}  // namespace cases
