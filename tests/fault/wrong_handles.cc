// Every call that takes an object, given in its place what is none: null, memory of the program's, a number, an object
// that was released, an object of each other type. Each call in words of its own and with what it returned.
// usage: wrong_handles [null|types] FIRST; the calls before that number are left out. With `null` nothing else is
// given, with `types` objects of each other type alone, for what a driver says to these. Without, ends with 1 if one
// but null was not refused as the standard has it.
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/host/session.h"

namespace {

using namespace bench;

constexpr char kSource[] = R"(
  __kernel void k(__global int* x, ulong value) { x[get_global_id(0)] = (int)value; }
  __kernel void s(sampler_t y, __read_only image2d_t z, __global int* x, __constant int* w) {
    x[0] = read_imagei(z, y, (int2)(0, 0)).x + w[0];
  })";
constexpr cl_image_format kFormat{CL_RGBA, CL_UNSIGNED_INT8};
constexpr size_t kZero[3] = {0, 0, 0}, kRegion[3] = {4, 1, 1}, kOne = 1;

cl_image_desc description_of(cl_mem_object_type type, cl_mem memory = nullptr) {
  cl_image_desc description{};
  description.image_type = type;
  description.image_width = 8;
  description.image_height = type == CL_MEM_OBJECT_IMAGE2D ? 8 : 0;
  description.mem_object = memory;
  return description;
}

// What the wrong calls stand beside, and one object of each type to be given where another is expected.
struct Objects {
  Session session = Session::open(0, 0);
  cl_context context = session.context.get();
  cl_device_id device = session.device;
  cl_command_queue queue = session.queue.get();
  cl_platform_id platform = [this] {
    cl_platform_id its = nullptr;
    check(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof its, &its, nullptr));
    return its;
  }();
  Program program = session.build(kSource);
  Kernel kernel = make_kernel(program, "k"), sampling = make_kernel(program, "s");
  Buffer buffer = session.make_buffer(CL_MEM_READ_WRITE, 1024);
  Image image = session.make_image(CL_MEM_READ_WRITE, 8, 8);
  cl_event event = made<cl_event>([&](cl_int* e) { return clCreateUserEvent(context, e); });
  cl_sampler sampler = made<cl_sampler>(
      [&](cl_int* e) { return clCreateSampler(context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, e); });
  std::array<char, 4096> host{};

  template <typename Made>
  static Made made(const std::function<Made(cl_int*)>& it) {
    cl_int code = CL_SUCCESS;
    const Made object = it(&code);
    check(code);
    return object;
  }
};

template <typename Handle>
constexpr const char* kTypeName = nullptr;
template <>
constexpr const char* kTypeName<cl_platform_id> = "platform";
template <>
constexpr const char* kTypeName<cl_device_id> = "device";
template <>
constexpr const char* kTypeName<cl_context> = "context";
template <>
constexpr const char* kTypeName<cl_command_queue> = "queue";
template <>
constexpr const char* kTypeName<cl_mem> = "memory";
template <>
constexpr const char* kTypeName<cl_program> = "program";
template <>
constexpr const char* kTypeName<cl_kernel> = "kernel";
template <>
constexpr const char* kTypeName<cl_event> = "event";
template <>
constexpr const char* kTypeName<cl_sampler> = "sampler";

enum class Kinds { all, null, types };

class WrongCalls {
 public:
  WrongCalls(size_t first, Kinds given) : first_(first), given_(given) {
    set_arguments(o.kernel, o.buffer, cl_ulong{1});
  }

  // A call that is given a wrong object of type Handle, which the standard has refused with `error`.
  template <typename Handle>
  void call(const std::string& name, cl_int error, const std::function<cl_int(Handle)>& it) {
    if (given_ != Kinds::types) one<Handle>(name + ":null", nullptr, nullptr, it);
    if (given_ == Kinds::all) no_objects<Handle>(name, error, it);
    if (given_ == Kinds::null) return;
    const std::pair<const char*, void*> others[] = {
        {"platform", o.platform},   {"device", o.device},       {"context", o.context},
        {"queue", o.queue},         {"memory", o.buffer.get()}, {"program", o.program.get()},
        {"kernel", o.kernel.get()}, {"event", o.event},         {"sampler", o.sampler}};
    for (const auto& [type, object] : others) {
      if (std::strcmp(type, kTypeName<Handle>) != 0)
        one<Handle>(name + ":" + type, object, given_ == Kinds::types ? nullptr : &error, it);
    }
  }

  // The same of one that makes something.
  template <typename Handle, typename Made>
  void makes(const std::string& name, cl_int error, const std::function<Made(Handle, cl_int*)>& it) {
    call<Handle>(name, error, [&](Handle handle) {
      cl_int code = 77;
      const Made made = it(handle, &code);
      return made || code != CL_SUCCESS ? code : 78;
    });
  }

  bool is_well() const { return is_well_; }

  Objects o;

 private:
  template <typename Handle>
  void no_objects(const std::string& name, cl_int error, const std::function<cl_int(Handle)>& it) {
    static std::array<void*, 64> zeros{}, selves{};
    selves.fill(selves.data());
    one<Handle>(name + ":zeros", zeros.data(), &error, it);
    one<Handle>(name + ":addresses", selves.data(), &error, it);
    one<Handle>(name + ":number", reinterpret_cast<void*>(size_t{1}), &error, it);
    one<Handle>(name + ":released", nullptr, &error, [&](Handle) { return it(released<Handle>()); });
  }

