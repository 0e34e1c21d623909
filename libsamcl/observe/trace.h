// What every command did on which device and when, for people and for sam-profile: written while the program runs to
// the file that SAMCL_TRACE names, as Chrome's trace events (base/trace_events.h). And what every command was planned
// to do, for the picture that SAMCL_PLAN names (observe/plan_graph.h). Off, each step costs one look at a flag.
//
// Rows of a process:
//   threads of the program   its OpenCL calls; calls that only ask or set are left out if they are short
//   device N: compute, up, down, calls; host   operations, one after another, named for what they do, and inside them:
//                            waits for leases, and what occupied the device or link (category "resource"; arguments
//                            activity, device, command, bytes, pieces and longest_piece in ns; CPU time in ns that its
//                            thread used, thread_cpu, and all of the process, process_cpu and longest_piece_cpu; or,
//                            where no thread of ours was at it, the most that it can be, most_cpu), in slices or chunks
//   commands                 from enqueueing to end (begin and end events of category "command"; arguments of the end
//                            event: type, queued, submitted, started in ns, status). They overlap.
//   jobs                     as the program marks them (samcl/samcl.h), of category "job"
// Arrows lead from calls to the first operation of their commands, and from each operation to those that waited for it.
// Among the events that name things (M), one has an argument "format", one "managed" if a manager granted the devices,
// and the last "dropped": how many lines found no place in the file.
//
// Any thread. Nothing here throws: an event for which there is no memory is lost.
#pragma once

#include <CL/cl.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/clock.h"
#include "libsamcl/engine/operation.h"
#include "libsamcl/observe/observed.h"

namespace samcl {

namespace trace {

// What is wanted, as a sum.
enum : unsigned { kTrace = 1, kPlan = 2, kNotRead = 4 };
inline std::atomic<unsigned> wanted_flags{kNotRead};
unsigned read_settings();
inline unsigned wanted() {
  const unsigned flags = wanted_flags.load(std::memory_order_relaxed);
  return flags & kNotRead ? read_settings() : flags;
}
// Whether there is a trace, or commands and operations are of interest at all.
inline bool on() { return wanted() & kTrace; }
inline bool observes() { return wanted() != 0; }

// What a span occupies: a device's link (upload, download), the device under its lease (kernel, image), the
// device without one (local: fills and copies), or the host (merge).
enum class Activity : uint8_t { upload, download, kernel, image, local, merge };

// Number of a command; 0: none. Given when it is enqueued, in that order.
using CommandNumber = uint32_t;

// ---- Commands. Under the graph's lock ----

// Its number; 0 if nobody observes.
CommandNumber submitted(cl_command_type type);
// Before its operations are entered: the kernel that it launches, and why on no more devices.
void name_command(CommandNumber number, const std::string& kernel, const std::string& why_not_more);
// queued: when it was, in ns.
void planned(CommandNumber number, cl_ulong queued);

// A command that has ended. Times in ns.
struct EndedCommand {
  CommandNumber number;
  cl_int status;
  bool is_managed;  // a manager grants its devices
  cl_ulong queued, submitted, started, ended;
};
void command_ended(const EndedCommand& ended);

// ---- Operations ----

// A node was entered that comes after these; under the context's lock, before it can run.
void entered(const engine::NodePtr& node, std::vector<observe::Use> uses, std::span<const engine::NodePtr> after);
// It ran, on a thread of its lane or, if nobody waited for it, in the driver's queue.
enum class By : uint8_t { thread, driver };
void ran(const engine::Node& node, By by, cl_ulong began, cl_ulong ended, cl_int status);

// Says on whose behalf this thread works as long as the object lives: spans are that operation's.
class OnBehalfOf {
 public:
  explicit OnBehalfOf(const engine::Node& node, By by = By::thread);
  explicit OnBehalfOf(CommandNumber command);
  ~OnBehalfOf();
  OnBehalfOf(const OnBehalfOf&) = delete;
  OnBehalfOf& operator=(const OnBehalfOf&) = delete;

  struct Whose {
    CommandNumber command = 0;
    uint64_t row = 0;  // 0: the thread's own
  };

 private:
  Whose before_;
};

// From its construction to its destruction a device (or the host) did something. To be made when the resource
// is ours: waiting for it is not part of the span.
class Span {
 public:
  Span(Activity activity, unsigned device, uint64_t bytes = 0);
  ~Span();
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

  // A slice or chunk that began then has just ended. A span without is one piece. One thread at a time, any.
  void piece_since(cl_ulong begin);

 private:
  const bool on_;
  const Activity activity_;
  const unsigned device_;
  const uint64_t bytes_;
  cl_ulong begin_ = 0, longest_piece_ = 0;
  // CPU time of the thread, and of the process: at the begin, and at the last piece's end.
  uint64_t thread_cpu_ = 0, process_cpu_ = 0, piece_cpu_ = 0, longest_piece_cpu_ = 0;
  std::pair<cl_ulong, cl_ulong> first_piece_;
  uint32_t pieces_ = 0;
  OnBehalfOf::Whose whose_;  // that all of it is shown as
};

// A slice of its own on this thread's row.
void add_slice(const char* name, const char* category, cl_ulong begin, cl_ulong end);

// What `call` returns (a lease); the time it takes is a wait, unless there was next to none.
template <typename Call>
auto waiting(const char* name, Call call) {
  struct Wait {
    const char* const name;
    const cl_ulong begin = on() ? now_ns() : 0;
    ~Wait() {
      if (begin == 0) return;
      if (const cl_ulong end = now_ns(); end - begin >= 1000) add_slice(name, "wait", begin, end);
    }
  } const wait{name};
  return call();
}

// A call of the program into OpenCL. is_minor: it only asks or sets, and is of interest only if it takes long.
class Call {
 public:
  Call(const char* name, bool is_minor) : name_(on() ? name : nullptr), is_minor_(is_minor) {
    if (name_) [[unlikely]]
      begin();
  }
  ~Call() {
    if (name_) [[unlikely]]
      end();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  void begin();
  void end();

  const char* const name_;
  const bool is_minor_;
  bool is_inner_ = false;
  cl_ulong begin_ = 0;
};

// The program says that a job begins, or ends (samcl/samcl.h).
void mark_job(bool begin);

// Ends the trace's file and writes the plan's. Called once, at the end of the process. A process that recorded nothing
// writes nothing.
void write();

}  // namespace trace
}  // namespace samcl
