// Parts of a device, as clCreateSubDevices makes them.
#include <algorithm>

#include "tests/programs/opencl_fixture.h"

namespace cases {
namespace {

using Scheme = std::vector<cl_device_partition_property>;

template <typename T>
T info(cl_device_id device, cl_device_info parameter) {
  T value{};
  check(clGetDeviceInfo(device, parameter, sizeof value, &value, nullptr));
  return value;
}

class SubDevices : public OpenCl {
 protected:
  void SetUp() override {
    std::vector<cl_device_partition_property> schemes(8);
    size_t bytes = 0;
    ASSERT_OK(clGetDeviceInfo(device(), CL_DEVICE_PARTITION_PROPERTIES, schemes.size() * sizeof schemes[0],
                              schemes.data(), &bytes));
    schemes.resize(bytes / sizeof schemes[0]);
    if (device_info<cl_uint>(CL_DEVICE_PARTITION_MAX_SUB_DEVICES) < 2 ||
        std::find(schemes.begin(), schemes.end(), CL_DEVICE_PARTITION_EQUALLY) == schemes.end())
      GTEST_SKIP() << "the device has no parts";
  }
  void TearDown() override {
    for (cl_device_id part : made_) EXPECT_OK(clReleaseDevice(part));
  }

  std::vector<cl_device_id> parts(const Scheme& scheme = {CL_DEVICE_PARTITION_EQUALLY, 1, 0}) {
    cl_uint count = 0;
    check(clCreateSubDevices(device(), scheme.data(), 0, nullptr, &count));
    std::vector<cl_device_id> result(count);
    check(clCreateSubDevices(device(), scheme.data(), count, result.data(), nullptr));
    made_.insert(made_.end(), result.begin(), result.end());
    return result;
  }
  Context context_of(const std::vector<cl_device_id>& devices) const {
    cl_int status = CL_SUCCESS;
    Context made(
        clCreateContext(nullptr, static_cast<cl_uint>(devices.size()), devices.data(), nullptr, nullptr, &status));
    check(status);
    return made;
  }
  static Queue queue_on(cl_context context, cl_device_id device) {
    cl_int status = CL_SUCCESS;
    Queue made(clCreateCommandQueue(context, device, 0, &status));
    check(status);
    return made;
  }
  static Program built(cl_context context, const std::vector<cl_device_id>& devices) {
    const char* source =
        "__kernel void k(__global int* x) { x[get_global_id(0)] = 3 * get_global_id(0) + get_group_id(0); }";
    cl_int status = CL_SUCCESS;
    Program made(clCreateProgramWithSource(context, 1, &source, nullptr, &status));
    check(status);
    check(clBuildProgram(made.get(), static_cast<cl_uint>(devices.size()), devices.data(), "", nullptr, nullptr));
    return made;
  }
  // Runs 64 work-items in groups of 16 there.
  static void runs(cl_context context, const Program& program, cl_command_queue queue) {
    cl_int status = CL_SUCCESS;
    const Kernel kernel = bench::make_kernel(program, "k");
    const Buffer x(clCreateBuffer(context, CL_MEM_READ_WRITE, 64 * sizeof(cl_int), nullptr, &status));
    ASSERT_OK(status);
    set_arguments(kernel, x);
    const size_t global = 64, local = 16;
    ASSERT_OK(clEnqueueNDRangeKernel(queue, kernel.get(), 1, nullptr, &global, &local, 0, nullptr, nullptr));
    std::vector<cl_int> found(64), expected(64);
    for (cl_int i = 0; i < 64; ++i) expected[static_cast<size_t>(i)] = 3 * i + i / 16;
    ASSERT_OK(clEnqueueReadBuffer(queue, x.get(), CL_TRUE, 0, 64 * sizeof(cl_int), found.data(), 0, nullptr, nullptr));
    EXPECT_EQ(found, expected);
  }

 private:
  std::vector<cl_device_id> made_;
};

TEST_F(SubDevices, ShareTheUnitsEqually) {
  const auto units = device_info<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS);
  const auto made = parts();
  EXPECT_EQ(made.size(), units);
  for (cl_device_id part : made) {
    EXPECT_EQ(info<cl_uint>(part, CL_DEVICE_MAX_COMPUTE_UNITS), 1u);
    EXPECT_EQ(info<cl_device_id>(part, CL_DEVICE_PARENT_DEVICE), device());
    EXPECT_EQ(info<cl_platform_id>(part, CL_DEVICE_PLATFORM), device_info<cl_platform_id>(CL_DEVICE_PLATFORM));
    EXPECT_EQ(info<cl_uint>(part, CL_DEVICE_REFERENCE_COUNT), 1u);
  }
}

TEST_F(SubDevices, HaveTheUnitsThatWereCounted) {
  const auto units = static_cast<cl_device_partition_property>(device_info<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS));
  const auto made = parts({CL_DEVICE_PARTITION_BY_COUNTS, units - 1, 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0});
  ASSERT_EQ(made.size(), 2u);
  EXPECT_EQ(info<cl_uint>(made[0], CL_DEVICE_MAX_COMPUTE_UNITS), static_cast<cl_uint>(units - 1));
  EXPECT_EQ(info<cl_uint>(made[1], CL_DEVICE_MAX_COMPUTE_UNITS), 1u);
  cl_device_partition_property told[8];
  size_t bytes = 0;
  ASSERT_OK(clGetDeviceInfo(made[0], CL_DEVICE_PARTITION_TYPE, sizeof told, told, &bytes));
  ASSERT_GE(bytes, 3 * sizeof told[0]);
  EXPECT_EQ(told[0], CL_DEVICE_PARTITION_BY_COUNTS);
  EXPECT_EQ(told[1], units - 1);
  EXPECT_EQ(told[2], 1);
}

