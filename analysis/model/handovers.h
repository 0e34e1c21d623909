// What it costs to pass a link or a GPU on, where a manager does it: the model's resources change hands in no
// time. Measured (sam-managerd --calibrate), and added to the times of stages and sections:
//
//   request  from asking for a resource that is free to having it
//   section  from a holder's giving way at the end of a section to the next one's having the resource
//   wake     from an event to the thread's execution that waits for it
//
// A request of a stage costs its job a request, a section boundary (that which it is given by another's giving
// way, or that at which it gives the resource back to who was interrupted for it, on the resource) and a wake-up
// at its end; a job costs a wake-up at its release. Who waits for a section waits for its boundary too.
#pragma once

#include "analysis/model/task_set.h"

namespace samcl::analysis {

struct Handovers {
  Time request = 0, section = 0, wake = 0;

  // Of each request for a PCI link or GPU.
  Time per_request() const { return request + section + wake; }
  bool operator==(const Handovers&) const = default;
};

// What a job of the task spends on them, apart from what others' sections cost it.
Time own_handovers(const Task& task, const Handovers& handovers);

// Longer stages and sections; the set has passed check().
Task with_handovers(Task task, const Handovers& handovers);

}  // namespace samcl::analysis
