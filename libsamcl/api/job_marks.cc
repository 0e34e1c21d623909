// What samcl/samcl.h finds by name.
#include "libsamcl/runtime/trace.h"

#pragma GCC visibility push(default)
extern "C" {

void samcl_mark_job_begin() {
  samcl::trace::mark_job(true);
}
void samcl_mark_job_end() {
  samcl::trace::mark_job(false);
}
}
#pragma GCC visibility pop
