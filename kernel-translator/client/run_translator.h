// Running sam-translate as a child process, without the host program's noticing.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace samcl {

// Runs program (arguments[0]) with `input` on its standard input and gives what it printed on its standard
// output. Its environment is ours less LD_PRELOAD, OPENCL_LAYERS and SAMCL_*. Errors: it can't be started,
// took longer than timeout_ms (it is killed), or printed nothing; then its first diagnostic is told.
// died: set to whether it crashed or took too long. Thread-safe; raises no SIGPIPE; needs no SIGCHLD handling of the
// host program.
Result<std::string> run_translator(const std::vector<std::string>& arguments, const std::string& input, int timeout_ms,
                                   bool* died = nullptr);

}  // namespace samcl
