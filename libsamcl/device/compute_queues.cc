#include "libsamcl/device/compute_queues.h"

#include <utility>

#include "libsamcl/driver/driver.h"

namespace samcl {

ComputeQueues::~ComputeQueues() { release(); }

void ComputeQueues::release() {
  for (cl_command_queue* queue : {&timed_, &plain_})
    if (*queue) driver::real().clReleaseCommandQueue(std::exchange(*queue, nullptr));
}

cl_int ComputeQueues::create(cl_context context, cl_device_id device, bool tells_times, bool is_plain) {
  const auto& cl = driver::real();
  cl_int error = CL_SUCCESS;
  if (tells_times) timed_ = cl.clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error);
  if (is_plain && error == CL_SUCCESS) plain_ = cl.clCreateCommandQueue(context, device, 0, &error);
  in_use_ = timed_ ? timed_ : plain_;  // the first launches of kernels are timed
  return error;
}

cl_command_queue ComputeQueues::next(Use use, bool is_idle) {
  const cl_command_queue present = in_use_.load(std::memory_order_relaxed);
  if (!timed_ || !plain_ || use == Use::present) return present;
  if (use == Use::timed) {
    gained_by_ = 0;
    return present == timed_ || !go_over(timed_) ? present : timed_;
  }
  if (present == plain_) return present;
  const bool gains = use == Use::plain || !times_may_be_asked_.load(std::memory_order_relaxed);
  if (gains) ++gained_by_;
  if (gained_by_ < kPays || !is_idle) return present;
  return go_over(plain_) ? plain_ : present;
}

// Commands of one that wait for an event of the other would do without waiting here, but NVIDIA's driver has crashed
// where queues waited for each other so (580, two H200).
bool ComputeQueues::go_over(cl_command_queue to) {
  if (driver::real().clFinish(in_use_.load(std::memory_order_relaxed)) != CL_SUCCESS) return false;
  in_use_.store(to, std::memory_order_release);
  return true;
}

}  // namespace samcl
