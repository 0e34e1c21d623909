// What every command did on which device and when, kept while the program runs and written as JSON at its end
// if SAMCL_TRACE names a file. sam-profile makes tasks of it. Off, a command costs one look at a flag per
// step.
//
// Any thread. What is kept is bounded (kMostRecords of each kind); what comes later is counted as dropped.
//
// The file: {"format": "samcl-trace 1", "process", "managed", "dropped", "activities": [...], "names": [...],
// and three tables, each
// {"columns": [...], "rows": [[...], ...]}; times in ns of the host's monotonic clock}
//   commands  number, type (cl_command_type), name (index in names: the kernel, or 0), queued, submitted,
//   started,
//             ended, status (0, or OpenCL's error)
//   spans     command (number), activity (index in activities), device, begin, end, bytes, pieces (slices or
//   chunks), longest_piece (ns) marks     begin (1: a job begins, 0: it ends), time
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace samcl {

class Event;

namespace trace {

// What a span occupies: a device's link (upload, download), the device under its lease (kernel, image), the
// device without one (local: fills and copies), or the host (merge).
enum class Activity : uint8_t { upload, download, kernel, image, local, merge };

constexpr size_t kMostRecords = 1 << 19;

// Whether anybody will read it.
bool on();

// Number of a command; 0: none. Given when it starts, in that order.
using CommandNumber = uint32_t;

// Says on whose behalf this thread works as long as the object lives; spans are that command's.
class OnBehalfOf {
 public:
  explicit OnBehalfOf(CommandNumber command);
  // Gives the command its number if it has none.
  explicit OnBehalfOf(Event& event);
  ~OnBehalfOf();
  OnBehalfOf(const OnBehalfOf&) = delete;
  OnBehalfOf& operator=(const OnBehalfOf&) = delete;

 private:
  CommandNumber before_ = 0;
};
// On whose behalf this thread works.
CommandNumber current();

// From its construction to its destruction a device (or the host) did something. To be made when the resource
// is ours: waiting for it is not part of the span.
class Span {
 public:
  Span(Activity activity, unsigned device, uint64_t bytes = 0);
  ~Span();
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

  // A slice or chunk that began then has just ended. A span without is one piece.
  void piece_since(cl_ulong begin);

 private:
  const bool on_;
  const Activity activity_;
  const unsigned device_;
  const uint64_t bytes_;
  cl_ulong begin_ = 0, longest_piece_ = 0;
  uint32_t pieces_ = 0;
};

// The span of a kernel that ran while nobody waited for it.
void add_kernel(const Event& event, unsigned device, cl_ulong begin, cl_ulong end);

// The kernel that the command launches.
void name_command(const Event& event, const std::string& kernel);

// The command has ended; its event knows its times.
void command_ended(const Event& event);

// The program says that a job begins, or ends (samcl/samcl.h).
void mark_job(bool begin);

// Writes the file. Called once, at the end of the process. A process that recorded nothing writes nothing.
void write();

}  // namespace trace
}  // namespace samcl
