// Mapping shared virtual memory, by its address or through a buffer on it: the first device's driver does it.
#pragma once

#include <CL/cl.h>

#include <memory>

#include "libsamcl/objects/buffer.h"
#include "libsamcl/objects/queue.h"

namespace samcl::api {

// `rows` of the storage behind `buffer`, which is shared virtual memory; noted as a mapping of the buffer if that
// succeeds.
cl_int map_svm(const std::shared_ptr<Queue>& queue, cl_command_type type, cl_bool blocking,
               const std::shared_ptr<Buffer>& buffer, const Buffer::Mapping& mapping, cl_uint wait_count,
               const cl_event* waits, cl_event* event);
// The end of one that the buffer has forgotten.
cl_int unmap_svm(const std::shared_ptr<Queue>& queue, cl_command_type type, const std::shared_ptr<Buffer>& buffer,
                 const Buffer::Mapping& mapping, cl_uint wait_count, const cl_event* waits, cl_event* event);

}  // namespace samcl::api
