#include "libsamcl/device/svm_probe.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include "libsamcl/driver/driver.h"

namespace samcl {
namespace {

using Words = std::array<cl_uint, 64>;

// What is written through the buffer is read at the address, and the other way round.
bool shares(RealDevice& device, void* memory, cl_mem buffer) {
  const auto& cl = driver::real();
  const auto done = [&](auto enqueue) { return device.run(engine::LaneKind::up, enqueue) == CL_SUCCESS; };
  Words words, read{};
  for (size_t i = 0; i < words.size(); ++i) words[i] = static_cast<cl_uint>(0x51a3b000u + i);
  if (!done([&](cl_command_queue queue, cl_event* event) {
        return cl.clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof words, words.data(), 0, nullptr, event);
      }) ||
      !done([&](cl_command_queue queue, cl_event* event) {
        return cl.clEnqueueSVMMemcpy(queue, CL_FALSE, read.data(), memory, sizeof read, 0, nullptr, event);
      }) ||
      read != words) {
    return false;
  }
  for (cl_uint& word : words) word = ~word;
  return done([&](cl_command_queue queue, cl_event* event) {
           return cl.clEnqueueSVMMemcpy(queue, CL_FALSE, memory, words.data(), sizeof words, 0, nullptr, event);
         }) &&
         done([&](cl_command_queue queue, cl_event* event) {
           return cl.clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, sizeof read, read.data(), 0, nullptr, event);
         }) &&
         read == words;
}

bool try_out(RealDevice& device) {
  const auto& cl = driver::real();
  void* const memory = cl.clSVMAlloc(device.context(), CL_MEM_READ_WRITE, sizeof(Words), 0);
  if (!memory) return false;
  cl_int error;
  const cl_mem buffer =
      cl.clCreateBuffer(device.context(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, sizeof(Words), memory, &error);
  const bool result = buffer && shares(device, memory, buffer);
  if (buffer) cl.clReleaseMemObject(buffer);
  cl.clSVMFree(device.context(), memory);
  return result;
}

}  // namespace

bool buffers_share_svm(RealDevice& device) {
  static std::mutex& mutex = *new std::mutex;
  static auto& known = *new std::map<cl_device_id, bool>;
  const std::lock_guard lock(mutex);
  const auto found = known.find(device.id);
  if (found != known.end()) return found->second;
  return known[device.id] = try_out(device);
}

}  // namespace samcl
