// What the subcommands on shared GPUs read.
#pragma once

#include <map>
#include <string>

#include "analysis/locking/tardiness.h"
#include "analysis/locking/task_set.h"

namespace samcl::analysis::cli {

// A JSON file as locking/README.md or analysis/README.md has them, or standard input for "-"; errors begin with the
// file's name.
Result<locking::TaskSet> read_locking_set(const std::string& file);

// By their names, for --tardiness.
std::map<std::string, locking::TardinessBound> tardiness_bounds();

}  // namespace samcl::analysis::cli
