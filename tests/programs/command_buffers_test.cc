// cl_khr_command_buffer 0.9, where the device has it: commands recorded once, with what they were given, and run again
// and again in their order. From 0.9.5 on they take properties, which these tests leave empty.
#include <CL/cl_ext.h>

#include <algorithm>
#include <cstring>

#include "tests/programs/opencl_fixture.h"

namespace cases {
namespace {

constexpr size_t kCount = 512;

// A function that records a command, called as before 0.9.5.
template <typename Function>
struct Recording;
template <typename... Parameters>
struct Recording<cl_int(CL_API_CALL*)(cl_command_buffer_khr, cl_command_queue, Parameters...)> {
  using Function = cl_int(CL_API_CALL*)(cl_command_buffer_khr, cl_command_queue, Parameters...);
  using Later = cl_int(CL_API_CALL*)(cl_command_buffer_khr, cl_command_queue, const void*, Parameters...);

  cl_int operator()(cl_command_buffer_khr buffer, cl_command_queue queue, Parameters... parameters) const {
    return takes_properties ? reinterpret_cast<Later>(function)(buffer, queue, nullptr, parameters...)
                            : reinterpret_cast<Function>(function)(buffer, queue, parameters...);
  }

  void* function = nullptr;
  bool takes_properties = false;
};
using SvmMemcpy = cl_int(CL_API_CALL*)(cl_command_buffer_khr, cl_command_queue, void*, const void*, size_t, cl_uint,
                                       const cl_sync_point_khr*, cl_sync_point_khr*, cl_mutable_command_khr*);
using SvmMemFill = cl_int(CL_API_CALL*)(cl_command_buffer_khr, cl_command_queue, void*, const void*, size_t, size_t,
                                        cl_uint, const cl_sync_point_khr*, cl_sync_point_khr*, cl_mutable_command_khr*);

class CommandBuffers : public OpenCl {
 protected:
  void SetUp() override {
    size_t bytes = 0;
    clGetDeviceInfo(device(), CL_DEVICE_EXTENSIONS_WITH_VERSION, 0, nullptr, &bytes);
    std::vector<cl_name_version> extensions(bytes / sizeof(cl_name_version));
    clGetDeviceInfo(device(), CL_DEVICE_EXTENSIONS_WITH_VERSION, bytes, extensions.data(), nullptr);
    const auto found = std::find_if(extensions.begin(), extensions.end(), [](const cl_name_version& extension) {
      return extension.name == std::string_view("cl_khr_command_buffer");
    });
    if (found == extensions.end()) GTEST_SKIP() << "the device has no command buffers";
    const auto platform = device_info<cl_platform_id>(CL_DEVICE_PLATFORM);
    const auto get = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
          clGetExtensionFunctionAddressForPlatform(platform, name));
      ASSERT_NE(function, nullptr) << name;
    };
    const auto get_recording = [&](auto& recording, const char* name) {
      recording = {clGetExtensionFunctionAddressForPlatform(platform, name),
                   found->version >= CL_MAKE_VERSION(0, 9, 5)};
      if (found->version >= CL_MAKE_VERSION(0, 9, 4) || !std::strstr(name, "SVM")) {
        ASSERT_NE(recording.function, nullptr) << name;
      }
    };
    get(create_, "clCreateCommandBufferKHR");
    get(finalize_, "clFinalizeCommandBufferKHR");
    get(retain_, "clRetainCommandBufferKHR");
    get(release_, "clReleaseCommandBufferKHR");
    get(run_, "clEnqueueCommandBufferKHR");
    get_recording(barrier_, "clCommandBarrierWithWaitListKHR");
    get_recording(copy_, "clCommandCopyBufferKHR");
    get_recording(copy_rect_, "clCommandCopyBufferRectKHR");
    get_recording(copy_image_, "clCommandCopyImageKHR");
    get_recording(to_image_, "clCommandCopyBufferToImageKHR");
    get_recording(from_image_, "clCommandCopyImageToBufferKHR");
    get_recording(fill_, "clCommandFillBufferKHR");
    get_recording(fill_image_, "clCommandFillImageKHR");
    get_recording(svm_memcpy_, "clCommandSVMMemcpyKHR");
    get_recording(svm_fill_, "clCommandSVMMemFillKHR");
    get(launch_, "clCommandNDRangeKernelKHR");
    get(info_, "clGetCommandBufferInfoKHR");
  }
  void TearDown() override {
    clFinish(queue());
    for (cl_command_buffer_khr buffer : made_) release_(buffer);
  }