  template <typename Handle>
  void one(const std::string& name, void* handle, const cl_int* error, const std::function<cl_int(Handle)>& it) {
    if (number_++ < first_) return;
    std::printf("%zu %s\n", number_ - 1, name.c_str());
    std::fflush(stdout);
    const cl_int code = it(static_cast<Handle>(handle));
    const bool is_wrong = error && code != *error;
    is_well_ &= !is_wrong;
    std::printf("%zu %s = %d%s\n", number_ - 1, name.c_str(), code,
                is_wrong ? (", expected " + std::to_string(*error)).c_str() : "");
    std::fflush(stdout);
  }

  // An object that is gone. Platforms and devices do not go.
  template <typename Handle>
  Handle released() {
    cl_int code = CL_SUCCESS;
    if constexpr (std::is_same_v<Handle, cl_context>) {
      const cl_context gone = clCreateContext(nullptr, 1, &o.device, nullptr, nullptr, &code);
      check(code), check(clReleaseContext(gone));
      return gone;
    } else if constexpr (std::is_same_v<Handle, cl_command_queue>) {
      const cl_command_queue gone = clCreateCommandQueueWithProperties(o.context, o.device, nullptr, &code);
      check(code), check(clReleaseCommandQueue(gone));
      return gone;
    } else if constexpr (std::is_same_v<Handle, cl_mem>) {
      const cl_mem gone = clCreateBuffer(o.context, 0, 64, nullptr, &code);
      check(code), check(clReleaseMemObject(gone));
      return gone;
    } else if constexpr (std::is_same_v<Handle, cl_program>) {
      const char* text = kSource;
      const cl_program gone = clCreateProgramWithSource(o.context, 1, &text, nullptr, &code);
      check(code), check(clReleaseProgram(gone));
      return gone;
    } else if constexpr (std::is_same_v<Handle, cl_kernel>) {
      const cl_kernel gone = clCreateKernel(o.program.get(), "k", &code);
      check(code), check(clReleaseKernel(gone));
      return gone;
    } else if constexpr (std::is_same_v<Handle, cl_event>) {
      const cl_event gone = clCreateUserEvent(o.context, &code);
      check(code), check(clSetUserEventStatus(gone, CL_COMPLETE)), check(clReleaseEvent(gone));
      return gone;
    } else {
      static std::array<void*, 64> none{};
      return reinterpret_cast<Handle>(none.data());
    }
  }

  size_t first_, number_ = 0;
  Kinds given_;
  bool is_well_ = true;
};

void platforms_and_devices(WrongCalls& w) {
  Objects& o = w.o;
  cl_uint count = 0;
  size_t size = 0;
  cl_ulong time = 0, more = 0;
  w.call<cl_platform_id>("clGetPlatformInfo", CL_INVALID_PLATFORM, [&](cl_platform_id p) {
    return clGetPlatformInfo(p, CL_PLATFORM_NAME, o.host.size(), o.host.data(), &size);
  });
  w.call<cl_platform_id>("clGetDeviceIDs", CL_INVALID_PLATFORM,
                         [&](cl_platform_id p) { return clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 0, nullptr, &count); });
  w.call<cl_platform_id>("clUnloadPlatformCompiler", CL_INVALID_PLATFORM,
                         [&](cl_platform_id p) { return clUnloadPlatformCompiler(p); });
  w.call<cl_device_id>("clGetDeviceInfo", CL_INVALID_DEVICE, [&](cl_device_id d) {
    return clGetDeviceInfo(d, CL_DEVICE_NAME, o.host.size(), o.host.data(), &size);
  });
  const cl_device_partition_property parts[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  w.call<cl_device_id>("clCreateSubDevices", CL_INVALID_DEVICE,
                       [&](cl_device_id d) { return clCreateSubDevices(d, parts, 0, nullptr, &count); });
  w.call<cl_device_id>("clRetainDevice", CL_INVALID_DEVICE, [&](cl_device_id d) { return clRetainDevice(d); });
  w.call<cl_device_id>("clReleaseDevice", CL_INVALID_DEVICE, [&](cl_device_id d) { return clReleaseDevice(d); });
  w.call<cl_device_id>("clGetDeviceAndHostTimer", CL_INVALID_DEVICE,
                       [&](cl_device_id d) { return clGetDeviceAndHostTimer(d, &time, &more); });
  w.call<cl_device_id>("clGetHostTimer", CL_INVALID_DEVICE, [&](cl_device_id d) { return clGetHostTimer(d, &time); });
}

