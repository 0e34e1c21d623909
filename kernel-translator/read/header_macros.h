// The macros of Clang's OpenCL header as the first pass sees them: each is defined, so that the program's #ifdef
// finds it, and stands for its own name, so that the text keeps it for the driver. Integers whose value the
// standard fixes (CHAR_BIT, INT_MAX, FLT_DIG, ...) stand for it, so that #if can compare them.
#pragma once

#include <string>

namespace samcl::translator {

// The text to include; conditional directives are the header's.
const std::string& header_macros();

}  // namespace samcl::translator
