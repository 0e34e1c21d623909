// The program to run: where it is, and whether a library can be preloaded into it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace samcl::run {

// The file that execvp would run for `name`: itself if it has a slash, else the first executable of that name
// in the directories of `path` (as PATH). Errors: not found, a directory, not executable.
Result<std::string> find_program(const std::string& name, const std::string& path);

// Reasons why libsamcl.so will not get into that program, in words for a person; empty if it will: it is
// linked statically, for another kind of machine, or runs with other rights than ours. Looks through `#!`.
std::vector<std::string> preload_obstacles(const std::string& file);

}  // namespace samcl::run