  cl_command_buffer_khr make(cl_command_queue of = nullptr, bool simultaneous = false) {
    const cl_command_queue queues[] = {of ? of : queue()};
    const cl_command_buffer_properties_khr flags[] = {CL_COMMAND_BUFFER_FLAGS_KHR,
                                                      CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0};
    cl_int status = CL_SUCCESS;
    made_.push_back(create_(1, queues, simultaneous ? flags : nullptr, &status));
    check(status);
    return made_.back();
  }
  cl_int add_launch(cl_command_buffer_khr to, const Kernel& kernel, size_t global, size_t local,
                    std::vector<cl_sync_point_khr> after = {}, cl_sync_point_khr* point = nullptr) const {
    return launch_(to, nullptr, nullptr, kernel.get(), 1, nullptr, &global, &local, static_cast<cl_uint>(after.size()),
                   after.empty() ? nullptr : after.data(), point, nullptr);
  }
  cl_int run(cl_command_buffer_khr buffer) const { return run_(0, nullptr, buffer, 0, nullptr, nullptr); }
  template <typename T>
  T info(cl_command_buffer_khr buffer, cl_command_buffer_info_khr name) const {
    T value{};
    check(info_(buffer, name, sizeof value, &value, nullptr));
    return value;
  }

  clCreateCommandBufferKHR_fn create_ = nullptr;
  clFinalizeCommandBufferKHR_fn finalize_ = nullptr;
  clRetainCommandBufferKHR_fn retain_ = nullptr;
  clReleaseCommandBufferKHR_fn release_ = nullptr;
  clEnqueueCommandBufferKHR_fn run_ = nullptr;
  Recording<clCommandBarrierWithWaitListKHR_fn> barrier_;
  Recording<clCommandCopyBufferKHR_fn> copy_;
  Recording<clCommandCopyBufferRectKHR_fn> copy_rect_;
  Recording<clCommandCopyImageKHR_fn> copy_image_;
  Recording<clCommandCopyBufferToImageKHR_fn> to_image_;
  Recording<clCommandCopyImageToBufferKHR_fn> from_image_;
  Recording<clCommandFillBufferKHR_fn> fill_;
  Recording<clCommandFillImageKHR_fn> fill_image_;
  Recording<SvmMemcpy> svm_memcpy_;  // from 0.9.4 on
  Recording<SvmMemFill> svm_fill_;
  clCommandNDRangeKernelKHR_fn launch_ = nullptr;
  clGetCommandBufferInfoKHR_fn info_ = nullptr;

 private:
  std::vector<cl_command_buffer_khr> made_;
};

const char kScaleAndAdd[] =
    "__kernel void k(__global int* x, int by, int plus) { size_t g = get_global_id(0); x[g] = x[g] * by + plus; }";

