// Calls of every kind with arguments that are null, zero, huge, stale or of another kind, each in words of its own and
// with what it returned. usage: odd_calls FIRST; the calls before that number are left out.
#include <CL/cl.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmarks/host/session.h"

namespace {

using namespace bench;

constexpr size_t kHuge = ~size_t{0};
constexpr char kSource[] = R"(
  __kernel void k(__global int* x, ulong value) { x[get_global_id(0)] = (int)value; }
  __kernel __attribute__((reqd_work_group_size(4, 1, 1))) void r(__global int* x) { x[get_global_id(0)] = 1; })";

cl_platform_id platform_of(cl_device_id device) {
  cl_platform_id platform = nullptr;
  check(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, nullptr));
  return platform;
}

struct Calls {
  explicit Calls(size_t first_number) : first(first_number) {
    set_arguments(kernel, buffer, cl_ulong{1});
    set_arguments(required, buffer);
    check(clSetKernelArg(half_set.get(), 0, sizeof(cl_mem), &buffer_handle));
  }

  // Says what a call returns.
  void call(const char* name, const std::function<cl_int()>& it) {
    if (number++ < first) return;
    std::printf("%zu %s\n", number - 1, name);
    std::fflush(stdout);
    const cl_int code = it();
    check(clFinish(queue));
    std::printf("%zu %s = %d\n", number - 1, name, code);
    std::fflush(stdout);
  }
  // The same of one that makes something, which is released.
  template <typename Made>
  void makes(const char* name, cl_int (*release)(Made), const std::function<Made(cl_int*)>& it) {
    call(name, [&] {
      cl_int code = 77;
      const Made made = it(&code);
      if (made && release) release(made);
      return made || code != CL_SUCCESS ? code : 78;
    });
  }

  size_t first, number = 0;
  Session session = Session::open(0, 0);
  cl_context context = session.context.get();
  cl_device_id device = session.device;
  cl_command_queue queue = session.queue.get();
  cl_platform_id platform = platform_of(device);
  Program program = session.build(kSource);
  Kernel kernel = make_kernel(program, "k"), required = make_kernel(program, "r"), half_set = make_kernel(program, "k");
  Buffer buffer = session.make_buffer(CL_MEM_READ_WRITE, 1024);
  cl_mem buffer_handle = buffer.get();
  std::array<char, 4096> host{};
};

