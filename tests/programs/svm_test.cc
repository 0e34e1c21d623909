// Coarse-grained shared virtual memory: host and kernels use the same addresses, the host between map and unmap.
#include <algorithm>
#include <atomic>

#include "tests/programs/opencl_fixture.h"

namespace cases {
namespace {

constexpr size_t kCount = 1024;

const char kIncrement[] = "__kernel void k(__global int* x, int by) { x[get_global_id(0)] += by; }";
const char kCopies[] =
    "__kernel void k(__global const int* from, __global int* to) {"
    " size_t g = get_global_id(0); to[g] = from[g]; }";

class Svm : public OpenCl {
 protected:
  void SetUp() override {
    cl_device_svm_capabilities offered = 0;
    clGetDeviceInfo(device(), CL_DEVICE_SVM_CAPABILITIES, sizeof offered, &offered, nullptr);
    if (!(offered & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER)) GTEST_SKIP() << "the device has no shared virtual memory";
  }

  // count values in an allocation that lives as long as the fixture's context is in use.
  template <typename T>
  struct Memory {
    Memory(cl_context where, size_t values)
        : context(where),
          first(static_cast<T*>(clSVMAlloc(where, CL_MEM_READ_WRITE, values * sizeof(T), 0))),
          count(values) {
      if (!first) throw std::runtime_error("clSVMAlloc");
    }
    ~Memory() { clSVMFree(context, first); }
    Memory(const Memory&) = delete;
    size_t bytes() const { return count * sizeof(T); }
    T* get() const { return first; }

    const cl_context context;
    T* const first;
    const size_t count;
  };
  Memory<cl_int> ints(size_t count = kCount) const { return {context(), count}; }

