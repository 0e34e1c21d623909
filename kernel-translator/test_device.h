// The device of the installed driver on which tests compare what a kernel does with what its rewritten form does.
#pragma once

#include <CL/cl.h>
#include <gtest/gtest.h>

#include <string>

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

}  // namespace samcl
