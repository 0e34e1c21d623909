// The driver's two queues behind a device's compute lane: one that tells when its commands ran, and a plain one. The
// lane uses one at a time, and goes over from one to the other when all that the one was given has ended, so that both
// are one in-order queue.
//
// NVIDIA's driver takes twice as long for what comes to a queue that tells times: with an H200 14 us for a launch with
// an event instead of 7, and 18 for a copy on the device instead of 9; launches without an event take as long there if
// they are of one kernel, and 10 us instead of 5 where kernels alternate.
#pragma once

#include <CL/cl.h>

#include <atomic>
#include <cstdint>

namespace samcl {

// Whether a command gets an event, and whether that is going to be asked when the command ran.
struct EventWanted {
  cl_event* event = nullptr;
  bool times = false;
  bool stays = false;  // it comes right behind what nobody else knows of in the queue that is in use
};

class ComputeQueues {
 public:
  ~ComputeQueues();
  ComputeQueues() = default;
  ComputeQueues(const ComputeQueues&) = delete;
  ComputeQueues& operator=(const ComputeQueues&) = delete;

  // tells_times: whether there is to be a queue that does; is_plain: whether one that does not. The driver's code.
  cl_int create(cl_context context, cl_device_id device, bool tells_times, bool is_plain);

  // Of a command that is given now: whether its times are asked for, or a queue that tells none is quicker with it.
  // present: neither, it stays with the one that is in use.
  enum class Use : uint8_t { present, either, plain, timed };
  static Use use_for(const EventWanted& wanted) {
    if (wanted.stays) return Use::present;
    return !wanted.event ? Use::either : wanted.times ? Use::timed : Use::plain;
  }
  // The queue for it, which comes after all that was given before. By one thread at a time, until the command is given.
  // is_idle: as far as is known, nothing that was given is still to run. Only for times is that waited for: where the
  // program may be what the device waits for, look before.
  cl_command_queue next(Use use, bool is_idle);
  // The program may ask when commands ran. Else what has no event either (Use::either) is as quick with a plain queue,
  // or quicker: NVIDIA's driver takes half as long for kernels that alternate. Then it goes over only for others, such
  // as copies between launches, of which each that comes finds the device busy. Any thread, as the next.
  void program_may_ask_times() { times_may_be_asked_.store(true, std::memory_order_relaxed); }
  bool may_ask_times() const { return times_may_be_asked_.load(std::memory_order_relaxed); }
  // Whether that would be waited for, unless the device is idle. Any thread.
  bool waits_until_idle(Use use) const {
    return use == Use::timed && timed_ && plain_ && in_use_.load(std::memory_order_relaxed) == plain_;
  }

  // Before the context is. Nothing is given any more.
  void release();

  // The one that is used now. Any thread.
  const std::atomic<cl_command_queue>& in_use() const { return in_use_; }

 private:
  // So many come that a plain queue is quicker with before it is gone over to: to do so, and back, takes as long as is
  // won with one or two.
  static constexpr unsigned kPays = 3;
  bool go_over(cl_command_queue to);

  cl_command_queue timed_ = nullptr, plain_ = nullptr;
  std::atomic<cl_command_queue> in_use_{nullptr};
  std::atomic<bool> times_may_be_asked_{false};
  unsigned gained_by_ = 0;  // so many since the last one with times
};

}  // namespace samcl