void queries(Calls& c) {
  size_t size = 0;
  std::array<char, 4096> room{};
  for (const cl_uint name : {0u, 0x9999u, 0xffffffffu}) {
    const std::string n = std::to_string(name);
    c.call(("platform_info:" + n).c_str(),
           [&] { return clGetPlatformInfo(c.platform, name, room.size(), room.data(), &size); });
    c.call(("device_info:" + n).c_str(),
           [&] { return clGetDeviceInfo(c.device, name, room.size(), room.data(), &size); });
    c.call(("context_info:" + n).c_str(),
           [&] { return clGetContextInfo(c.context, name, room.size(), room.data(), &size); });
    c.call(("queue_info:" + n).c_str(),
           [&] { return clGetCommandQueueInfo(c.queue, name, room.size(), room.data(), &size); });
    c.call(("mem_info:" + n).c_str(),
           [&] { return clGetMemObjectInfo(c.buffer.get(), name, room.size(), room.data(), &size); });
    c.call(("program_info:" + n).c_str(),
           [&] { return clGetProgramInfo(c.program.get(), name, room.size(), room.data(), &size); });
    c.call(("build_info:" + n).c_str(),
           [&] { return clGetProgramBuildInfo(c.program.get(), c.device, name, room.size(), room.data(), &size); });
    c.call(("kernel_info:" + n).c_str(),
           [&] { return clGetKernelInfo(c.kernel.get(), name, room.size(), room.data(), &size); });
    c.call(("work_group_info:" + n).c_str(),
           [&] { return clGetKernelWorkGroupInfo(c.kernel.get(), c.device, name, room.size(), room.data(), &size); });
    c.call(("arg_info:" + n).c_str(),
           [&] { return clGetKernelArgInfo(c.kernel.get(), 0, name, room.size(), room.data(), &size); });
  }
  c.call("device_info:no_room", [&] { return clGetDeviceInfo(c.device, CL_DEVICE_NAME, 1, room.data(), nullptr); });
  c.call("device_info:nothing_wanted", [&] { return clGetDeviceInfo(c.device, CL_DEVICE_NAME, 0, nullptr, nullptr); });
  c.call("device_info:null", [&] { return clGetDeviceInfo(nullptr, CL_DEVICE_NAME, 0, nullptr, &size); });
  c.call("context_info:null", [&] { return clGetContextInfo(nullptr, CL_CONTEXT_DEVICES, 0, nullptr, &size); });
  c.call("queue_info:null", [&] { return clGetCommandQueueInfo(nullptr, CL_QUEUE_CONTEXT, 0, nullptr, &size); });
  c.call("event_info:null", [&] { return clGetEventInfo(nullptr, CL_EVENT_CONTEXT, 0, nullptr, &size); });
  c.call("arg_info:index",
         [&] { return clGetKernelArgInfo(c.kernel.get(), 9, CL_KERNEL_ARG_NAME, room.size(), room.data(), &size); });
  c.call("image_info:of_a_buffer",
         [&] { return clGetImageInfo(c.buffer.get(), CL_IMAGE_FORMAT, room.size(), room.data(), &size); });
  c.call("device_ids:type_0", [&] {
    cl_uint count;
    return clGetDeviceIDs(c.platform, 0, 0, nullptr, &count);
  });
  c.call("device_ids:type_huge", [&] {
    cl_uint count;
    return clGetDeviceIDs(c.platform, cl_device_type{1} << 40, 0, nullptr, &count);
  });
  c.call("device_ids:no_entries", [&] {
    cl_device_id d;
    return clGetDeviceIDs(c.platform, CL_DEVICE_TYPE_ALL, 0, &d, nullptr);
  });
  c.call("device_ids:nothing_wanted",
         [&] { return clGetDeviceIDs(c.platform, CL_DEVICE_TYPE_ALL, 0, nullptr, nullptr); });
  c.call("host_timer:null", [&] { return clGetHostTimer(c.device, nullptr); });
  c.call("device_timer:null", [&] { return clGetDeviceAndHostTimer(c.device, nullptr, nullptr); });
}

