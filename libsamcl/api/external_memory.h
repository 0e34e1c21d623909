// cl_khr_external_memory: memory that the driver imports from elsewhere. Such memory objects are its own, of the first
// device's real context, and so are the commands that hand them over.
#pragma once

#include <string_view>

namespace samcl::api {

// The extension's function of that name, for virtual and real queues, or nullptr.
void* external_memory_function(std::string_view name);

}  // namespace samcl::api
