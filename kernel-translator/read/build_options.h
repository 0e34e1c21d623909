// The build options of clBuildProgram, taken apart into words, and which of them Clang is to see: those that
// decide what the source means (-D, -U, -I, -cl-std, the ones that define macros). Vendors' own options are
// for the driver alone.
#pragma once

#include <string>
#include <vector>

namespace samcl::translator {

// One string of such words; those that need it are quoted.
std::string join_options(const std::vector<std::string>& words);

// The options among `words` that are passed to Clang, in Clang's own spelling.
std::vector<std::string> options_for_clang(const std::vector<std::string>& words);

// What is left for the driver to see once the source is preprocessed: without -D, -U and -I, whose names
// could otherwise strike the text a second time.
std::vector<std::string> options_after_preprocessing(const std::vector<std::string>& words);

// The macros that -D defines and -U undefines.
std::vector<std::string> macros_named(const std::vector<std::string>& words);

// The language version asked for by -cl-std=, e.g. "CL2.0"; empty if none is.
std::string language_version(const std::vector<std::string>& words);

}  // namespace samcl::translator
