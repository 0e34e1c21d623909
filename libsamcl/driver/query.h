// Asking real objects for their properties, without the size dance.
#pragma once

#include <CL/cl.h>

#include <string>

#include "libsamcl/driver/driver.h"

namespace samcl::driver {

// A string property; empty where the driver does not know it.
inline std::string text(cl_platform_id platform, cl_platform_info what) {
  size_t size = 0;
  if (real().clGetPlatformInfo(platform, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string value(size, '\0');
  if (real().clGetPlatformInfo(platform, what, size, value.data(), nullptr) != CL_SUCCESS) return {};
  return value.c_str();
}

inline std::string text(cl_device_id device, cl_device_info what) {
  size_t size = 0;
  if (real().clGetDeviceInfo(device, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string value(size, '\0');
  if (real().clGetDeviceInfo(device, what, size, value.data(), nullptr) != CL_SUCCESS) return {};
  return value.c_str();
}

// A property of fixed size; `absent` where the driver does not know it.
template <typename T>
T value(cl_device_id device, cl_device_info what, T absent = {}) {
  T result{};
  return real().clGetDeviceInfo(device, what, sizeof(T), &result, nullptr) == CL_SUCCESS ? result : absent;
}

}  // namespace samcl::driver
