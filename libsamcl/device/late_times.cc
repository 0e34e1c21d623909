#include "libsamcl/device/late_times.h"

#include <algorithm>

#include "libsamcl/driver/driver.h"

namespace samcl {

cl_int ask_times(cl_event event, DeviceTimes& times) {
  const auto& cl = driver::real();
  cl_ulong began = 0, ended = 0;
  cl_int error = cl.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof began, &began, nullptr);
  if (error == CL_SUCCESS) {
    error = cl.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof ended, &ended, nullptr);
  }
  if (error == CL_SUCCESS) times = {began, ended};
  return error;
}

LateTimes::~LateTimes() {
  if (const cl_event event = event_) driver::real().clReleaseEvent(event);
}

cl_int LateTimes::status() const {
  cl_int status = CL_QUEUED;
  driver::real().clGetEventInfo(event_, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  return status;
}

bool LateTimes::wait() const {
  const cl_event event = event_;
  return driver::real().clWaitForEvents(1, &event) == CL_SUCCESS;
}

void LateTimes::heard(uint64_t ns) {
  uint64_t nobody = 0;
  heard_ns_.compare_exchange_strong(nobody, ns);
}

LateTimes::Span LateTimes::ask() {
  std::lock_guard lock(mutex_);
  if (told_) return *told_;
  const uint64_t heard = heard_ns_;
  if (!clock_) return told_.emplace(std::min(enqueued_ns_, heard), heard);
  const uint64_t least = std::min(std::max(enqueued_ns_, clock_->not_before_ns), heard);
  DeviceTimes times;
  if (ask_times(event_, times) != CL_SUCCESS || times.ended == 0) return told_.emplace(least, heard);
  const auto on_host = [&](uint64_t device_ns) {
    return std::clamp(device_ns + static_cast<uint64_t>(clock_->ahead_ns), least, heard);
  };
  return told_.emplace(on_host(times.began), on_host(times.ended));
}

}  // namespace samcl
