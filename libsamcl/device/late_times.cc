#include "libsamcl/device/late_times.h"

#include <algorithm>

#include "libsamcl/device/completion_queue.h"
#include "libsamcl/driver/driver.h"

namespace samcl {

LateTimes::~LateTimes() { driver::real().clReleaseEvent(event_); }

LateTimes::Span LateTimes::ask() {
  std::lock_guard lock(mutex_);
  if (told_) return *told_;
  const uint64_t least = std::min(std::max(enqueued_ns_, clock_.not_before_ns), heard_ns_);
  DeviceTimes times;
  if (ask_times(event_, times) != CL_SUCCESS || times.ended == 0) return told_.emplace(least, heard_ns_);
  const auto on_host = [&](uint64_t device_ns) {
    return std::clamp(device_ns + static_cast<uint64_t>(clock_.ahead_ns), least, heard_ns_);
  };
  return told_.emplace(on_host(times.began), on_host(times.ended));
}

}  // namespace samcl
