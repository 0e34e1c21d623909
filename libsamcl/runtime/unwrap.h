// From the program's handles to the driver's: every function returns a handle that is not ours unchanged.
#pragma once

#include <CL/cl.h>

namespace samcl {

inline cl_device_id unwrap(cl_device_id handle) { return handle; }
inline cl_context unwrap(cl_context handle) { return handle; }
inline cl_command_queue unwrap(cl_command_queue handle) { return handle; }
inline cl_mem unwrap(cl_mem handle) { return handle; }
inline cl_program unwrap(cl_program handle) { return handle; }
inline cl_kernel unwrap(cl_kernel handle) { return handle; }
inline cl_event unwrap(cl_event handle) { return handle; }

}  // namespace samcl
