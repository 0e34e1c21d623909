// Blocking reads and writes of the program's own buffers on its own queue, where it has the driver's objects (one
// device): through pinned chunks and several threads, many times as fast as drivers move pageable memory with one.
//
// Nothing is left after the call but 16 MiB of memory, which the next one finds.
//
// Threads: any; of transfers at one time one goes this way.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <optional>

#include "libsamcl/device/host_transfer.h"

namespace samcl {

// What the driver says; nullopt: the driver's own way has to serve, nothing was done. So it is wherever that is as
// fast (short transfers, memory that is pinned already, devices that share the host's memory) and wherever the driver
// would find something wrong; or where the program asks for an event whose times the queue tells, which would be those
// of a piece. All objects are the driver's.
std::optional<cl_int> transfer_pinned(cl_command_queue queue, Direction direction, cl_mem buffer, size_t offset,
                                      size_t bytes, std::byte* host, cl_uint wait_count, const cl_event* waits,
                                      cl_event* event);

}  // namespace samcl
