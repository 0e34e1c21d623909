// What the guest programs of these tests do with OpenCL, however they got hold of its functions: print every
// device's name, then run a kernel and print what it computed.
#pragma once

#include <CL/cl.h>

#include <cstdio>
#include <numeric>
#include <vector>

struct Functions {
  decltype(&clGetPlatformIDs) get_platform_ids = nullptr;
  decltype(&clGetDeviceIDs) get_device_ids = nullptr;
  decltype(&clGetDeviceInfo) get_device_info = nullptr;
  decltype(&clCreateContext) create_context = nullptr;
  decltype(&clCreateCommandQueue) create_command_queue = nullptr;
  decltype(&clCreateBuffer) create_buffer = nullptr;
  decltype(&clCreateProgramWithSource) create_program_with_source = nullptr;
  decltype(&clBuildProgram) build_program = nullptr;
  decltype(&clCreateKernel) create_kernel = nullptr;
  decltype(&clSetKernelArg) set_kernel_arg = nullptr;
  decltype(&clEnqueueNDRangeKernel) enqueue_nd_range_kernel = nullptr;
  decltype(&clEnqueueReadBuffer) enqueue_read_buffer = nullptr;

  // resolve("clXxx") returns the function's address or null. False if one is missing.
  template <typename Resolve>
  bool load(Resolve resolve) {
    const auto get = [&](auto& function, const char* name) {
      void* address = reinterpret_cast<void*>(resolve(name));
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(address);
      if (!address) std::printf("%s is missing\n", name);
      return address != nullptr;
    };
    return get(get_platform_ids, "clGetPlatformIDs") & get(get_device_ids, "clGetDeviceIDs") &
           get(get_device_info, "clGetDeviceInfo") & get(create_context, "clCreateContext") &
           get(create_command_queue, "clCreateCommandQueue") & get(create_buffer, "clCreateBuffer") &
           get(create_program_with_source, "clCreateProgramWithSource") & get(build_program, "clBuildProgram") &
           get(create_kernel, "clCreateKernel") & get(set_kernel_arg, "clSetKernelArg") &
           get(enqueue_nd_range_kernel, "clEnqueueNDRangeKernel") & get(enqueue_read_buffer, "clEnqueueReadBuffer");
  }
};

// For programs that are linked to libOpenCL.
inline Functions linked_functions() {
  Functions f;
  f.get_platform_ids = clGetPlatformIDs;
  f.get_device_ids = clGetDeviceIDs;
  f.get_device_info = clGetDeviceInfo;
  f.create_context = clCreateContext;
  f.create_command_queue = clCreateCommandQueue;
  f.create_buffer = clCreateBuffer;
  f.create_program_with_source = clCreateProgramWithSource;
  f.build_program = clBuildProgram;
  f.create_kernel = clCreateKernel;
  f.set_kernel_arg = clSetKernelArg;
  f.enqueue_nd_range_kernel = clEnqueueNDRangeKernel;
  f.enqueue_read_buffer = clEnqueueReadBuffer;
  return f;
}

inline std::vector<cl_device_id> print_devices(const Functions& cl) {
  cl_uint count = 0;
  const cl_int error = cl.get_platform_ids(0, nullptr, &count);
  std::printf("platforms: %d %u\n", error, count);
  if (error != CL_SUCCESS) return {};
  std::vector<cl_platform_id> platforms(count);
  cl.get_platform_ids(count, platforms.data(), nullptr);
  std::vector<cl_device_id> all;
  for (cl_platform_id platform : platforms) {
    cl_device_id devices[16];
    if (cl.get_device_ids(platform, CL_DEVICE_TYPE_ALL, 16, devices, &count) != CL_SUCCESS) continue;
    for (cl_uint i = 0; i < count; ++i) {
      char name[256] = "";
      cl.get_device_info(devices[i], CL_DEVICE_NAME, sizeof(name), name, nullptr);
      std::printf("device: %s\n", name);
      all.push_back(devices[i]);
    }
  }
  return all;
}

// Prints "sum: 4950". `a` makes the objects, `b` uses them: two ways into OpenCL may be mixed.
inline void run_kernel(const Functions& a, const Functions& b, cl_device_id device) {
  cl_int error = CL_SUCCESS;
  cl_context context = a.create_context(nullptr, 1, &device, nullptr, nullptr, &error);
  cl_command_queue queue = b.create_command_queue(context, device, 0, &error);
  const char* source = "kernel void k(global int* a) { a[get_global_id(0)] = get_global_id(0); }";
  cl_program program = a.create_program_with_source(context, 1, &source, nullptr, &error);
  error |= b.build_program(program, 1, &device, "", nullptr, nullptr);
  cl_kernel kernel = a.create_kernel(program, "k", &error);
  cl_mem buffer = b.create_buffer(context, CL_MEM_READ_WRITE, 100 * sizeof(int), nullptr, &error);
  error |= a.set_kernel_arg(kernel, 0, sizeof(buffer), &buffer);
  const size_t size = 100;
  error |= b.enqueue_nd_range_kernel(queue, kernel, 1, nullptr, &size, nullptr, 0, nullptr, nullptr);
  std::vector<int> result(size);
  error |= a.enqueue_read_buffer(queue, buffer, CL_TRUE, 0, size * sizeof(int), result.data(), 0, nullptr, nullptr);
  if (error != CL_SUCCESS)
    std::printf("error: %d\n", error);
  else
    std::printf("sum: %d\n", std::accumulate(result.begin(), result.end(), 0));
}
