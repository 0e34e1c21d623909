#include "libsamcl/runtime/process_end.h"

#include <unistd.h>

#include <cstdlib>

#include "libsamcl/runtime/context.h"
#include "libsamcl/runtime/report.h"

namespace samcl {
namespace {

// A kernel that never ends must not keep the process from ending.
constexpr int kPatienceMs = 5000;

pid_t arranged_by = 0;

void at_process_end() {
  if (getpid() != arranged_by) return;  // a forked child has none of our threads, and nothing to report
  Worker::start_no_more_jobs();
  Context::drain_all(kPatienceMs);
  report::write();
}

}  // namespace

void arrange_process_end() {
  static const bool once = [] {
    arranged_by = getpid();
    return std::atexit(at_process_end) == 0;
  }();
  static_cast<void>(once);
}

}  // namespace samcl