void contexts_and_queues(WrongCalls& w) {
  Objects& o = w.o;
  size_t size = 0;
  w.makes<cl_device_id, cl_context>("clCreateContext", CL_INVALID_DEVICE, [&](cl_device_id d, cl_int* e) {
    return clCreateContext(nullptr, 1, &d, nullptr, nullptr, e);
  });
  w.call<cl_context>("clRetainContext", CL_INVALID_CONTEXT, [&](cl_context c) { return clRetainContext(c); });
  w.call<cl_context>("clReleaseContext", CL_INVALID_CONTEXT, [&](cl_context c) { return clReleaseContext(c); });
  w.call<cl_context>("clGetContextInfo", CL_INVALID_CONTEXT, [&](cl_context c) {
    return clGetContextInfo(c, CL_CONTEXT_NUM_DEVICES, o.host.size(), o.host.data(), &size);
  });
  w.call<cl_context>("clSetContextDestructorCallback", CL_INVALID_CONTEXT, [&](cl_context c) {
    return clSetContextDestructorCallback(c, [](cl_context, void*) {}, nullptr);
  });
  w.makes<cl_context, cl_command_queue>(
      "clCreateCommandQueue.context", CL_INVALID_CONTEXT,
      [&](cl_context c, cl_int* e) { return clCreateCommandQueue(c, o.device, 0, e); });
  w.makes<cl_device_id, cl_command_queue>(
      "clCreateCommandQueue.device", CL_INVALID_DEVICE,
      [&](cl_device_id d, cl_int* e) { return clCreateCommandQueue(o.context, d, 0, e); });
  w.makes<cl_context, cl_command_queue>(
      "clCreateCommandQueueWithProperties.context", CL_INVALID_CONTEXT,
      [&](cl_context c, cl_int* e) { return clCreateCommandQueueWithProperties(c, o.device, nullptr, e); });
  w.makes<cl_device_id, cl_command_queue>(
      "clCreateCommandQueueWithProperties.device", CL_INVALID_DEVICE,
      [&](cl_device_id d, cl_int* e) { return clCreateCommandQueueWithProperties(o.context, d, nullptr, e); });
  w.call<cl_command_queue>("clRetainCommandQueue", CL_INVALID_COMMAND_QUEUE,
                           [&](cl_command_queue q) { return clRetainCommandQueue(q); });
  w.call<cl_command_queue>("clReleaseCommandQueue", CL_INVALID_COMMAND_QUEUE,
                           [&](cl_command_queue q) { return clReleaseCommandQueue(q); });
  w.call<cl_command_queue>("clGetCommandQueueInfo", CL_INVALID_COMMAND_QUEUE, [&](cl_command_queue q) {
    return clGetCommandQueueInfo(q, CL_QUEUE_REFERENCE_COUNT, o.host.size(), o.host.data(), &size);
  });
  w.call<cl_command_queue>("clSetCommandQueueProperty", CL_INVALID_COMMAND_QUEUE, [&](cl_command_queue q) {
    return clSetCommandQueueProperty(q, CL_QUEUE_PROFILING_ENABLE, CL_TRUE, nullptr);
  });
  w.call<cl_command_queue>("clFlush", CL_INVALID_COMMAND_QUEUE, [&](cl_command_queue q) { return clFlush(q); });
  w.call<cl_command_queue>("clFinish", CL_INVALID_COMMAND_QUEUE, [&](cl_command_queue q) { return clFinish(q); });
  w.makes<cl_context, cl_event>("clCreateUserEvent", CL_INVALID_CONTEXT,
                                [&](cl_context c, cl_int* e) { return clCreateUserEvent(c, e); });
  w.makes<cl_context, cl_sampler>("clCreateSampler", CL_INVALID_CONTEXT, [&](cl_context c, cl_int* e) {
    return clCreateSampler(c, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, e);
  });
  w.makes<cl_context, cl_sampler>("clCreateSamplerWithProperties", CL_INVALID_CONTEXT, [&](cl_context c, cl_int* e) {
    return clCreateSamplerWithProperties(c, nullptr, e);
  });
  w.call<cl_context>("clSVMAlloc", CL_INVALID_CONTEXT, [&](cl_context c) {
    return clSVMAlloc(c, CL_MEM_READ_WRITE, 64, 0) ? CL_SUCCESS : CL_INVALID_CONTEXT;
  });
  w.call<cl_sampler>("clRetainSampler", CL_INVALID_SAMPLER, [&](cl_sampler s) { return clRetainSampler(s); });
  w.call<cl_sampler>("clReleaseSampler", CL_INVALID_SAMPLER, [&](cl_sampler s) { return clReleaseSampler(s); });
  w.call<cl_sampler>("clGetSamplerInfo", CL_INVALID_SAMPLER, [&](cl_sampler s) {
    return clGetSamplerInfo(s, CL_SAMPLER_REFERENCE_COUNT, o.host.size(), o.host.data(), &size);
  });
}

