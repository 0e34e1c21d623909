// Memory that the driver imports from elsewhere (cl_khr_external_memory_opaque_fd): here from a file in memory, which
// this program sees, too.
#include <CL/cl_ext.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "tests/programs/opencl_fixture.h"

namespace cases {
namespace {

constexpr size_t kItems = 4096, kBytes = kItems * sizeof(cl_int);

class ExternalMemory : public OpenCl {
 protected:
  void SetUp() override {
    if (!bench::has_extension(device(), "cl_khr_external_memory_opaque_fd"))
      GTEST_SKIP() << "the device imports no memory";
    file_ = memfd_create("external_memory_test", 0);
    ASSERT_EQ(ftruncate(file_, kBytes), 0);
    void* const bytes = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    ASSERT_NE(bytes, MAP_FAILED);
    outside_ = static_cast<cl_int*>(bytes);
    std::iota(outside_, outside_ + kItems, 0);
    const cl_mem_properties properties[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR,
                                            static_cast<cl_mem_properties>(file_), 0};
    cl_int status = CL_SUCCESS;
    imported_ =
        Buffer(clCreateBufferWithProperties(context(), properties, CL_MEM_READ_WRITE, kBytes, nullptr, &status));
    if (status != CL_SUCCESS) GTEST_SKIP() << "the driver imports no such file: " << bench::status_name(status);
  }
  void TearDown() override {
    imported_ = {};
    if (outside_) munmap(outside_, kBytes);
    if (file_ >= 0) close(file_);
  }
  std::vector<cl_int> outside() const { return {outside_, outside_ + kItems}; }
  void hand_over(const char* name) const {
    const auto function = reinterpret_cast<clEnqueueAcquireExternalMemObjectsKHR_fn>(
        clGetExtensionFunctionAddressForPlatform(device_info<cl_platform_id>(CL_DEVICE_PLATFORM), name));
    ASSERT_NE(function, nullptr) << name;
    const cl_mem memory = imported_.get();
    EXPECT_OK(function(queue(), 1, &memory, 0, nullptr, nullptr));
  }
  void acquire() const { hand_over("clEnqueueAcquireExternalMemObjectsKHR"); }
  void release() const {
    hand_over("clEnqueueReleaseExternalMemObjectsKHR");
    EXPECT_OK(clFinish(queue()));
  }

  cl_int* outside_ = nullptr;
  Buffer imported_;

 private:
  int file_ = -1;
};

TEST_F(ExternalMemory, IsWhatKernelsReadAndWrite) {
  const auto k = kernel("__kernel void k(__global int* x) { x[get_global_id(0)] += 1000; }");
  set_arguments(k, imported_);
  for (int round = 1; round <= 3; ++round) {
    acquire();
    launch(k, {{kItems}});
    release();
    EXPECT_EQ(outside(), counting<cl_int>(kItems, 1001 * round - 1));
    for (size_t i = 0; i < kItems; ++i) ++outside_[i];  // seen by the next launch
  }
}

TEST_F(ExternalMemory, TogetherWithABufferOfTheProgram) {
  const auto k = kernel(R"(__kernel void k(__global const int* from, __global int* to) {
                             size_t i = get_global_id(0); to[i] = 2 * from[i]; })");
  const Buffer x = buffer(counting<cl_int>(kItems, 5));
  set_arguments(k, x, imported_);
  launch(k, {{kItems}});
  set_arguments(k, imported_, x);
  launch(k, {{kItems}});
  release();
  EXPECT_EQ(outside_[7], 24);
  EXPECT_EQ(read<cl_int>(x, kItems)[7], 48);
}

TEST_F(ExternalMemory, IsReadWrittenFilledAndCopied) {
  std::vector<cl_int> values(kItems);
  ASSERT_OK(clEnqueueReadBuffer(queue(), imported_.get(), CL_TRUE, 0, kBytes, values.data(), 0, nullptr, nullptr));
  EXPECT_EQ(values, counting<cl_int>(kItems));
  const cl_int word = -1;
  ASSERT_OK(clEnqueueWriteBuffer(queue(), imported_.get(), CL_FALSE, 8, 4, &word, 0, nullptr, nullptr));
  ASSERT_OK(clEnqueueFillBuffer(queue(), imported_.get(), &word, 4, 16, 4, 0, nullptr, nullptr));
  const Buffer x = buffer(counting<cl_int>(kItems, 100));
  ASSERT_OK(clEnqueueCopyBuffer(queue(), x.get(), imported_.get(), 0, 24, 4, 0, nullptr, nullptr));
  ASSERT_OK(clEnqueueCopyBuffer(queue(), imported_.get(), x.get(), 0, 0, 28, 0, nullptr, nullptr));
  release();
  EXPECT_EQ(std::vector<cl_int>(outside_, outside_ + 8), (std::vector<cl_int>{0, 1, -1, 3, -1, 5, 100, 7}));
  values = read<cl_int>(x, kItems);
  EXPECT_EQ(std::vector<cl_int>(values.begin(), values.begin() + 8),
            (std::vector<cl_int>{0, 1, -1, 3, -1, 5, 100, 107}));
}

TEST_F(ExternalMemory, HasRectanglesAndMappings) {
  const std::array<size_t, 3> here{4, 1, 0}, there{0, 0, 0}, region{8, 2, 1};
  std::array<cl_int, 4> words{};
  ASSERT_OK(clEnqueueReadBufferRect(queue(), imported_.get(), CL_TRUE, here.data(), there.data(), region.data(), 64, 0,
                                    0, 0, words.data(), 0, nullptr, nullptr));
  EXPECT_EQ(words, (std::array<cl_int, 4>{17, 18, 33, 34}));
  cl_int status = CL_SUCCESS;
  auto* const mapped = static_cast<cl_int*>(clEnqueueMapBuffer(
      queue(), imported_.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 40, 8, 0, nullptr, nullptr, &status));
  ASSERT_OK(status);
  EXPECT_EQ(mapped[0], 10);
  mapped[1] = -11;
  ASSERT_OK(clEnqueueUnmapMemObject(queue(), imported_.get(), mapped, 0, nullptr, nullptr));
  release();
  EXPECT_EQ(outside_[11], -11);
}

TEST_F(ExternalMemory, LivesWhileALaunchNeedsIt) {
  const auto k = kernel("__kernel void k(__global int* x) { x[get_global_id(0)] = 7; }");
  set_arguments(k, imported_);
  launch(k, {{kItems}});
  imported_ = {};
  EXPECT_OK(clFinish(queue()));
  EXPECT_EQ(outside(), std::vector<cl_int>(kItems, 7));
}

TEST_F(ExternalMemory, OfNoFileIsTheDriversError) {
  const cl_mem_properties properties[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, static_cast<cl_mem_properties>(-1),
                                          0};
  cl_int status = CL_SUCCESS;
  EXPECT_EQ(clCreateBufferWithProperties(context(), properties, CL_MEM_READ_WRITE, kBytes, nullptr, &status), nullptr);
  EXPECT_NE(status, CL_SUCCESS);
}

}  // namespace
}  // namespace cases
