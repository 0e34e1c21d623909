// Launches with arguments that were taken earlier.
#pragma once

#include <CL/cl.h>

#include <memory>

#include "libsamcl/objects/queue.h"
#include "libsamcl/program/kernel.h"

namespace samcl::api {

// clEnqueueNDRangeKernel with these arguments instead of those that the kernel has now.
cl_int enqueue_launch(const std::shared_ptr<Queue>& queue, const std::shared_ptr<Kernel>& kernel,
                      std::shared_ptr<const Arguments> arguments, cl_uint dimensions, const size_t* offset,
                      const size_t* global, const size_t* local, cl_uint wait_count, const cl_event* waits,
                      cl_event* event);

}  // namespace samcl::api
