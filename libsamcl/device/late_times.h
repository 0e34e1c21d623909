// When something ran, and whether it has ended, asked of the driver only when somebody wants to know: an answer takes
// it 3 us, as long as giving it a kernel, and most programs ask for few of their events or none. It may have no event
// of the driver's until somebody asks.
#pragma once

#include <CL/cl.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include "libsamcl/device/device_clock.h"

namespace samcl {

// When a command ran, ns of the device's own clock; zeros where it does not tell.
struct DeviceTimes {
  uint64_t began = 0, ended = 0;
  uint64_t took() const { return ended > began ? ended - began : 0; }
};
// Fails where the driver does not tell, or the command failed.
cl_int ask_times(cl_event event, DeviceTimes& times);

class LateTimes {
 public:
  // clock: what its times are told by; none: nobody asks for these. enqueued: the host's time after which it runs.
  LateTimes(std::optional<DeviceClock> clock, uint64_t enqueued_ns) : clock_(clock), enqueued_ns_(enqueued_ns) {}
  ~LateTimes();
  LateTimes(const LateTimes&) = delete;
  LateTimes& operator=(const LateTimes&) = delete;

  // Its event, ours from now on, or that of something behind it. Once.
  void is_told_by(cl_event ended) { event_ = ended; }
  bool has_event() const { return event_ != nullptr; }
  // The driver did not take it: it has no end of its own.
  void fails() { fails_ = true; }
  bool has_failed() const { return fails_; }

  uint64_t enqueued_ns() const { return enqueued_ns_; }

  // What it has come to, as the driver knows: CL_QUEUED to CL_COMPLETE, or an error. If it has an event. Any thread.
  cl_int status() const;
  // Waits for its end; whether it ended well. If it has an event. Any thread.
  bool wait() const;

  // Its end was heard of at that time of the host's, before which it ran; the first call counts. Any thread.
  void heard(uint64_t ns);
  bool is_heard() const { return heard_ns_ > 0; }

  // ns of the host's clock, once its end was heard of. Where the driver does not tell: all the time it can have run.
  // Any thread.
  struct Span {
    uint64_t began, ended;
  };
  Span ask();

 private:
  std::atomic<cl_event> event_{nullptr};
  std::atomic<bool> fails_{false};
  const std::optional<DeviceClock> clock_;
  const uint64_t enqueued_ns_;
  std::atomic<uint64_t> heard_ns_{0};
  std::mutex mutex_;
  std::optional<Span> told_;  // guarded by it
};

}  // namespace samcl