void programs(Calls& c) {
  const char* none = nullptr;
  const char* text = kSource;
  const size_t no_bytes = 0, four = 4;
  const unsigned char* no_binary = nullptr;
  const unsigned char* bad_binary = reinterpret_cast<const unsigned char*>("nope");
  cl_int status = 0;
  const auto made = [&](const char* name, const std::function<cl_program(cl_int*)>& it) {
    c.makes<cl_program>(name, clReleaseProgram, it);
  };
  made("source:null_context", [&](cl_int* e) { return clCreateProgramWithSource(nullptr, 1, &text, nullptr, e); });
  made("source:0", [&](cl_int* e) { return clCreateProgramWithSource(c.context, 0, &text, nullptr, e); });
  made("source:null", [&](cl_int* e) { return clCreateProgramWithSource(c.context, 1, nullptr, nullptr, e); });
  made("source:null_string", [&](cl_int* e) { return clCreateProgramWithSource(c.context, 1, &none, nullptr, e); });
  made("binary:0_devices",
       [&](cl_int* e) { return clCreateProgramWithBinary(c.context, 0, nullptr, &four, &bad_binary, &status, e); });
  made("binary:0_of_one",
       [&](cl_int* e) { return clCreateProgramWithBinary(c.context, 0, &c.device, &four, &bad_binary, &status, e); });
  made("binary:no_list",
       [&](cl_int* e) { return clCreateProgramWithBinary(c.context, 1, nullptr, &four, &bad_binary, &status, e); });
  made("binary:no_lengths",
       [&](cl_int* e) { return clCreateProgramWithBinary(c.context, 1, &c.device, nullptr, &bad_binary, &status, e); });
  made("binary:no_binaries",
       [&](cl_int* e) { return clCreateProgramWithBinary(c.context, 1, &c.device, &four, nullptr, &status, e); });
  made("binary:length_0", [&](cl_int* e) {
    return clCreateProgramWithBinary(c.context, 1, &c.device, &no_bytes, &bad_binary, &status, e);
  });
  made("binary:null_binary",
       [&](cl_int* e) { return clCreateProgramWithBinary(c.context, 1, &c.device, &four, &no_binary, &status, e); });
  made("binary:bad",
       [&](cl_int* e) { return clCreateProgramWithBinary(c.context, 1, &c.device, &four, &bad_binary, &status, e); });
  made("built_in:0_devices",
       [&](cl_int* e) { return clCreateProgramWithBuiltInKernels(c.context, 0, nullptr, "x", e); });
  made("built_in:0_of_one",
       [&](cl_int* e) { return clCreateProgramWithBuiltInKernels(c.context, 0, &c.device, "x", e); });
  made("built_in:no_names",
       [&](cl_int* e) { return clCreateProgramWithBuiltInKernels(c.context, 1, &c.device, nullptr, e); });
  made("built_in:unknown",
       [&](cl_int* e) { return clCreateProgramWithBuiltInKernels(c.context, 1, &c.device, "no_such", e); });
  made("il:null", [&](cl_int* e) { return clCreateProgramWithIL(c.context, nullptr, 0, e); });
  made("link:nothing",
       [&](cl_int* e) { return clLinkProgram(c.context, 0, nullptr, "", 0, nullptr, nullptr, nullptr, e); });
  made("link:count_without_list",
       [&](cl_int* e) { return clLinkProgram(c.context, 0, nullptr, "", 1, nullptr, nullptr, nullptr, e); });
  made("link:user_data_alone", [&](cl_int* e) {
    cl_program p = c.program.get();
    return clLinkProgram(c.context, 0, nullptr, "", 1, &p, nullptr, &p, e);
  });
  c.call("build:null", [&] { return clBuildProgram(nullptr, 0, nullptr, "", nullptr, nullptr); });
  c.call("build:count_without_list", [&] { return clBuildProgram(c.program.get(), 1, nullptr, "", nullptr, nullptr); });
  c.call("build:list_without_count",
         [&] { return clBuildProgram(c.program.get(), 0, &c.device, "", nullptr, nullptr); });
  c.call("build:user_data_alone", [&] { return clBuildProgram(c.program.get(), 0, nullptr, "", nullptr, &c); });
  c.call("compile:headers_without_names", [&] {
    cl_program p = c.program.get();
    return clCompileProgram(p, 0, nullptr, "", 1, &p, nullptr, nullptr, nullptr);
  });
  c.call("compile:count_alone",
         [&] { return clCompileProgram(c.program.get(), 0, nullptr, "", 1, nullptr, nullptr, nullptr, nullptr); });
  const auto kernel = [&](const char* name, const std::function<cl_kernel(cl_int*)>& it) {
    c.makes<cl_kernel>(name, clReleaseKernel, it);
  };
  kernel("kernel:null_program", [&](cl_int* e) { return clCreateKernel(nullptr, "k", e); });
  kernel("kernel:null_name", [&](cl_int* e) { return clCreateKernel(c.program.get(), nullptr, e); });
  kernel("kernel:unknown", [&](cl_int* e) { return clCreateKernel(c.program.get(), "no_such", e); });
  c.call("kernels:null_program", [&] { return clCreateKernelsInProgram(nullptr, 0, nullptr, nullptr); });
  c.call("kernels:too_few", [&] {
    cl_kernel k;
    return clCreateKernelsInProgram(c.program.get(), 1, &k, nullptr);
  });
  c.call("argument:index", [&] { return clSetKernelArg(c.kernel.get(), 9, 8, c.host.data()); });
  c.call("argument:size_0", [&] { return clSetKernelArg(c.kernel.get(), 1, 0, c.host.data()); });
  c.call("argument:size_huge", [&] { return clSetKernelArg(c.kernel.get(), 1, kHuge, c.host.data()); });
  c.call("argument:null_value", [&] { return clSetKernelArg(c.kernel.get(), 1, 8, nullptr); });
  c.call("argument:buffer_size_4", [&] { return clSetKernelArg(c.kernel.get(), 0, 4, &c.buffer_handle); });
}

