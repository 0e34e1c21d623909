// Virtual events and the commands behind them. Every enqueued command has an Event, handed to the program or
// not; the Graph (graph.h) decides when it may start.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "libsamcl/runtime/object.h"

namespace samcl {

class Context;
class Event;
class Queue;
class Storage;

template <>
struct HandleTraits<Event> {
  static constexpr Kind kKind = Kind::event;
  using Api = cl_event;
};

// A buffer that a command touches while it runs. Exclusive: the command writes it, or moves its contents
// between places; shared: it only reads what is already where it is needed.
struct Use {
  std::shared_ptr<Storage> storage;
  bool exclusive;
};

// Who starts a command.
enum class Starter {
  another_command,  // whose end it waited for; on any thread
  program,          // a thread of the program, in the call that enqueues it
  waiting_program,  // the same, and the call returns only when the command has ended
};

// What an enqueued command does.
class Command {
 public:
  virtual ~Command() = default;

  // The buffers to hold while it runs; asked when all dependencies are met, under the graph's lock, and
  // perhaps again if they were not free. May lock storages; must not call into the graph.
  virtual std::vector<Use> uses() { return {}; }

  // Whether it may start when what it waits for is issued (Graph::issued) but has not ended, because all it does is
  // to give the devices work that comes after theirs. Asked right after uses(), under the same lock.
  virtual bool may_follow() const { return false; }

  // Does the work, or gives it to workers; sooner or later Graph::finish() is called for the event, once.
  // Called without locks.
  virtual void start(const std::shared_ptr<Event>& event, Starter starter) = 0;
};

// A command that does nothing: markers, barriers, migrations.
class EmptyCommand : public Command {
 public:
  void start(const std::shared_ptr<Event>& event, Starter starter) override;
};

class Event : public Object<Event> {
 public:
  Event(std::shared_ptr<Context> context, std::shared_ptr<Queue> queue, cl_command_type type);
  ~Event();

  const std::shared_ptr<Context> context;
  const std::shared_ptr<Queue> queue;  // nullptr for user events
  const cl_command_type type;
  uint32_t number = 0;  // in the trace; 0: it has none (yet). Set when the command starts

  // The program has its handle, and may ask when it ended. Set before the command is submitted.
  bool observed = false;

  // CL_QUEUED, CL_SUBMITTED, CL_RUNNING, CL_COMPLETE or a negative error.
  cl_int status() const { return status_.load(std::memory_order_acquire); }
  bool ended() const { return status() <= CL_COMPLETE; }

  // Blocks until the command ended; its final status.
  cl_int wait() const;

  // The command began to execute on a device, at that time or now; the first call counts.
  void set_running(cl_ulong at);
  void set_running();
  // A part of it ended on a device at that time: it ends no earlier, and that is its end unless something else comes
  // later. For commands that do not know it: when Graph::finish() was called.
  void note_end(cl_ulong at);

  // For user events: true for the first caller, who alone may end it with Graph::finish().
  bool claim_user_status();

  // Whether the program has yet to end a user event that it made: then commands may wait for the program.
  static bool any_user_event_is_open();

  // ns on the host's monotonic clock; param is CL_PROFILING_COMMAND_*. 0 if that has not happened yet.
  cl_ulong time(cl_profiling_info param) const;

  using Callback = void(CL_CALLBACK*)(cl_event, cl_int, void*);
  // Calls back when the status reaches `at`, on the context's callback thread; at once if it is past.
  void add_callback(cl_int at, Callback callback, void* user_data);

 private:
  friend class Graph;
  struct Dependent {
    std::shared_ptr<Event> event;
    bool passes_errors;  // from an event wait list, not from a queue's order
  };
  struct PendingCallback {
    cl_int at;
    Callback function;
    void* user_data;
  };

  void set_status(cl_int status);

  std::atomic<cl_int> status_{CL_QUEUED};
  std::atomic<bool> user_status_claimed_{false};
  std::array<std::atomic<cl_ulong>, 4> times_{};  // queued, submitted, started, ended
  std::atomic<cl_ulong> followed_until_{0};       // what it followed ended then: it began no earlier
  std::mutex callbacks_mutex_;                    // guards callbacks_; nothing else is locked under it
  std::vector<PendingCallback> callbacks_;

  // Guarded by the graph's lock.
  std::shared_ptr<Command> command_;
  std::vector<Dependent> dependents_;
  std::vector<Use> held_;
  unsigned unmet_ = 0;                // dependencies that have not ended
  unsigned unissued_ = 0;             // of these, those that are not issued
  bool started_ = false;              // is to be, or was
  bool issued_ = false;
  std::optional<cl_int> result_;      // it is over, but something it followed is not
  cl_int inherited_ = CL_COMPLETE;    // error of an event in the wait list
  Starter starter_ = Starter::another_command;
};

// Nanoseconds of the host's monotonic clock.
cl_ulong now_ns();

}  // namespace samcl
