// Counting an experiment from the command line: journal, progress bar, Ctrl-C, threads, and processes under
// MPI.
#pragma once

#include <optional>
#include <string>

#include "analysis/experiment/blocks.h"
#include "base/result.h"

namespace samcl::analysis::cli {

struct Counting {
  int threads = 1;
  std::string out;  // the journal is OUT.part
  bool mpi = false;
};

// Sums by point. Nothing in a process that MPI started to help another one: it has nothing more to do. An
// interrupted experiment is an error that says how to go on.
Result<std::optional<std::vector<Counts>>> count(const BlockExperiment& experiment, const Counting& how);

// Removes the journal, when the results are written.
void forget(const Counting& how);

}  // namespace samcl::analysis::cli