void objects(Calls& c) {
  const auto buffer = [&](const char* name, const std::function<cl_mem(cl_int*)>& it) {
    c.makes<cl_mem>(name, clReleaseMemObject, it);
  };
  for (const cl_mem_flags flags : {cl_mem_flags{0}, cl_mem_flags{3}, cl_mem_flags{7}, cl_mem_flags{1 << 6},
                                   cl_mem_flags{1 << 11}, cl_mem_flags{1} << 20, cl_mem_flags{1} << 40, cl_mem_flags{8},
                                   cl_mem_flags{16}, cl_mem_flags{32}, cl_mem_flags{8 | 16}, cl_mem_flags{8 | 32},
                                   cl_mem_flags{16 | 32}, cl_mem_flags{128 | 256}, cl_mem_flags{512 | 128}}) {
    for (void* memory : {static_cast<void*>(nullptr), static_cast<void*>(c.host.data())}) {
      buffer(("buffer:flags_" + std::to_string(flags) + (memory ? "_memory" : "")).c_str(),
             [&](cl_int* e) { return clCreateBuffer(c.context, flags, 64, memory, e); });
    }
    const cl_buffer_region region{0, 64};
    buffer(("sub_buffer:flags_" + std::to_string(flags)).c_str(), [&](cl_int* e) {
      return clCreateSubBuffer(c.buffer.get(), flags, CL_BUFFER_CREATE_TYPE_REGION, &region, e);
    });
  }
  buffer("buffer:null_context", [&](cl_int* e) { return clCreateBuffer(nullptr, 0, 64, nullptr, e); });
  buffer("buffer:size_0", [&](cl_int* e) { return clCreateBuffer(c.context, 0, 0, nullptr, e); });
  buffer("buffer:size_huge", [&](cl_int* e) { return clCreateBuffer(c.context, 0, kHuge, nullptr, e); });
  const cl_buffer_region outside{512, 4096}, empty{0, 0}, misaligned{3, 8};
  buffer("sub_buffer:null",
         [&](cl_int* e) { return clCreateSubBuffer(nullptr, 0, CL_BUFFER_CREATE_TYPE_REGION, &empty, e); });
  buffer("sub_buffer:outside",
         [&](cl_int* e) { return clCreateSubBuffer(c.buffer.get(), 0, CL_BUFFER_CREATE_TYPE_REGION, &outside, e); });
  buffer("sub_buffer:empty",
         [&](cl_int* e) { return clCreateSubBuffer(c.buffer.get(), 0, CL_BUFFER_CREATE_TYPE_REGION, &empty, e); });
  buffer("sub_buffer:misaligned",
         [&](cl_int* e) { return clCreateSubBuffer(c.buffer.get(), 0, CL_BUFFER_CREATE_TYPE_REGION, &misaligned, e); });
  buffer("sub_buffer:type", [&](cl_int* e) { return clCreateSubBuffer(c.buffer.get(), 0, 0x9999, &empty, e); });
  buffer("sub_buffer:no_region",
         [&](cl_int* e) { return clCreateSubBuffer(c.buffer.get(), 0, CL_BUFFER_CREATE_TYPE_REGION, nullptr, e); });
  const auto queue = [&](const char* name, const std::function<cl_command_queue(cl_int*)>& it) {
    c.makes<cl_command_queue>(name, clReleaseCommandQueue, it);
  };
  for (const cl_queue_properties property : {0x1093, 0x1094, 0x1096, 0x1097, 0x4096, 0x9999}) {
    for (const cl_queue_properties value : {0, 1, 2, 3, 8, 1 << 9}) {
      const cl_queue_properties list[] = {property, value, 0};
      queue(("queue:" + std::to_string(property) + "_" + std::to_string(value)).c_str(),
            [&](cl_int* e) { return clCreateCommandQueueWithProperties(c.context, c.device, list, e); });
    }
  }
  queue("queue:null_context",
        [&](cl_int* e) { return clCreateCommandQueueWithProperties(nullptr, c.device, nullptr, e); });
  queue("queue:null_device",
        [&](cl_int* e) { return clCreateCommandQueueWithProperties(c.context, nullptr, nullptr, e); });
  queue("queue:old_bits", [&](cl_int* e) { return clCreateCommandQueue(c.context, c.device, 1 << 9, e); });
  const auto context = [&](const char* name, const std::function<cl_context(cl_int*)>& it) {
    c.makes<cl_context>(name, clReleaseContext, it);
  };
  const cl_context_properties unknown[] = {0x9999, 1, 0};
  context("context:0_devices", [&](cl_int* e) { return clCreateContext(nullptr, 0, &c.device, nullptr, nullptr, e); });
  context("context:no_devices", [&](cl_int* e) { return clCreateContext(nullptr, 1, nullptr, nullptr, nullptr, e); });
  context("context:user_data_alone", [&](cl_int* e) { return clCreateContext(nullptr, 1, &c.device, nullptr, &c, e); });
  context("context:property", [&](cl_int* e) { return clCreateContext(unknown, 1, &c.device, nullptr, nullptr, e); });
  c.makes<cl_event>("user_event:null", clReleaseEvent, [&](cl_int* e) { return clCreateUserEvent(nullptr, e); });
  c.makes<cl_sampler>("sampler:null", clReleaseSampler,
                      [&](cl_int* e) { return clCreateSampler(nullptr, 0, CL_ADDRESS_NONE, CL_FILTER_NEAREST, e); });
  c.makes<cl_sampler>("sampler:modes", clReleaseSampler,
                      [&](cl_int* e) { return clCreateSampler(c.context, 0, 7, 7, e); });
  c.call("retain:null_buffer", [&] { return clRetainMemObject(nullptr); });
  c.call("release:null_buffer", [&] { return clReleaseMemObject(nullptr); });
  c.call("release:null_kernel", [&] { return clReleaseKernel(nullptr); });
  c.call("release:null_queue", [&] { return clReleaseCommandQueue(nullptr); });
  c.call("destructor:null", [&] { return clSetMemObjectDestructorCallback(c.buffer.get(), nullptr, nullptr); });
}

