// Which benchmark programs there are: those in a folder, told by what they say with --help.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace samcl::bench {

struct Program {
  std::string name;
  std::string path;
  bool has_jobs = false;             // it runs jobs of three phases and knows the options they share
  std::vector<std::string> options;  // its own lines of help: those that not all such programs have
};

// All executables of the folder, by name. Errors: no such folder, or nothing in it.
Result<std::vector<Program>> find_programs(const std::string& folder);

// The named ones in the order of `names`; "all" stands for those that run jobs. Errors: a name that is not
// there (with those that are), or whose program runs no jobs.
Result<std::vector<Program>> choose(const std::vector<Program>& programs, const std::vector<std::string>& names);

// Removes from every program with jobs the lines of help that all of them have. Pure; used by
// find_programs().
void keep_own_options(std::vector<Program>& programs);

}  // namespace samcl::bench
