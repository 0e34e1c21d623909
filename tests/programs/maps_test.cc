// Mapping buffers into host memory and back, in part, twice at once, between launches.
#include "tests/programs/opencl_fixture.h"

namespace cases {
namespace {

class Maps : public OpenCl {
 protected:
  // x[i] = x[i] * 2 + 1
  void launch_step(const Buffer& x, size_t count) {
    if (!step_.get())
      step_ = kernel("__kernel void k(__global int* x) { size_t i = get_global_id(0); x[i] = x[i] * 2 + 1; }");
    set_arguments(step_, x);
    launch(step_, {{count}});
  }
  template <typename T>
  static std::vector<T> copy_of(const T* mapped, size_t count) {
    return std::vector<T>(mapped, mapped + count);
  }

 private:
  BuiltKernel step_;
};

TEST_F(Maps, ReadMapShowsWhatAKernelWrote) {
  const Buffer x = buffer(std::vector<cl_int>(100, 3));
  launch_step(x, 100);
  auto* mapped = map<cl_int>(x, CL_MAP_READ, 100);
  EXPECT_EQ(copy_of(mapped, 100), std::vector<cl_int>(100, 7));
  unmap(x, mapped);
  ASSERT_OK(clFinish(queue()));
}

// Programs that find this said of a device use memory without maps. (Of memory that is aligned as they take it.)
TEST_F(Maps, AreNotNeededWhereADeviceSaysThatItsMemoryIsTheHosts) {
  cl_bool unified = CL_FALSE;
  ASSERT_OK(clGetDeviceInfo(device(), CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified, &unified, nullptr));
  if (!unified) GTEST_SKIP() << "the device says that its memory is its own";
  constexpr size_t kCount = 4096;
  alignas(4096) static cl_int memory[kCount];
  std::fill_n(memory, kCount, 3);
  const Buffer x = session_.make_buffer(CL_MEM_USE_HOST_PTR, sizeof memory, memory);
  launch_step(x, kCount);
  ASSERT_OK(clFinish(queue()));
  EXPECT_EQ(copy_of(memory, kCount), std::vector<cl_int>(kCount, 7));
  std::fill_n(memory, kCount, 10);
  launch_step(x, kCount);
  ASSERT_OK(clFinish(queue()));
  EXPECT_EQ(copy_of(memory, kCount), std::vector<cl_int>(kCount, 21));
}

TEST_F(Maps, WriteMapReachesTheKernelAfterUnmap) {
  const Buffer x = buffer(std::vector<cl_int>(100, 3));
  auto* mapped = map<cl_int>(x, CL_MAP_WRITE, 100);
  std::fill_n(mapped, 100, 10);
  unmap(x, mapped);
  launch_step(x, 100);
  EXPECT_EQ(read<cl_int>(x, 100), std::vector<cl_int>(100, 21));
}

TEST_F(Maps, ReadWriteMapIsReadChangedAndWrittenBack) {
  const Buffer x = buffer(counting<cl_int>(10));
  launch_step(x, 10);
  auto* mapped = map<cl_int>(x, CL_MAP_READ | CL_MAP_WRITE, 10);
  for (int i = 0; i < 10; ++i) mapped[i] += 100;
  unmap(x, mapped);
  launch_step(x, 10);
  EXPECT_EQ(read<cl_int>(x, 10), (std::vector<cl_int>{203, 207, 211, 215, 219, 223, 227, 231, 235, 239}));
}

// A write map without CL_MAP_READ keeps what the host does not touch.
TEST_F(Maps, WriteMapKeepsWhatIsNotWritten) {
  const Buffer x = buffer(std::vector<cl_int>(10, 1));
  launch_step(x, 10);
  auto* mapped = map<cl_int>(x, CL_MAP_WRITE, 10);
  mapped[4] = 50;
  unmap(x, mapped);
  EXPECT_EQ(read<cl_int>(x, 10), (std::vector<cl_int>{3, 3, 3, 3, 50, 3, 3, 3, 3, 3}));
}

TEST_F(Maps, PartialMapAtAnOffset) {
  const Buffer x = buffer(counting<cl_int>(50));
  launch_step(x, 50);
  auto* mapped = map<cl_int>(x, CL_MAP_READ | CL_MAP_WRITE, 3, 20);
  EXPECT_EQ(copy_of(mapped, 3), (std::vector<cl_int>{41, 43, 45}));
  std::fill_n(mapped, 3, -1);
  unmap(x, mapped);
  EXPECT_EQ(read<cl_int>(x, 5, 19), (std::vector<cl_int>{39, -1, -1, -1, 47}));
}

TEST_F(Maps, InvalidatingMapWritesTheWholeRegion) {
  const Buffer x = buffer(std::vector<cl_int>(30, 9));
  launch_step(x, 30);
  auto* mapped = map<cl_int>(x, CL_MAP_WRITE_INVALIDATE_REGION, 10, 10);
  for (int i = 0; i < 10; ++i) mapped[i] = i;
  unmap(x, mapped);
  launch_step(x, 30);
  std::vector<cl_int> expected(30, 39);
  for (int i = 0; i < 10; ++i) expected[10 + static_cast<size_t>(i)] = 2 * i + 1;
  EXPECT_EQ(read<cl_int>(x, 30), expected);
}

TEST_F(Maps, TwoWriteMapsOfDistinctParts) {
  const Buffer x = buffer(std::vector<cl_int>(30, 1));
  auto* low = map<cl_int>(x, CL_MAP_WRITE, 10, 0);
  auto* high = map<cl_int>(x, CL_MAP_WRITE, 10, 20);
  std::fill_n(high, 10, 3);
  std::fill_n(low, 10, 2);
  unmap(x, low);
  unmap(x, high);
  std::vector<cl_int> expected(30, 1);
  std::fill_n(expected.begin(), 10, 2);
  std::fill_n(expected.begin() + 20, 10, 3);
  EXPECT_EQ(read<cl_int>(x, 30), expected);
}

// What is mapped is written by the program while a kernel works on the rest, of which nobody knows where it writes.
TEST_F(Maps, AreWrittenWhileKernelsWriteAndCountElsewhere) {
  constexpr size_t kCount = 4096;
  const BuiltKernel scatter = kernel(
      "__kernel void k(__global int* x, __global const int* to) {"
      " size_t i = get_global_id(0); x[to[i]] = i + 1000; }");
  const BuiltKernel count = kernel(
      "__kernel void k(__global int* x, __global const int* to) {"
      " size_t i = get_global_id(0); atomic_add(x + to[i] % 64, i); }");
  std::vector<cl_int> places(kCount / 4), expected = counting<cl_int>(kCount);
  for (size_t i = 0; i < places.size(); ++i) places[i] = static_cast<cl_int>(i * 77 % places.size() * 2);
  const Buffer x = buffer(expected), to = buffer(places);
  for (const BuiltKernel* each : {&scatter, &count}) {
    const bool counts = each == &count;
    for (const cl_map_flags flags : {cl_map_flags{CL_MAP_WRITE}, cl_map_flags{CL_MAP_WRITE_INVALIDATE_REGION}}) {
      auto* mapped = map<cl_int>(x, flags, 500, kCount - 701);
      std::fill_n(mapped, 500, counts ? 5 : 4);
      set_arguments(*each, x, to);
      launch(*each, {{places.size()}, {64}});
      ASSERT_OK(clFinish(queue()));
      unmap(x, mapped);
      std::fill_n(expected.begin() + kCount - 701, 500, counts ? 5 : 4);
      for (size_t i = 0; i < places.size(); ++i) {
        if (counts)
          expected[static_cast<size_t>(places[i] % 64)] += static_cast<cl_int>(i);
        else
          expected[static_cast<size_t>(places[i])] = static_cast<cl_int>(i + 1000);
      }
      EXPECT_EQ(read<cl_int>(x, kCount), expected);
    }
  }
}

TEST_F(Maps, UnmappingInTheOtherOrder) {
  const Buffer x = buffer(std::vector<cl_int>(30, 1));
  auto* low = map<cl_int>(x, CL_MAP_WRITE, 10, 0);
  auto* high = map<cl_int>(x, CL_MAP_WRITE, 10, 20);
  std::fill_n(low, 10, 2);
  std::fill_n(high, 10, 3);
  unmap(x, high);
  unmap(x, low);
  launch_step(x, 30);
  std::vector<cl_int> expected(30, 3);
  std::fill_n(expected.begin(), 10, 5);
  std::fill_n(expected.begin() + 20, 10, 7);
  EXPECT_EQ(read<cl_int>(x, 30), expected);
}

TEST_F(Maps, OverlappingReadMapsShowTheSame) {
  const Buffer x = buffer(counting<cl_int>(20));
  launch_step(x, 20);
  auto* all = map<cl_int>(x, CL_MAP_READ, 20);
  auto* part = map<cl_int>(x, CL_MAP_READ, 5, 10);
  EXPECT_EQ(copy_of(part, 5), copy_of(all + 10, 5));
  EXPECT_EQ(part[0], 21);
  unmap(x, all);
  EXPECT_EQ(part[4], 29);
  unmap(x, part);
  ASSERT_OK(clFinish(queue()));
}

TEST_F(Maps, MapCountFollowsMapAndUnmap) {
  const Buffer x = buffer(counting<cl_int>(20));
  auto count = [&] {
    cl_uint maps = 99;
    check(clGetMemObjectInfo(x.get(), CL_MEM_MAP_COUNT, sizeof maps, &maps, nullptr));
    return maps;
  };
  EXPECT_EQ(count(), 0u);
  auto* one = map<cl_int>(x, CL_MAP_READ, 20);
  auto* two = map<cl_int>(x, CL_MAP_READ, 5, 5);
  EXPECT_EQ(count(), 2u);
  unmap(x, one);
  unmap(x, two);
  ASSERT_OK(clFinish(queue()));
  EXPECT_EQ(count(), 0u);
}

TEST_F(Maps, NonBlockingMapIsReadyWithItsEvent) {
  const Buffer x = buffer(std::vector<cl_int>(64, 1));
  launch_step(x, 64);
  cl_event event = nullptr;
  cl_int status = CL_SUCCESS;
  auto* mapped = static_cast<cl_int*>(
      clEnqueueMapBuffer(queue(), x.get(), CL_FALSE, CL_MAP_READ, 0, 256, 0, nullptr, &event, &status));
  ASSERT_OK(status);
  const Event ready(event);
  ASSERT_OK(clWaitForEvents(1, ready.address()));
  EXPECT_EQ(copy_of(mapped, 64), std::vector<cl_int>(64, 3));
  unmap(x, mapped);
  ASSERT_OK(clFinish(queue()));
}

TEST_F(Maps, NonBlockingUnmapThenKernelThenMap) {
  const Buffer x = buffer(std::vector<cl_int>(64, 0));
  for (int round = 0; round < 20; ++round) {
    auto* mapped = map<cl_int>(x, CL_MAP_READ | CL_MAP_WRITE, 64);
    for (int i = 0; i < 64; ++i) mapped[i] -= 1;
    unmap(x, mapped);
    launch_step(x, 64);
  }
  // x -> 2 (x - 1) + 1 = 2 x - 1, from 0: 1 - 2^20
  EXPECT_EQ(read<cl_int>(x, 64), std::vector<cl_int>(64, 1 - (1 << 20)));
}

TEST_F(Maps, ReadMapOfAnUntouchedBufferCostsNoContents) {
  const Buffer x = buffer(counting<cl_int>(64));
  for (int round = 0; round < 3; ++round) {
    auto* mapped = map<cl_int>(x, CL_MAP_READ, 64);
    EXPECT_EQ(copy_of(mapped, 64), counting<cl_int>(64));
    unmap(x, mapped);
  }
  launch_step(x, 64);
  EXPECT_EQ(read<cl_int>(x, 2), (std::vector<cl_int>{1, 3}));
}

TEST_F(Maps, AllocHostPtrBuffer) {
  const Buffer x = buffer_of(64 * 4, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR);
  auto* mapped = map<cl_int>(x, CL_MAP_WRITE, 64);
  std::fill_n(mapped, 64, 20);
  unmap(x, mapped);
  launch_step(x, 64);
  mapped = map<cl_int>(x, CL_MAP_READ, 64);
  EXPECT_EQ(copy_of(mapped, 64), std::vector<cl_int>(64, 41));
  unmap(x, mapped);
  ASSERT_OK(clFinish(queue()));
}

TEST_F(Maps, AllocHostPtrWithCopyHostPtr) {
  const Buffer x = buffer(counting<cl_int>(64), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR);
  auto* mapped = map<cl_int>(x, CL_MAP_READ, 64);
  EXPECT_EQ(copy_of(mapped, 64), counting<cl_int>(64));
  unmap(x, mapped);
  ASSERT_OK(clFinish(queue()));
}

TEST_F(Maps, MapAcrossTwoQueues) {
  const Queue second = make_queue();
  const Buffer x = buffer(std::vector<cl_int>(64, 1));
  launch_step(x, 64);
  ASSERT_OK(clFinish(queue()));
  cl_int status = CL_SUCCESS;
  auto* mapped = static_cast<cl_int*>(clEnqueueMapBuffer(second.get(), x.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                                         256, 0, nullptr, nullptr, &status));
  ASSERT_OK(status);
  EXPECT_EQ(mapped[63], 3);
  mapped[63] = 5;
  ASSERT_OK(clEnqueueUnmapMemObject(second.get(), x.get(), mapped, 0, nullptr, nullptr));
  ASSERT_OK(clFinish(second.get()));
  launch_step(x, 64);
  EXPECT_EQ(read<cl_int>(x, 2, 62), (std::vector<cl_int>{7, 11}));
}

TEST_F(Maps, Errors) {
  const Buffer x = buffer_of(64), hidden = buffer_of(64, CL_MEM_HOST_NO_ACCESS),
               write_only = buffer_of(64, CL_MEM_HOST_WRITE_ONLY), read_only = buffer_of(64, CL_MEM_HOST_READ_ONLY);
  auto status_of_map = [&](const Buffer& buffer, cl_map_flags flags, size_t offset, size_t size) {
    cl_int status = CL_SUCCESS;
    clEnqueueMapBuffer(queue(), buffer.get(), CL_TRUE, flags, offset, size, 0, nullptr, nullptr, &status);
    return status;
  };
  EXPECT_STATUS(status_of_map(x, CL_MAP_READ, 60, 8), CL_INVALID_VALUE);
  EXPECT_STATUS(status_of_map(x, CL_MAP_READ, 0, 0), CL_INVALID_VALUE);
  EXPECT_STATUS(status_of_map(hidden, CL_MAP_READ, 0, 4), CL_INVALID_OPERATION);
  EXPECT_STATUS(status_of_map(write_only, CL_MAP_READ, 0, 4), CL_INVALID_OPERATION);
  EXPECT_STATUS(status_of_map(read_only, CL_MAP_WRITE, 0, 4), CL_INVALID_OPERATION);
  int not_mapped = 0;
  EXPECT_STATUS(clEnqueueUnmapMemObject(queue(), x.get(), &not_mapped, 0, nullptr, nullptr), CL_INVALID_VALUE);
}

}  // namespace
}  // namespace cases
