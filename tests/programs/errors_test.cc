// Bad input: each call returns the standard's code at once, and the program goes on.
#include <limits>

#include "tests/programs/opencl_fixture.h"

namespace cases {
namespace {

constexpr char kScale[] = "__kernel void k(__global int* x, int by, __local int* l) { x[get_global_id(0)] *= by; }";

class Errors : public OpenCl {
 protected:
  Errors() : kernel_(kernel(kScale)), x_(buffer(std::vector<cl_int>(64, 3))) {
    set_arguments(kernel_, x_, cl_int{2}, LocalMemory{64});
  }
  cl_int launch_status(cl_uint dimensions, const size_t* global, const size_t* local, const size_t* offset = nullptr) {
    return clEnqueueNDRangeKernel(queue(), kernel_.get(), dimensions, offset, global, local, 0, nullptr, nullptr);
  }
  // Everything still works after whatever went wrong.
  void expect_alive() {
    write(x_, std::vector<cl_int>(64, 3));
    set_arguments(kernel_, x_, cl_int{2}, LocalMemory{64});
    launch(kernel_, {{64}, {8}});
    EXPECT_EQ(read<cl_int>(x_, 64), std::vector<cl_int>(64, 6));
  }
  Context other_context() {
    cl_int status = CL_SUCCESS;
    const cl_device_id target = device();
    Context made(clCreateContext(nullptr, 1, &target, nullptr, nullptr, &status));
    check(status);
    return made;
  }