TEST_F(CommandBuffers, RunAgainAndAgain) {
  const Buffer x = buffer(counting<cl_int>(kCount)), y = buffer_of(kCount * sizeof(cl_int));
  const auto k = kernel(kScaleAndAdd);
  cl_command_buffer_khr commands = make();
  set_arguments(k, x, cl_int{2}, cl_int{1});
  ASSERT_OK(add_launch(commands, k, kCount, 8));
  ASSERT_OK(copy_(commands, nullptr, x.get(), y.get(), 0, 0, kCount * sizeof(cl_int), 0, nullptr, nullptr, nullptr));
  const cl_int minus = -7;
  ASSERT_OK(fill_(commands, nullptr, y.get(), &minus, sizeof minus, 40, 80, 0, nullptr, nullptr, nullptr));
  ASSERT_OK(finalize_(commands));
  std::vector<cl_int> expected = counting<cl_int>(kCount);
  for (int times = 0; times < 3; ++times) {
    ASSERT_OK(run(commands));
    for (cl_int& value : expected) value = 2 * value + 1;
    std::vector<cl_int> copied = expected;
    std::fill_n(copied.begin() + 10, 20, minus);
    EXPECT_EQ(read<cl_int>(y, kCount), copied);
    EXPECT_EQ(read<cl_int>(x, kCount), expected);
  }
}

TEST_F(CommandBuffers, ArgumentsAreThoseOfTheRecording) {
  const Buffer x = buffer(std::vector<cl_int>(kCount, 1)), other = buffer(std::vector<cl_int>(kCount, 50));
  const auto k = kernel(kScaleAndAdd);
  cl_command_buffer_khr commands = make();
  set_arguments(k, x, cl_int{1}, cl_int{10});
  ASSERT_OK(add_launch(commands, k, kCount, 8));
  set_arguments(k, x, cl_int{1}, cl_int{100});
  ASSERT_OK(add_launch(commands, k, kCount, 8));
  cl_int pattern = 3;
  ASSERT_OK(fill_(commands, nullptr, other.get(), &pattern, sizeof pattern, 0, 4, 0, nullptr, nullptr, nullptr));
  ASSERT_OK(finalize_(commands));
  set_arguments(k, other, cl_int{1}, cl_int{1000});
  pattern = 4;
  ASSERT_OK(run(commands));
  EXPECT_EQ(read<cl_int>(x, kCount), std::vector<cl_int>(kCount, 111));
  std::vector<cl_int> expected(kCount, 50);
  expected[0] = 3;
  EXPECT_EQ(read<cl_int>(other, kCount), expected);
}

TEST_F(CommandBuffers, StandBetweenOtherCommandsOfTheirQueue) {
  const Buffer x = buffer(std::vector<cl_int>(kCount, 0));
  const auto k = kernel(kScaleAndAdd);
  cl_command_buffer_khr commands = make();
  set_arguments(k, x, cl_int{3}, cl_int{1});
  ASSERT_OK(add_launch(commands, k, kCount, 8));
  ASSERT_OK(finalize_(commands));
  const cl_int five = 5;
  ASSERT_OK(clEnqueueFillBuffer(queue(), x.get(), &five, sizeof five, 0, kCount * sizeof five, 0, nullptr, nullptr));
  ASSERT_OK(run(commands));
  set_arguments(k, x, cl_int{10}, cl_int{0});
  launch(k, {{kCount}, {8}});
  ASSERT_OK(clFinish(queue()));
  ASSERT_OK(run(commands));
  EXPECT_EQ(read<cl_int>(x, kCount), std::vector<cl_int>(kCount, 481));
}

