// OpenCL objects that release themselves, and the one way the programs check a status: throw with the place.
#pragma once

#include <CL/cl.h>

#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>

namespace bench {

// The standard's name of a status, e.g. "CL_INVALID_VALUE"; the number for one that is not known.
std::string status_name(cl_int status);

// Throws std::runtime_error naming the status and the calling line unless `status` is CL_SUCCESS.
void check(cl_int status, std::source_location where = std::source_location::current());

// Sole owner of one reference to an OpenCL object.
template <typename T, auto kRelease>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T object) : object_(object) {}
  Handle(Handle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Handle() {
    if (object_) kRelease(object_);
  }

  T get() const { return object_; }
  const T* address() const { return &object_; }

 private:
  T object_ = nullptr;
};

using Context = Handle<cl_context, clReleaseContext>;
using Queue = Handle<cl_command_queue, clReleaseCommandQueue>;
using Buffer = Handle<cl_mem, clReleaseMemObject>;
using Program = Handle<cl_program, clReleaseProgram>;
using Kernel = Handle<cl_kernel, clReleaseKernel>;
using Image = Handle<cl_mem, clReleaseMemObject>;
using Sampler = Handle<cl_sampler, clReleaseSampler>;

// A __local argument of that many bytes.
struct LocalMemory {
  size_t bytes;
};

template <typename T>
void set_argument(cl_kernel kernel, cl_uint index, const T& value) {
  check(clSetKernelArg(kernel, index, sizeof value, &value));
}
template <typename T, auto kRelease>
void set_argument(cl_kernel kernel, cl_uint index, const Handle<T, kRelease>& object) {
  check(clSetKernelArg(kernel, index, sizeof(T), object.address()));
}
inline void set_argument(cl_kernel kernel, cl_uint index, LocalMemory local) {
  check(clSetKernelArg(kernel, index, local.bytes, nullptr));
}

// Sets arguments 0, 1, 2, ... of the kernel. Scalars must have the kernel's own type (cl_int, cl_uint, ...).
template <typename... Arguments>
void set_arguments(const Kernel& kernel, const Arguments&... arguments) {
  cl_uint index = 0;
  (set_argument(kernel.get(), index++, arguments), ...);
}

}  // namespace bench