void memory_objects(WrongCalls& w) {
  Objects& o = w.o;
  cl_uint count = 0;
  size_t size = 0;
  w.makes<cl_context, cl_mem>("clCreateBuffer", CL_INVALID_CONTEXT,
                              [&](cl_context c, cl_int* e) { return clCreateBuffer(c, 0, 64, nullptr, e); });
  w.makes<cl_context, cl_mem>("clCreateBufferWithProperties", CL_INVALID_CONTEXT, [&](cl_context c, cl_int* e) {
    return clCreateBufferWithProperties(c, nullptr, 0, 64, nullptr, e);
  });
  const cl_buffer_region region{0, 64};
  w.makes<cl_mem, cl_mem>("clCreateSubBuffer", CL_INVALID_MEM_OBJECT, [&](cl_mem m, cl_int* e) {
    return clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, e);
  });
  const cl_image_desc plain = description_of(CL_MEM_OBJECT_IMAGE2D);
  w.makes<cl_context, cl_mem>("clCreateImage", CL_INVALID_CONTEXT, [&](cl_context c, cl_int* e) {
    return clCreateImage(c, 0, &kFormat, &plain, nullptr, e);
  });
  w.makes<cl_context, cl_mem>("clCreateImageWithProperties", CL_INVALID_CONTEXT, [&](cl_context c, cl_int* e) {
    return clCreateImageWithProperties(c, nullptr, 0, &kFormat, &plain, nullptr, e);
  });
  w.makes<cl_context, cl_mem>("clCreateImage2D", CL_INVALID_CONTEXT, [&](cl_context c, cl_int* e) {
    return clCreateImage2D(c, 0, &kFormat, 8, 8, 0, nullptr, e);
  });
  w.makes<cl_context, cl_mem>("clCreateImage3D", CL_INVALID_CONTEXT, [&](cl_context c, cl_int* e) {
    return clCreateImage3D(c, 0, &kFormat, 8, 8, 8, 0, 0, nullptr, e);
  });
  w.call<cl_context>("clGetSupportedImageFormats", CL_INVALID_CONTEXT, [&](cl_context c) {
    return clGetSupportedImageFormats(c, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &count);
  });
  w.call<cl_mem>("clRetainMemObject", CL_INVALID_MEM_OBJECT, [&](cl_mem m) { return clRetainMemObject(m); });
  w.call<cl_mem>("clReleaseMemObject", CL_INVALID_MEM_OBJECT, [&](cl_mem m) { return clReleaseMemObject(m); });
  w.call<cl_mem>("clGetMemObjectInfo", CL_INVALID_MEM_OBJECT,
                 [&](cl_mem m) { return clGetMemObjectInfo(m, CL_MEM_SIZE, o.host.size(), o.host.data(), &size); });
  w.call<cl_mem>("clGetImageInfo", CL_INVALID_MEM_OBJECT,
                 [&](cl_mem m) { return clGetImageInfo(m, CL_IMAGE_WIDTH, o.host.size(), o.host.data(), &size); });
  w.call<cl_mem>("clSetMemObjectDestructorCallback", CL_INVALID_MEM_OBJECT,
                 [&](cl_mem m) { return clSetMemObjectDestructorCallback(m, [](cl_mem, void*) {}, nullptr); });
}