  template <typename T>
  void put(T* at, const std::vector<T>& values) const {
    check(clEnqueueSVMMap(queue(), CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, at, values.size() * sizeof(T), 0, nullptr,
                          nullptr));
    std::copy(values.begin(), values.end(), at);
    check(clEnqueueSVMUnmap(queue(), at, 0, nullptr, nullptr));
  }
  template <typename T>
  std::vector<T> take(T* at, size_t count) const {
    check(clEnqueueSVMMap(queue(), CL_TRUE, CL_MAP_READ, at, count * sizeof(T), 0, nullptr, nullptr));
    const std::vector<T> values(at, at + count);
    check(clEnqueueSVMUnmap(queue(), at, 0, nullptr, nullptr));
    check(clFinish(queue()));
    return values;
  }
  Buffer buffer_over(void* memory, size_t bytes) const {
    return session_.make_buffer(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, memory);
  }
  static void set_svm(const Kernel& kernel, cl_uint index, const void* pointer) {
    check(clSetKernelArgSVMPointer(kernel.get(), index, pointer));
  }
  static void set_value(const Kernel& kernel, cl_uint index, cl_int value) {
    check(clSetKernelArg(kernel.get(), index, sizeof value, &value));
  }
};

TEST_F(Svm, AddressesAreAlignedAsAskedFor) {
  for (cl_uint alignment = 1; alignment <= 128; alignment *= 2) {
    void* const memory = clSVMAlloc(context(), CL_MEM_READ_WRITE, 100, alignment);
    ASSERT_NE(memory, nullptr) << alignment;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % alignment, 0u);
    clSVMFree(context(), memory);
  }
}

TEST_F(Svm, WhatCannotBeAllocatedIsNull) {
  EXPECT_EQ(clSVMAlloc(context(), CL_MEM_READ_WRITE, 0, 0), nullptr);
  EXPECT_EQ(clSVMAlloc(context(), CL_MEM_READ_WRITE, 64, 3), nullptr);
  EXPECT_EQ(clSVMAlloc(context(), CL_MEM_SVM_ATOMICS, 64, 0), nullptr);
  EXPECT_EQ(clSVMAlloc(context(), CL_MEM_READ_WRITE, size_t{1} << 50, 0), nullptr);
  clSVMFree(context(), nullptr);
}

TEST_F(Svm, HostAndKernelsTakeTurns) {
  const auto x = ints();
  const auto k = kernel(kIncrement);
  std::vector<cl_int> expected = counting<cl_int>(kCount);
  put(x.get(), expected);
  set_svm(k, 0, x.get());
  for (cl_int turn = 1; turn <= 5; ++turn) {
    set_value(k, 1, turn);
    launch(k, {{kCount}, {16}});
    for (cl_int& value : expected) value += turn;
    EXPECT_EQ(take(x.get(), kCount), expected);
    ASSERT_OK(clEnqueueSVMMap(queue(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, x.get() + 100, 40, 0, nullptr, nullptr));
    for (size_t i = 100; i < 110; ++i) expected[i] = x.get()[i] *= -3;
    ASSERT_OK(clEnqueueSVMUnmap(queue(), x.get() + 100, 0, nullptr, nullptr));
  }
  EXPECT_EQ(take(x.get(), kCount), expected);
}

TEST_F(Svm, ArgumentMayPointIntoTheMiddle) {
  const auto x = ints();
  const auto k = kernel("__kernel void k(__global int* x) { int g = get_global_id(0); x[g] = g; x[-1 - g] = -1 - g; }");
  put(x.get(), std::vector<cl_int>(kCount, 7000));
  set_svm(k, 0, x.get() + kCount / 2);
  launch(k, {{kCount / 4}, {16}});
  std::vector<cl_int> expected(kCount, 7000);
  for (size_t g = 0; g < kCount / 4; ++g) {
    expected[kCount / 2 + g] = static_cast<cl_int>(g);
    expected[kCount / 2 - 1 - g] = -1 - static_cast<cl_int>(g);
  }
  EXPECT_EQ(take(x.get(), kCount), expected);
}

TEST_F(Svm, OneAllocationMayBeSeveralArguments) {
  const auto x = ints();
  const auto k = kernel(kCopies);
  put(x.get(), counting<cl_int>(kCount));
  set_svm(k, 0, x.get());
  set_svm(k, 1, x.get() + kCount / 2);
  launch(k, {{kCount / 2}, {16}});
  std::vector<cl_int> expected = counting<cl_int>(kCount / 2);
  expected.insert(expected.end(), expected.begin(), expected.begin() + kCount / 2);
  EXPECT_EQ(take(x.get(), kCount), expected);
}

TEST_F(Svm, BuffersAndSharedMemoryMixInOneLaunch) {
  const auto x = ints();
  const auto k = kernel(kCopies);
  const Buffer from = buffer(counting<cl_int>(kCount, 5)), to = buffer_of(kCount * sizeof(cl_int));
  check(clSetKernelArg(k.get(), 0, sizeof(cl_mem), from.address()));
  set_svm(k, 1, x.get());
  launch(k, {{kCount}, {16}});
  set_svm(k, 0, x.get());
  check(clSetKernelArg(k.get(), 1, sizeof(cl_mem), to.address()));
  launch(k, {{kCount}, {16}});
  EXPECT_EQ(read<cl_int>(to, kCount), counting<cl_int>(kCount, 5));
}

struct Node {
  Node* next;
  cl_int value, unused;
};

const char kList[] =
    "typedef struct node { __global struct node* next; int value, unused; } node;\n"
    "__kernel void walk(__global node* first, __global int* out, int add) {"
    " int sum = 0; for (__global node* at = first; at; at = at->next) { if (get_global_id(0) == 0) at->value += add; "
    "sum += 1; }"
    " out[get_global_id(0)] = sum; }\n"
    "__kernel void chain(__global node* all, int n) { int g = get_global_id(0);"
    " all[g].next = g + 1 < n ? all + g + 1 : 0; all[g].value = g; }";

TEST_F(Svm, ListOfTheHostIsWalkedByAKernel) {
  Memory<Node> nodes(context(), 100);
  const auto out = ints(4);
  ASSERT_OK(clEnqueueSVMMap(queue(), CL_TRUE, CL_MAP_WRITE, nodes.get(), nodes.bytes(), 0, nullptr, nullptr));
  for (int i = 0; i < 100; ++i)
    nodes.get()[(i * 37) % 100] = {i < 99 ? nodes.get() + ((i + 1) * 37) % 100 : nullptr, i, 0};
  ASSERT_OK(clEnqueueSVMUnmap(queue(), nodes.get(), 0, nullptr, nullptr));
  const auto walk = kernel(kList, "walk");
  set_svm(walk, 0, nodes.get());
  set_svm(walk, 1, out.get());
  set_value(walk, 2, 1000);
  launch(walk, {{4}, {1}});
  EXPECT_EQ(take(out.get(), 4), std::vector<cl_int>(4, 100));
  const std::vector<Node> after = take(nodes.get(), 100);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(after[(i * 37) % 100].value, 1000 + i);
}

TEST_F(Svm, ListOfAKernelIsWalkedByTheHost) {
  Memory<Node> nodes(context(), 256);
  const auto chain = kernel(kList, "chain");
  set_svm(chain, 0, nodes.get());
  set_value(chain, 1, 256);
  launch(chain, {{256}, {8}});
  ASSERT_OK(clEnqueueSVMMap(queue(), CL_TRUE, CL_MAP_READ, nodes.get(), nodes.bytes(), 0, nullptr, nullptr));
  cl_int expected = 0;
  for (const Node* at = nodes.get(); at; at = at->next) EXPECT_EQ(at->value, expected++);
  EXPECT_EQ(expected, 256);
  ASSERT_OK(clEnqueueSVMUnmap(queue(), nodes.get(), 0, nullptr, nullptr));
}

// Each allocation was last written by a launch of its own, which may have run elsewhere than the kernel that finds it.
TEST_F(Svm, ListOverSeveralAllocationsByExecInfo) {
  const auto increment = kernel(
      "typedef struct { ulong next; int value, unused; } node;\n"
      "__kernel void k(__global node* x) { x[get_global_id(0)].value += 10; }");
  std::vector<std::unique_ptr<Memory<Node>>> parts;
  std::vector<void*> pointers;
  for (int i = 0; i < 5; ++i) {
    parts.push_back(std::make_unique<Memory<Node>>(context(), 64));
    pointers.push_back(parts.back()->get());
  }
  for (int i = 0; i < 5; ++i) {
    put(parts[i]->get(), std::vector<Node>(64, {i < 4 ? parts[i + 1]->get() : nullptr, i, 0}));
    set_svm(increment, 0, parts[i]->get());
    launch(increment, {{64}, {8}});
  }
  const auto out = ints(2);
  const auto walk = kernel(kList, "walk");
  set_svm(walk, 0, parts[0]->get());
  set_svm(walk, 1, out.get());
  set_value(walk, 2, 100);
  ASSERT_OK(
      clSetKernelExecInfo(walk.get(), CL_KERNEL_EXEC_INFO_SVM_PTRS, pointers.size() * sizeof(void*), pointers.data()));
  launch(walk, {{2}, {1}});
  EXPECT_EQ(take(out.get(), 2), (std::vector<cl_int>{5, 5}));
  for (int i = 0; i < 5; ++i) {
    set_svm(increment, 0, parts[i]->get());
    launch(increment, {{64}, {8}});
    const std::vector<Node> after = take(parts[i]->get(), 64);
    EXPECT_EQ(after[0].value, 120 + i);
    EXPECT_EQ(after[63].value, 20 + i);
  }
}

// An address in a buffer leads into shared memory, too.
TEST_F(Svm, AddressesMayBeKeptInBuffers) {
  const auto x = ints();
  put(x.get(), counting<cl_int>(kCount));
  const auto increment = kernel(kIncrement);
  set_svm(increment, 0, x.get());
  set_value(increment, 1, 3);
  launch(increment, {{kCount}, {16}});
  const auto follow = kernel(
      "__kernel void k(__global ulong* where, __global int* out) {"
      " int g = get_global_id(0); out[g] = ((__global int*)where[g])[g]; }");
  const Buffer where = buffer(std::vector<cl_ulong>(kCount, reinterpret_cast<uintptr_t>(x.get())));
  const Buffer out = buffer_of(kCount * sizeof(cl_int));
  void* const pointer = x.get();
  set_arguments(follow, where, out);
  ASSERT_OK(clSetKernelExecInfo(follow.get(), CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof pointer, &pointer));
  launch(follow, {{kCount}, {16}});
  EXPECT_EQ(read<cl_int>(out, kCount), counting<cl_int>(kCount, 3));
}

// Who writes what is found by comparing, or counted together.
TEST_F(Svm, ScatteredWritesAndAtomicSumsMeet) {
  const auto x = ints(), sums = ints(16);
  const std::string source =
      "__kernel void scatter(__global int* x, __global const int* to) {"
      " int g = get_global_id(0); x[to[g]] = g; }\n"
      "__kernel void count(__global int* sums, __global const int* x) {"
      " atomic_add(&sums[x[get_global_id(0)] & 15], 1); }";
  std::vector<cl_int> places(kCount), expected(kCount);
  for (size_t i = 0; i < kCount; ++i) {
    places[i] = static_cast<cl_int>(i * 389 % kCount);
    expected[places[i]] = static_cast<cl_int>(i);
  }
  const Buffer to = buffer(places);
  const auto scatter = kernel(source, "scatter"), count = kernel(source, "count");
  put(x.get(), std::vector<cl_int>(kCount, -1));
  put(sums.get(), std::vector<cl_int>(16, 5));
  set_svm(scatter, 0, x.get());
  check(clSetKernelArg(scatter.get(), 1, sizeof(cl_mem), to.address()));
  set_svm(count, 0, sums.get());
  set_svm(count, 1, x.get());
  for (int turn = 1; turn <= 3; ++turn) {
    launch(scatter, {{kCount}, {16}});
    launch(count, {{kCount}, {16}});
    EXPECT_EQ(take(sums.get(), 16), std::vector<cl_int>(16, 5 + turn * static_cast<cl_int>(kCount) / 16));
  }
  EXPECT_EQ(take(x.get(), kCount), expected);
}

TEST_F(Svm, ClonedKernelsKeepPointers) {
  const auto x = ints();
  put(x.get(), std::vector<cl_int>(kCount, 1));
  const auto k = kernel(kIncrement);
  set_svm(k, 0, x.get());
  set_value(k, 1, 4);
  cl_int status = CL_SUCCESS;
  const Kernel clone(clCloneKernel(k.get(), &status));
  ASSERT_STATUS(status, CL_SUCCESS);
  launch(clone, {{kCount}, {16}});
  EXPECT_EQ(take(x.get(), kCount), std::vector<cl_int>(kCount, 5));
}

TEST_F(Svm, CopiesGoToAndFromItAndWithinIt) {
  const auto x = ints(), y = ints();
  std::vector<cl_int> values = counting<cl_int>(kCount), back(kCount);
  ASSERT_OK(clEnqueueSVMMemcpy(queue(), CL_TRUE, x.get(), values.data(), x.bytes(), 0, nullptr, nullptr));
  ASSERT_OK(clEnqueueSVMMemcpy(queue(), CL_FALSE, y.get(), x.get(), x.bytes(), 0, nullptr, nullptr));
  ASSERT_OK(clEnqueueSVMMemcpy(queue(), CL_FALSE, y.get() + 10, x.get() + 20, 40, 0, nullptr, nullptr));
  const auto k = kernel(kIncrement);
  set_svm(k, 0, y.get());
  set_value(k, 1, 100);
  launch(k, {{kCount}, {16}});
  ASSERT_OK(clEnqueueSVMMemcpy(queue(), CL_TRUE, back.data(), y.get(), y.bytes(), 0, nullptr, nullptr));
  for (size_t i = 10; i < 20; ++i) values[i] = static_cast<cl_int>(i + 10);
  for (cl_int& value : values) value += 100;
  EXPECT_EQ(back, values);
}

TEST_F(Svm, FillRepeatsItsPattern) {
  const auto x = ints();
  const auto k = kernel(kIncrement);
  put(x.get(), std::vector<cl_int>(kCount, 5));
  set_svm(k, 0, x.get());
  set_value(k, 1, 1);
  launch(k, {{kCount}, {16}});
  cl_int pattern[2] = {-1, 8};
  ASSERT_OK(clEnqueueSVMMemFill(queue(), x.get() + 2, pattern, sizeof pattern, 80, 0, nullptr, nullptr));
  pattern[0] = 99;  // it was taken at the call
  const cl_int zero = 0;
  ASSERT_OK(clEnqueueSVMMemFill(queue(), x.get() + 100, &zero, sizeof zero, 40, 0, nullptr, nullptr));
  launch(k, {{kCount}, {16}});
  std::vector<cl_int> expected(kCount, 7);
  for (size_t i = 2; i < 22; ++i) expected[i] = i % 2 ? 9 : 0;
  for (size_t i = 100; i < 110; ++i) expected[i] = 1;
  EXPECT_EQ(take(x.get(), kCount), expected);
}

TEST_F(Svm, BufferOverItSharesIt) {
  const auto x = ints();
  const Buffer over = buffer_over(x.get(), x.bytes());
  cl_bool uses = CL_FALSE;
  ASSERT_OK(clGetMemObjectInfo(over.get(), CL_MEM_USES_SVM_POINTER, sizeof uses, &uses, nullptr));
  EXPECT_EQ(uses, static_cast<cl_bool>(CL_TRUE));
  const auto k = kernel(kIncrement);
  put(x.get(), counting<cl_int>(kCount));
  set_arguments(k, over, cl_int{10});
  launch(k, {{kCount}, {16}});
  EXPECT_EQ(take(x.get(), kCount), counting<cl_int>(kCount, 10));
  set_svm(k, 0, x.get());
  launch(k, {{kCount}, {16}});
  EXPECT_EQ(read<cl_int>(over, kCount), counting<cl_int>(kCount, 20));
  write(over, std::vector<cl_int>(8, -10), 16);
  fill(over, 77);
  launch(k, {{kCount}, {16}});
  std::vector<cl_int> expected = counting<cl_int>(kCount, 30);
  std::fill_n(expected.begin() + 16, 8, 0);
  expected[0] = 87;
  EXPECT_EQ(take(x.get(), kCount), expected);
  cl_int* const mapped = map<cl_int>(over, CL_MAP_READ | CL_MAP_WRITE, 10, 5);
  EXPECT_EQ(mapped, x.get() + 5);
  for (size_t i = 5; i < 15; ++i) x.get()[i] = expected[i] = 2 * expected[i];
  unmap(over, mapped);
  EXPECT_EQ(take(x.get(), kCount), expected);
}

TEST_F(Svm, BufferOverAPartSharesThatPart) {
  const auto x = ints();
  put(x.get(), counting<cl_int>(kCount));
  const Buffer over = buffer_over(x.get() + 256, 512 * sizeof(cl_int));
  const cl_buffer_region region{256 * sizeof(cl_int), 128 * sizeof(cl_int)};
  cl_int status = CL_SUCCESS;
  const Buffer part(clCreateSubBuffer(over.get(), CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
  ASSERT_STATUS(status, CL_SUCCESS);
  size_t offset = 0;
  ASSERT_OK(clGetMemObjectInfo(part.get(), CL_MEM_OFFSET, sizeof offset, &offset, nullptr));
  EXPECT_EQ(offset, region.origin);
  const auto k = kernel(kIncrement);
  set_arguments(k, over, cl_int{1000});
  launch(k, {{512}, {16}});
  set_arguments(k, part, cl_int{10000});
  launch(k, {{128}, {16}});
  std::vector<cl_int> expected = counting<cl_int>(kCount);
  for (size_t i = 256; i < 768; ++i) expected[i] += 1000;
  for (size_t i = 512; i < 640; ++i) expected[i] += 10000;
  EXPECT_EQ(read<cl_int>(part, 128), std::vector<cl_int>(expected.begin() + 512, expected.begin() + 640));
  cl_int* const mapped = map<cl_int>(over, CL_MAP_READ, 512);
  EXPECT_EQ(std::vector<cl_int>(mapped, mapped + 512),
            std::vector<cl_int>(expected.begin() + 256, expected.begin() + 768));
  unmap(over, mapped);
  EXPECT_EQ(take(x.get(), kCount), expected);
}

TEST_F(Svm, BufferLargerThanItIsRefused) {
  const auto x = ints();
  cl_int status = CL_SUCCESS;
  const Buffer over(clCreateBuffer(context(), CL_MEM_USE_HOST_PTR, x.bytes() + 1, x.get(), &status));
  EXPECT_STATUS(status, CL_INVALID_BUFFER_SIZE);
}

TEST_F(Svm, BuffersCopyIntoMemoryThatABufferIsOver) {
  const auto x = ints();
  put(x.get(), std::vector<cl_int>(kCount, 1));
  const Buffer over = buffer_over(x.get(), x.bytes()), other = buffer(counting<cl_int>(kCount));
  const auto k = kernel(kIncrement);
  set_arguments(k, other, cl_int{1});
  launch(k, {{kCount}, {16}});
  ASSERT_OK(clEnqueueCopyBuffer(queue(), other.get(), over.get(), 0, 400, 800, 0, nullptr, nullptr));
  std::vector<cl_int> expected(kCount, 1);
  for (size_t i = 0; i < 200; ++i) expected[100 + i] = static_cast<cl_int>(i + 1);
  EXPECT_EQ(take(x.get(), kCount), expected);
}

// Between map and unmap it is memory like any other; what comes after the unmap knows what was read into it.
TEST_F(Svm, MappedItIsTheTargetOfReadsAndTheSourceOfWrites) {
  const auto x = ints();
  const Buffer from = buffer(counting<cl_int>(kCount)), to = buffer_of(kCount * sizeof(cl_int));
  const auto k = kernel(kIncrement);
  put(x.get(), std::vector<cl_int>(kCount, 0));
  set_svm(k, 0, x.get());
  set_value(k, 1, 100);
  launch(k, {{kCount}, {16}});
  ASSERT_OK(clEnqueueSVMMap(queue(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, x.get(), x.bytes(), 0, nullptr, nullptr));
  ASSERT_OK(clEnqueueWriteBuffer(queue(), to.get(), CL_FALSE, 0, x.bytes(), x.get(), 0, nullptr, nullptr));
  ASSERT_OK(clEnqueueReadBuffer(queue(), from.get(), CL_FALSE, 0, x.bytes() / 2, x.get() + 4, 0, nullptr, nullptr));
  ASSERT_OK(clEnqueueSVMUnmap(queue(), x.get(), 0, nullptr, nullptr));
  launch(k, {{kCount}, {16}});
  std::vector<cl_int> expected(kCount, 200);
  for (size_t i = 0; i < kCount / 2; ++i) expected[i + 4] = static_cast<cl_int>(i) + 100;
  EXPECT_EQ(take(x.get(), kCount), expected);
  EXPECT_EQ(read<cl_int>(to, kCount), std::vector<cl_int>(kCount, 100));
}

// Memory that the host may use without mapping it, as soon as the commands on it have ended.
TEST_F(Svm, FineGrainedItNeedsNoMap) {
  if (!(device_info<cl_device_svm_capabilities>(CL_DEVICE_SVM_CAPABILITIES) & CL_DEVICE_SVM_FINE_GRAIN_BUFFER)) {
    GTEST_SKIP() << "the device has no fine-grained shared memory";
  }
  const auto flags = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER;
  auto* const x = static_cast<cl_int*>(clSVMAlloc(context(), flags, kCount * sizeof(cl_int), 0));
  ASSERT_NE(x, nullptr);
  {
    const Buffer over = buffer_over(x, kCount * sizeof(cl_int)), other = buffer(counting<cl_int>(kCount));
    const auto k = kernel(kIncrement);
    set_svm(k, 0, x);
    set_value(k, 1, 5);
    std::fill_n(x, kCount, 1);
    launch(k, {{kCount}, {16}});
    ASSERT_OK(clFinish(queue()));
    EXPECT_EQ(std::vector<cl_int>(x, x + kCount), std::vector<cl_int>(kCount, 6));
    ASSERT_OK(clEnqueueReadBuffer(queue(), other.get(), CL_FALSE, 0, 400, x, 0, nullptr, nullptr));
    launch(k, {{kCount}, {16}});
    ASSERT_OK(clEnqueueCopyBuffer(queue(), other.get(), over.get(), 0, 800, 400, 0, nullptr, nullptr));
    fill(over, 0);
    ASSERT_OK(clFinish(queue()));
    std::vector<cl_int> expected(kCount, 11);
    for (int i = 0; i < 100; ++i) expected[i] = i > 0 ? i + 5 : 0, expected[200 + i] = i;
    EXPECT_EQ(std::vector<cl_int>(x, x + kCount), expected);
  }
  clSVMFree(context(), x);
}

TEST_F(Svm, SeveralQueuesMapPartsOfOneAllocation) {
  const auto x = ints();
  const Queue first = make_queue(), second = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  put(x.get(), std::vector<cl_int>(kCount, 1));
  const auto k = kernel(kIncrement);
  set_svm(k, 0, x.get());
  set_value(k, 1, 1);
  const Event launched = launch(k, {{kCount}, {16}});
  cl_event mapped[2], unmapped[2];
  cl_int* const half = x.get() + kCount / 2;
  ASSERT_OK(
      clEnqueueSVMMap(first.get(), CL_FALSE, CL_MAP_WRITE, x.get(), x.bytes() / 2, 1, launched.address(), &mapped[0]));
  ASSERT_OK(
      clEnqueueSVMMap(second.get(), CL_FALSE, CL_MAP_WRITE, half, x.bytes() / 2, 1, launched.address(), &mapped[1]));
  ASSERT_OK(clWaitForEvents(2, mapped));
  for (size_t i = 0; i < kCount; ++i) x.get()[i] *= i < kCount / 2 ? 10 : 100;
  ASSERT_OK(clEnqueueSVMUnmap(first.get(), x.get(), 1, &mapped[0], &unmapped[0]));
  ASSERT_OK(clEnqueueSVMUnmap(second.get(), half, 0, nullptr, &unmapped[1]));
  const Event again = launch(k, {{kCount}, {16}}, {unmapped[0], unmapped[1]});
  std::vector<cl_int> expected(kCount, 21);
  std::fill(expected.begin() + kCount / 2, expected.end(), 201);
  EXPECT_EQ(take(x.get(), kCount), expected);
  for (cl_event event : {mapped[0], mapped[1], unmapped[0], unmapped[1]}) clReleaseEvent(event);
}

TEST_F(Svm, CommandsHaveTheirTypesAndWaitForTheirLists) {
  const auto x = ints(), y = ints();
  const Queue apart = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const cl_int one = 1;
  cl_event events[6];
  ASSERT_OK(clEnqueueSVMMemFill(apart.get(), x.get(), &one, sizeof one, x.bytes(), 0, nullptr, &events[0]));
  ASSERT_OK(clEnqueueSVMMemcpy(apart.get(), CL_FALSE, y.get(), x.get(), x.bytes(), 1, &events[0], &events[1]));
  const void* both[] = {x.get(), y.get()};
  ASSERT_OK(clEnqueueSVMMigrateMem(apart.get(), 2, both, nullptr, 0, 1, &events[1], &events[2]));
  ASSERT_OK(clEnqueueSVMMap(apart.get(), CL_FALSE, CL_MAP_READ, y.get(), y.bytes(), 1, &events[2], &events[3]));
  ASSERT_OK(clWaitForEvents(1, &events[3]));
  EXPECT_EQ(std::vector<cl_int>(y.get(), y.get() + kCount), std::vector<cl_int>(kCount, 1));
  ASSERT_OK(clEnqueueSVMUnmap(apart.get(), y.get(), 1, &events[3], &events[4]));
  void* freed[] = {clSVMAlloc(context(), CL_MEM_READ_WRITE, 64, 0)};
  ASSERT_OK(clEnqueueSVMFree(apart.get(), 1, freed, nullptr, nullptr, 1, &events[4], &events[5]));
  ASSERT_OK(clFinish(apart.get()));
  const cl_command_type types[] = {CL_COMMAND_SVM_MEMFILL, CL_COMMAND_SVM_MEMCPY, CL_COMMAND_SVM_MIGRATE_MEM,
                                   CL_COMMAND_SVM_MAP,     CL_COMMAND_SVM_UNMAP,  CL_COMMAND_SVM_FREE};
  for (size_t i = 0; i < 6; ++i) {
    cl_command_type type = 0;
    ASSERT_OK(clGetEventInfo(events[i], CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr));
    EXPECT_EQ(type, types[i]);
    clReleaseEvent(events[i]);
  }
}

struct Freed {
  static void CL_CALLBACK call(cl_command_queue queue, cl_uint count, void** pointers, void* self) {
    auto* freed = static_cast<Freed*>(self);
    freed->queue = queue;
    cl_context context = nullptr;
    clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, nullptr);
    for (cl_uint i = 0; i < count; ++i) {
      freed->pointers.push_back(pointers[i]);
      clSVMFree(context, pointers[i]);
    }
    freed->times += 1;
  }
  cl_command_queue queue = nullptr;
  std::vector<void*> pointers;
  std::atomic<int> times{0};
};

TEST_F(Svm, ProgramsOwnFunctionFreesAfterAllBefore) {
  std::vector<void*> pointers;
  for (int i = 0; i < 3; ++i) pointers.push_back(clSVMAlloc(context(), CL_MEM_READ_WRITE, kCount * sizeof(cl_int), 0));
  const std::vector<void*> given = pointers;
  const auto k = kernel(kIncrement);
  set_svm(k, 0, pointers[0]);
  set_value(k, 1, 1);
  launch(k, {{kCount}, {16}});
  Freed freed;
  ASSERT_OK(clEnqueueSVMFree(queue(), 3, pointers.data(), Freed::call, &freed, 0, nullptr, nullptr));
  pointers.assign(3, nullptr);  // they were taken at the call
  ASSERT_OK(clFinish(queue()));
  EXPECT_EQ(freed.times, 1);
  EXPECT_EQ(freed.queue, queue());
  EXPECT_EQ(freed.pointers, given);
}

TEST_F(Svm, LaunchesUseThePointerThatWasSetBefore) {
  const auto x = ints(), y = ints();
  put(x.get(), std::vector<cl_int>(kCount, 0));
  put(y.get(), std::vector<cl_int>(kCount, 0));
  const auto k = kernel(kIncrement);
  set_value(k, 1, 1);
  for (int i = 0; i < 10; ++i) {
    set_svm(k, 0, i % 2 ? x.get() : y.get());
    launch(k, {{kCount}, {16}});
    set_value(k, 1, i + 2);
  }
  EXPECT_EQ(take(y.get(), kCount), std::vector<cl_int>(kCount, 1 + 3 + 5 + 7 + 9));
  EXPECT_EQ(take(x.get(), kCount), std::vector<cl_int>(kCount, 2 + 4 + 6 + 8 + 10));
}

TEST_F(Svm, PointersOfLocalMemoryAndValuesAreRefused) {
  const auto x = ints();
  const auto k = kernel("__kernel void k(__global int* x, __local int* y, int z) { y[0] = z; x[0] = y[0]; }");
  EXPECT_OK(clSetKernelArgSVMPointer(k.get(), 0, x.get()));
  EXPECT_STATUS(clSetKernelArgSVMPointer(k.get(), 1, x.get()), CL_INVALID_ARG_VALUE);
  EXPECT_STATUS(clSetKernelArgSVMPointer(k.get(), 2, x.get()), CL_INVALID_ARG_VALUE);
  EXPECT_STATUS(clSetKernelArgSVMPointer(k.get(), 3, x.get()), CL_INVALID_ARG_INDEX);
}

TEST_F(Svm, CommandsRefuseWhatTheStandardRefuses) {
  const auto x = ints();
  cl_int* const p = x.get();
  const cl_int one = 1;
  EXPECT_STATUS(clEnqueueSVMMap(queue(), CL_TRUE, CL_MAP_READ, nullptr, 64, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_STATUS(clEnqueueSVMMap(queue(), CL_TRUE, CL_MAP_READ, p, 0, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_STATUS(clEnqueueSVMMap(queue(), CL_TRUE, CL_MAP_READ, p, 64, 1, nullptr, nullptr), CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_STATUS(clEnqueueSVMUnmap(queue(), nullptr, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_STATUS(clEnqueueSVMMemcpy(queue(), CL_TRUE, p, nullptr, 64, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_STATUS(clEnqueueSVMMemcpy(queue(), CL_TRUE, nullptr, p, 64, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_STATUS(clEnqueueSVMMemcpy(queue(), CL_TRUE, p, p + 8, 64, 0, nullptr, nullptr), CL_MEM_COPY_OVERLAP);
  EXPECT_STATUS(clEnqueueSVMMemcpy(queue(), CL_TRUE, p + 8, p, 64, 0, nullptr, nullptr), CL_MEM_COPY_OVERLAP);
  EXPECT_OK(clEnqueueSVMMemcpy(queue(), CL_TRUE, p + 16, p, 64, 0, nullptr, nullptr));
  EXPECT_STATUS(clEnqueueSVMMemFill(queue(), p, &one, 4, 66, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_STATUS(clEnqueueSVMMemFill(queue(), p, &one, 3, 63, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_STATUS(clEnqueueSVMMemFill(queue(), nullptr, &one, 4, 64, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_STATUS(clEnqueueSVMMemFill(queue(), reinterpret_cast<char*>(p) + 2, &one, 4, 64, 0, nullptr, nullptr),
                CL_INVALID_VALUE);
  void* pointers[] = {p};
  EXPECT_STATUS(clEnqueueSVMFree(queue(), 0, pointers, nullptr, nullptr, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_STATUS(clEnqueueSVMFree(queue(), 1, nullptr, nullptr, nullptr, 0, nullptr, nullptr), CL_INVALID_VALUE);
}

}  // namespace
}  // namespace cases
