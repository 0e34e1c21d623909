// A command that waits for semaphores, or signals them. It is the driver's own, in a real queue of the first device
// that has nothing else (Queue::for_semaphores()), and takes its place in the virtual queue's order as follows:
//
// - The driver gets it when all that comes before it has ended, what is computed on the other devices, too; where that
//   is so when the program enqueues it, then, so that the driver judges it. It would take it sooner, behind a user
//   event of ours; but NVIDIA's never carries out what stands behind one (580.159).
// - Its end, of which a callback tells, is the end of the virtual command. What comes after a wait is not planned
// before.
//
// So no thread waits for a semaphore, and the lanes of the devices go on meanwhile: the signal may come from anywhere.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "libsamcl/objects/queue.h"

namespace samcl::api {

// Gives the driver the command: on that real queue, and with that event.
using SemaphoreCall = std::function<cl_int(cl_command_queue, cl_event*)>;

// type: CL_COMMAND_SEMAPHORE_WAIT_KHR or CL_COMMAND_SEMAPHORE_SIGNAL_KHR. Returns what the enqueue function shall
// return: what `call` said, if it was called, or an error of the wait list. after: what else it comes after. entered:
// its event.
cl_int enqueue_semaphore_command(const std::shared_ptr<Queue>& queue, cl_command_type type, cl_uint wait_count,
                                 const cl_event* waits, const std::vector<std::shared_ptr<Event>>& after,
                                 cl_event* event, SemaphoreCall call, std::shared_ptr<Event>& entered);

}  // namespace samcl::api