void images(Calls& c) {
  const cl_image_format rgba{CL_RGBA, CL_UNSIGNED_INT8};
  const auto image = [&](const char* name, cl_mem_flags flags, cl_image_desc d, void* memory) {
    c.makes<cl_mem>(name, clReleaseMemObject,
                    [&](cl_int* e) { return clCreateImage(c.context, flags, &rgba, &d, memory, e); });
  };
  cl_image_desc plain{};
  plain.image_type = CL_MEM_OBJECT_IMAGE2D;
  plain.image_width = plain.image_height = 8;
  image("image:plain", 0, plain, nullptr);
  auto d = plain;
  d.image_slice_pitch = 12345;
  image("image:2d_slice_pitch", 0, d, nullptr);
  image("image:2d_slice_pitch_memory", CL_MEM_COPY_HOST_PTR, d, c.host.data());
  d.image_depth = d.image_array_size = 99;
  image("image:2d_depth_and_layers", 0, d, nullptr);
  d = plain;
  d.image_row_pitch = 64;
  image("image:row_pitch_without_memory", 0, d, nullptr);
  d.image_row_pitch = 33;
  image("image:odd_row_pitch", CL_MEM_COPY_HOST_PTR, d, c.host.data());
  d = plain;
  d.image_width = 0;
  image("image:width_0", 0, d, nullptr);
  d.image_width = kHuge;
  image("image:width_huge", 0, d, nullptr);
  d = plain;
  d.image_type = 0x9999;
  image("image:type", 0, d, nullptr);
  image("image:memory_without_flag", 0, plain, c.host.data());
  image("image:flag_without_memory", CL_MEM_COPY_HOST_PTR, plain, nullptr);
  image("image:flags", cl_mem_flags{1} << 20, plain, nullptr);
  image("image:amd_flag", 1 << 6, plain, nullptr);
  d = plain;
  d.image_type = CL_MEM_OBJECT_IMAGE3D;
  image("image:3d_depth_0", 0, d, nullptr);
  c.makes<cl_mem>("image:no_format", clReleaseMemObject,
                  [&](cl_int* e) { return clCreateImage(c.context, 0, nullptr, &plain, nullptr, e); });
  c.makes<cl_mem>("image:no_description", clReleaseMemObject,
                  [&](cl_int* e) { return clCreateImage(c.context, 0, &rgba, nullptr, nullptr, e); });
  c.call("image_formats:null", [&] {
    cl_uint count;
    return clGetSupportedImageFormats(nullptr, 0, CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &count);
  });
}