  BuiltKernel kernel_;
  Buffer x_;
};

TEST_F(Errors, ArgumentIndexTooLarge) {
  const cl_int value = 1;
  EXPECT_STATUS(clSetKernelArg(kernel_.get(), 3, sizeof value, &value), CL_INVALID_ARG_INDEX);
  EXPECT_STATUS(clSetKernelArg(kernel_.get(), 1000, sizeof value, &value), CL_INVALID_ARG_INDEX);
  expect_alive();
}

TEST_F(Errors, ArgumentOfTheWrongSize) {
  const cl_long value = 1;
  EXPECT_STATUS(clSetKernelArg(kernel_.get(), 1, sizeof value, &value), CL_INVALID_ARG_SIZE);
  EXPECT_STATUS(clSetKernelArg(kernel_.get(), 0, 2, x_.address()), CL_INVALID_ARG_SIZE);
  expect_alive();
}

TEST_F(Errors, ArgumentOfNoSize) {
  const auto fresh =
      kernel("__kernel void k(__global int* x, char by, int more) { x[get_global_id(0)] += by + more; }");
  const cl_int value = 1;
  for (cl_uint index = 1; index < 3; ++index)
    EXPECT_STATUS(clSetKernelArg(fresh.get(), index, 0, &value), CL_INVALID_ARG_SIZE) << "never set before";
  set_arguments(fresh, x_, cl_char{1}, cl_int{2});
  for (cl_uint index = 1; index < 3; ++index)
    EXPECT_STATUS(clSetKernelArg(fresh.get(), index, 0, &value), CL_INVALID_ARG_SIZE);
  expect_alive();
}

TEST_F(Errors, LocalArgumentOfNoSize) {
  EXPECT_STATUS(clSetKernelArg(kernel_.get(), 2, 0, nullptr), CL_INVALID_ARG_SIZE);
  expect_alive();
}

TEST_F(Errors, ArgumentValueOfTheWrongKind) {
  const cl_int value = 1;
  EXPECT_STATUS(clSetKernelArg(kernel_.get(), 1, sizeof value, nullptr), CL_INVALID_ARG_VALUE);
  EXPECT_STATUS(clSetKernelArg(kernel_.get(), 2, sizeof value, &value), CL_INVALID_ARG_VALUE);
  expect_alive();
}

TEST_F(Errors, UnsetArgument) {
  const Kernel fresh = bench::make_kernel(kernel_.program, "k");
  const size_t global = 8;
  EXPECT_STATUS(clEnqueueNDRangeKernel(queue(), fresh.get(), 1, nullptr, &global, nullptr, 0, nullptr, nullptr),
                CL_INVALID_KERNEL_ARGS);
  set_arguments(fresh, x_, cl_int{2});  // the third is still missing
  EXPECT_STATUS(clEnqueueNDRangeKernel(queue(), fresh.get(), 1, nullptr, &global, nullptr, 0, nullptr, nullptr),
                CL_INVALID_KERNEL_ARGS);
  expect_alive();
}

TEST_F(Errors, FailedSetLeavesTheOldArgument) {
  const cl_long wrong = 1;
  ASSERT_STATUS(clSetKernelArg(kernel_.get(), 1, sizeof wrong, &wrong), CL_INVALID_ARG_SIZE);
  launch(kernel_, {{64}, {8}});
  EXPECT_EQ(read<cl_int>(x_, 64), std::vector<cl_int>(64, 6));
}

TEST_F(Errors, WorkDimensionOutOfRange) {
  const size_t four[] = {2, 2, 2, 2};
  EXPECT_STATUS(launch_status(0, four, nullptr), CL_INVALID_WORK_DIMENSION);
  EXPECT_STATUS(launch_status(4, four, nullptr), CL_INVALID_WORK_DIMENSION);
  expect_alive();
}

TEST_F(Errors, LocalSizeLargerThanTheDevicesLimit) {
  const size_t limit = device_info<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE), local = 2 * limit, global = 4 * limit;
  const cl_int status = launch_status(1, &global, &local);
  EXPECT_TRUE(status == CL_INVALID_WORK_GROUP_SIZE || status == CL_INVALID_WORK_ITEM_SIZE) << status;
  expect_alive();
}

TEST_F(Errors, LaunchThatIsRefusedLeavesNoEventAndNoTrace) {
  const size_t limit = device_info<size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE), local = 2 * limit, global = 4 * limit;
  cl_event event = nullptr;
  const cl_int status = clEnqueueNDRangeKernel(queue(), kernel_.get(), 1, nullptr, &global, &local, 0, nullptr, &event);
  EXPECT_EQ(status, CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_EQ(event, nullptr);
  expect_alive();
}

// OpenCL C before 2.0 has no partial groups; the same kernel built with -cl-std=CL1.2 must say so.
TEST_F(Errors, LocalSizeThatDoesNotDivide) {
  const auto strict = kernel("__kernel void k(__global int* x) { x[get_global_id(0)] = 1; }", "k", "-cl-std=CL1.2");
  set_arguments(strict, x_);
  const size_t global = 10, local = 4;
  EXPECT_STATUS(clEnqueueNDRangeKernel(queue(), strict.get(), 1, nullptr, &global, &local, 0, nullptr, nullptr),
                CL_INVALID_WORK_GROUP_SIZE);
  expect_alive();
}

// Where partial groups are supported the last group is smaller.
TEST_F(Errors, PartialGroupsWhereSupported) {
  cl_bool supported = CL_FALSE;
  if (clGetDeviceInfo(device(), CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, sizeof supported, &supported, nullptr) !=
          CL_SUCCESS ||
      !supported)
    GTEST_SKIP() << "the device has no partial work-groups";
  const auto k = kernel(R"(__kernel void k(__global int* x) {
                             x[get_global_id(0)] = 100 * get_group_id(0) + 10 * get_local_size(0) + get_local_id(0); })",
                        "k", "-cl-std=CL2.0");
  set_arguments(k, x_);
  launch(k, {{10}, {4}});
  EXPECT_EQ(read<cl_int>(x_, 10), (std::vector<cl_int>{40, 41, 42, 43, 140, 141, 142, 143, 220, 221}));
}

