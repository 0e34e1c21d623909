// What happens between kernels without the host: packets in pipes, kernels that enqueue kernels.
#include <CL/cl_ext.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "tests/programs/opencl_fixture.h"

namespace cases {
namespace {

constexpr size_t kPackets = 256;
constexpr cl_command_queue_properties kOnDevice = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;

class DeviceSide : public OpenCl {
 protected:
  // nullopt: the driver compiles no such source.
  std::optional<Program> build_if_possible(std::string_view source) const {
    for (const char* const standard : {"-cl-std=CL2.0", "-cl-std=CL3.0"}) {
      try {
        return build(source, standard);
      } catch (const std::runtime_error&) {  // it says why; the next one
      }
    }
    return std::nullopt;
  }
  Queue device_queue(cl_command_queue_properties bits) const {
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, bits, 0};
    cl_int status = CL_SUCCESS;
    Queue made(clCreateCommandQueueWithProperties(context(), device(), properties, &status));
    check(status);
    return made;
  }
  template <typename T>
  static T info(const Queue& queue, cl_command_queue_info name) {
    T value{};
    check(clGetCommandQueueInfo(queue.get(), name, sizeof value, &value, nullptr));
    return value;
  }
};

class Pipes : public DeviceSide {
 protected:
  void SetUp() override {
    cl_bool offered = CL_FALSE;
    clGetDeviceInfo(device(), CL_DEVICE_PIPE_SUPPORT, sizeof offered, &offered, nullptr);
    if (!offered) GTEST_SKIP() << "the device has no pipes";
  }
  Buffer pipe() const {
    cl_int status = CL_SUCCESS;
    Buffer made(clCreatePipe(context(), 0, sizeof(cl_int), kPackets, nullptr, &status));
    check(status);
    return made;
  }
};

TEST_F(Pipes, KnowWhatTheyAre) {
  const Buffer made = pipe();
  cl_uint packet = 0, packets = 0;
  ASSERT_OK(clGetPipeInfo(made.get(), CL_PIPE_PACKET_SIZE, sizeof packet, &packet, nullptr));
  ASSERT_OK(clGetPipeInfo(made.get(), CL_PIPE_MAX_PACKETS, sizeof packets, &packets, nullptr));
  EXPECT_EQ(packet, sizeof(cl_int));
  EXPECT_EQ(packets, kPackets);
  cl_mem_object_type type = 0;
  cl_context its = nullptr;
  ASSERT_OK(clGetMemObjectInfo(made.get(), CL_MEM_TYPE, sizeof type, &type, nullptr));
  ASSERT_OK(clGetMemObjectInfo(made.get(), CL_MEM_CONTEXT, sizeof its, &its, nullptr));
  EXPECT_EQ(type, cl_mem_object_type{CL_MEM_OBJECT_PIPE});
  EXPECT_EQ(its, context());
  EXPECT_OK(clRetainMemObject(made.get()));
  EXPECT_OK(clReleaseMemObject(made.get()));
}

TEST_F(Pipes, OfNoPacketsAreRefused) {
  cl_int status = CL_SUCCESS;
  EXPECT_EQ(clCreatePipe(context(), 0, 0, kPackets, nullptr, &status), nullptr);
  EXPECT_STATUS(status, CL_INVALID_PIPE_SIZE);
}

TEST_F(Pipes, HandPacketsFromOneKernelToTheNext) {
  const auto program = build_if_possible(R"(
    __kernel void put(__global const int* x, write_only pipe int to) { int v = x[get_global_id(0)]; write_pipe(to, &v); }
    __kernel void get(read_only pipe int from, __global int* y) {
      int v; if (read_pipe(from, &v) == 0) y[get_global_id(0)] = v + 1; })");
  if (!program) GTEST_SKIP() << "the driver compiles no pipes";
  const Kernel put = bench::make_kernel(*program, "put"), get = bench::make_kernel(*program, "get");
  const Buffer x = buffer(counting<cl_int>(kPackets)), y = buffer(std::vector<cl_int>(kPackets));
  Buffer between = pipe();
  set_arguments(put, x, between);
  set_arguments(get, between, y);
  launch(put, {{kPackets}});
  launch(get, {{kPackets}});
  between = {};
  std::vector<cl_int> values = read<cl_int>(y, kPackets);
  std::sort(values.begin(), values.end());
  EXPECT_EQ(values, counting<cl_int>(kPackets, 1));
}

class DeviceQueues : public DeviceSide {
 protected:
  void SetUp() override {
    cl_uint queues = 0;
    clGetDeviceInfo(device(), CL_DEVICE_MAX_ON_DEVICE_QUEUES, sizeof queues, &queues, nullptr);
    if (queues == 0) GTEST_SKIP() << "the device has no queues of its own";
  }
};

TEST_F(DeviceQueues, KnowWhatTheyAre) {
  const Queue made = device_queue(kOnDevice);
  EXPECT_EQ(info<cl_context>(made, CL_QUEUE_CONTEXT), context());
  EXPECT_EQ(info<cl_device_id>(made, CL_QUEUE_DEVICE), device());
  EXPECT_EQ(info<cl_command_queue_properties>(made, CL_QUEUE_PROPERTIES), kOnDevice);
  EXPECT_GT(info<cl_uint>(made, CL_QUEUE_SIZE), 0u);
  EXPECT_OK(clRetainCommandQueue(made.get()));
  EXPECT_OK(clReleaseCommandQueue(made.get()));
}

TEST_F(DeviceQueues, BecomeTheDefault) {
  if (!(device_info<cl_device_device_enqueue_capabilities>(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES) &
        CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT))
    GTEST_SKIP() << "the device's default queue stays";
  const Queue made = device_queue(kOnDevice);
  EXPECT_OK(clSetDefaultDeviceCommandQueue(context(), device(), made.get()));
  EXPECT_NE(clSetDefaultDeviceCommandQueue(context(), device(), queue()), CL_SUCCESS) << "a queue on the host";
}

TEST_F(DeviceQueues, TakeKernelsOfKernels) {
  const auto program = build_if_possible(R"(
    __kernel void k(queue_t q, __global int* x) {
      if (get_global_id(0) == 0)
        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(get_global_size(0)), ^{ x[get_global_id(0)] *= 2; });
      x[get_global_id(0)] += 1;
    })");
  if (!program) GTEST_SKIP() << "the driver compiles no kernels that enqueue";
  const Kernel k = bench::make_kernel(*program, "k");
  const Buffer x = buffer(counting<cl_int>(kPackets));
  const Queue made = device_queue(kOnDevice);
  const cl_command_queue handle = made.get(), on_host = queue();
  EXPECT_STATUS(clSetKernelArg(k.get(), 0, sizeof on_host, &on_host), CL_INVALID_DEVICE_QUEUE);
  ASSERT_OK(clSetKernelArg(k.get(), 0, sizeof handle, &handle));
  ASSERT_OK(clSetKernelArg(k.get(), 1, sizeof(cl_mem), x.address()));
  launch(k, {{kPackets}});
  std::vector<cl_int> expected = counting<cl_int>(kPackets, 1);
  for (cl_int& value : expected) value *= 2;
  EXPECT_EQ(read<cl_int>(x, kPackets), expected);
}

}  // namespace
}  // namespace cases
