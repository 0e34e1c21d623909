#include "libsamcl/driver/kernel_habits.h"

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>

#include "libsamcl/driver/driver.h"

namespace samcl::driver {
namespace {

// Callbacks may come from another thread of the driver's.
constexpr auto kPatience = std::chrono::milliseconds(20);

bool takes_nothing(cl_kernel kernel, cl_uint index) {
  return real().clSetKernelArg(kernel, index, sizeof(cl_ulong), nullptr) == CL_SUCCESS;
}

bool nothing_tells_pointers(cl_kernel kernel) {
  return kernel && takes_nothing(kernel, 0) && !takes_nothing(kernel, 1);
}

// On a kernel with one argument of each kind.
bool nothing_tells_pointers(cl_device_id device) {
  static const char* const kSource = "__kernel void k(__global int* pointer, ulong value) { *pointer = value; }";
  const auto& cl = real();
  const char* source = kSource;
  cl_int error = CL_SUCCESS;
  const cl_context context = cl.clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
  if (!context) return false;
  const cl_program program = cl.clCreateProgramWithSource(context, 1, &source, nullptr, &error);
  bool tells = false;
  if (program) {
    cl_kernel kernel = nullptr;
    if (cl.clBuildProgram(program, 1, &device, nullptr, nullptr, nullptr) == CL_SUCCESS)
      kernel = cl.clCreateKernel(program, "k", &error);
    tells = nothing_tells_pointers(kernel);
    if (kernel) cl.clReleaseKernel(kernel);
    cl.clReleaseProgram(program);
  }
  cl.clReleaseContext(context);
  return tells;
}

bool tells_pointers(cl_device_id device) {
  static std::mutex& lock = *new std::mutex;
  static auto& known = *new std::map<cl_device_id, bool>;
  const std::lock_guard guard(lock);
  const auto found = known.find(device);
  if (found != known.end()) return found->second;
  return known.emplace(device, nothing_tells_pointers(device)).first->second;
}

std::atomic<bool>& destroyed() {
  static auto& happened = *new std::atomic<bool>(false);
  return happened;
}

bool try_to_keep(cl_context context, cl_kernel kernel, cl_uint index) {
  const auto& cl = real();
  cl_int error = CL_SUCCESS;
  cl_mem buffer = cl.clCreateBuffer(context, CL_MEM_READ_WRITE, 64, nullptr, &error);
  if (!buffer) return false;
  const auto note = [](cl_mem, void*) { destroyed() = true; };
  const bool tried = cl.clSetMemObjectDestructorCallback(buffer, note, nullptr) == CL_SUCCESS &&
                     cl.clSetKernelArg(kernel, index, sizeof buffer, &buffer) == CL_SUCCESS;
  cl.clReleaseMemObject(buffer);
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (tried && !destroyed() && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  return tried && !destroyed();
}

}  // namespace

std::optional<bool> takes_pointer(cl_device_id device, cl_kernel kernel, cl_uint index) {
  if (!tells_pointers(device)) return std::nullopt;
  return takes_nothing(kernel, index);
}

bool keeps_arguments(cl_context context, cl_kernel kernel, cl_uint index) {
  static const bool keeps = try_to_keep(context, kernel, index);
  return keeps;
}

}  // namespace samcl::driver