void programs_and_kernels(WrongCalls& w) {
  Objects& o = w.o;
  const char* text = kSource;
  const char* name = "header.h";
  const unsigned char* binary = reinterpret_cast<const unsigned char*>("nope");
  const size_t four = 4;
  cl_int status = 0;
  cl_uint count = 0;
  size_t size = 0;
  cl_program object = clCreateProgramWithSource(o.context, 1, &text, nullptr, nullptr);
  w.makes<cl_context, cl_program>("clCreateProgramWithSource", CL_INVALID_CONTEXT, [&](cl_context c, cl_int* e) {
    return clCreateProgramWithSource(c, 1, &text, nullptr, e);
  });
  w.makes<cl_context, cl_program>(
      "clCreateProgramWithBinary.context", CL_INVALID_CONTEXT,
      [&](cl_context c, cl_int* e) { return clCreateProgramWithBinary(c, 1, &o.device, &four, &binary, &status, e); });
  w.makes<cl_device_id, cl_program>("clCreateProgramWithBinary.device", CL_INVALID_DEVICE,
                                    [&](cl_device_id d, cl_int* e) {
                                      return clCreateProgramWithBinary(o.context, 1, &d, &four, &binary, &status, e);
                                    });
  w.makes<cl_context, cl_program>(
      "clCreateProgramWithBuiltInKernels.context", CL_INVALID_CONTEXT,
      [&](cl_context c, cl_int* e) { return clCreateProgramWithBuiltInKernels(c, 1, &o.device, "x", e); });
  w.makes<cl_device_id, cl_program>(
      "clCreateProgramWithBuiltInKernels.device", CL_INVALID_DEVICE,
      [&](cl_device_id d, cl_int* e) { return clCreateProgramWithBuiltInKernels(o.context, 1, &d, "x", e); });
  w.makes<cl_context, cl_program>("clCreateProgramWithIL", CL_INVALID_CONTEXT,
                                  [&](cl_context c, cl_int* e) { return clCreateProgramWithIL(c, binary, 4, e); });
  w.call<cl_program>("clRetainProgram", CL_INVALID_PROGRAM, [&](cl_program p) { return clRetainProgram(p); });
  w.call<cl_program>("clReleaseProgram", CL_INVALID_PROGRAM, [&](cl_program p) { return clReleaseProgram(p); });
  w.call<cl_program>("clBuildProgram.program", CL_INVALID_PROGRAM,
                     [&](cl_program p) { return clBuildProgram(p, 0, nullptr, "", nullptr, nullptr); });
  w.call<cl_device_id>("clBuildProgram.device", CL_INVALID_DEVICE,
                       [&](cl_device_id d) { return clBuildProgram(object, 1, &d, "", nullptr, nullptr); });
  w.call<cl_program>("clCompileProgram.program", CL_INVALID_PROGRAM, [&](cl_program p) {
    return clCompileProgram(p, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr);
  });
  w.call<cl_device_id>("clCompileProgram.device", CL_INVALID_DEVICE, [&](cl_device_id d) {
    return clCompileProgram(object, 1, &d, "", 0, nullptr, nullptr, nullptr, nullptr);
  });
  w.call<cl_program>("clCompileProgram.header", CL_INVALID_PROGRAM, [&](cl_program p) {
    return clCompileProgram(object, 0, nullptr, "", 1, &p, &name, nullptr, nullptr);
  });
  check(clCompileProgram(object, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr));
  w.makes<cl_context, cl_program>("clLinkProgram.context", CL_INVALID_CONTEXT, [&](cl_context c, cl_int* e) {
    return clLinkProgram(c, 0, nullptr, "", 1, &object, nullptr, nullptr, e);
  });
  w.makes<cl_device_id, cl_program>("clLinkProgram.device", CL_INVALID_DEVICE, [&](cl_device_id d, cl_int* e) {
    return clLinkProgram(o.context, 1, &d, "", 1, &object, nullptr, nullptr, e);
  });
  w.makes<cl_program, cl_program>("clLinkProgram.program", CL_INVALID_PROGRAM, [&](cl_program p, cl_int* e) {
    return clLinkProgram(o.context, 0, nullptr, "", 1, &p, nullptr, nullptr, e);
  });
  w.call<cl_program>("clSetProgramSpecializationConstant", CL_INVALID_PROGRAM,
                     [&](cl_program p) { return clSetProgramSpecializationConstant(p, 0, 4, o.host.data()); });
  w.call<cl_program>("clGetProgramInfo", CL_INVALID_PROGRAM, [&](cl_program p) {
    return clGetProgramInfo(p, CL_PROGRAM_NUM_DEVICES, o.host.size(), o.host.data(), &size);
  });
  w.call<cl_program>("clGetProgramBuildInfo.program", CL_INVALID_PROGRAM, [&](cl_program p) {
    return clGetProgramBuildInfo(p, o.device, CL_PROGRAM_BUILD_STATUS, o.host.size(), o.host.data(), &size);
  });
  w.call<cl_device_id>("clGetProgramBuildInfo.device", CL_INVALID_DEVICE, [&](cl_device_id d) {
    return clGetProgramBuildInfo(o.program.get(), d, CL_PROGRAM_BUILD_STATUS, o.host.size(), o.host.data(), &size);
  });
  w.makes<cl_program, cl_kernel>("clCreateKernel", CL_INVALID_PROGRAM,
                                 [&](cl_program p, cl_int* e) { return clCreateKernel(p, "k", e); });
  w.call<cl_program>("clCreateKernelsInProgram", CL_INVALID_PROGRAM,
                     [&](cl_program p) { return clCreateKernelsInProgram(p, 0, nullptr, &count); });
  w.makes<cl_kernel, cl_kernel>("clCloneKernel", CL_INVALID_KERNEL,
                                [&](cl_kernel k, cl_int* e) { return clCloneKernel(k, e); });
  w.call<cl_kernel>("clRetainKernel", CL_INVALID_KERNEL, [&](cl_kernel k) { return clRetainKernel(k); });
  w.call<cl_kernel>("clReleaseKernel", CL_INVALID_KERNEL, [&](cl_kernel k) { return clReleaseKernel(k); });
  w.call<cl_kernel>("clSetKernelArg", CL_INVALID_KERNEL,
                    [&](cl_kernel k) { return clSetKernelArg(k, 1, 8, o.host.data()); });
  w.call<cl_kernel>("clSetKernelArgSVMPointer", CL_INVALID_KERNEL,
                    [&](cl_kernel k) { return clSetKernelArgSVMPointer(k, 0, nullptr); });
  w.call<cl_kernel>("clSetKernelExecInfo", CL_INVALID_KERNEL, [&](cl_kernel k) {
    void* none = nullptr;
    return clSetKernelExecInfo(k, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof none, &none);
  });
  w.call<cl_kernel>("clGetKernelInfo", CL_INVALID_KERNEL, [&](cl_kernel k) {
    return clGetKernelInfo(k, CL_KERNEL_NUM_ARGS, o.host.size(), o.host.data(), &size);
  });
  w.call<cl_kernel>("clGetKernelArgInfo", CL_INVALID_KERNEL, [&](cl_kernel k) {
    return clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, o.host.size(), o.host.data(), &size);
  });
  w.call<cl_kernel>("clGetKernelWorkGroupInfo.kernel", CL_INVALID_KERNEL, [&](cl_kernel k) {
    return clGetKernelWorkGroupInfo(k, o.device, CL_KERNEL_WORK_GROUP_SIZE, o.host.size(), o.host.data(), &size);
  });
  w.call<cl_device_id>("clGetKernelWorkGroupInfo.device", CL_INVALID_DEVICE, [&](cl_device_id d) {
    return clGetKernelWorkGroupInfo(o.kernel.get(), d, CL_KERNEL_WORK_GROUP_SIZE, o.host.size(), o.host.data(), &size);
  });
  w.call<cl_kernel>("clGetKernelSubGroupInfo.kernel", CL_INVALID_KERNEL, [&](cl_kernel k) {
    return clGetKernelSubGroupInfo(k, o.device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, nullptr, o.host.size(), o.host.data(),
                                   &size);
  });
  w.call<cl_device_id>("clGetKernelSubGroupInfo.device", CL_INVALID_DEVICE, [&](cl_device_id d) {
    return clGetKernelSubGroupInfo(o.kernel.get(), d, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, nullptr, o.host.size(),
                                   o.host.data(), &size);
  });
}

