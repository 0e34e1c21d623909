// A burst of launches that a program has recorded (cl_khr_command_buffer) and runs again and again, beside the same
// launches enqueued one by one: what a launch costs either way, and whether both compute the same.
#pragma once

#include <CL/cl_ext.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "benchmarks/host/session.h"

namespace bench {

class RecordedBurst {
 public:
  // Throws std::runtime_error if the device has no command buffers, or refuses this one.
  RecordedBurst(const Session& session, const Queue& queue, const Program& program, size_t launches)
      : queue_(queue),
        launches_(launches),
        step_(make_kernel(program, "multiply_add")),
        value_(session.make_buffer(CL_MEM_READ_WRITE, sizeof(cl_int))) {
    if (!has_extension(session.device, "cl_khr_command_buffer"))
      throw std::runtime_error("the device has no command buffers");
    cl_platform_id platform = nullptr;
    check(clGetDeviceInfo(session.device, CL_DEVICE_PLATFORM, sizeof platform, &platform, nullptr));
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
          clGetExtensionFunctionAddressForPlatform(platform, name));
      if (!function) throw std::runtime_error(std::string("the driver has no ") + name);
    };
    find(create_, "clCreateCommandBufferKHR");
    find(record_, "clCommandNDRangeKernelKHR");
    find(finalize_, "clFinalizeCommandBufferKHR");
    find(run_, "clEnqueueCommandBufferKHR");
    find(release_, "clReleaseCommandBufferKHR");
    const cl_command_queue real = queue.get();
    cl_int status = CL_SUCCESS;
    recorded_ = create_(1, &real, nullptr, &status);
    check(status);
    for (size_t i = 0; i < launches_; ++i) {
      set(i);
      const size_t one = 1;
      check(record_(recorded_, nullptr, nullptr, step_.get(), 1, nullptr, &one, &one, 0, nullptr, nullptr, nullptr));
    }
    check(finalize_(recorded_));
  }
  RecordedBurst(const RecordedBurst&) = delete;
  RecordedBurst& operator=(const RecordedBurst&) = delete;
  ~RecordedBurst() { release_(recorded_); }

  void enqueue_one_by_one() {
    for (size_t i = 0; i < launches_; ++i) {
      set(i);
      const size_t one = 1;
      check(clEnqueueNDRangeKernel(queue_.get(), step_.get(), 1, nullptr, &one, &one, 0, nullptr, nullptr));
    }
  }
  void enqueue_recorded() { check(run_(0, nullptr, recorded_, 0, nullptr, nullptr)); }

  // Whether the recorded burst changes the value as one by one.
  bool computes_the_same() {
    const cl_int one_by_one = result([this] { enqueue_one_by_one(); });
    return result([this] { enqueue_recorded(); }) == one_by_one;
  }

 private:
  void set(size_t i) { set_arguments(step_, value_, static_cast<cl_int>(i)); }
  template <typename Burst>
  cl_int result(const Burst& burst) {
    cl_int value = 1;
    check(clEnqueueWriteBuffer(queue_.get(), value_.get(), CL_TRUE, 0, sizeof value, &value, 0, nullptr, nullptr));
    burst();
    check(clEnqueueReadBuffer(queue_.get(), value_.get(), CL_TRUE, 0, sizeof value, &value, 0, nullptr, nullptr));
    return value;
  }

  const Queue& queue_;
  const size_t launches_;
  Kernel step_;
  Buffer value_;
  clCreateCommandBufferKHR_fn create_ = nullptr;
  clCommandNDRangeKernelKHR_fn record_ = nullptr;
  clFinalizeCommandBufferKHR_fn finalize_ = nullptr;
  clEnqueueCommandBufferKHR_fn run_ = nullptr;
  clReleaseCommandBufferKHR_fn release_ = nullptr;
  cl_command_buffer_khr recorded_ = nullptr;
};

}  // namespace bench
