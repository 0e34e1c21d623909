// Rows of bytes by the driver's rectangle commands, in pieces that every driver copies right.
#pragma once

#include <CL/cl.h>

#include <cstddef>

#include "base/rectangle.h"

namespace samcl {

// Between a buffer and host memory, without waiting. event: of the last piece; nullptr if none is wanted.
cl_int enqueue_rows(cl_command_queue queue, bool up, cl_mem buffer, const Rectangle& rows, std::byte* host,
                    const Rectangle& host_rows, cl_event* event);

// Between buffers.
cl_int enqueue_rows(cl_command_queue queue, cl_mem from, cl_mem to, const Rectangle& source, const Rectangle& target,
                    cl_event* event);

}  // namespace samcl
