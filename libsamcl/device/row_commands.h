// Rows of bytes by the driver's rectangle commands, in pieces that every driver copies right.
#pragma once

#include <CL/cl.h>

#include <cstddef>

#include "base/rectangle.h"

namespace samcl {

enum class Direction : bool;

// Between a buffer and host memory. blocking: returns when all is done, else without waiting. event: of the last piece;
// nullptr if none is wanted.
cl_int enqueue_rows(cl_command_queue queue, Direction direction, cl_mem buffer, const Rectangle& rows, std::byte* host,
                    const Rectangle& host_rows, bool blocking, cl_event* event);

// Between buffers, without waiting.
cl_int enqueue_rows(cl_command_queue queue, cl_mem from, cl_mem to, const Rectangle& source, const Rectangle& target,
                    cl_event* event);

}  // namespace samcl
