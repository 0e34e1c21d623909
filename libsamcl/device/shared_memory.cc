#include "libsamcl/device/shared_memory.h"

#include <CL/cl.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "libsamcl/device/real_device.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/query.h"

namespace samcl {
namespace {

constexpr size_t kPage = 4096;

// A buffer of one device over host memory.
class View {
 public:
  View(RealDevice& device, void* memory) : queue_(device.compute_queue()) {
    cl_int error;
    buffer_ =
        driver::real().clCreateBuffer(device.context(), CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, kPage, memory, &error);
  }
  ~View() {
    if (buffer_) driver::real().clReleaseMemObject(buffer_);
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  bool fill(cl_uint value) {
    const auto& cl = driver::real();
    return buffer_ &&
           cl.clEnqueueFillBuffer(queue_, buffer_, &value, sizeof value, 0, kPage, 0, nullptr, nullptr) == CL_SUCCESS &&
           cl.clFinish(queue_) == CL_SUCCESS;
  }
  // Copies its first half over its second.
  bool double_first_half() {
    const auto& cl = driver::real();
    return buffer_ &&
           cl.clEnqueueCopyBuffer(queue_, buffer_, buffer_, 0, kPage / 2, kPage / 2, 0, nullptr, nullptr) ==
               CL_SUCCESS &&
           cl.clFinish(queue_) == CL_SUCCESS;
  }

 private:
  const cl_command_queue queue_;
  cl_mem buffer_ = nullptr;
};

// What each device writes is seen by the host, and what the host or another device writes by each.
bool works(const std::vector<std::unique_ptr<RealDevice>>& devices) {
  alignas(kPage) static thread_local cl_uint memory[kPage / sizeof(cl_uint)];
  auto all_are = [](cl_uint value) {
    return std::all_of(std::begin(memory), std::end(memory), [&](cl_uint word) { return word == value; });
  };
  for (size_t i = 0; i < devices.size(); ++i) {
    View writer(*devices[i], memory);
    View reader(*devices[(i + 1) % devices.size()], memory);
    const cl_uint value = static_cast<cl_uint>(0x5a3c0000u + i);
    if (!writer.fill(value) || !all_are(value)) return false;
    std::fill_n(memory, std::size(memory) / 2, ~value);
    if (!reader.double_first_half() || !all_are(~value)) return false;
  }
  return true;
}

}  // namespace

bool devices_share_host_memory(const std::vector<std::unique_ptr<RealDevice>>& devices) {
  for (const auto& device : devices) {
    if (!(driver::value<cl_device_type>(device->id, CL_DEVICE_TYPE, 0) & CL_DEVICE_TYPE_CPU)) return false;
  }
  static std::mutex& mutex = *new std::mutex;
  static auto& known = *new std::map<std::vector<cl_device_id>, bool>;
  std::vector<cl_device_id> ids;
  for (const auto& device : devices) ids.push_back(device->id);
  const std::lock_guard lock(mutex);
  const auto found = known.find(ids);
  if (found != known.end()) return found->second;
  return known[ids] = works(devices);
}

}  // namespace samcl
