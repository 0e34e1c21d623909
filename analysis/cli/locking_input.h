// What the subcommands on shared GPUs read.
#pragma once

#include <string>

#include "analysis/locking/task_set.h"

namespace samcl::analysis::cli {

// A JSON file, or standard input for "-"; errors begin with the file's name.
Result<locking::TaskSet> read_locking_set(const std::string& file);

}  // namespace samcl::analysis::cli
