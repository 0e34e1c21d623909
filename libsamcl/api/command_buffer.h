// The functions of cl_khr_command_buffer.
#pragma once

#include <CL/cl.h>

#include <string_view>

namespace samcl::api {

// The function of that name, for programs; nullptr: it is none of the extension's.
void* command_buffer_function(std::string_view name);

// Whether the device's driver has the extension as we know it: later versions have functions of other signatures.
bool has_command_buffers(cl_device_id real);

}  // namespace samcl::api