TEST_F(CommandBuffers, SyncPointsAndBarriersGiveTheOrder) {
  const Queue apart = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const Buffer x = buffer(std::vector<cl_int>(kCount, 1)), y = buffer(std::vector<cl_int>(kCount, 0));
  const auto k = kernel(kScaleAndAdd);
  cl_command_buffer_khr commands = make(apart.get());
  cl_sync_point_khr scaled, added, copied;
  set_arguments(k, x, cl_int{2}, cl_int{0});
  ASSERT_OK(add_launch(commands, k, kCount, 8, {}, &scaled));
  set_arguments(k, x, cl_int{1}, cl_int{3});
  ASSERT_OK(add_launch(commands, k, kCount, 8, {scaled}, &added));
  ASSERT_OK(copy_(commands, nullptr, x.get(), y.get(), 0, 0, kCount * sizeof(cl_int), 1, &added, &copied, nullptr));
  ASSERT_OK(barrier_(commands, nullptr, 0, nullptr, nullptr, nullptr));
  set_arguments(k, y, cl_int{100}, cl_int{0});
  ASSERT_OK(add_launch(commands, k, kCount, 8));
  ASSERT_OK(finalize_(commands));
  cl_event gate_opened = nullptr, ran = nullptr;
  ASSERT_OK(clEnqueueMarkerWithWaitList(apart.get(), 0, nullptr, &gate_opened));
  ASSERT_OK(run_(0, nullptr, commands, 1, &gate_opened, &ran));
  ASSERT_OK(clWaitForEvents(1, &ran));
  EXPECT_EQ(read<cl_int>(x, kCount), std::vector<cl_int>(kCount, 5));
  EXPECT_EQ(read<cl_int>(y, kCount), std::vector<cl_int>(kCount, 500));
  clReleaseEvent(gate_opened);
  clReleaseEvent(ran);
}

TEST_F(CommandBuffers, HaveOneEventForAll) {
  const Buffer x = buffer(std::vector<cl_int>(1 << 16, 1));
  const auto k = kernel(kScaleAndAdd);
  cl_command_buffer_khr commands = make();
  set_arguments(k, x, cl_int{2}, cl_int{0});
  for (int i = 0; i < 3; ++i) ASSERT_OK(add_launch(commands, k, 1 << 16, 8));
  ASSERT_OK(finalize_(commands));
  cl_event handle = nullptr;
  ASSERT_OK(run_(0, nullptr, commands, 0, nullptr, &handle));
  const Event event(handle);
  ASSERT_OK(clWaitForEvents(1, &handle));
  cl_command_type type = 0;
  ASSERT_OK(clGetEventInfo(handle, CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr));
  EXPECT_EQ(type, static_cast<cl_command_type>(CL_COMMAND_COMMAND_BUFFER_KHR));
  cl_ulong started = 0, ended = 0;
  ASSERT_OK(clGetEventProfilingInfo(handle, CL_PROFILING_COMMAND_START, sizeof started, &started, nullptr));
  ASSERT_OK(clGetEventProfilingInfo(handle, CL_PROFILING_COMMAND_END, sizeof ended, &ended, nullptr));
  EXPECT_LT(started, ended);
  EXPECT_EQ(read<cl_int>(x, 8), std::vector<cl_int>(8, 8));
}

TEST_F(CommandBuffers, CopyRectanglesAndImages) {
  if (!has_images()) GTEST_SKIP() << "the device has no images";
  const Buffer x = buffer(counting<cl_uint>(256)), y = buffer(std::vector<cl_uint>(256, 0));
  const cl_image_format format{CL_R, CL_UNSIGNED_INT32};
  cl_image_desc description{};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = description.image_height = 16;
  cl_int status = CL_SUCCESS;
  const Buffer image(clCreateImage(context(), CL_MEM_READ_WRITE, &format, &description, nullptr, &status));
  const Buffer second(clCreateImage(context(), CL_MEM_READ_WRITE, &format, &description, nullptr, &status));
  check(status);
  const size_t zero[3] = {}, all[3] = {16, 16, 1}, corner[3] = {4, 4, 0}, part[3] = {8, 8, 1}, bytes[3] = {8 * 4, 8, 1};
  const size_t from[3] = {16, 4, 0}, to[3] = {0, 8, 0};
  const cl_uint color[4] = {7, 7, 7, 7};
  cl_command_buffer_khr commands = make();
  ASSERT_OK(to_image_(commands, nullptr, x.get(), image.get(), 0, zero, all, 0, nullptr, nullptr, nullptr));
  ASSERT_OK(fill_image_(commands, nullptr, second.get(), color, zero, all, 0, nullptr, nullptr, nullptr));
  ASSERT_OK(
      copy_image_(commands, nullptr, image.get(), second.get(), zero, corner, part, 0, nullptr, nullptr, nullptr));
  ASSERT_OK(from_image_(commands, nullptr, second.get(), y.get(), zero, all, 0, 0, nullptr, nullptr, nullptr));
  ASSERT_OK(
      copy_rect_(commands, nullptr, x.get(), y.get(), from, to, bytes, 64, 0, 64, 0, 0, nullptr, nullptr, nullptr));
  ASSERT_OK(finalize_(commands));
  std::vector<cl_uint> expected(256, 7);
  for (cl_uint row = 0; row < 8; ++row)
    for (cl_uint column = 0; column < 8; ++column) {
      expected[(row + 4) * 16 + column + 4] = row * 16 + column;
    }
  for (cl_uint row = 0; row < 8; ++row)
    for (cl_uint column = 0; column < 8; ++column) expected[(row + 8) * 16 + column] = (row + 4) * 16 + column + 4;
  for (int times = 0; times < 2; ++times) {
    ASSERT_OK(run(commands));
    EXPECT_EQ(read<cl_uint>(y, 256), expected);
  }
}

