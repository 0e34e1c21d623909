// The ground the cases stand on: device 0 of the first platform, a context, an in-order profiling queue, and
// short words for what nearly every case does. A case expects what the OpenCL standard promises, so it
// passes on any correct implementation; what a device does not offer is skipped visibly.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/host/handle.h"
#include "benchmarks/host/session.h"

// Compares OpenCL statuses by name. The first is the call, the second the standard's code.
#define EXPECT_STATUS(call, code) EXPECT_EQ(bench::status_name(call), #code)
#define ASSERT_STATUS(call, code) ASSERT_EQ(bench::status_name(call), #code)
#define EXPECT_OK(call) EXPECT_STATUS(call, CL_SUCCESS)
#define ASSERT_OK(call) ASSERT_STATUS(call, CL_SUCCESS)

namespace cases {

using bench::Buffer;
using bench::check;
using bench::Context;
using bench::Handle;
using bench::Kernel;
using bench::LocalMemory;
using bench::Program;
using bench::Queue;
using bench::set_arguments;

using Event = Handle<cl_event, clReleaseEvent>;

// An NDRange: one to three sizes; empty local: NULL; empty offset: NULL.
struct Range {
  std::vector<size_t> global;
  std::vector<size_t> local = {};
  std::vector<size_t> offset = {};

  cl_uint dimensions() const { return static_cast<cl_uint>(global.size()); }
};

// first, first + 1, ... (count values)
template <typename T>
std::vector<T> counting(size_t count, T first = T{0}) {
  std::vector<T> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

// A kernel together with the program it came from.
struct BuiltKernel {
  Program program;
  Kernel kernel;

  operator const Kernel&() const { return kernel; }
  cl_kernel get() const { return kernel.get(); }
};

class OpenCl : public ::testing::Test {
 protected:
  OpenCl() : session_(bench::Session::open(0, 0)) {}

  cl_context context() const { return session_.context.get(); }
  cl_device_id device() const { return session_.device; }
  cl_command_queue queue() const { return session_.queue.get(); }
  Queue make_queue(cl_command_queue_properties more = 0) const { return session_.make_queue(more); }

  template <typename T>
  T device_info(cl_device_info parameter) const {
    T value{};
    check(clGetDeviceInfo(device(), parameter, sizeof value, &value, nullptr));
    return value;
  }
  bool has_images() const { return device_info<cl_bool>(CL_DEVICE_IMAGE_SUPPORT); }

  Program build(std::string_view source, const std::string& options = "") const {
    return session_.build(source, options);
  }
  BuiltKernel kernel(std::string_view source, const char* name = "k", const std::string& options = "") const {
    Program program = build(source, options);
    Kernel made = bench::make_kernel(program, name);
    return {std::move(program), std::move(made)};
  }

  Buffer buffer_of(size_t bytes, cl_mem_flags flags = CL_MEM_READ_WRITE) const {
    return session_.make_buffer(flags, bytes);
  }
  template <typename T>
  Buffer buffer(std::vector<T> contents, cl_mem_flags flags = CL_MEM_READ_WRITE) const {
    return session_.make_buffer(flags | CL_MEM_COPY_HOST_PTR, contents.size() * sizeof(T), contents.data());
  }

  // Enqueues on `where` (default: the fixture's queue); the result may be thrown away.
  Event launch(const Kernel& kernel, const Range& range, std::vector<cl_event> after = {},
               cl_command_queue where = nullptr) const {
    cl_event event = nullptr;
    check(clEnqueueNDRangeKernel(where ? where : queue(), kernel.get(), range.dimensions(),
                                 range.offset.empty() ? nullptr : range.offset.data(), range.global.data(),
                                 range.local.empty() ? nullptr : range.local.data(), static_cast<cl_uint>(after.size()),
                                 after.empty() ? nullptr : after.data(), &event));
    return Event(event);
  }

  // x[0] = value, after the events.
  Event fill(const Buffer& x, cl_int value, std::vector<cl_event> after = {}, cl_command_queue where = nullptr) const {
    cl_event event = nullptr;
    check(clEnqueueFillBuffer(where ? where : queue(), x.get(), &value, sizeof value, 0, sizeof value,
                              static_cast<cl_uint>(after.size()), after.empty() ? nullptr : after.data(), &event));
    return Event(event);
  }

  // Blocking; `first` and `count` are in elements.
  template <typename T>
  std::vector<T> read(const Buffer& buffer, size_t count, size_t first = 0, cl_command_queue where = nullptr) const {
    std::vector<T> values(count);
    check(clEnqueueReadBuffer(where ? where : queue(), buffer.get(), CL_TRUE, first * sizeof(T), count * sizeof(T),
                              values.data(), 0, nullptr, nullptr));
    return values;
  }
  template <typename T>
  void write(const Buffer& buffer, const std::vector<T>& values, size_t first = 0) const {
    check(clEnqueueWriteBuffer(queue(), buffer.get(), CL_TRUE, first * sizeof(T), values.size() * sizeof(T),
                               values.data(), 0, nullptr, nullptr));
  }

  // Blocking map of `count` elements from `first`; give it back with unmap().
  template <typename T>
  T* map(const Buffer& buffer, cl_map_flags flags, size_t count, size_t first = 0) const {
    cl_int status = CL_SUCCESS;
    void* mapped = clEnqueueMapBuffer(queue(), buffer.get(), CL_TRUE, flags, first * sizeof(T), count * sizeof(T), 0,
                                      nullptr, nullptr, &status);
    check(status);
    return static_cast<T*>(mapped);
  }
  void unmap(const Buffer& buffer, void* mapped) const {
    check(clEnqueueUnmapMemObject(queue(), buffer.get(), mapped, 0, nullptr, nullptr));
  }

  Event user_event() const {
    cl_int status = CL_SUCCESS;
    Event event(clCreateUserEvent(context(), &status));
    check(status);
    return event;
  }
  static cl_int status_of(const Event& event) {
    cl_int status = 0;
    check(clGetEventInfo(event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr));
    return status;
  }

  bench::Session session_;
};

}  // namespace cases
