// Kernels as programs really write them: odd spelling, odd arguments, helpers, and what kernels say of
// themselves.
#include <array>

#include "tests/programs/opencl_fixture.h"

namespace cases {
namespace {

class Kernels : public OpenCl {};

TEST_F(Kernels, SameBufferAsTwoArguments) {
  const auto k = kernel(R"(__kernel void k(__global const int* in, __global int* out) {
                             size_t i = get_global_id(0); out[i + 50] = in[i] + 1000; })");
  const Buffer x = buffer(counting<cl_int>(100));
  set_arguments(k, x, x);
  launch(k, {{50}});
  std::vector<cl_int> expected = counting<cl_int>(100);
  for (size_t i = 0; i < 50; ++i) expected[50 + i] = expected[i] + 1000;
  EXPECT_EQ(read<cl_int>(x, 100), expected);
}

TEST_F(Kernels, StructureByValue) {
  struct Parameters {
    cl_int first;
    cl_float scale;
    cl_ulong big;
    cl_uchar small;
  };
  const auto k = kernel(R"(
    typedef struct { int first; float scale; ulong big; uchar small; } Parameters;
    __kernel void k(__global int* x, Parameters p) {
      x[get_global_id(0)] = p.first + (int)p.scale + (int)(p.big >> 40) + p.small;
    })");
  const Buffer x = buffer_of(16);
  set_arguments(k, x, Parameters{1000, 200.0f, cl_ulong{30} << 40, 4});
  launch(k, {{4}});
  EXPECT_EQ(read<cl_int>(x, 4), std::vector<cl_int>(4, 1234));
}

TEST_F(Kernels, ScalarAndVectorArgumentsOfEverySize) {
  const auto k = kernel(R"(
    __kernel void k(__global ulong* x, char c, short s, int i, long l, float f, float g, uchar2 c2, short4 s4,
                    int3 i3, long8 l8, float16 f16) {
      x[get_global_id(0)] = c + s + i + l + (long)f + (long)g + c2.y + s4.w + i3.z + l8.s7 + (long)f16.sf;
    })");
  cl_uchar2 c2{{0, 1}};
  cl_short4 s4{{0, 0, 0, 2}};
  cl_int3 i3{{0, 0, 4, 0}};
  cl_long8 l8{};
  l8.s[7] = 8;
  cl_float16 f16{};
  f16.s[15] = 16;
  const Buffer x = buffer_of(16);
  set_arguments(k, x, cl_char{32}, cl_short{64}, cl_int{128}, cl_long{256}, cl_float{512}, cl_float{1024}, c2, s4, i3,
                l8, f16);
  launch(k, {{2}});
  EXPECT_EQ(read<cl_ulong>(x, 2), std::vector<cl_ulong>(2, 2047));
}

// A scalar of 8 bytes is not a buffer, whatever its value.
TEST_F(Kernels, EightByteScalarThatLooksLikeAHandle) {
  const auto k = kernel("__kernel void k(__global ulong* x, ulong value) { x[get_global_id(0)] = value; }");
  const Buffer x = buffer_of(16);
  const auto value = reinterpret_cast<cl_ulong>(x.get());
  set_arguments(k, x, value);
  launch(k, {{2}});
  EXPECT_EQ(read<cl_ulong>(x, 2), std::vector<cl_ulong>(2, value));
}

// What was set stays until something else is, and a wrong size is an error also after a right one.
TEST_F(Kernels, ArgumentsSetAgain) {
  const auto k = kernel("__kernel void k(__global int* x, int value) { x[get_global_id(0)] += value; }");
  const Buffer x = buffer(std::vector<cl_int>{0, 0}), y = buffer(std::vector<cl_int>{0, 0});
  set_arguments(k, x, cl_int{1});
  launch(k, {{2}});
  set_arguments(k, x, cl_int{1});
  launch(k, {{2}});
  set_arguments(k, x, cl_int{10});
  launch(k, {{2}});
  const cl_long wrong = 1;
  EXPECT_EQ(clSetKernelArg(k.get(), 1, sizeof wrong, &wrong), CL_INVALID_ARG_SIZE);
  launch(k, {{2}});
  set_arguments(k, y, cl_int{10});
  launch(k, {{2}});
  set_arguments(k, x, cl_int{100});
  launch(k, {{2}});
  EXPECT_EQ(read<cl_int>(x, 2), std::vector<cl_int>(2, 122));
  EXPECT_EQ(read<cl_int>(y, 2), std::vector<cl_int>(2, 10));
}

TEST_F(Kernels, NullBufferArgument) {
  const auto k =
      kernel("__kernel void k(__global int* x, __global int* nothing) { x[get_global_id(0)] = nothing ? 1 : 2; }");
  const Buffer x = buffer_of(16);
  set_arguments(k, x);
  ASSERT_OK(clSetKernelArg(k.get(), 1, sizeof(cl_mem), nullptr));
  launch(k, {{4}});
  EXPECT_EQ(read<cl_int>(x, 4), std::vector<cl_int>(4, 2));
  const cl_mem none = nullptr;
  ASSERT_OK(clSetKernelArg(k.get(), 1, sizeof(cl_mem), &none));
  launch(k, {{4}});
  EXPECT_EQ(read<cl_int>(x, 4), std::vector<cl_int>(4, 2));
}

TEST_F(Kernels, ConstantBufferArgument) {
  const auto k = kernel(
      "__kernel void k(__constant int* table, __global int* x) { size_t i = get_global_id(0); x[i] = table[9 "
      "- i]; }");
  const Buffer table = buffer(counting<cl_int>(10), CL_MEM_READ_ONLY), x = buffer_of(40);
  set_arguments(k, table, x);
  launch(k, {{10}});
  EXPECT_EQ(read<cl_int>(x, 10), (std::vector<cl_int>{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}));
}

TEST_F(Kernels, TwoLocalArgumentsAndALocalArray) {
  const auto k = kernel(R"(
    __kernel void k(__global int* x, __local int* a, __local short* b) {
      __local int c[4];
      size_t l = get_local_id(0);
      a[l] = x[get_global_id(0)];
      b[l] = (short)(10 * l);
      c[l] = 100;
      barrier(CLK_LOCAL_MEM_FENCE);
      x[get_global_id(0)] = a[3 - l] + b[3 - l] + c[3 - l];
    })");
  const Buffer x = buffer(std::vector<cl_int>{1, 2, 3, 4, 5, 6, 7, 8});
  set_arguments(k, x, LocalMemory{16}, LocalMemory{8});
  launch(k, {{8}, {4}});
  EXPECT_EQ(read<cl_int>(x, 8), (std::vector<cl_int>{134, 123, 112, 101, 138, 127, 116, 105}));
}

TEST_F(Kernels, BarrierInALoop) {
  const auto k = kernel(R"(
    __kernel void k(__global int* x) {
      __local int row[16];
      size_t l = get_local_id(0);
      row[l] = x[get_global_id(0)];
      for (int step = 1; step < 16; step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int other = l >= step ? row[l - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        row[l] += other;
      }
      x[get_global_id(0)] = row[l];
    })");
  const Buffer x = buffer(std::vector<cl_int>(64, 1));
  set_arguments(k, x);
  launch(k, {{64}, {16}});
  std::vector<cl_int> expected(64);
  for (size_t i = 0; i < 64; ++i) expected[i] = static_cast<cl_int>(i % 16 + 1);
  EXPECT_EQ(read<cl_int>(x, 64), expected);
}

TEST_F(Kernels, PermutedGather) {
  const auto k = kernel(R"(__kernel void k(__global const int* from, __global const uint* index, __global int* x) {
                             size_t i = get_global_id(0); x[i] = from[index[i]]; })");
  std::vector<cl_uint> index(1000);
  std::vector<cl_int> expected(1000);
  for (cl_uint i = 0; i < 1000; ++i) expected[i] = static_cast<cl_int>(index[i] = i * 617 % 1000);
  const Buffer from = buffer(counting<cl_int>(1000)), indices = buffer(index), x = buffer_of(4000);
  set_arguments(k, from, indices, x);
  launch(k, {{1000}, {8}});
  EXPECT_EQ(read<cl_int>(x, 1000), expected);
}

TEST_F(Kernels, PermutedScatter) {
  const auto k = kernel(R"(__kernel void k(__global const int* from, __global const uint* index, __global int* x) {
                             size_t i = get_global_id(0); x[index[i]] = from[i]; })");
  std::vector<cl_uint> index(1000);
  std::vector<cl_int> expected(1000);
  for (cl_uint i = 0; i < 1000; ++i) expected[index[i] = i * 617 % 1000] = static_cast<cl_int>(i);
  const Buffer from = buffer(counting<cl_int>(1000)), indices = buffer(index), x = buffer_of(4000);
  set_arguments(k, from, indices, x);
  launch(k, {{1000}, {8}});
  EXPECT_EQ(read<cl_int>(x, 1000), expected);
}

