// The build options of clBuildProgram, and which of them Clang is to see: those that decide what the source
// means (-D, -U, -I, -cl-std, the ones that define macros). Vendors' own options are for the driver alone.
#pragma once

#include <string>
#include <vector>

namespace samcl::translator {

// The words of an options string: separated by blanks, double quotes keep blanks together, a backslash
// keeps the next character as it is.
std::vector<std::string> split_options(const std::string& options);

// The options among `words` that are passed to Clang, in Clang's own spelling.
std::vector<std::string> options_for_clang(const std::vector<std::string>& words);

// What is left for the driver to see once the source is preprocessed: without -D, -U and -I, whose names
// could otherwise strike the text a second time. Words with blanks are quoted.
std::string options_after_preprocessing(const std::vector<std::string>& words);

// The language version asked for by -cl-std=, e.g. "CL2.0"; empty if none is.
std::string language_version(const std::vector<std::string>& words);

}  // namespace samcl::translator
