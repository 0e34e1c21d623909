// Gives memory of devices back where the manager says that tasks which reserved it need it: replicas that have not been
// used for longest, whose bytes then are in host memory until a command needs them on the device again.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "libsamcl/lease/lease.h"
#include "libsamcl/objects/command.h"

namespace samcl {

class DeviceSet;
class Storage;

// A command of ours (Graph::enter()): gives back that many bytes of a device's memory, as far as they can be.
std::shared_ptr<Command> eviction(unsigned device, uint64_t bytes);

// The driver has no memory left on a device, whatever a manager says: gives back there the replica that has not been
// used for longest of those that nothing planned uses, at once, on this thread. False: there is none. Under the graph's
// lock, which it keeps while bytes come to host memory.
bool evict_idle(const DeviceSet& set, unsigned device);

// Likewise where planned commands use all of it: sets aside (Storage) what one of them uses that was planned last, but
// for what is needed now. While no operation runs but, perhaps, those that need it.
bool set_aside(const DeviceSet& set, unsigned device, const std::function<bool(const Storage&)>& is_needed);

// From now on, as long as there are contexts, on a thread of its own; a task's program needs none. A new replica makes
// room for itself, too (Planner). Any thread.
void keep_memory_limits(lease::Client& client);

}  // namespace samcl