TEST_F(CommandBuffers, KeepWhatTheyUse) {
  cl_command_buffer_khr commands = make();
  const Buffer y = buffer_of(kCount * sizeof(cl_int));
  {
    const Buffer x = buffer(counting<cl_int>(kCount));
    const auto k = kernel(kScaleAndAdd);
    set_arguments(k, x, cl_int{2}, cl_int{0});
    ASSERT_OK(add_launch(commands, k, kCount, 8));
    ASSERT_OK(copy_(commands, nullptr, x.get(), y.get(), 0, 0, kCount * sizeof(cl_int), 0, nullptr, nullptr, nullptr));
  }
  ASSERT_OK(finalize_(commands));
  ASSERT_OK(run(commands));
  std::vector<cl_int> expected = counting<cl_int>(kCount);
  for (cl_int& value : expected) value *= 2;
  EXPECT_EQ(read<cl_int>(y, kCount), expected);
}

TEST_F(CommandBuffers, AnswerQueries) {
  cl_command_buffer_khr commands = make();
  EXPECT_EQ(info<cl_uint>(commands, CL_COMMAND_BUFFER_NUM_QUEUES_KHR), 1u);
  EXPECT_EQ(info<cl_command_queue>(commands, CL_COMMAND_BUFFER_QUEUES_KHR), queue());
  EXPECT_EQ(info<cl_uint>(commands, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR), 1u);
  ASSERT_OK(retain_(commands));
  EXPECT_EQ(info<cl_uint>(commands, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR), 2u);
  ASSERT_OK(release_(commands));
  const cl_command_buffer_info_khr of_context = 0x1299;  // CL_COMMAND_BUFFER_CONTEXT_KHR; PoCL 3.1 does not know it
  cl_context its_context = context();
  if (info_(commands, of_context, sizeof its_context, &its_context, nullptr) == CL_SUCCESS) {
    EXPECT_EQ(its_context, context());
  }
  using State = cl_command_buffer_state_khr;
  EXPECT_EQ(info<State>(commands, CL_COMMAND_BUFFER_STATE_KHR), State{CL_COMMAND_BUFFER_STATE_RECORDING_KHR});
  ASSERT_OK(finalize_(commands));
  EXPECT_EQ(info<State>(commands, CL_COMMAND_BUFFER_STATE_KHR), State{CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR});
}

