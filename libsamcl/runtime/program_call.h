// What each call of the program into OpenCL begins and ends with.
#pragma once

#include "libsamcl/runtime/worker.h"

namespace samcl {

// On the program's thread, outside all locks of ours: does the jobs that no thread of ours will do.
class ProgramCall {
 public:
  ProgramCall() { Worker::run_stranded(); }
  ~ProgramCall() { Worker::run_stranded(); }
  ProgramCall(const ProgramCall&) = delete;
  ProgramCall& operator=(const ProgramCall&) = delete;
};

}  // namespace samcl