void launches(Calls& c) {
  const auto launch = [&](const char* name, cl_kernel kernel, cl_uint dimensions, const std::vector<size_t>& global,
                          const std::vector<size_t>& local = {}, const std::vector<size_t>& offset = {}) {
    c.call(name, [&] {
      return clEnqueueNDRangeKernel(c.queue, kernel, dimensions, offset.empty() ? nullptr : offset.data(),
                                    global.empty() ? nullptr : global.data(), local.empty() ? nullptr : local.data(), 0,
                                    nullptr, nullptr);
    });
  };
  launch("launch:plain", c.kernel.get(), 1, {64}, {16});
  launch("launch:dimensions_0", c.kernel.get(), 0, {64});
  launch("launch:dimensions_4", c.kernel.get(), 4, {1, 1, 1, 1});
  launch("launch:global_null", c.kernel.get(), 1, {});
  launch("launch:global_0", c.kernel.get(), 1, {0});
  launch("launch:global_0_local_huge", c.kernel.get(), 1, {0}, {kHuge});
  launch("launch:local_too_large", c.kernel.get(), 1, {1 << 20}, {1 << 20});
  launch("launch:local_of_another_dimension", c.kernel.get(), 2, {1, 1 << 20}, {1, 1 << 20});
  launch("launch:local_product", c.kernel.get(), 3, {4096, 4096, 4096}, {4096, 4096, 4096});
  launch("launch:does_not_divide", c.kernel.get(), 1, {65}, {16});
  launch("launch:required_null", c.required.get(), 1, {64});
  launch("launch:required_other", c.required.get(), 1, {64}, {8});
  launch("launch:required", c.required.get(), 1, {64}, {4});
  launch("launch:required_does_not_divide", c.required.get(), 1, {66}, {4});
  launch("launch:argument_not_set", c.half_set.get(), 1, {64});
  c.call("launch:null_queue", [&] {
    const size_t one = 1;
    return clEnqueueNDRangeKernel(nullptr, c.kernel.get(), 1, nullptr, &one, nullptr, 0, nullptr, nullptr);
  });
  c.call("launch:list_without_count", [&] {
    const size_t one = 1;
    cl_event e = nullptr;
    return clEnqueueNDRangeKernel(c.queue, c.kernel.get(), 1, nullptr, &one, nullptr, 0, &e, nullptr);
  });
  c.call("task:null", [&] { return clEnqueueTask(c.queue, nullptr, 0, nullptr, nullptr); });
}

