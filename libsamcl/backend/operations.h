// How each kind of operation is done: by commands of the driver on a device's lane, or by copying host memory.
#pragma once

#include <CL/cl.h>

#include <span>

#include "base/rectangle.h"
#include "libsamcl/device/compute_queues.h"
#include "libsamcl/engine/operation.h"

namespace samcl {

class DeviceSet;
class RealDevice;

// Does it and waits for its end. Returns the driver's code, or CL_OUT_OF_HOST_MEMORY.
cl_int execute(DeviceSet& set, engine::Lane lane, const engine::Operation& operation);

// Whether a thread does it on a device's lane, and enqueues what it needs on the device's queue, also where the
// driver's queue does what else there is.
bool needs_thread(const engine::Operation& operation);

// What a device takes for what it moves in its own memory, or gets from another's, ns: taken to be no slower than it
// is. 0: it needs the host or a link to it.
uint64_t local_ns(const engine::Operation& operation);
// The same for what comes over the link, too, where the device runs far: else others come first there.
uint64_t moving_ns(const engine::Operation& operation, const RealDevice& device);
// Whether it is an upload. A driver may read host memory in the call that gives it the command (NVIDIA's up to 64 KiB),
// whatever the device waits for then.
bool reads_host_memory(const engine::Operation& operation);

// What a device copies of another one's memory, or for it: from which of its memory objects to which.
struct PeerCopy {
  cl_int error = CL_SUCCESS;  // of what they could not be had for
  cl_mem from = nullptr, to = nullptr;
  std::span<const Range> ranges;
  bool packs = false, unpacks = false;  // in a window they lie one behind the other
  Traffic* traffic = nullptr;

  RectanglePairs pairs() const;
};
// The operation lives as long.
PeerCopy peer_copy(const engine::Exchange& between_devices, unsigned device);
PeerCopy peer_copy(const engine::WindowCopy& copy, unsigned device);

// Enqueues it on the compute queue of its lane's device, which is asynchronous; *event: its end (nullptr: nobody wants
// it). Short transfers, fills and copies; not for kernels and calls.
cl_int enqueue(DeviceSet& set, engine::Lane lane, const engine::Operation& operation, const EventWanted& wanted);

}  // namespace samcl
