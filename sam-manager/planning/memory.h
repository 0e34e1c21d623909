// Memory of devices as a resource: what tasks reserve on a device is no more than it has. Pure logic.
#pragma once

#include <optional>
#include <string>
#include <vector>

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

// What a program has of a device's memory, and its task reserved there.
struct MemoryUse {
  uint64_t used = 0, reserved = 0;
  bool is_limited = true;  // its task has deadlines otherwise
};
// What each of the programs that are limited should have at most, bytes, in their order: no more in sum than what the
// tasks whose programs run leave of `memory`. By max-min fairness between twice what each has, so that it may grow, and
// a little; what is left then belongs to all alike. None: nothing is reserved, so that nobody is to keep to anything.
std::optional<std::vector<uint64_t>> memory_limits(uint64_t memory, const std::vector<MemoryUse>& programs);

}  // namespace samcl::planning
