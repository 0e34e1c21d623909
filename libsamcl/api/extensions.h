// Extensions under virtual objects. An extension function that takes a handle would be given one of ours, so
// only functions known to work are handed out, and only extensions known to work are shown. What is not
// listed in extensions.cc is hidden: a program then does what it does on a device without the extension.
#pragma once

#include <CL/cl.h>

#include <functional>
#include <string>
#include <string_view>

namespace samcl {

// Whether one extension may be seen.
bool is_visible_extension(std::string_view extension);

// Whether nothing of it concerns kernels, and its objects are the first device's alone.
bool is_of_first_device(std::string_view extension);

// The extensions of a blank-separated list that are kept, in their order, with the blanks that stand before them there;
// where all are kept, the list itself.
std::string filter_extensions(std::string_view extensions,
                              const std::function<bool(std::string_view)>& keep = is_visible_extension);

}  // namespace samcl
