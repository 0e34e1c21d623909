// Commands that the first device does for all (those within images, shared virtual memory, native kernels): they take
// their place in the virtual queue's order and then run as the driver does them.
#pragma once

#include <functional>
#include <vector>

#include "libsamcl/api/enqueue.h"
#include "libsamcl/objects/buffer.h"

namespace samcl::api {

// What such a command does with a virtual buffer or image.
struct BufferPart {
  std::shared_ptr<Buffer> buffer;
  Rectangle rows;        // relative to the buffer
  bool written = false;  // else it is read
};

// call: enqueues the real command on the given real queue and stores its event. keep_alive: real images, which
// the program may release before the command has run. Returns what the enqueue function shall return.
cl_int enqueue_on_first_device(const std::shared_ptr<Queue>& queue, cl_command_type type, cl_uint wait_count,
                               const cl_event* waits, cl_event* event, bool blocking, std::vector<BufferPart> buffers,
                               const std::vector<cl_mem>& keep_alive,
                               std::function<cl_int(cl_command_queue, cl_event*)> call);

// The same for a command that we would refuse, and the driver perhaps would not: where it can be tried at once, that is
// where nothing waits for the program itself (an open user event, a semaphore), the driver's error is returned, as from
// its own enqueue function; else it becomes the event's status.
cl_int enqueue_as_given(const std::shared_ptr<Queue>& queue, cl_command_type type, cl_uint wait_count,
                        const cl_event* waits, cl_event* event, bool blocking, std::vector<BufferPart> buffers,
                        std::function<cl_int(cl_command_queue, cl_event*)> call,
                        const std::vector<cl_mem>& keep_alive = {});

// Whether the driver made it and the program has it as it is: an image of several samples, or a buffer of properties
// that only the driver knows (memory imported from elsewhere). It lives in the first device's real context.
inline bool is_drivers_own(cl_mem memory) { return memory && !is_virtual(memory); }
cl_int check_drivers_own(const Queue& queue, cl_mem memory);

// A memory object that a command uses, as the program names it.
struct NamedMemory {
  cl_mem handle;
  bool written;
};
// The same for a command on memory objects of which one is the driver's own (is_drivers_own). call is given the real
// ones, in the order of `memory`.
cl_int enqueue_on_drivers_own(const std::shared_ptr<Queue>& queue, cl_command_type type, cl_uint wait_count,
                              const cl_event* waits, cl_event* event, bool blocking, std::vector<NamedMemory> memory,
                              std::function<cl_int(cl_command_queue, const cl_mem*, cl_event*)> call);

// All of a buffer, read, and written as well.
std::vector<BufferPart> all_of(const std::shared_ptr<Buffer>& buffer, bool written);

}  // namespace samcl::api
