// Buffers that live in the program's own memory (CL_MEM_USE_HOST_PTR).
#include <cstdlib>
#include <memory>

#include "tests/programs/opencl_fixture.h"

namespace cases {
namespace {

class HostPointers : public OpenCl {
 protected:
  struct Free {
    void operator()(cl_int* memory) const { std::free(memory); }
  };
  using HostMemory = std::unique_ptr<cl_int[], Free>;

  // Aligned to a page, as programs do that hope for no copy; filled with 0, 1, 2, ...
  static HostMemory host_memory(size_t count) {
    HostMemory memory(static_cast<cl_int*>(std::aligned_alloc(4096, (count * 4 + 4095) / 4096 * 4096)));
    std::iota(memory.get(), memory.get() + count, 0);
    return memory;
  }
  Buffer over(cl_int* memory, size_t count) { return session_.make_buffer(CL_MEM_USE_HOST_PTR, count * 4, memory); }

  BuiltKernel add_ten() { return kernel("__kernel void k(__global int* x) { x[get_global_id(0)] += 10; }"); }
};

TEST_F(HostPointers, KernelSeesTheMemorysContents) {
  const HostMemory memory = host_memory(100);
  const Buffer x = over(memory.get(), 100);
  const auto k = add_ten();
  set_arguments(k, x);
  launch(k, {{100}});
  EXPECT_EQ(read<cl_int>(x, 100), counting<cl_int>(100, 10));
}

TEST_F(HostPointers, MapReturnsTheMemoryItself) {
  const HostMemory memory = host_memory(100);
  const Buffer x = over(memory.get(), 100);
  auto* mapped = map<cl_int>(x, CL_MAP_READ, 10, 20);
  EXPECT_EQ(mapped, memory.get() + 20);
  unmap(x, mapped);
  ASSERT_OK(clFinish(queue()));
}

TEST_F(HostPointers, MapBringsTheKernelsResultIntoTheMemory) {
  const HostMemory memory = host_memory(100);
  const Buffer x = over(memory.get(), 100);
  const auto k = add_ten();
  set_arguments(k, x);
  launch(k, {{100}});
  auto* mapped = map<cl_int>(x, CL_MAP_READ, 100);
  EXPECT_EQ(std::vector<cl_int>(memory.get(), memory.get() + 100), counting<cl_int>(100, 10));
  unmap(x, mapped);
  ASSERT_OK(clFinish(queue()));
}

TEST_F(HostPointers, WhatTheHostWritesWhileMappedReachesTheKernel) {
  const HostMemory memory = host_memory(100);
  const Buffer x = over(memory.get(), 100);
  const auto k = add_ten();
  set_arguments(k, x);
  for (int round = 0; round < 3; ++round) {
    auto* mapped = map<cl_int>(x, CL_MAP_READ | CL_MAP_WRITE, 100);
    for (int i = 0; i < 100; ++i) memory[static_cast<size_t>(i)] *= 2;
    unmap(x, mapped);
    launch(k, {{100}});
  }
  std::vector<cl_int> expected(100);
  for (cl_int i = 0; i < 100; ++i) expected[static_cast<size_t>(i)] = 8 * i + 70;
  EXPECT_EQ(read<cl_int>(x, 100), expected);
}

// One byte beyond any alignment that a driver could want.
TEST_F(HostPointers, MemoryMayBeUnaligned) {
  std::vector<cl_uchar> raw(401, 7);
  const Buffer x = session_.make_buffer(CL_MEM_USE_HOST_PTR, 400, raw.data() + 1);
  const auto k = kernel("__kernel void k(__global uchar* x) { x[get_global_id(0)] += 1; }");
  set_arguments(k, x);
  launch(k, {{400}});
  void* mapped = map<cl_uchar>(x, CL_MAP_READ, 400);
  EXPECT_EQ(mapped, raw.data() + 1);
  EXPECT_EQ(raw[0], 7);
  EXPECT_EQ(std::vector<cl_uchar>(raw.begin() + 1, raw.end()), std::vector<cl_uchar>(400, 8));
  unmap(x, mapped);
  ASSERT_OK(clFinish(queue()));
}

TEST_F(HostPointers, ReadIntoTheSameMemory) {
  const HostMemory memory = host_memory(100);
  const Buffer x = over(memory.get(), 100);
  const auto k = add_ten();
  set_arguments(k, x);
  launch(k, {{100}});
  ASSERT_OK(clEnqueueReadBuffer(queue(), x.get(), CL_TRUE, 0, 400, memory.get(), 0, nullptr, nullptr));
  EXPECT_EQ(std::vector<cl_int>(memory.get(), memory.get() + 100), counting<cl_int>(100, 10));
}

TEST_F(HostPointers, InfoReturnsThePointer) {
  const HostMemory memory = host_memory(100);
  const Buffer x = over(memory.get(), 100);
  void* pointer = nullptr;
  ASSERT_OK(clGetMemObjectInfo(x.get(), CL_MEM_HOST_PTR, sizeof pointer, &pointer, nullptr));
  EXPECT_EQ(pointer, memory.get());
}

TEST_F(HostPointers, PointerAndFlagsMustAgree) {
  cl_int value = 0, status = CL_SUCCESS;
  auto create = [&](cl_mem_flags flags, void* host) {
    const Buffer made(clCreateBuffer(context(), flags, 4, host, &status));
    return status;
  };
  EXPECT_STATUS(create(CL_MEM_USE_HOST_PTR, nullptr), CL_INVALID_HOST_PTR);
  EXPECT_STATUS(create(CL_MEM_COPY_HOST_PTR, nullptr), CL_INVALID_HOST_PTR);
  EXPECT_STATUS(create(CL_MEM_READ_WRITE, &value), CL_INVALID_HOST_PTR);
  EXPECT_STATUS(create(CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, &value), CL_INVALID_VALUE);
  EXPECT_STATUS(create(CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, &value), CL_INVALID_VALUE);
}

}  // namespace
}  // namespace cases