// In place: each item reads its pair's old value from another buffer and writes its own.
TEST_F(Kernels, ChainOfDependentLaunches) {
  const auto k = kernel(R"(__kernel void k(__global const int* in, __global int* out, int shift) {
                             size_t n = get_global_size(0), i = get_global_id(0);
                             out[i] = in[(i + shift) % n] + (int)i; })");
  std::vector<cl_int> host = counting<cl_int>(120), next(120);
  const Buffer a = buffer(host), b = buffer_of(480);
  for (cl_int shift = 1; shift <= 9; ++shift) {
    set_arguments(k, shift % 2 ? a : b, shift % 2 ? b : a, shift);
    launch(k, {{120}, {10}});
    for (size_t i = 0; i < 120; ++i) next[i] = host[(i + static_cast<size_t>(shift)) % 120] + static_cast<cl_int>(i);
    host = next;
  }
  EXPECT_EQ(read<cl_int>(b, 120), host);
}

TEST_F(Kernels, InfoTellsNameArgumentsContextAndProgram) {
  const auto k = kernel("__kernel void some_name(__global int* x, int y, __local int* z) { x[get_group_id(0)] = y; }",
                        "some_name");
  cl_uint arguments = 0;
  cl_context its_context = nullptr;
  cl_program its_program = nullptr;
  char name[10] = {};
  size_t size = 0;
  ASSERT_OK(clGetKernelInfo(k.get(), CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, nullptr));
  ASSERT_OK(clGetKernelInfo(k.get(), CL_KERNEL_CONTEXT, sizeof its_context, &its_context, nullptr));
  ASSERT_OK(clGetKernelInfo(k.get(), CL_KERNEL_PROGRAM, sizeof its_program, &its_program, nullptr));
  ASSERT_OK(clGetKernelInfo(k.get(), CL_KERNEL_FUNCTION_NAME, sizeof name, name, &size));
  EXPECT_EQ(arguments, 3u);
  EXPECT_EQ(its_context, context());
  EXPECT_EQ(its_program, k.program.get());
  EXPECT_STREQ(name, "some_name");
  EXPECT_EQ(size, sizeof name);
}

