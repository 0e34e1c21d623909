// cl_khr_suggested_local_work_size: the local size that the driver would choose for a launch that names none.
#pragma once

#include <string_view>

namespace samcl::api {

// The extension's function of that name, for virtual and real queues, or nullptr.
void* suggested_local_size_function(std::string_view name);

}  // namespace samcl::api
