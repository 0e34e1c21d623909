// What all clEnqueue* functions share: the wait list, and the command's way into its queue.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "libsamcl/commands/buffer_commands.h"
#include "libsamcl/objects/context.h"
#include "libsamcl/objects/queue.h"

namespace samcl::api {

struct Waits {
  cl_int error = CL_SUCCESS;  // CL_INVALID_EVENT_WAIT_LIST or CL_INVALID_CONTEXT
  std::vector<std::shared_ptr<Event>> events;
};

// Where a manager grants the devices: the calling thread has its task's priority from now on, and waits until the job
// under way has its GPU, and, for a moment, for what is just being given to the driver before it. Before each command.
void join_task(const Context& context);

// The events of a wait list, which must be ours and of this context.
Waits wait_list(const Context& context, cl_uint count, const cl_event* list);

// Waits for a command of ours to end; its status. The thread that ends the process has to do the work itself.
cl_int wait_for(Event& event);

// Waits for what that queue has; as above.
void finish(const Queue& queue);

// Enters a command into a queue. event_out (may be null) gets the event, with a reference for the program. If
// blocking, returns when the command has ended, with its error if it failed.
cl_int enqueue(const std::shared_ptr<Queue>& queue, cl_command_type type, CommandPtr command,
               std::span<const std::shared_ptr<Event>> waits, cl_event* event_out, bool blocking,
               Order order = Order::ordinary);

}  // namespace samcl::api
