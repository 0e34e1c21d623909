// Memory of devices as a resource: what tasks reserve on a device is no more than it has. Pure logic.
#pragma once

#include <string>

#include "sam-manager/planning/assignment.h"

namespace samcl::planning {

// The devices on which a task's memory counts, as indices: those of the plan; for a task without a profile,
// or one whose jobs use any, those that it may use, all of them, since which it will use is not known before it runs.
std::vector<size_t> devices_of(const registry::Task& task, const Assignment& plan, const Machine& machine);

// On each device, bytes.
std::vector<uint64_t> reserved_memory(const std::map<std::string, registry::Task>& tasks, const Assignment& plan,
                                      const Machine& machine);

// Why the tasks' reservations do not fit on a device on which the newcomer reserves memory; "" if they do, or
// as far as is known. Devices of which nobody told how much memory they have are left out.
std::string memory_objection(const std::map<std::string, registry::Task>& tasks, const Assignment& plan,
                             const Machine& machine, const registry::Task& newcomer);

}  // namespace samcl::planning
