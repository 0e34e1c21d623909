// What each call of the program into OpenCL begins and ends with.
#pragma once

#include "libsamcl/observe/trace.h"
#include "libsamcl/threads/worker.h"

namespace samcl {

// On the program's thread, outside all locks of ours: does the jobs that no thread of ours will do, and is seen in
// the trace.
class ProgramCall {
 public:
  ProgramCall(const char* name, bool is_minor) : traced_(name, is_minor) { Worker::run_stranded(); }
  ~ProgramCall() { Worker::run_stranded(); }
  ProgramCall(const ProgramCall&) = delete;
  ProgramCall& operator=(const ProgramCall&) = delete;

 private:
  const trace::Call traced_;
};

}  // namespace samcl