void events(WrongCalls& w) {
  Objects& o = w.o;
  size_t size = 0;
  w.call<cl_event>("clWaitForEvents", CL_INVALID_EVENT, [&](cl_event e) { return clWaitForEvents(1, &e); });
  w.call<cl_event>("clGetEventInfo", CL_INVALID_EVENT, [&](cl_event e) {
    return clGetEventInfo(e, CL_EVENT_REFERENCE_COUNT, o.host.size(), o.host.data(), &size);
  });
  w.call<cl_event>("clRetainEvent", CL_INVALID_EVENT, [&](cl_event e) { return clRetainEvent(e); });
  w.call<cl_event>("clReleaseEvent", CL_INVALID_EVENT, [&](cl_event e) { return clReleaseEvent(e); });
  w.call<cl_event>("clSetUserEventStatus", CL_INVALID_EVENT,
                   [&](cl_event e) { return clSetUserEventStatus(e, CL_COMPLETE); });
  w.call<cl_event>("clSetEventCallback", CL_INVALID_EVENT, [&](cl_event e) {
    return clSetEventCallback(e, CL_COMPLETE, [](cl_event, cl_int, void*) {}, nullptr);
  });
  w.call<cl_event>("clGetEventProfilingInfo", CL_INVALID_EVENT, [&](cl_event e) {
    return clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, o.host.size(), o.host.data(), &size);
  });
}

// What a command is enqueued with: a queue, memory objects, a kernel, a wait list.
struct Given {
  cl_command_queue queue;
  cl_mem first, second;
  cl_kernel kernel;
  cl_uint waits;
  const cl_event* list;
};

// A command once for each of its places for an object.
void command(WrongCalls& w, const std::string& name, Given given, const std::function<cl_int(const Given&)>& it) {
  w.call<cl_command_queue>(name + ".queue", CL_INVALID_COMMAND_QUEUE, [&](cl_command_queue queue) {
    Given wrong = given;
    wrong.queue = queue;
    return it(wrong);
  });
  if (given.first) {
    w.call<cl_mem>(name + ".memory", CL_INVALID_MEM_OBJECT, [&](cl_mem memory) {
      Given wrong = given;
      wrong.first = memory;
      return it(wrong);
    });
  }
  if (given.second) {
    w.call<cl_mem>(name + ".other_memory", CL_INVALID_MEM_OBJECT, [&](cl_mem memory) {
      Given wrong = given;
      wrong.second = memory;
      return it(wrong);
    });
  }
  if (given.kernel) {
    w.call<cl_kernel>(name + ".kernel", CL_INVALID_KERNEL, [&](cl_kernel kernel) {
      Given wrong = given;
      wrong.kernel = kernel;
      return it(wrong);
    });
  }
  w.call<cl_event>(name + ".wait_list", CL_INVALID_EVENT_WAIT_LIST, [&](cl_event event) {
    Given wrong = given;
    wrong.waits = 1;
    wrong.list = &event;
    return it(wrong);
  });
}