TEST_F(SubDevices, AreNotMadeOfMoreUnitsThanThereAre) {
  const auto units = static_cast<cl_device_partition_property>(device_info<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS));
  const Scheme scheme{CL_DEVICE_PARTITION_BY_COUNTS, units, 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
  cl_uint count = 0;
  EXPECT_STATUS(clCreateSubDevices(device(), scheme.data(), 0, nullptr, &count), CL_INVALID_DEVICE_PARTITION_COUNT);
}

TEST_F(SubDevices, AreAskedForWithKnownSchemesAndRoom) {
  const Scheme unknown{0x1234, 1, 0}, single{CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_uint count = 0;
  cl_device_id one = nullptr;
  EXPECT_STATUS(clCreateSubDevices(device(), unknown.data(), 0, nullptr, &count), CL_INVALID_VALUE);
  EXPECT_STATUS(clCreateSubDevices(device(), nullptr, 0, nullptr, &count), CL_INVALID_VALUE);
  EXPECT_STATUS(clCreateSubDevices(device(), single.data(), 1, &one, nullptr), CL_INVALID_VALUE);
  EXPECT_STATUS(clCreateSubDevices(nullptr, single.data(), 0, nullptr, &count), CL_INVALID_DEVICE);
}

TEST_F(SubDevices, LiveAsLongAsTheyAreHeld) {
  const cl_device_id part = parts()[0];
  EXPECT_OK(clRetainDevice(part));
  EXPECT_EQ(info<cl_uint>(part, CL_DEVICE_REFERENCE_COUNT), 2u);
  EXPECT_OK(clReleaseDevice(part));
  EXPECT_EQ(info<cl_uint>(part, CL_DEVICE_REFERENCE_COUNT), 1u);
}

TEST_F(SubDevices, RunKernelsInAContextOfTheirOwn) {
  for (cl_device_id part : parts()) {
    const Context alone = context_of({part});
    runs(alone.get(), built(alone.get(), {part}), queue_on(alone.get(), part).get());
  }
}

TEST_F(SubDevices, RunKernelsInAContextOfAllParts) {
  const auto made = parts();
  const Context all = context_of(made);
  const Program program = built(all.get(), made);
  for (cl_device_id part : made) runs(all.get(), program, queue_on(all.get(), part).get());
}

TEST_F(SubDevices, RunKernelsInAContextOfTheWhole) {
  const auto made = parts();
  const Program program = built(context(), {device()});
  for (cl_device_id part : made) {
    const Queue on_part = queue_on(context(), part);
    cl_device_id told = nullptr;
    ASSERT_OK(clGetCommandQueueInfo(on_part.get(), CL_QUEUE_DEVICE, sizeof told, &told, nullptr));
    EXPECT_EQ(told, part);
    runs(context(), program, on_part.get());
  }
}

TEST_F(SubDevices, RunKernelsBesideTheWhole) {
  const cl_device_id part = parts()[0];
  const Context both = context_of({device(), part});
  // Some drivers tell the whole alone.
  cl_device_id told[2] = {};
  ASSERT_OK(clGetContextInfo(both.get(), CL_CONTEXT_DEVICES, sizeof told, told, nullptr));
  EXPECT_EQ(told[0], device());
  const Program program = built(both.get(), {device(), part});
  for (cl_device_id one : {device(), part}) runs(both.get(), program, queue_on(both.get(), one).get());
}

TEST_F(SubDevices, OfAnotherDeviceAreNotTheContexts) {
  cl_uint count = 0;
  ASSERT_OK(clGetDeviceIDs(device_info<cl_platform_id>(CL_DEVICE_PLATFORM), CL_DEVICE_TYPE_ALL, 0, nullptr, &count));
  if (count < 2) GTEST_SKIP() << "there is no other device";
  std::vector<cl_device_id> devices(count);
  ASSERT_OK(clGetDeviceIDs(device_info<cl_platform_id>(CL_DEVICE_PLATFORM), CL_DEVICE_TYPE_ALL, count, devices.data(),
                           nullptr));
  const Context other = context_of({devices[1]});
  cl_int status = CL_SUCCESS;
  const Queue none(clCreateCommandQueue(other.get(), parts()[0], 0, &status));
  EXPECT_STATUS(status, CL_INVALID_DEVICE);
}

}  // namespace
}  // namespace cases
