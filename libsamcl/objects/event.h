// Virtual events. Every enqueued command has an Event, handed to the program or not; the Graph (graph.h) decides when
// its command is planned and when it has ended.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/small_vector.h"
#include "libsamcl/device/late_times.h"
#include "libsamcl/engine/operation.h"
#include "libsamcl/objects/command.h"
#include "libsamcl/objects/object.h"

namespace samcl {

class Context;
class Event;
class Planner;
class Queue;
class RealDevice;

template <>
struct HandleTraits<Event> {
  using Api = cl_event;
};

class Event final : public Object<Event>, public engine::Owner {
 public:
  Event(std::shared_ptr<Context> context, std::shared_ptr<Queue> queue, cl_command_type type);
  ~Event();

  const std::shared_ptr<Context> context;
  const std::shared_ptr<Queue> queue;  // nullptr for user events
  const cl_command_type type;
  const bool has_times;  // the program may ask when it ran: its queue told times when it was entered
  uint32_t number = 0;   // in the trace; 0: it has none (yet). Set when the command starts

  // The program has its handle, and may ask when it ended. Set before the command is submitted.
  bool observed = false;
  // The thread that submits it waits for it. Set likewise.
  bool awaited = false;
  // It stands for commands of which this is the first: it began when that one did. Set likewise.
  std::shared_ptr<Event> first;

  // CL_QUEUED, CL_SUBMITTED, CL_RUNNING, CL_COMPLETE or a negative error, as far as has been heard.
  cl_int status() const { return status_.load(std::memory_order_acquire); }
  bool ended() const { return status() <= CL_COMPLETE; }
  // As the driver knows, where it is one of several commands whose ends are heard of together.
  cl_int present_status();

  // Blocks until the command ended; its final status.
  cl_int wait();
  // So has all that follows it.
  bool is_over() const { return over_.load(std::memory_order_acquire); }
  // Blocks until then.
  void wait_until_over();
  // As wait_until_over(), where it is the last operation of one device, whose end is not told yet
  // (CompletionQueue::finish_untold()): who asks what it has come to, or what follows it, finds that it has ended. So
  // has all that it comes after. False: wait.
  bool wait_untold();

  // The command enters its queue.
  void set_queued();
  // The command began to execute on a device, at that time or now; the first call counts. It is CL_RUNNING from then
  // on, or once it is free: it may begin before what it waits for has been heard to end.
  void set_running(cl_ulong at);
  void set_running();
  // All that the command waits for has ended. Under the graph's lock.
  void set_free();
  // A part of it began on a device at that time, as the device tells; the earliest counts, and more than when it seemed
  // to begin to execute.
  void note_start(cl_ulong at);
  // A part of it ended on a device at that time: it ends no earlier, and that is its end unless something else comes
  // later. For commands that do not know it: when Graph::finish() was called.
  void note_end(cl_ulong at);
  bool may_be_asked_when() const override { return observed && has_times; }
  void device_ran(uint64_t began, uint64_t ended) override {
    note_start(began);
    note_end(ended);
  }

  // It is a kernel on this device and nothing else. Before that is entered, under the graph's lock.
  void runs_only_on(RealDevice& device) { runs_on_ = &device; }
  // Whether it is to have an event of the driver's, if the program has it.
  bool needs_drivers_event() const;
  // It is being given to the device's queue. Any thread, one at a time for a device.
  void note_given();
  // When that ran is to be asked there. Before its end is told.
  void set_late_times(std::shared_ptr<LateTimes> times) { late_times_ = std::move(times); }

  // It belongs to the operation of `first`, which it follows on that device (commands/following.h), and with which its
  // end is heard of, unless somebody asks for it before: it is to be asked there. Before anybody else has it.
  void follows(const std::shared_ptr<Event>& first, RealDevice& device, std::shared_ptr<LateTimes> own_end);
  // Others follow it, so that the same holds for its own end; what else belonged to it has ended. Under the graph's
  // lock.
  void has_own_end(RealDevice& device, std::shared_ptr<LateTimes> own_end);
  // The one that it follows, or itself.
  Event& leader() { return leader_ ? *leader_ : *this; }
  const Event& leader() const { return leader_ ? *leader_ : *this; }

  // For user events: true for the first caller, who alone may end it with Graph::finish().
  bool claim_user_status();