void commands(WrongCalls& w) {
  Objects& o = w.o;
  const cl_mem b = o.buffer.get(), i = o.image.get();
  char* const h = o.host.data();
  const Given plain{o.queue, nullptr, nullptr, nullptr, 0, nullptr};
  const auto on = [&](cl_mem first, cl_mem second = nullptr, cl_kernel kernel = nullptr) {
    return Given{o.queue, first, second, kernel, 0, nullptr};
  };
  command(w, "clEnqueueReadBuffer", on(b), [&](const Given& g) {
    return clEnqueueReadBuffer(g.queue, g.first, CL_TRUE, 0, 4, h, g.waits, g.list, nullptr);
  });
  command(w, "clEnqueueWriteBuffer", on(b), [&](const Given& g) {
    return clEnqueueWriteBuffer(g.queue, g.first, CL_TRUE, 0, 4, h, g.waits, g.list, nullptr);
  });
  command(w, "clEnqueueReadBufferRect", on(b), [&](const Given& g) {
    return clEnqueueReadBufferRect(g.queue, g.first, CL_TRUE, kZero, kZero, kRegion, 0, 0, 0, 0, h, g.waits, g.list,
                                   nullptr);
  });
  command(w, "clEnqueueWriteBufferRect", on(b), [&](const Given& g) {
    return clEnqueueWriteBufferRect(g.queue, g.first, CL_TRUE, kZero, kZero, kRegion, 0, 0, 0, 0, h, g.waits, g.list,
                                    nullptr);
  });
  command(w, "clEnqueueFillBuffer", on(b),
          [&](const Given& g) { return clEnqueueFillBuffer(g.queue, g.first, h, 4, 0, 8, g.waits, g.list, nullptr); });
  command(w, "clEnqueueCopyBuffer", on(b, b), [&](const Given& g) {
    return clEnqueueCopyBuffer(g.queue, g.first, g.second, 0, 64, 4, g.waits, g.list, nullptr);
  });
  command(w, "clEnqueueCopyBufferRect", on(b, b), [&](const Given& g) {
    const size_t to[3] = {64, 0, 0};
    return clEnqueueCopyBufferRect(g.queue, g.first, g.second, kZero, to, kRegion, 0, 0, 0, 0, g.waits, g.list,
                                   nullptr);
  });
  command(w, "clEnqueueReadImage", on(i), [&](const Given& g) {
    return clEnqueueReadImage(g.queue, g.first, CL_TRUE, kZero, kRegion, 0, 0, h, g.waits, g.list, nullptr);
  });
  command(w, "clEnqueueWriteImage", on(i), [&](const Given& g) {
    return clEnqueueWriteImage(g.queue, g.first, CL_TRUE, kZero, kRegion, 0, 0, h, g.waits, g.list, nullptr);
  });
  command(w, "clEnqueueFillImage", on(i), [&](const Given& g) {
    return clEnqueueFillImage(g.queue, g.first, h, kZero, kRegion, g.waits, g.list, nullptr);
  });
  command(w, "clEnqueueCopyImage", on(i, i), [&](const Given& g) {
    const size_t to[3] = {0, 4, 0};
    return clEnqueueCopyImage(g.queue, g.first, g.second, kZero, to, kRegion, g.waits, g.list, nullptr);
  });
  command(w, "clEnqueueCopyImageToBuffer", on(i, b), [&](const Given& g) {
    return clEnqueueCopyImageToBuffer(g.queue, g.first, g.second, kZero, kRegion, 0, g.waits, g.list, nullptr);
  });
  command(w, "clEnqueueCopyBufferToImage", on(b, i), [&](const Given& g) {
    return clEnqueueCopyBufferToImage(g.queue, g.first, g.second, 0, kZero, kRegion, g.waits, g.list, nullptr);
  });
  command(w, "clEnqueueMapBuffer", on(b), [&](const Given& g) {
    cl_int code = 77;
    void* const mapped =
        clEnqueueMapBuffer(g.queue, g.first, CL_TRUE, CL_MAP_READ, 0, 4, g.waits, g.list, nullptr, &code);
    return mapped || code != CL_SUCCESS ? code : 78;
  });
  command(w, "clEnqueueMapImage", on(i), [&](const Given& g) {
    cl_int code = 77;
    size_t row = 0;
    void* const mapped = clEnqueueMapImage(g.queue, g.first, CL_TRUE, CL_MAP_READ, kZero, kRegion, &row, nullptr,
                                           g.waits, g.list, nullptr, &code);
    return mapped || code != CL_SUCCESS ? code : 78;
  });
  cl_int code = 0;
  void* const mapped = clEnqueueMapBuffer(o.queue, b, CL_TRUE, CL_MAP_READ, 512, 4, 0, nullptr, nullptr, &code);
  command(w, "clEnqueueUnmapMemObject", on(b),
          [&](const Given& g) { return clEnqueueUnmapMemObject(g.queue, g.first, mapped, g.waits, g.list, nullptr); });
  command(w, "clEnqueueMigrateMemObjects", on(b), [&](const Given& g) {
    return clEnqueueMigrateMemObjects(g.queue, 1, &g.first, 0, g.waits, g.list, nullptr);
  });
  command(w, "clEnqueueNDRangeKernel", on(nullptr, nullptr, o.kernel.get()), [&](const Given& g) {
    return clEnqueueNDRangeKernel(g.queue, g.kernel, 1, nullptr, &kOne, nullptr, g.waits, g.list, nullptr);
  });
  command(w, "clEnqueueTask", on(nullptr, nullptr, o.kernel.get()),
          [&](const Given& g) { return clEnqueueTask(g.queue, g.kernel, g.waits, g.list, nullptr); });
  command(w, "clEnqueueNativeKernel", on(b), [&](const Given& g) {
    void* place[1] = {nullptr};
    const void* where = &place[0];
    return clEnqueueNativeKernel(
        g.queue, [](void*) {}, place, sizeof place, 1, &g.first, &where, g.waits, g.list, nullptr);
  });
  command(w, "clEnqueueMarkerWithWaitList", plain,
          [&](const Given& g) { return clEnqueueMarkerWithWaitList(g.queue, g.waits, g.list, nullptr); });
  command(w, "clEnqueueBarrierWithWaitList", plain,
          [&](const Given& g) { return clEnqueueBarrierWithWaitList(g.queue, g.waits, g.list, nullptr); });
  w.call<cl_command_queue>("clEnqueueMarker", CL_INVALID_COMMAND_QUEUE, [&](cl_command_queue q) {
    cl_event event = nullptr;
    return clEnqueueMarker(q, &event);
  });
  w.call<cl_command_queue>("clEnqueueBarrier", CL_INVALID_COMMAND_QUEUE,
                           [&](cl_command_queue q) { return clEnqueueBarrier(q); });
  w.call<cl_event>("clEnqueueWaitForEvents.list", CL_INVALID_EVENT,
                   [&](cl_event e) { return clEnqueueWaitForEvents(o.queue, 1, &e); });
  std::array<char, 64> from{}, to{};
  command(w, "clEnqueueSVMMemcpy", plain, [&](const Given& g) {
    return clEnqueueSVMMemcpy(g.queue, CL_TRUE, to.data(), from.data(), from.size(), g.waits, g.list, nullptr);
  });
  void* const shared = clSVMAlloc(o.context, CL_MEM_READ_WRITE, 64, 0);
  command(w, "clEnqueueSVMMemFill", plain,
          [&](const Given& g) { return clEnqueueSVMMemFill(g.queue, shared, h, 4, 64, g.waits, g.list, nullptr); });
  command(w, "clEnqueueSVMMap", plain, [&](const Given& g) {
    return clEnqueueSVMMap(g.queue, CL_TRUE, CL_MAP_READ, shared, 64, g.waits, g.list, nullptr);
  });
  command(w, "clEnqueueSVMUnmap", plain,
          [&](const Given& g) { return clEnqueueSVMUnmap(g.queue, shared, g.waits, g.list, nullptr); });
  command(w, "clEnqueueSVMMigrateMem", plain, [&](const Given& g) {
    const void* pointers[] = {shared};
    return clEnqueueSVMMigrateMem(g.queue, 1, pointers, nullptr, 0, g.waits, g.list, nullptr);
  });
}

