// Running a program once, bare or under samcl.
#pragma once

#include "benchmarks/harness/catalogue.h"
#include "benchmarks/harness/measurement.h"

namespace samcl::bench {

struct Settings {
  std::string sam_run;                 // its path
  unsigned warmup = 2, jobs = 10;      // per execution
  bool small = false;                  // the programs' size for tests
  double limit_s = 600;                // a program that takes longer is killed
  std::vector<std::string> arguments;  // more for the programs
};

// Fills in the rest of `run`, whose program is `program`. Whatever goes wrong is its outcome.
Execution execute(const Program& program, Execution run, const Settings& settings);

}  // namespace samcl::bench
