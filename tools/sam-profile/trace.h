// What a program did under samcl, as its trace (libsamcl/observe/trace.h) tells it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace samcl::profile {

using Time = int64_t;  // ns of the host's monotonic clock

inline constexpr Time kNotTold = -1;

enum class SpanKind : uint8_t { link, gpu, host };

// A device (or the host, for merging) at work for a command.
struct Span {
  SpanKind kind = SpanKind::host;
  unsigned device = 0;
  Time begin = 0, end = 0;
  uint64_t bytes = 0;
  unsigned pieces = 1;  // slices or chunks
  Time longest_piece = 0;
  // CPU time: of its thread, and of the whole process while it lasted. kNotTold: the trace does not say.
  Time thread_cpu = kNotTold, process_cpu = kNotTold, longest_piece_cpu = kNotTold;
  // That it may have needed: the process's, without what others used that lasted at the same time.
  Time host = kNotTold;
};

// Tells the `host` of spans whose threads' time is known. Spans that last at the same time count for as much of the
// process's time as their threads surely used meanwhile: what they used in all, less the time that they lasted besides.
void attribute_cpu_time(std::vector<Span*> spans);

struct Command {
  unsigned type = 0;   // cl_command_type
  std::string kernel;  // empty if it launches none
  Time queued = 0, ended = 0;
  std::vector<Span> spans;  // by begin
};

struct Mark {
  bool begin = false;
  Time time = 0;
};

struct Trace {
  bool managed = false;
  uint64_t dropped = 0;
  std::vector<Command> commands;  // those that succeeded, in the order the program gave them
  std::vector<Mark> marks;        // by time
};

// Errors: no trace, or not of this version; what is missing is named.
Result<Trace> parse_trace(const std::string& text);

}  // namespace samcl::profile
