// On PoCL, whose `pthread` device has parts on every machine of two cores and more.
#include "libsamcl/driver/parts.h"

#include <gtest/gtest.h>

#include <vector>

#include "libsamcl/driver/devices.h"
#include "libsamcl/driver/query.h"

namespace samcl::driver {
namespace {

struct Parts : testing::Test {
  void SetUp() override {
    setenv("POCL_DEVICES", "pthread", 1);
    const auto devices = list_devices();
    if (devices.empty() || value<cl_uint>(devices[0].id, CL_DEVICE_PARTITION_MAX_SUB_DEVICES) < 2)
      GTEST_SKIP() << "no OpenCL device that has parts";
    whole = devices[0].id;
  }
  cl_device_id part() const {
    const cl_device_partition_property one[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1,
                                                CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    cl_device_id made = nullptr;
    EXPECT_EQ(create_parts(whole, one, 1, &made, nullptr), CL_SUCCESS);
    return made;
  }
  cl_device_id whole = nullptr;
};

TEST_F(Parts, OutliveTheirReleaseByManyOthers) {
  const cl_device_id first = part();
  ASSERT_EQ(release_device(first), CL_SUCCESS);
  for (size_t other = 1; other < kKeptParts; ++other) ASSERT_EQ(release_device(part()), CL_SUCCESS);
  EXPECT_EQ(value<cl_device_id>(first, CL_DEVICE_PARENT_DEVICE), whole);
  EXPECT_EQ(whole_of(first), whole);
  EXPECT_EQ(release_device(first), CL_INVALID_DEVICE);
}

TEST_F(Parts, AreTheDriversWhileSomebodyHoldsThem) {
  const cl_device_id held = part();
  ASSERT_EQ(real().clRetainDevice(held), CL_SUCCESS);
  EXPECT_EQ(release_device(held), CL_SUCCESS);
  EXPECT_EQ(value<cl_uint>(held, CL_DEVICE_REFERENCE_COUNT), 1u);
  EXPECT_EQ(release_device(held), CL_SUCCESS);
  EXPECT_EQ(release_device(held), CL_INVALID_DEVICE);
}

TEST_F(Parts, NothingElseIsOne) {
  size_t no_device[64] = {};
  EXPECT_EQ(whole_of(reinterpret_cast<cl_device_id>(no_device)), nullptr);
  EXPECT_EQ(whole_of(whole), nullptr);
  EXPECT_EQ(whole_of(nullptr), nullptr);
}

TEST_F(Parts, AreForgottenWhenTheDriverEndsThem) {
  const cl_device_id first = part();
  ASSERT_EQ(release_device(first), CL_SUCCESS);
  std::vector<cl_device_id> others;  // all made before one is released: handles come again
  for (size_t other = 0; other < kKeptParts; ++other) others.push_back(part());
  for (cl_device_id other : others) ASSERT_EQ(release_device(other), CL_SUCCESS);
  EXPECT_EQ(whole_of(first), nullptr);
}

TEST_F(Parts, WholesAreNeverKept) {
  for (int time = 0; time < 3; ++time) EXPECT_EQ(release_device(whole), CL_SUCCESS);
}

}  // namespace
}  // namespace samcl::driver
