// The functions of cl_khr_command_buffer.
#pragma once

#include <CL/cl.h>

#include <optional>
#include <string_view>

namespace samcl::api {

// The version of the extension that the device's driver has; none: it has it not, or a later one than we know.
std::optional<cl_version> command_buffer_version(cl_device_id real);

// The function of that name, for programs that use that version; nullptr: it is none of the extension's.
void* command_buffer_function(std::string_view name, cl_version version);

}  // namespace samcl::api