TEST_F(Kernels, ArgumentInfoIsThatOfTheSource) {
  const auto k = kernel(R"(__kernel void k(__global const float4* input, int count, __local uint* scratch,
                                           __constant char* table) {
                             if (count) scratch[0] = get_group_id(0) + table[0] + (uint)input[0].x; })",
                        "k", "-cl-kernel-arg-info");
  auto text = [&](cl_uint index, cl_kernel_arg_info parameter) {
    char value[64] = {};
    check(clGetKernelArgInfo(k.get(), index, parameter, sizeof value, value, nullptr));
    return std::string(value);
  };
  auto address = [&](cl_uint index) {
    cl_kernel_arg_address_qualifier value = 0;
    check(clGetKernelArgInfo(k.get(), index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof value, &value, nullptr));
    return value;
  };
  EXPECT_EQ(text(0, CL_KERNEL_ARG_NAME), "input");
  EXPECT_EQ(text(1, CL_KERNEL_ARG_NAME), "count");
  EXPECT_EQ(text(0, CL_KERNEL_ARG_TYPE_NAME), "float4*");
  EXPECT_EQ(text(1, CL_KERNEL_ARG_TYPE_NAME), "int");
  EXPECT_EQ(address(0), cl_uint{CL_KERNEL_ARG_ADDRESS_GLOBAL});
  EXPECT_EQ(address(1), cl_uint{CL_KERNEL_ARG_ADDRESS_PRIVATE});
  EXPECT_EQ(address(2), cl_uint{CL_KERNEL_ARG_ADDRESS_LOCAL});
  EXPECT_EQ(address(3), cl_uint{CL_KERNEL_ARG_ADDRESS_CONSTANT});
  cl_kernel_arg_type_qualifier qualifier = 0;
  ASSERT_OK(clGetKernelArgInfo(k.get(), 0, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifier, &qualifier, nullptr));
  EXPECT_EQ(qualifier & CL_KERNEL_ARG_TYPE_CONST, cl_kernel_arg_type_qualifier{CL_KERNEL_ARG_TYPE_CONST});
  EXPECT_STATUS(clGetKernelArgInfo(k.get(), 4, CL_KERNEL_ARG_NAME, 0, nullptr, nullptr), CL_INVALID_ARG_INDEX);
}

