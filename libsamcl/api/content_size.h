// cl_pocl_content_size: a buffer that holds how many bytes of another have a meaning.
#pragma once

#include <string_view>

namespace samcl::api {

// The extension's function of that name, for virtual and real buffers, or nullptr.
void* content_size_function(std::string_view name);

}  // namespace samcl::api
