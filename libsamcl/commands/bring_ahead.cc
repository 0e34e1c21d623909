#include "libsamcl/commands/bring_ahead.h"

namespace samcl {

cl_int BringAhead::plan(Planner& planner, const std::shared_ptr<Event>&) {
  for (const Bytes& bytes : bytes_) {
    for (const Halo::Pass& pass : bytes.passes)
      planner.bring(bytes.memory, pass.ranges, pass.to, &kernel_->record.traffic);
    bytes.memory->halo().foreseen(planner.first_group());
  }
  return CL_SUCCESS;
}

void BringAhead::ended(cl_int error) {
  if (error == CL_SUCCESS) return;
  for (const Bytes& bytes : bytes_) {
    for (const Halo::Pass& pass : bytes.passes) {
      for (const Range& range : pass.ranges) bytes.memory->lose_copies(range, pass.to);
    }
  }
}

}  // namespace samcl
