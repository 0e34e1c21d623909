// Buffers: read, write, copy, fill, whole and in part, between launches.
#include "tests/programs/opencl_fixture.h"

namespace cases {
namespace {

constexpr char kIncrement[] = "__kernel void k(__global int* x) { x[get_global_id(0)] += 1; }";

class Buffers : public OpenCl {
 protected:
  void increment(const Buffer& x, size_t count) {
    if (!increment_.get()) increment_ = kernel(kIncrement);
    set_arguments(increment_, x);
    launch(increment_, {{count}});
  }

 private:
  BuiltKernel increment_;
};

TEST_F(Buffers, ReadGivesWhatWasWritten) {
  const Buffer x = buffer_of(40);
  write(x, counting<cl_int>(10));
  EXPECT_EQ(read<cl_int>(x, 10), counting<cl_int>(10));
}

TEST_F(Buffers, WriteAtAnOffsetLeavesTheRest) {
  const Buffer x = buffer(std::vector<cl_int>(8, 1));
  write(x, std::vector<cl_int>{7, 8}, 3);
  EXPECT_EQ(read<cl_int>(x, 8), (std::vector<cl_int>{1, 1, 1, 7, 8, 1, 1, 1}));
}

TEST_F(Buffers, ReadAtAnOffset) {
  const Buffer x = buffer(counting<cl_int>(100));
  EXPECT_EQ(read<cl_int>(x, 3, 50), (std::vector<cl_int>{50, 51, 52}));
}

TEST_F(Buffers, ReadOfOddBytes) {
  const Buffer x = buffer(counting<cl_uchar>(64));
  EXPECT_EQ(read<cl_uchar>(x, 5, 13), (std::vector<cl_uchar>{13, 14, 15, 16, 17}));
}

TEST_F(Buffers, WriteIntoTheMiddleOfWhatAKernelWrote) {
  const Buffer x = buffer(counting<cl_int>(64));
  increment(x, 64);
  write(x, std::vector<cl_int>(10, -5), 20);
  increment(x, 64);
  std::vector<cl_int> expected = counting<cl_int>(64, 2);
  std::fill_n(expected.begin() + 20, 10, -4);
  EXPECT_EQ(read<cl_int>(x, 64), expected);
}

TEST_F(Buffers, PartsReadBetweenLaunchesAreUpToDate) {
  const Buffer x = buffer(std::vector<cl_int>(1000, 0));
  for (cl_int i = 1; i <= 10; ++i) {
    increment(x, 1000);
    const size_t at = static_cast<size_t>(i) * 97;
    EXPECT_EQ(read<cl_int>(x, 3, at), std::vector<cl_int>(3, i)) << "after launch " << i;
  }
  EXPECT_EQ(read<cl_int>(x, 1000), std::vector<cl_int>(1000, 10));
}

TEST_F(Buffers, NonBlockingReadAndWriteInOrder) {
  const Buffer x = buffer(std::vector<cl_int>(16, 0));
  const std::vector<cl_int> first(16, 3), second(16, 9);
  std::vector<cl_int> before(16), after(16);
  const size_t bytes = 64;
  ASSERT_OK(clEnqueueWriteBuffer(queue(), x.get(), CL_FALSE, 0, bytes, first.data(), 0, nullptr, nullptr));
  ASSERT_OK(clEnqueueReadBuffer(queue(), x.get(), CL_FALSE, 0, bytes, before.data(), 0, nullptr, nullptr));
  ASSERT_OK(clEnqueueWriteBuffer(queue(), x.get(), CL_FALSE, 0, bytes, second.data(), 0, nullptr, nullptr));
  increment(x, 16);
  ASSERT_OK(clEnqueueReadBuffer(queue(), x.get(), CL_FALSE, 0, bytes, after.data(), 0, nullptr, nullptr));
  ASSERT_OK(clFinish(queue()));
  EXPECT_EQ(before, first);
  EXPECT_EQ(after, std::vector<cl_int>(16, 10));
}

TEST_F(Buffers, BlockingWriteTakesTheHostMemoryAtOnce) {
  const Buffer x = buffer_of(4);
  cl_int value = 5;
  ASSERT_OK(clEnqueueWriteBuffer(queue(), x.get(), CL_TRUE, 0, 4, &value, 0, nullptr, nullptr));
  value = 6;
  EXPECT_EQ(read<cl_int>(x, 1)[0], 5);
}

TEST_F(Buffers, CopyHostPtrTakesTheContentsAtCreation) {
  std::vector<cl_int> host = counting<cl_int>(10);
  const Buffer x = session_.make_buffer(CL_MEM_COPY_HOST_PTR, 40, host.data());
  host.assign(10, -1);
  EXPECT_EQ(read<cl_int>(x, 10), counting<cl_int>(10));
}

TEST_F(Buffers, CopyOfWhatAKernelWrote) {
  const Buffer x = buffer(counting<cl_int>(50)), y = buffer(std::vector<cl_int>(50, 0));
  increment(x, 50);
  ASSERT_OK(clEnqueueCopyBuffer(queue(), x.get(), y.get(), 0, 0, 200, 0, nullptr, nullptr));
  increment(x, 50);
  EXPECT_EQ(read<cl_int>(y, 50), counting<cl_int>(50, 1));
  EXPECT_EQ(read<cl_int>(x, 50), counting<cl_int>(50, 2));
}

TEST_F(Buffers, PartialCopyWithOffsets) {
  const Buffer x = buffer(counting<cl_int>(10)), y = buffer(std::vector<cl_int>(6, -1));
  ASSERT_OK(clEnqueueCopyBuffer(queue(), x.get(), y.get(), 7 * 4, 1 * 4, 3 * 4, 0, nullptr, nullptr));
  EXPECT_EQ(read<cl_int>(y, 6), (std::vector<cl_int>{-1, 7, 8, 9, -1, -1}));
}

TEST_F(Buffers, CopyWithinOneBuffer) {
  const Buffer x = buffer(counting<cl_int>(8));
  ASSERT_OK(clEnqueueCopyBuffer(queue(), x.get(), x.get(), 0, 4 * 4, 4 * 4, 0, nullptr, nullptr));
  EXPECT_EQ(read<cl_int>(x, 8), (std::vector<cl_int>{0, 1, 2, 3, 0, 1, 2, 3}));
}

TEST_F(Buffers, OverlappingCopyIsRefused) {
  const Buffer x = buffer(counting<cl_int>(8));
  EXPECT_STATUS(clEnqueueCopyBuffer(queue(), x.get(), x.get(), 0, 4, 8, 0, nullptr, nullptr), CL_MEM_COPY_OVERLAP);
  EXPECT_STATUS(clEnqueueCopyBuffer(queue(), x.get(), x.get(), 4, 0, 8, 0, nullptr, nullptr), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(read<cl_int>(x, 8), counting<cl_int>(8));
}

TEST_F(Buffers, FillInTheMiddleOfWhatAKernelWroteThenLaunchAgain) {
  const Buffer x = buffer(std::vector<cl_int>(100, 0));
  increment(x, 100);
  const cl_int value = 40;
  ASSERT_OK(clEnqueueFillBuffer(queue(), x.get(), &value, 4, 32 * 4, 16 * 4, 0, nullptr, nullptr));
  increment(x, 100);
  std::vector<cl_int> expected(100, 2);
  std::fill_n(expected.begin() + 32, 16, 41);
  EXPECT_EQ(read<cl_int>(x, 100), expected);
}

TEST_F(Buffers, LaunchOverPartLeavesTheRest) {
  const Buffer x = buffer(std::vector<cl_int>(100, 5));
  increment(x, 37);
  std::vector<cl_int> expected(100, 5);
  std::fill_n(expected.begin(), 37, 6);
  EXPECT_EQ(read<cl_int>(x, 100), expected);
}

TEST_F(Buffers, ManyBuffersInterleaved) {
  std::vector<Buffer> buffers;
  for (cl_int i = 0; i < 40; ++i) buffers.push_back(buffer(std::vector<cl_int>(33, i)));
  for (int round = 0; round < 3; ++round)
    for (const Buffer& x : buffers) increment(x, 33);
  for (cl_int i = 0; i < 40; ++i)
    EXPECT_EQ(read<cl_int>(buffers[static_cast<size_t>(i)], 33), std::vector<cl_int>(33, i + 3));
}

TEST_F(Buffers, SixtyFourMegabytes) {
  const size_t count = 16 << 20;
  if (device_info<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE) < count * 4) GTEST_SKIP() << "no buffers of 64 MB";
  const Buffer x = buffer_of(count * 4);
  const auto k = kernel("__kernel void k(__global uint* x) { x[get_global_id(0)] = get_global_id(0) * 2654435761u; }");
  set_arguments(k, x);
  launch(k, {{count}});
  const std::vector<cl_uint> values = read<cl_uint>(x, count);
  size_t wrong = 0;
  for (size_t i = 0; i < count; ++i) wrong += values[i] != static_cast<cl_uint>(i) * 2654435761u;
  EXPECT_EQ(wrong, 0u);
}

TEST_F(Buffers, InfoTellsSizeFlagsAndContext) {
  const Buffer x = buffer_of(100, CL_MEM_READ_ONLY);
  size_t size = 0;
  cl_mem_flags flags = 0;
  cl_mem_object_type type = 0;
  cl_context its_context = nullptr;
  void* host = &size;
  ASSERT_OK(clGetMemObjectInfo(x.get(), CL_MEM_SIZE, sizeof size, &size, nullptr));
  ASSERT_OK(clGetMemObjectInfo(x.get(), CL_MEM_FLAGS, sizeof flags, &flags, nullptr));
  ASSERT_OK(clGetMemObjectInfo(x.get(), CL_MEM_TYPE, sizeof type, &type, nullptr));
  ASSERT_OK(clGetMemObjectInfo(x.get(), CL_MEM_CONTEXT, sizeof its_context, &its_context, nullptr));
  ASSERT_OK(clGetMemObjectInfo(x.get(), CL_MEM_HOST_PTR, sizeof host, &host, nullptr));
  EXPECT_EQ(size, 100u);
  EXPECT_EQ(flags, cl_mem_flags{CL_MEM_READ_ONLY});
  EXPECT_EQ(type, cl_mem_object_type{CL_MEM_OBJECT_BUFFER});
  EXPECT_EQ(its_context, context());
  EXPECT_EQ(host, nullptr);
}

TEST_F(Buffers, FlagsForTheHostAreKept) {
  const Buffer hidden = buffer_of(16, CL_MEM_HOST_NO_ACCESS), write_only = buffer_of(16, CL_MEM_HOST_WRITE_ONLY),
               read_only = buffer_of(16, CL_MEM_HOST_READ_ONLY);
  cl_int value = 0;
  EXPECT_STATUS(clEnqueueReadBuffer(queue(), hidden.get(), CL_TRUE, 0, 4, &value, 0, nullptr, nullptr),
                CL_INVALID_OPERATION);
  EXPECT_STATUS(clEnqueueReadBuffer(queue(), write_only.get(), CL_TRUE, 0, 4, &value, 0, nullptr, nullptr),
                CL_INVALID_OPERATION);
  EXPECT_STATUS(clEnqueueWriteBuffer(queue(), read_only.get(), CL_TRUE, 0, 4, &value, 0, nullptr, nullptr),
                CL_INVALID_OPERATION);
  EXPECT_OK(clEnqueueReadBuffer(queue(), read_only.get(), CL_TRUE, 0, 4, &value, 0, nullptr, nullptr));
  EXPECT_OK(clEnqueueWriteBuffer(queue(), write_only.get(), CL_TRUE, 0, 4, &value, 0, nullptr, nullptr));
}

TEST_F(Buffers, HostNoAccessBufferWorksBetweenKernels) {
  const Buffer hidden = buffer_of(64 * 4, CL_MEM_HOST_NO_ACCESS), out = buffer_of(64 * 4, CL_MEM_WRITE_ONLY);
  const auto first = kernel("__kernel void k(__global int* x) { x[get_global_id(0)] = get_global_id(0) * 3; }");
  const auto second = kernel(
      "__kernel void k(__global const int* x, __global int* y) { size_t i = get_global_id(0); y[i] = x[63 - "
      "i]; }");
  set_arguments(first, hidden);
  launch(first, {{64}, {4}});
  set_arguments(second, hidden, out);
  launch(second, {{64}, {4}});
  std::vector<cl_int> expected(64);
  for (cl_int i = 0; i < 64; ++i) expected[static_cast<size_t>(i)] = (63 - i) * 3;
  EXPECT_EQ(read<cl_int>(out, 64), expected);
}

// The standard forbids it; drivers let it pass, and hashcat relies on them.
TEST_F(Buffers, AKernelWritesToAReadOnlyBuffer) {
  const Buffer from = buffer_of(64 * 4, CL_MEM_READ_ONLY), out = buffer_of(64 * 4);
  const auto write = kernel("__kernel void k(__global int* x) { x[get_global_id(0)] = get_global_id(0) * 3; }");
  set_arguments(write, from);
  launch(write, {{64}, {4}});
  ASSERT_OK(clEnqueueCopyBuffer(queue(), from.get(), out.get(), 0, 0, 64 * 4, 0, nullptr, nullptr));
  std::vector<cl_int> expected(64);
  for (cl_int i = 0; i < 64; ++i) expected[static_cast<size_t>(i)] = i * 3;
  EXPECT_EQ(read<cl_int>(out, 64), expected);
}

TEST_F(Buffers, MigrationChangesNothing) {
  const Buffer x = buffer(counting<cl_int>(64)), y = buffer(std::vector<cl_int>(64, 4));
  const cl_mem both[] = {x.get(), y.get()};
  increment(x, 64);
  ASSERT_OK(clEnqueueMigrateMemObjects(queue(), 2, both, CL_MIGRATE_MEM_OBJECT_HOST, 0, nullptr, nullptr));
  increment(x, 64);
  ASSERT_OK(clEnqueueMigrateMemObjects(queue(), 2, both, 0, 0, nullptr, nullptr));
  EXPECT_EQ(read<cl_int>(x, 64), counting<cl_int>(64, 2));
  EXPECT_EQ(read<cl_int>(y, 64), std::vector<cl_int>(64, 4));
}

class FillPattern : public OpenCl, public ::testing::WithParamInterface<size_t> {};

// 3 pattern sizes in, 5 patterns long.
TEST_P(FillPattern, RepeatsAtAnOffsetAndLeavesTheRest) {
  const size_t size = GetParam();
  const std::vector<cl_uchar> pattern = counting<cl_uchar>(size, 17);
  const Buffer x = buffer(std::vector<cl_uchar>(12 * size, 3));
  ASSERT_OK(clEnqueueFillBuffer(queue(), x.get(), pattern.data(), size, 3 * size, 5 * size, 0, nullptr, nullptr));
  std::vector<cl_uchar> expected(12 * size, 3);
  for (size_t i = 0; i < 5 * size; ++i) expected[3 * size + i] = pattern[i % size];
  EXPECT_EQ(read<cl_uchar>(x, 12 * size), expected);
}

TEST_P(FillPattern, IsTakenAtTheCall) {
  const size_t size = GetParam();
  std::vector<cl_uchar> pattern(size, 9);
  const Buffer x = buffer(std::vector<cl_uchar>(4 * size, 3));
  cl_int status = CL_SUCCESS;
  const Event gate(clCreateUserEvent(context(), &status));
  ASSERT_OK(status);
  ASSERT_OK(clEnqueueFillBuffer(queue(), x.get(), pattern.data(), size, 0, 4 * size, 1, gate.address(), nullptr));
  pattern.assign(size, 200);
  ASSERT_OK(clSetUserEventStatus(gate.get(), CL_COMPLETE));
  EXPECT_EQ(read<cl_uchar>(x, 4 * size), std::vector<cl_uchar>(4 * size, 9));
}

// So many patterns that they are written block by block.
TEST_P(FillPattern, RepeatsOverManyBlocks) {
  const size_t size = GetParam(), filled = 300'032, all = filled + 2 * size;
  const std::vector<cl_uchar> pattern = counting<cl_uchar>(size, 17);
  const Buffer x = buffer(std::vector<cl_uchar>(all, 3));
  ASSERT_OK(clEnqueueFillBuffer(queue(), x.get(), pattern.data(), size, size, filled, 0, nullptr, nullptr));
  std::vector<cl_uchar> expected(all, 3);
  for (size_t i = 0; i < filled; ++i) expected[size + i] = pattern[i % size];
  EXPECT_EQ(read<cl_uchar>(x, all), expected);
}

INSTANTIATE_TEST_SUITE_P(Buffers, FillPattern, ::testing::Values(1, 2, 4, 8, 16, 32, 64, 128));

// PoCL's extension. Only the content has a meaning after a copy.
TEST_F(Buffers, MayHaveABufferWithTheSizeOfTheirContent) {
  const auto set = reinterpret_cast<cl_int(CL_API_CALL*)(cl_mem, cl_mem)>(clGetExtensionFunctionAddressForPlatform(
      device_info<cl_platform_id>(CL_DEVICE_PLATFORM), "clSetContentSizeBufferPoCL"));
  if (!set) GTEST_SKIP() << "the driver has no such extension";
  const Buffer x = buffer(counting<cl_int>(1024)), y = buffer(std::vector<cl_int>(1024, -1));
  const Buffer size = buffer(std::vector<cl_ulong>{100 * sizeof(cl_int)}), small = buffer_of(4);
  EXPECT_STATUS(set(nullptr, size.get()), CL_INVALID_MEM_OBJECT);
  EXPECT_STATUS(set(x.get(), nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_STATUS(set(x.get(), small.get()), CL_INVALID_BUFFER_SIZE);
  ASSERT_OK(set(x.get(), size.get()));
  increment(x, 1024);
  ASSERT_OK(clEnqueueCopyBuffer(queue(), x.get(), y.get(), 0, 0, 1024 * sizeof(cl_int), 0, nullptr, nullptr));
  EXPECT_EQ(read<cl_int>(x, 1024), counting<cl_int>(1024, 1));
  EXPECT_EQ(read<cl_int>(y, 100), counting<cl_int>(100, 1));
}

TEST_F(Buffers, FillErrors) {
  const Buffer x = buffer_of(64);
  const cl_uchar pattern[256] = {};
  auto fill = [&](size_t pattern_size, size_t offset, size_t size) {
    return clEnqueueFillBuffer(queue(), x.get(), pattern, pattern_size, offset, size, 0, nullptr, nullptr);
  };
  EXPECT_STATUS(fill(3, 0, 6), CL_INVALID_VALUE);
  EXPECT_STATUS(fill(0, 0, 16), CL_INVALID_VALUE);
  EXPECT_STATUS(fill(256, 0, 256), CL_INVALID_VALUE);
  EXPECT_STATUS(fill(4, 2, 8), CL_INVALID_VALUE);
  EXPECT_STATUS(fill(4, 0, 10), CL_INVALID_VALUE);
  EXPECT_STATUS(fill(4, 0, 68), CL_INVALID_VALUE);
  EXPECT_STATUS(clEnqueueFillBuffer(queue(), x.get(), nullptr, 4, 0, 8, 0, nullptr, nullptr), CL_INVALID_VALUE);
}

}  // namespace
}  // namespace cases
