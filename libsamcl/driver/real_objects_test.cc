// On PoCL, whose tables are in its library.
#include "libsamcl/driver/real_objects.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "libsamcl/driver/devices.h"
#include "libsamcl/driver/driver.h"

namespace samcl::driver {
namespace {

struct RealObjects : testing::Test {
  void SetUp() override {
    setenv("POCL_DEVICES", "basic", 1);
    const auto devices = list_devices();
    if (devices.empty()) GTEST_SKIP() << "no OpenCL device";
    device = devices[0];
  }
  Device device;
};

TEST_F(RealObjects, BeginWithATableOfADrivers) {
  EXPECT_TRUE(begins_as_object(device.platform));
  EXPECT_TRUE(begins_as_object(device.id));
  const cl_context context = real().clCreateContext(nullptr, 1, &device.id, nullptr, nullptr, nullptr);
  EXPECT_TRUE(begins_as_object(context));
  real().clReleaseContext(context);
}

TEST_F(RealObjects, AreNoMemoryOfTheProgramsOwn) {
  std::array<void*, 8> words{};
  EXPECT_FALSE(begins_as_object(words.data()));
  void* ourselves = words.data();
  for (void* first : {static_cast<void*>(&words), reinterpret_cast<void*>(&begins_as_object),
                      reinterpret_cast<void*>(uintptr_t{0x4141414141414141}), static_cast<void*>(&ourselves)}) {
    words[0] = first;
    EXPECT_FALSE(begins_as_object(words.data())) << first;
    EXPECT_FALSE(begins_as_object(words.data())) << first << " is not learned either";
  }
}

TEST_F(RealObjects, OfAKnownTypeAreOfNoOther) {
  const cl_platform_id platform = device.platform;
  const cl_context context = real().clCreateContext(nullptr, 1, &device.id, nullptr, nullptr, nullptr);
  const cl_sampler sampler = real().clCreateSampler(context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, nullptr);
  note_platforms();
  note_sampler(sampler);
  EXPECT_TRUE(may_be_object(platform));
  EXPECT_TRUE(may_be_object(sampler));
  EXPECT_TRUE(may_be_object(context));
  EXPECT_FALSE(may_be_object(reinterpret_cast<cl_mem>(platform)));
  EXPECT_FALSE(may_be_object(reinterpret_cast<cl_sampler>(platform)));
  EXPECT_FALSE(may_be_object(reinterpret_cast<cl_mem>(sampler)));
  EXPECT_FALSE(may_be_object(reinterpret_cast<cl_platform_id>(sampler)));
  count_references_to_sampler(sampler, +1);
  count_references_to_sampler(sampler, -1);
  EXPECT_FALSE(may_be_object(reinterpret_cast<cl_mem>(sampler))) << "a reference is left";
  count_references_to_sampler(sampler, -1);
  EXPECT_TRUE(may_be_object(reinterpret_cast<cl_mem>(sampler))) << "its place may be another object's now";
  real().clReleaseSampler(sampler);
  real().clReleaseContext(context);
}

TEST(PlacesOfObjects, AreAddresses) {
  const std::array<void*, 2> words{};
  EXPECT_TRUE(is_place_of_object(words.data()));
  EXPECT_FALSE(is_place_of_object(reinterpret_cast<const char*>(words.data()) + 1));
  for (const uintptr_t number : {0ul, 1ul, 8ul, 4095ul, ~0ul, 0x12345ul})
    EXPECT_FALSE(is_place_of_object(reinterpret_cast<const void*>(number))) << number;
}

}  // namespace
}  // namespace samcl::driver