TEST_F(Errors, WaitListAndCountMustAgree) {
  const cl_int zero = 0;
  const Event gate = user_event();
  cl_event none = nullptr;
  EXPECT_STATUS(clEnqueueFillBuffer(queue(), x_.get(), &zero, 4, 0, 4, 1, nullptr, nullptr),
                CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_STATUS(clEnqueueFillBuffer(queue(), x_.get(), &zero, 4, 0, 4, 0, gate.address(), nullptr),
                CL_INVALID_EVENT_WAIT_LIST);
  EXPECT_STATUS(clWaitForEvents(0, nullptr), CL_INVALID_VALUE);
  EXPECT_STATUS(clWaitForEvents(1, &none), CL_INVALID_EVENT);
  ASSERT_OK(clSetUserEventStatus(gate.get(), CL_COMPLETE));
  expect_alive();
}

TEST_F(Errors, NullHandles) {
  const size_t global = 8;
  cl_int value = 0, status = CL_SUCCESS;
  EXPECT_STATUS(clEnqueueNDRangeKernel(nullptr, kernel_.get(), 1, nullptr, &global, nullptr, 0, nullptr, nullptr),
                CL_INVALID_COMMAND_QUEUE);
  EXPECT_STATUS(clSetKernelArg(nullptr, 0, 4, &value), CL_INVALID_KERNEL);
  EXPECT_STATUS(clBuildProgram(nullptr, 0, nullptr, nullptr, nullptr, nullptr), CL_INVALID_PROGRAM);
  EXPECT_STATUS(clFinish(nullptr), CL_INVALID_COMMAND_QUEUE);
  EXPECT_STATUS(clFlush(nullptr), CL_INVALID_COMMAND_QUEUE);
  EXPECT_STATUS(clReleaseMemObject(nullptr), CL_INVALID_MEM_OBJECT);
  EXPECT_STATUS(clReleaseEvent(nullptr), CL_INVALID_EVENT);
  EXPECT_STATUS(clReleaseKernel(nullptr), CL_INVALID_KERNEL);
  EXPECT_STATUS(clReleaseProgram(nullptr), CL_INVALID_PROGRAM);
  EXPECT_STATUS(clReleaseCommandQueue(nullptr), CL_INVALID_COMMAND_QUEUE);
  EXPECT_STATUS(clReleaseContext(nullptr), CL_INVALID_CONTEXT);
  EXPECT_STATUS(clRetainContext(nullptr), CL_INVALID_CONTEXT);
  EXPECT_EQ(clCreateBuffer(nullptr, 0, 4, nullptr, &status), nullptr);
  EXPECT_STATUS(status, CL_INVALID_CONTEXT);
  EXPECT_EQ(clCreateUserEvent(nullptr, &status), nullptr);
  EXPECT_STATUS(status, CL_INVALID_CONTEXT);
  EXPECT_EQ(clCreateKernel(nullptr, "k", &status), nullptr);
  EXPECT_STATUS(status, CL_INVALID_PROGRAM);
  expect_alive();
}

// Some memory of the program's, which no loader or driver made.
TEST_F(Errors, HandlesThatAreNoDevice) {
  static size_t memory[64] = {};
  const cl_device_id none = reinterpret_cast<cl_device_id>(memory);
  cl_int status = CL_SUCCESS;
  EXPECT_EQ(clCreateCommandQueue(context(), none, 0, &status), nullptr);
  EXPECT_STATUS(status, CL_INVALID_DEVICE);
  EXPECT_EQ(clCreateCommandQueueWithProperties(context(), none, nullptr, &status), nullptr);
  EXPECT_STATUS(status, CL_INVALID_DEVICE);
  const unsigned char some[] = "some bytes";
  const unsigned char* binary = some;
  const size_t bytes = sizeof some;
  EXPECT_EQ(clCreateProgramWithBinary(context(), 1, &none, &bytes, &binary, nullptr, &status), nullptr);
  EXPECT_STATUS(status, CL_INVALID_DEVICE);
  const char* source = kScale;
  const Program object(clCreateProgramWithSource(context(), 1, &source, nullptr, &status));
  ASSERT_OK(clCompileProgram(object.get(), 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr));
  EXPECT_EQ(clLinkProgram(context(), 1, &none, nullptr, 1, object.address(), nullptr, nullptr, &status), nullptr);
  EXPECT_STATUS(status, CL_INVALID_DEVICE);
  expect_alive();
}

TEST_F(Errors, CountWithoutAWaitListInALaunch) {
  const size_t global = 8;
  EXPECT_STATUS(clEnqueueNDRangeKernel(queue(), kernel_.get(), 1, nullptr, &global, nullptr, 2, nullptr, nullptr),
                CL_INVALID_EVENT_WAIT_LIST);
  expect_alive();
}

TEST_F(Errors, NullKernelInALaunch) {
  const size_t global = 8;
  EXPECT_STATUS(clEnqueueNDRangeKernel(queue(), nullptr, 1, nullptr, &global, nullptr, 0, nullptr, nullptr),
                CL_INVALID_KERNEL);
  expect_alive();
}

TEST_F(Errors, NullEventInAWaitList) {
  const cl_int zero = 0;
  cl_event none = nullptr;
  EXPECT_STATUS(clEnqueueFillBuffer(queue(), x_.get(), &zero, 4, 0, 4, 1, &none, nullptr), CL_INVALID_EVENT_WAIT_LIST);
  expect_alive();
}

TEST_F(Errors, NullBufferInATransfer) {
  cl_int value = 0;
  EXPECT_STATUS(clEnqueueReadBuffer(queue(), nullptr, CL_TRUE, 0, 4, &value, 0, nullptr, nullptr),
                CL_INVALID_MEM_OBJECT);
  expect_alive();
}

TEST_F(Errors, NullErrorPointerIsAllowed) {
  EXPECT_EQ(clCreateBuffer(nullptr, 0, 4, nullptr, nullptr), nullptr);
  EXPECT_EQ(clCreateKernel(kernel_.program.get(), "no_such_kernel", nullptr), nullptr);
  expect_alive();
}

TEST_F(Errors, RangesBeyondTheBuffer) {
  std::vector<cl_int> host(80);
  const Buffer y = buffer_of(256);
  EXPECT_STATUS(clEnqueueReadBuffer(queue(), x_.get(), CL_TRUE, 0, 260, host.data(), 0, nullptr, nullptr),
                CL_INVALID_VALUE);
  EXPECT_STATUS(clEnqueueReadBuffer(queue(), x_.get(), CL_FALSE, 253, 4, host.data(), 0, nullptr, nullptr),
                CL_INVALID_VALUE);
  EXPECT_STATUS(clEnqueueWriteBuffer(queue(), x_.get(), CL_TRUE, 256, 4, host.data(), 0, nullptr, nullptr),
                CL_INVALID_VALUE);
  EXPECT_STATUS(clEnqueueCopyBuffer(queue(), x_.get(), y.get(), 0, 255, 2, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_STATUS(clEnqueueCopyBuffer(queue(), x_.get(), y.get(), 257, 0, 1, 0, nullptr, nullptr), CL_INVALID_VALUE);
  // offset + size wraps around
  EXPECT_STATUS(clEnqueueReadBuffer(queue(), x_.get(), CL_TRUE, std::numeric_limits<size_t>::max() - 3, 8, host.data(),
                                    0, nullptr, nullptr),
                CL_INVALID_VALUE);
  EXPECT_STATUS(clEnqueueReadBuffer(queue(), x_.get(), CL_TRUE, 0, 4, nullptr, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_STATUS(clEnqueueWriteBuffer(queue(), x_.get(), CL_TRUE, 0, 4, nullptr, 0, nullptr, nullptr), CL_INVALID_VALUE);
  expect_alive();
}

TEST_F(Errors, BufferSizes) {
  cl_int status = CL_SUCCESS;
  EXPECT_EQ(clCreateBuffer(context(), 0, 0, nullptr, &status), nullptr);
  EXPECT_STATUS(status, CL_INVALID_BUFFER_SIZE);
  EXPECT_EQ(clCreateBuffer(context(), CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, nullptr, &status), nullptr);
  EXPECT_STATUS(status, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateBuffer(context(), CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_READ_ONLY, 4, nullptr, &status), nullptr);
  EXPECT_STATUS(status, CL_INVALID_VALUE);
  expect_alive();
}

TEST_F(Errors, ObjectsOfAnotherContext) {
  const Context other = other_context();
  cl_int status = CL_SUCCESS;
  const Buffer foreign(clCreateBuffer(other.get(), 0, 256, nullptr, &status));
  ASSERT_OK(status);
  const Event foreign_event(clCreateUserEvent(other.get(), &status));
  ASSERT_OK(status);
  cl_int value = 0;
  EXPECT_STATUS(clEnqueueReadBuffer(queue(), foreign.get(), CL_TRUE, 0, 4, &value, 0, nullptr, nullptr),
                CL_INVALID_CONTEXT);
  EXPECT_STATUS(clEnqueueCopyBuffer(queue(), x_.get(), foreign.get(), 0, 0, 4, 0, nullptr, nullptr),
                CL_INVALID_CONTEXT);
  EXPECT_STATUS(clEnqueueReadBuffer(queue(), x_.get(), CL_TRUE, 0, 4, &value, 1, foreign_event.address(), nullptr),
                CL_INVALID_CONTEXT);
  const Event own = user_event();
  const cl_event both[] = {own.get(), foreign_event.get()};
  EXPECT_STATUS(clWaitForEvents(2, both), CL_INVALID_CONTEXT);
  const Queue foreign_queue(clCreateCommandQueue(other.get(), device(), 0, &status));
  ASSERT_OK(status);
  const size_t global = 8;
  EXPECT_STATUS(
      clEnqueueNDRangeKernel(foreign_queue.get(), kernel_.get(), 1, nullptr, &global, nullptr, 0, nullptr, nullptr),
      CL_INVALID_CONTEXT);
  ASSERT_OK(clSetUserEventStatus(own.get(), CL_COMPLETE));
  ASSERT_OK(clSetUserEventStatus(foreign_event.get(), CL_COMPLETE));
  expect_alive();
}

TEST_F(Errors, ContextCreation) {
  cl_int status = CL_SUCCESS;
  cl_device_id target = device();
  EXPECT_EQ(clCreateContext(nullptr, 0, &target, nullptr, nullptr, &status), nullptr);
  EXPECT_STATUS(status, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateContext(nullptr, 1, nullptr, nullptr, nullptr, &status), nullptr);
  EXPECT_STATUS(status, CL_INVALID_VALUE);
  const cl_context_properties unknown[] = {0x12345, 0, 0};
  EXPECT_EQ(clCreateContext(unknown, 1, &target, nullptr, nullptr, &status), nullptr);
  EXPECT_STATUS(status, CL_INVALID_PROPERTY);
  int data = 0;
  EXPECT_EQ(clCreateContext(nullptr, 1, &target, nullptr, &data, &status), nullptr);
  EXPECT_STATUS(status, CL_INVALID_VALUE);
  expect_alive();
}

TEST_F(Errors, QueriesWithTooLittleRoom) {
  char small = 0;
  EXPECT_STATUS(clGetMemObjectInfo(x_.get(), CL_MEM_SIZE, 1, &small, nullptr), CL_INVALID_VALUE);
  EXPECT_STATUS(clGetContextInfo(context(), CL_CONTEXT_DEVICES, 1, &small, nullptr), CL_INVALID_VALUE);
  EXPECT_STATUS(clGetCommandQueueInfo(queue(), CL_QUEUE_CONTEXT, 1, &small, nullptr), CL_INVALID_VALUE);
  EXPECT_STATUS(clGetKernelInfo(kernel_.get(), CL_KERNEL_FUNCTION_NAME, 1, &small, nullptr), CL_INVALID_VALUE);
  EXPECT_STATUS(clGetProgramInfo(kernel_.program.get(), CL_PROGRAM_SOURCE, 1, &small, nullptr), CL_INVALID_VALUE);
  const Event gate = user_event();
  EXPECT_STATUS(clGetEventInfo(gate.get(), CL_EVENT_CONTEXT, 1, &small, nullptr), CL_INVALID_VALUE);
  ASSERT_OK(clSetUserEventStatus(gate.get(), CL_COMPLETE));
}

TEST_F(Errors, UnknownParametersOfQueries) {
  cl_ulong value = 0;
  EXPECT_STATUS(clGetMemObjectInfo(x_.get(), 0x7777, sizeof value, &value, nullptr), CL_INVALID_VALUE);
  EXPECT_STATUS(clGetContextInfo(context(), 0x7777, sizeof value, &value, nullptr), CL_INVALID_VALUE);
  EXPECT_STATUS(clGetCommandQueueInfo(queue(), 0x7777, sizeof value, &value, nullptr), CL_INVALID_VALUE);
  EXPECT_STATUS(clGetKernelInfo(kernel_.get(), 0x7777, sizeof value, &value, nullptr), CL_INVALID_VALUE);
  EXPECT_STATUS(clGetProgramInfo(kernel_.program.get(), 0x7777, sizeof value, &value, nullptr), CL_INVALID_VALUE);
  EXPECT_STATUS(clGetDeviceInfo(device(), 0x7777, sizeof value, &value, nullptr), CL_INVALID_VALUE);
}

TEST_F(Errors, MigrationFlags) {
  const cl_mem object = x_.get();
  EXPECT_STATUS(clEnqueueMigrateMemObjects(queue(), 0, nullptr, 0, 0, nullptr, nullptr), CL_INVALID_VALUE);
  EXPECT_STATUS(clEnqueueMigrateMemObjects(queue(), 1, &object, cl_mem_migration_flags{1} << 20, 0, nullptr, nullptr),
                CL_INVALID_VALUE);
  expect_alive();
}

}  // namespace
}  // namespace cases