void transfers(Calls& c) {
  const cl_mem b = c.buffer.get();
  char* const h = c.host.data();
  const cl_event none = nullptr;
  c.call("read:null_queue", [&] { return clEnqueueReadBuffer(nullptr, b, CL_TRUE, 0, 4, h, 0, nullptr, nullptr); });
  c.call("read:null_buffer",
         [&] { return clEnqueueReadBuffer(c.queue, nullptr, CL_TRUE, 0, 4, h, 0, nullptr, nullptr); });
  c.call("read:null_memory",
         [&] { return clEnqueueReadBuffer(c.queue, b, CL_TRUE, 0, 4, nullptr, 0, nullptr, nullptr); });
  c.call("read:0_bytes", [&] { return clEnqueueReadBuffer(c.queue, b, CL_TRUE, 0, 0, h, 0, nullptr, nullptr); });
  c.call("read:outside", [&] { return clEnqueueReadBuffer(c.queue, b, CL_TRUE, 1000, 100, h, 0, nullptr, nullptr); });
  c.call("read:offset_huge",
         [&] { return clEnqueueReadBuffer(c.queue, b, CL_TRUE, kHuge, 2, h, 0, nullptr, nullptr); });
  c.call("read:bytes_huge", [&] { return clEnqueueReadBuffer(c.queue, b, CL_TRUE, 2, kHuge, h, 0, nullptr, nullptr); });
  c.call("read:count_without_list",
         [&] { return clEnqueueReadBuffer(c.queue, b, CL_TRUE, 0, 4, h, 1, nullptr, nullptr); });
  c.call("read:null_event", [&] { return clEnqueueReadBuffer(c.queue, b, CL_TRUE, 0, 4, h, 1, &none, nullptr); });
  c.call("write:0_bytes", [&] { return clEnqueueWriteBuffer(c.queue, b, CL_TRUE, 0, 0, h, 0, nullptr, nullptr); });
  c.call("write:outside", [&] { return clEnqueueWriteBuffer(c.queue, b, CL_TRUE, 1024, 1, h, 0, nullptr, nullptr); });
  c.call("copy:0_bytes", [&] { return clEnqueueCopyBuffer(c.queue, b, b, 0, 0, 0, 0, nullptr, nullptr); });
  c.call("copy:overlap", [&] { return clEnqueueCopyBuffer(c.queue, b, b, 0, 2, 8, 0, nullptr, nullptr); });
  c.call("copy:outside", [&] { return clEnqueueCopyBuffer(c.queue, b, b, 0, 1020, 8, 0, nullptr, nullptr); });
  for (const size_t size : {size_t{0}, size_t{3}, size_t{12}, size_t{256}}) {
    c.call(("fill:pattern_" + std::to_string(size)).c_str(),
           [&] { return clEnqueueFillBuffer(c.queue, b, h, size, 0, size * 2, 0, nullptr, nullptr); });
  }
  c.call("fill:null", [&] { return clEnqueueFillBuffer(c.queue, b, nullptr, 4, 0, 8, 0, nullptr, nullptr); });
  c.call("fill:0_bytes", [&] { return clEnqueueFillBuffer(c.queue, b, h, 4, 0, 0, 0, nullptr, nullptr); });
  c.call("fill:offset", [&] { return clEnqueueFillBuffer(c.queue, b, h, 4, 2, 8, 0, nullptr, nullptr); });
  c.call("fill:bytes", [&] { return clEnqueueFillBuffer(c.queue, b, h, 4, 0, 6, 0, nullptr, nullptr); });
  for (const cl_map_flags flags : {0, 4, 5, 7, 8, 1 << 9}) {
    c.call(("map:flags_" + std::to_string(flags)).c_str(), [&] {
      cl_int code = 77;
      void* p = clEnqueueMapBuffer(c.queue, b, CL_TRUE, flags, 0, 8, 0, nullptr, nullptr, &code);
      if (p) check(clEnqueueUnmapMemObject(c.queue, b, p, 0, nullptr, nullptr));
      return code;
    });
  }
  c.makes<void*>("map:0_bytes", nullptr, [&](cl_int* e) {
    return clEnqueueMapBuffer(c.queue, b, CL_TRUE, CL_MAP_READ, 0, 0, 0, nullptr, nullptr, e);
  });
  c.makes<void*>("map:outside", nullptr, [&](cl_int* e) {
    return clEnqueueMapBuffer(c.queue, b, CL_TRUE, CL_MAP_READ, 1000, 100, 0, nullptr, nullptr, e);
  });
  c.call("unmap:not_mapped", [&] { return clEnqueueUnmapMemObject(c.queue, b, h, 0, nullptr, nullptr); });
  c.call("unmap:null", [&] { return clEnqueueUnmapMemObject(c.queue, b, nullptr, 0, nullptr, nullptr); });
  for (const cl_mem_flags flags : {CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_NO_ACCESS}) {
    const Buffer m = c.session.make_buffer(flags, 64);
    const std::string n = std::to_string(flags);
    c.call(("host_access_read:" + n).c_str(),
           [&] { return clEnqueueReadBuffer(c.queue, m.get(), CL_TRUE, 0, 4, h, 0, nullptr, nullptr); });
    c.call(("host_access_write:" + n).c_str(),
           [&] { return clEnqueueWriteBuffer(c.queue, m.get(), CL_TRUE, 0, 4, h, 0, nullptr, nullptr); });
  }
  const size_t zero[3] = {0, 0, 0}, region[3] = {4, 2, 2}, flat[3] = {4, 0, 1};
  const auto rectangle = [&](const char* name, const size_t* o, const size_t* r, size_t row, size_t slice,
                             size_t host_row, size_t host_slice) {
    c.call(name, [&] {
      return clEnqueueReadBufferRect(c.queue, b, CL_TRUE, o, zero, r, row, slice, host_row, host_slice, h, 0, nullptr,
                                     nullptr);
    });
  };
  rectangle("rectangle:plain", zero, region, 16, 64, 0, 0);
  rectangle("rectangle:null_origin", nullptr, region, 16, 64, 0, 0);
  rectangle("rectangle:null_region", zero, nullptr, 16, 64, 0, 0);
  rectangle("rectangle:empty", zero, flat, 16, 64, 0, 0);
  rectangle("rectangle:row_pitch_short", zero, region, 3, 64, 0, 0);
  rectangle("rectangle:slice_pitch_short", zero, region, 16, 17, 0, 0);
  rectangle("rectangle:slice_pitch_no_multiple", zero, region, 16, 70, 0, 0);
  rectangle("rectangle:host_slice_pitch_no_multiple", zero, region, 16, 64, 8, 70);
  rectangle("rectangle:outside", zero, region, 1024, 4096, 0, 0);
  c.call("migrate:0", [&] { return clEnqueueMigrateMemObjects(c.queue, 0, nullptr, 0, 0, nullptr, nullptr); });
  c.call("migrate:flags", [&] { return clEnqueueMigrateMemObjects(c.queue, 1, &b, 1 << 9, 0, nullptr, nullptr); });
  c.call("wait:0", [&] { return clWaitForEvents(0, nullptr); });
  c.call("wait:null_event", [&] { return clWaitForEvents(1, &none); });
  c.call("marker:list_without_count", [&] { return clEnqueueMarkerWithWaitList(c.queue, 0, &none, nullptr); });
  c.call("finish:null", [&] { return clFinish(nullptr); });
  c.call("flush:null", [&] { return clFlush(nullptr); });
}

}  // namespace

int main(int argc, char** argv) {
  Calls calls(argc == 2 ? std::strtoul(argv[1], nullptr, 10) : 0);
  for (const auto& some : {queries, programs, objects, images, launches, transfers}) some(calls);
  return 0;
}
