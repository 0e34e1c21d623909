// What a program did under samcl, as its trace (libsamcl/runtime/trace.h) tells it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace samcl::profile {

using Time = int64_t;  // ns of the host's monotonic clock

enum class Resource : uint8_t { link, gpu, host };

// A device (or the host, for merging) at work for a command.
struct Span {
  Resource resource = Resource::host;
  unsigned device = 0;
  Time begin = 0, end = 0;
  uint64_t bytes = 0;
  unsigned pieces = 1;  // slices or chunks
  Time longest_piece = 0;
};

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
