#include "libsamcl/device/compute_queues.h"

#include "libsamcl/driver/driver.h"

namespace samcl {

ComputeQueues::~ComputeQueues() {
  for (const cl_command_queue queue : {timed_, plain_})
    if (queue) driver::real().clReleaseCommandQueue(queue);
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
  if (use == Use::either || !timed_ || !plain_) return present;
  if (use == Use::timed) {
    gained_by_ = 0;
    return present == timed_ || !go_over(timed_, is_idle) ? present : timed_;
  }
  if (present == plain_ || ++gained_by_ < (is_idle ? kIdle : kBusy)) return present;
  return go_over(plain_, is_idle) ? plain_ : present;
}

// What is thought to be idle, and is not, is waited for.
bool ComputeQueues::go_over(cl_command_queue to, bool is_idle) {
  const auto& cl = driver::real();
  const cl_command_queue from = in_use_.load(std::memory_order_relaxed);
  if (is_idle) {
    if (cl.clFinish(from) != CL_SUCCESS) return false;
  } else {
    cl_event end = nullptr;
    if (cl.clEnqueueMarkerWithWaitList(from, 0, nullptr, &end) != CL_SUCCESS) return false;
    cl_int error = cl.clFlush(from);
    if (error == CL_SUCCESS) error = cl.clEnqueueBarrierWithWaitList(to, 1, &end, nullptr);
    cl.clReleaseEvent(end);
    if (error != CL_SUCCESS) return false;
  }
  in_use_.store(to, std::memory_order_release);
  return true;
}

}  // namespace samcl
