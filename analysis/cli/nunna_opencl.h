// The OpenCL program that `experiment nunna` runs, as a child process, and what it says it took.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace samcl::analysis::cli {

// Times in ms, those of jobs are medians.
struct OpenClTimes {
  double job = 0;        // from input in host memory to result in host memory: kernels and all transfers
  double kernels = 0;    // sum over the job's kernels, by the device's clock
  double transfers = 0;  // sum over its transfers, likewise
  double build = 0;      // compiling, once
  double set_up = 0;     // all else that is done once: opening the device, buffers, the input
};

struct OpenClAnswer {
  std::string device;
  OpenClTimes times;
  bool passed = false;  // its result is that of the plain implementation
};

// Runs the command, which is to print its results as JSON in its last line (benchmarks/host/run.h), for at
// most `limit_s` seconds. Errors name the program and say whether it is missing, failed, was killed at the
// limit, or was not understood.
Result<OpenClAnswer> run_opencl(const std::vector<std::string>& command, double limit_s);

}  // namespace samcl::analysis::cli