  // Whether commands may wait for the program itself: for a user event that it has yet to end, or a semaphore that it
  // has yet to signal.
  static bool any_is_held_by_program();
  // While it lives, one does.
  struct HeldByProgram {
    HeldByProgram();
    ~HeldByProgram();
    HeldByProgram(const HeldByProgram&) = delete;
    HeldByProgram& operator=(const HeldByProgram&) = delete;
  };

  // ns on the host's monotonic clock; param is CL_PROFILING_COMMAND_*. 0 if that has not happened yet.
  cl_ulong time(cl_profiling_info param) const;

  // The program looks what it has come to: where that is not to be asked on the device, its end is to be heard of at
  // once from now on.
  cl_int look();
  // The program wants to be told: likewise.
  void watch();

  using Callback = void(CL_CALLBACK*)(cl_event, cl_int, void*);
  // Calls back when the status reaches `at`, on the context's callback thread; at once if it is past.
  void add_callback(cl_int at, Callback callback, void* user_data);

 private:
  cl_ulong followed_until() const;
  bool runs_behind(const Event& earlier) const;
  bool help() const;
  void leave_untold();
  bool wait_for_own_end();
  bool counts_for_use() const;
  enum class Asked : uint8_t { waits, looks };
  void note_asked(Asked how);
  void own_end_has_come(bool at_once = true);
  friend class Graph;
  struct Dependent {
    std::shared_ptr<Event> event;
    bool passes_errors;  // from an event wait list, not from a queue's order
    bool after_end;      // it is planned at our end (Command::comes_after_ends())
  };
  struct PendingCallback {
    cl_int at;
    Callback function;
    void* user_data;
  };

  // Whether anybody can ask when what happened, before it has ended.
  bool is_seen() const;
  void set_status(cl_int status);
  void set_over();
  std::vector<PendingCallback> take_due_callbacks(cl_int status);
  bool advance(cl_int status);
  void tell_running();

  std::atomic<cl_int> status_{CL_QUEUED};
  std::atomic<bool> over_{false};
  std::atomic<bool> user_status_claimed_{false};
  std::atomic<bool> began_{false};
  std::atomic<bool> free_{false};
  std::array<std::atomic<cl_ulong>, 4> times_{};  // queued, submitted, started, ended
  std::atomic<cl_ulong> told_start_{0};           // as devices tell; 0: none has
  std::atomic<uint64_t> given_{0};                // to the device that it runs on, in this order; 0: not yet
  std::atomic<cl_ulong> followed_until_{0};       // what it followed ended then: it began no earlier
  std::mutex callbacks_mutex_;                    // guards callbacks_; nothing else is locked under it
  std::vector<PendingCallback> callbacks_;
  std::shared_ptr<LateTimes> late_times_;      // instead of times_ from the start on; set before the end
  std::atomic<RealDevice*> runs_on_{nullptr};  // the device, or its strand, if it is nothing but a kernel on one
  std::atomic<bool> asked_{false};             // the program has asked for its end
  std::atomic<bool> has_own_end_{false};       // it is to be asked for
  RealDevice* own_end_on_ = nullptr;           // there, then
  std::shared_ptr<Event> leader_;              // that it follows; else nullptr

  // Guarded by the graph's lock.
  std::shared_ptr<Command> command_;
  SmallVector<Dependent, 1> dependents_;
  unsigned unmet_ = 0;      // dependencies that have not ended
  unsigned unplanned_ = 0;  // of these, those that are not planned
  bool planned_ = false;
  std::vector<std::shared_ptr<Event>> followers_;  // end with it
  bool is_awaited_by_others_ = false;              // than its queue: nothing is to make its end later
  const Planner* planning_ = nullptr;              // while it is being planned
  size_t open_ = 0;                                // operations that have not ended
  cl_int error_ = CL_SUCCESS;                      // the first of these
  std::optional<cl_int> result_;                   // it is over, but something it waits for is not
  cl_int ends_with_ = CL_COMPLETE;                 // while it ends
  bool is_over_next_ = false;                      // what follows it ends before
  std::shared_ptr<Event> next_;                    // of those that end, or that are to be planned
  cl_int inherited_ = CL_COMPLETE;                 // error of an event in the wait list
};

}  // namespace samcl