// A driver may take what it is given for an argument (PoCL does) and is then asked to run it.
void arguments(WrongCalls& w) {
  Objects& o = w.o;
  const auto launch = [&](cl_uint index, const void* handle) {
    const cl_mem b = o.buffer.get(), i = o.image.get();
    check(clSetKernelArg(o.sampling.get(), 0, sizeof o.sampler, &o.sampler));
    check(clSetKernelArg(o.sampling.get(), 1, sizeof i, &i));
    check(clSetKernelArg(o.sampling.get(), 2, sizeof b, &b));
    check(clSetKernelArg(o.sampling.get(), 3, sizeof b, &b));
    const cl_int refused = clSetKernelArg(o.sampling.get(), index, sizeof handle, &handle);
    const cl_int code =
        clEnqueueNDRangeKernel(o.queue, o.sampling.get(), 1, nullptr, &kOne, &kOne, 0, nullptr, nullptr);
    const cl_int finished = clFinish(o.queue);
    if (finished != CL_SUCCESS) return finished;
    return refused != CL_SUCCESS && code == CL_SUCCESS ? CL_INVALID_KERNEL_ARGS : code;  // what was set before counts
  };
  w.call<cl_sampler>("launch.sampler", CL_INVALID_KERNEL_ARGS, [&](cl_sampler s) { return s ? launch(0, s) : 0; });
  w.call<cl_mem>("launch.image", CL_INVALID_KERNEL_ARGS, [&](cl_mem m) { return m ? launch(1, m) : 0; });
  w.call<cl_mem>("launch.global", CL_INVALID_KERNEL_ARGS, [&](cl_mem m) { return m ? launch(2, m) : 0; });
  w.call<cl_mem>("launch.constant", CL_INVALID_KERNEL_ARGS, [&](cl_mem m) { return m ? launch(3, m) : 0; });
  w.makes<cl_mem, cl_mem>("clCreateImage.buffer", CL_INVALID_IMAGE_DESCRIPTOR, [&](cl_mem m, cl_int* e) -> cl_mem {
    const cl_image_desc description = description_of(CL_MEM_OBJECT_IMAGE1D_BUFFER, m);
    return clCreateImage(o.context, 0, &kFormat, &description, nullptr, e);
  });
}

// Of the extension, where the driver has it as the headers know it.
void command_buffers(WrongCalls& w) {
  Objects& o = w.o;
  const auto get = [&]<typename Function>(Function& function, const char* name) {
    function = reinterpret_cast<Function>(clGetExtensionFunctionAddressForPlatform(o.platform, name));
    return function != nullptr;
  };
  clCreateCommandBufferKHR_fn create = nullptr;
  clReleaseCommandBufferKHR_fn release = nullptr;
  clCommandFillBufferKHR_fn fill = nullptr;
  clCommandCopyBufferKHR_fn copy = nullptr;
  clCommandNDRangeKernelKHR_fn launch = nullptr;
  if (!get(create, "clCreateCommandBufferKHR") || !get(release, "clReleaseCommandBufferKHR") ||
      !get(fill, "clCommandFillBufferKHR") || !get(copy, "clCommandCopyBufferKHR") ||
      !get(launch, "clCommandNDRangeKernelKHR")) {
    return;
  }
  w.makes<cl_command_queue, cl_command_buffer_khr>(
      "clCreateCommandBufferKHR", CL_INVALID_COMMAND_QUEUE,
      [&](cl_command_queue q, cl_int* e) { return create(1, &q, nullptr, e); });
  cl_int code = CL_SUCCESS;
  const cl_command_buffer_khr buffer = create(1, &o.queue, nullptr, &code);
  check(code);
  const cl_mem b = o.buffer.get();
  w.call<cl_mem>("clCommandFillBufferKHR", CL_INVALID_MEM_OBJECT, [&](cl_mem m) {
    return fill(buffer, nullptr, m, o.host.data(), 4, 0, 8, 0, nullptr, nullptr, nullptr);
  });
  w.call<cl_mem>("clCommandCopyBufferKHR.memory", CL_INVALID_MEM_OBJECT,
                 [&](cl_mem m) { return copy(buffer, nullptr, m, b, 0, 64, 4, 0, nullptr, nullptr, nullptr); });
  w.call<cl_mem>("clCommandCopyBufferKHR.other_memory", CL_INVALID_MEM_OBJECT,
                 [&](cl_mem m) { return copy(buffer, nullptr, b, m, 0, 64, 4, 0, nullptr, nullptr, nullptr); });
  w.call<cl_kernel>("clCommandNDRangeKernelKHR", CL_INVALID_KERNEL, [&](cl_kernel k) {
    return launch(buffer, nullptr, nullptr, k, 1, nullptr, &kOne, nullptr, 0, nullptr, nullptr, nullptr);
  });
  check(release(buffer));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view word = argc > 1 ? argv[1] : "";
  const Kinds given = word == "null" ? Kinds::null : word == "types" ? Kinds::types : Kinds::all;
  const int at = given == Kinds::all ? 1 : 2;
  WrongCalls calls(argc > at ? std::strtoul(argv[at], nullptr, 10) : 0, given);
  for (const auto& some : {platforms_and_devices, contexts_and_queues, memory_objects, programs_and_kernels, events,
                           commands, arguments, command_buffers})
    some(calls);
  check(clFinish(calls.o.queue));
  return calls.is_well() ? 0 : 1;
}