// Whether a driver refuses the second run depends on whether it has noticed the end of the first.
TEST_F(CommandBuffers, RunBehindARunThatWasFlushed) {
  const Buffer x = buffer(std::vector<cl_int>(kCount, 1));
  const auto k = kernel(kScaleAndAdd);
  cl_command_buffer_khr commands = make();
  set_arguments(k, x, cl_int{3}, cl_int{1});
  ASSERT_OK(add_launch(commands, k, kCount, 8));
  ASSERT_OK(finalize_(commands));
  for (int times = 0; times < 4; ++times) {
    ASSERT_OK(run(commands));
    ASSERT_OK(clFlush(queue()));
  }
  EXPECT_EQ(read<cl_int>(x, kCount), std::vector<cl_int>(kCount, 121));
}

TEST_F(CommandBuffers, WorkOnSharedVirtualMemory) {
  if (!svm_memcpy_.function) GTEST_SKIP() << "no commands on shared virtual memory before 0.9.4";
  if (!(device_info<cl_device_svm_capabilities>(CL_DEVICE_SVM_CAPABILITIES) & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER))
    GTEST_SKIP() << "the device shares no virtual memory";
  const size_t bytes = kCount * sizeof(cl_int);
  auto* const from = static_cast<cl_int*>(clSVMAlloc(context(), CL_MEM_READ_WRITE, bytes, 0));
  auto* const to = static_cast<cl_int*>(clSVMAlloc(context(), CL_MEM_READ_WRITE, bytes, 0));
  ASSERT_TRUE(from && to);
  cl_command_buffer_khr commands = make();
  cl_int pattern = 17;
  cl_sync_point_khr filled = 0;
  ASSERT_OK(svm_fill_(commands, nullptr, from, &pattern, sizeof pattern, bytes, 0, nullptr, &filled, nullptr));
  ASSERT_OK(svm_memcpy_(commands, nullptr, to, from, bytes / 2, 1, &filled, nullptr, nullptr));
  ASSERT_OK(finalize_(commands));
  pattern = 99;
  const cl_int one = 1;
  ASSERT_OK(clEnqueueSVMMemFill(queue(), to, &one, sizeof one, bytes, 0, nullptr, nullptr));
  ASSERT_OK(run(commands));
  ASSERT_OK(clEnqueueSVMMap(queue(), CL_TRUE, CL_MAP_READ, to, bytes, 0, nullptr, nullptr));
  std::vector<cl_int> expected(kCount, 1);
  std::fill_n(expected.begin(), kCount / 2, 17);
  EXPECT_EQ(std::vector<cl_int>(to, to + kCount), expected);
  ASSERT_OK(clEnqueueSVMUnmap(queue(), to, 0, nullptr, nullptr));
  ASSERT_OK(clFinish(queue()));
  clSVMFree(context(), from);
  clSVMFree(context(), to);
}

TEST_F(CommandBuffers, RefuseWhatTheStandardRefuses) {
  const Buffer x = buffer_of(64);
  const auto k = kernel(kScaleAndAdd);
  cl_command_buffer_khr commands = make();
  EXPECT_STATUS(run(commands), CL_INVALID_OPERATION);
  EXPECT_STATUS(add_launch(commands, k, 16, 4), CL_INVALID_KERNEL_ARGS);
  EXPECT_STATUS(copy_(commands, nullptr, x.get(), x.get(), 0, 4, 16, 0, nullptr, nullptr, nullptr),
                CL_MEM_COPY_OVERLAP);
  EXPECT_STATUS(copy_(commands, nullptr, x.get(), nullptr, 0, 4, 16, 0, nullptr, nullptr, nullptr),
                CL_INVALID_MEM_OBJECT);
  EXPECT_STATUS(copy_(commands, queue(), x.get(), x.get(), 0, 32, 16, 0, nullptr, nullptr, nullptr),
                CL_INVALID_COMMAND_QUEUE);
  ASSERT_OK(finalize_(commands));
  EXPECT_STATUS(copy_(commands, nullptr, x.get(), x.get(), 0, 32, 16, 0, nullptr, nullptr, nullptr),
                CL_INVALID_OPERATION);
  EXPECT_OK(run(commands));
}

}  // namespace
}  // namespace cases
