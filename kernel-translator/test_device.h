// The device of the installed driver on which tests compare what a kernel does with what its rewritten form does.
#pragma once

#include <CL/cl.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "contract/translation.h"

namespace samcl {

// The first GPU or CPU the loader offers, or nullptr.
inline cl_device_id any_device() {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  if (clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS) return nullptr;
  return clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) == CL_SUCCESS ? device : nullptr;
}

inline std::string fact(cl_device_id device, cl_device_info what) {
  char text[8192] = "";
  EXPECT_EQ(clGetDeviceInfo(device, what, sizeof text, text, nullptr), CL_SUCCESS);
  return text;
}

inline DeviceFacts facts_of(cl_device_id device) {
  DeviceFacts facts;
  facts.device_version = fact(device, CL_DEVICE_VERSION);
  facts.opencl_c_version = fact(device, CL_DEVICE_OPENCL_C_VERSION);
  facts.extensions = fact(device, CL_DEVICE_EXTENSIONS);
  return facts;
}

// Tests that run kernels there; skipped where there is none.
template <typename Param>
class DeviceTest : public ::testing::TestWithParam<Param> {
 protected:
  void SetUp() override {
    device_ = any_device();
    if (!device_) GTEST_SKIP() << "no OpenCL device here";
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, nullptr);
    queue_ = clCreateCommandQueue(context_, device_, 0, nullptr);
  }
  void TearDown() override {
    if (queue_) clReleaseCommandQueue(queue_);
    if (context_) clReleaseContext(context_);
  }

  // What a buffer of these words holds once launch(kernel, buffer) has launched that kernel of the source.
  template <typename Launch>
  std::vector<cl_ulong> run(const std::string& source, const char* name, std::vector<cl_ulong> words,
                            const Launch& launch) {
    const char* text = source.c_str();
    const size_t bytes = words.size() * sizeof(cl_ulong);
    cl_program program = clCreateProgramWithSource(context_, 1, &text, nullptr, nullptr);
    EXPECT_EQ(clBuildProgram(program, 1, &device_, "", nullptr, nullptr), CL_SUCCESS) << source;
    cl_kernel kernel = clCreateKernel(program, name, nullptr);
    cl_mem buffer = clCreateBuffer(context_, CL_MEM_COPY_HOST_PTR, bytes, words.data(), nullptr);
    launch(kernel, buffer);
    EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, bytes, words.data(), 0, nullptr, nullptr), CL_SUCCESS);
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    return words;
  }

  void enqueue(cl_kernel kernel, cl_uint dimensions, const size_t* offset, const size_t* global, const size_t* local) {
    EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, dimensions, offset, global, local, 0, nullptr, nullptr),
              CL_SUCCESS);
  }

  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
};

}  // namespace samcl
