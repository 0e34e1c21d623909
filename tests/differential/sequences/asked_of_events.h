// What a host asks of events beside waiting for them, and what must be answered. All throw Wrong.
#pragma once

#include <CL/cl.h>

#include <span>

namespace sequences {

// In ns, on one line for all commands of a device.
struct Times {
  cl_ulong started = 0, ended = 0;
};

// Of a complete command of a queue that takes times: queued, submitted, started and ended in this order, none of them
// 0.
Times times_of(cl_event event);

// Of a user event, or a queue that does not.
void has_no_times(cl_event event);

// Asks for the events' status until all are complete; no status may go back.
void poll(std::span<const cl_event> events);

void is_of(cl_event event, cl_command_type type, cl_command_queue queue);

}  // namespace sequences
