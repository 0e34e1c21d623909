// Built-in functions of vendors' extensions that Clang does not declare. Declarations are enough: none of these
// tells a work-item its place among work-groups.
#pragma once

#include <string>
#include <vector>

namespace samcl::translator {

// What the names of a vendor's built-ins begin with: "amd_", ...
const std::vector<std::string>& vendors_with_builtins();

// OpenCL C that declares them; empty for an unknown vendor.
std::string builtins_of_vendor(const std::string& prefix);

}  // namespace samcl::translator