TEST_F(Kernels, WorkGroupInfo) {
  const auto k = kernel(
      "__kernel __attribute__((reqd_work_group_size(8, 4, 2))) void k(__global int* x) { x[get_group_id(0)] "
      "= 1; }");
  std::array<size_t, 3> required{};
  size_t largest = 0, multiple = 0;
  cl_ulong local = 99, own = 99;
  ASSERT_OK(clGetKernelWorkGroupInfo(k.get(), device(), CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required,
                                     required.data(), nullptr));
  ASSERT_OK(clGetKernelWorkGroupInfo(k.get(), device(), CL_KERNEL_WORK_GROUP_SIZE, sizeof largest, &largest, nullptr));
  ASSERT_OK(clGetKernelWorkGroupInfo(k.get(), device(), CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof multiple,
                                     &multiple, nullptr));
  ASSERT_OK(clGetKernelWorkGroupInfo(k.get(), nullptr, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, nullptr));
  ASSERT_OK(clGetKernelWorkGroupInfo(k.get(), device(), CL_KERNEL_PRIVATE_MEM_SIZE, sizeof own, &own, nullptr));
  EXPECT_EQ(required, (std::array<size_t, 3>{8, 4, 2}));
  EXPECT_GE(largest, 64u);
  EXPECT_GE(multiple, 1u);
  EXPECT_EQ(local, 0u);
}

TEST_F(Kernels, TwoKernelObjectsOfOneFunctionHaveTheirOwnArguments) {
  const Program program = build("__kernel void k(__global int* x, int value) { x[get_global_id(0)] = value; }");
  const Kernel one = bench::make_kernel(program, "k"), two = bench::make_kernel(program, "k");
  const Buffer x = buffer_of(16), y = buffer_of(16);
  set_arguments(one, x, cl_int{1});
  set_arguments(two, y, cl_int{2});
  launch(one, {{4}});
  launch(two, {{4}});
  EXPECT_EQ(read<cl_int>(x, 4), std::vector<cl_int>(4, 1));
  EXPECT_EQ(read<cl_int>(y, 4), std::vector<cl_int>(4, 2));
}

TEST_F(Kernels, CloneTakesArgumentsAlong) {
  const auto k = kernel("__kernel void k(__global int* x, int value) { x[get_global_id(0)] = value; }");
  const Buffer x = buffer_of(16), y = buffer_of(16);
  set_arguments(k, x, cl_int{5});
  cl_int status = CL_SUCCESS;
  const Kernel clone(clCloneKernel(k.get(), &status));
  ASSERT_OK(status);
  set_arguments(k, y, cl_int{6});
  launch(clone, {{4}});
  launch(k, {{4}});
  EXPECT_EQ(read<cl_int>(x, 4), std::vector<cl_int>(4, 5));
  EXPECT_EQ(read<cl_int>(y, 4), std::vector<cl_int>(4, 6));
}

TEST_F(Kernels, PrintfReachesStandardOutput) {
  const auto k = kernel(R"(__kernel void k(__global int* x) {
                             if (get_global_id(0) == 2) printf("item %d of %d\n", (int)get_global_id(0),
                                                                (int)get_global_size(0));
                             x[get_global_id(0)] = 1; })");
  const Buffer x = buffer_of(16);
  set_arguments(k, x);
  testing::internal::CaptureStdout();
  launch(k, {{4}});
  check(clFinish(queue()));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "item 2 of 4\n");
}

TEST_F(Kernels, NativeKernelRunsWithItsMemory) {
  if (!(device_info<cl_device_exec_capabilities>(CL_DEVICE_EXECUTION_CAPABILITIES) & CL_EXEC_NATIVE_KERNEL))
    GTEST_SKIP() << "no native kernels";
  struct Arguments {
    cl_int* memory;
    cl_int value;
  } arguments{nullptr, 31};
  const Buffer x = buffer(std::vector<cl_int>{1, 2, 3});
  const cl_mem object = x.get();
  const void* place = &arguments.memory;
  auto body = [](void* raw) {
    auto* given = static_cast<Arguments*>(raw);
    given->memory[1] += given->value;
  };
  void(CL_CALLBACK * function)(void*) = body;
  ASSERT_OK(
      clEnqueueNativeKernel(queue(), function, &arguments, sizeof arguments, 1, &object, &place, 0, nullptr, nullptr));
  EXPECT_EQ(read<cl_int>(x, 3), (std::vector<cl_int>{1, 33, 3}));
}

// "A divide by zero with integer types does not cause an exception but will result in an unspecified value."
TEST_F(Kernels, MayDivideIntegersByZero) {
  const auto k = kernel(
      "__kernel void k(__global int* x, __global const int* by) {"
      " int g = get_global_id(0); int q = 1000 / by[g]; x[g] = by[g] ? q : g; }");
  std::vector<cl_int> divisors(64, 10), expected(64, 100);
  for (int i = 0; i < 64; i += 3) divisors[i] = 0, expected[i] = i;
  const Buffer x = buffer(std::vector<cl_int>(64)), by = buffer(divisors);
  set_arguments(k, x, by);
  launch(k, {{64}, {4}});
  EXPECT_EQ(read<cl_int>(x, 64), expected);
}

}  // namespace
}  // namespace cases
