#include "libsamcl/driver/local_size.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>

#include "libsamcl/driver/devices.h"
#include "libsamcl/driver/driver.h"

namespace samcl::driver {
namespace {

constexpr LocalSizeLimits kTwoUnits{{4096, 4096, 4096}, 4096, 8, 2};

TEST(PoclLocalSize, TakesTheWholeRangeWhereOneUnitSuffices) {
  EXPECT_EQ(pocl_local_size({100, 1, 1}, {{4096, 4096, 4096}, 4096, 8, 1}), (Size3{100, 1, 1}));
}

TEST(PoclLocalSize, GivesEveryUnitAGroup) { EXPECT_EQ(pocl_local_size({4096, 1, 1}, kTwoUnits), (Size3{2048, 1, 1})); }

TEST(PoclLocalSize, LeavesSmallRangesInOneGroup) {
  EXPECT_EQ(pocl_local_size({32, 1, 1}, kTwoUnits), (Size3{32, 1, 1}));
}

TEST(PoclLocalSize, TakesOneItemOfALargePrime) {
  EXPECT_EQ(pocl_local_size({10007, 1, 1}, kTwoUnits), (Size3{1, 1, 1}));
}

TEST(PoclLocalSize, ShortensTheLastDimensionFirst) {
  EXPECT_EQ(pocl_local_size({64, 64, 64}, kTwoUnits), (Size3{64, 8, 8}));
}

TEST(RowForAllPieces, DividesTheGlobalSize) { EXPECT_EQ(row_for_all_pieces({1000, 300, 1}), 500u); }

TEST(RowForAllPieces, LeavesManyGroups) {
  EXPECT_EQ(row_for_all_pieces({1 << 20, 1, 1}), 512u);
  EXPECT_EQ(row_for_all_pieces({1 << 15, 1, 1}), 128u);
  EXPECT_EQ(row_for_all_pieces({1024, 1, 1}), 64u);
}

TEST(RowForAllPieces, IsNoneWhereGroupsWouldBeTiny) {
  EXPECT_EQ(row_for_all_pieces({10007, 1, 1}), 0u);
  EXPECT_EQ(row_for_all_pieces({8, 8, 8}), 0u);
}

// The driver's own choice, as kernels see it.
class RealLaunches : public testing::Test {
 protected:
  static void SetUpTestSuite() { setenv("POCL_DEVICES", "basic pthread", 1); }

  void SetUp() override {
    devices_ = list_devices();
    if (devices_.empty() || !vendor_facts(devices_[0].platform).pocl_chooses_local_size) GTEST_SKIP() << "no PoCL here";
  }

  std::vector<Device> devices_;
};

TEST_F(RealLaunches, UseTheSizeThatWasForetold) {
  const unsigned seed = 20240611;
  std::mt19937 random(seed);
  const auto& cl = real();
  for (const Device& device : devices_) {
    cl_int error = 0;
    cl_context context = cl.clCreateContext(nullptr, 1, &device.id, nullptr, nullptr, &error);
    ASSERT_EQ(error, CL_SUCCESS);
    cl_command_queue queue = cl.clCreateCommandQueue(context, device.id, 0, &error);
    const char* source =
        "kernel void k(global ulong* seen) {"
        "  if (get_local_id(0) == 0 && get_local_id(1) == 0 && get_local_id(2) == 0)"
        "    for (uint d = 0; d < 3; ++d) seen[d] = get_local_size(d); }";
    cl_program program = cl.clCreateProgramWithSource(context, 1, &source, nullptr, &error);
    ASSERT_EQ(cl.clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
    cl_kernel kernel = cl.clCreateKernel(program, "k", &error);
    cl_mem seen = cl.clCreateBuffer(context, CL_MEM_READ_WRITE, 3 * sizeof(cl_ulong), nullptr, &error);
    cl.clSetKernelArg(kernel, 0, sizeof(seen), &seen);
    const std::vector<Size3> ranges = {{1, 1, 1},    {17, 1, 1},   {1000, 1, 1},  {4096, 1, 1}, {8192, 1, 1},
                                       {5000, 1, 1}, {4097, 1, 1}, {640, 480, 1}, {63, 65, 1},  {10, 10, 10}};
    for (size_t i = 0; i < ranges.size() + 10; ++i) {
      std::uniform_int_distribution<size_t> any(1, 200);
      const Size3 global = i < ranges.size() ? ranges[i] : Size3{any(random), any(random), any(random) % 8 + 1};
      const std::optional<Size3> foretold = local_size_choice(queue, kernel, 3, nullptr, global.data());
      ASSERT_TRUE(foretold);
      ASSERT_EQ(cl.clEnqueueNDRangeKernel(queue, kernel, 3, nullptr, global.data(), nullptr, 0, nullptr, nullptr),
                CL_SUCCESS);
      cl_ulong used[3] = {};
      ASSERT_EQ(cl.clEnqueueReadBuffer(queue, seen, CL_TRUE, 0, sizeof(used), used, 0, nullptr, nullptr), CL_SUCCESS);
      EXPECT_EQ(*foretold, (Size3{used[0], used[1], used[2]}))
          << device.name << ", global size " << global[0] << "x" << global[1] << "x" << global[2] << ", seed " << seed;
    }
    cl.clReleaseMemObject(seen);
    cl.clReleaseKernel(kernel);
    cl.clReleaseProgram(program);
    cl.clReleaseCommandQueue(queue);
    cl.clReleaseContext(context);
  }
}

}  // namespace
}  // namespace samcl::driver
