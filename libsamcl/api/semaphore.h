// cl_khr_semaphore and cl_khr_external_semaphore: the program's semaphores are the driver's own, of the first device's
// real context, and may be signalled from outside of OpenCL.
#pragma once

#include <string_view>

namespace samcl::api {

// The extensions' function of that name, for virtual and real objects, or nullptr.
void* semaphore_function(std::string_view name);

}  // namespace samcl::api
