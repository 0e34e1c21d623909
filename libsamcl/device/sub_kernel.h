// A part of a launch, as a device runs it.
#pragma once

#include <CL/cl.h>

#include <atomic>
#include <cstdint>
#include <optional>

#include "contract/ndrange.h"
#include "libsamcl/cost/piece_times.h"
#include "libsamcl/device/real_device.h"
#include "libsamcl/device/room.h"
#include "libsamcl/device/shared_work.h"
#include "libsamcl/engine/operation.h"

namespace samcl {

class SubKernel : public engine::KernelWork {
 public:
  // Gives the real kernel its arguments. For the device's lane only, like enqueue().
  virtual cl_int prepare(RealDevice& device) = 0;
  // Enqueues a piece of box() on the device's compute queue.
  virtual cl_int enqueue(RealDevice& device, const GroupBox& piece, const EventWanted& wanted) = 0;

  virtual GroupBox box() const = 0;
  // Whether an argument is that memory object's.
  virtual bool uses(const Storage& memory) const = 0;
  // Whether it may run in pieces, one after another. nullptr: it may not.
  struct Slicing {
    uint64_t least_groups;          // that keep the device busy
    std::atomic<uint64_t>& slices;  // counted
  };
  virtual const Slicing* slicing() const = 0;
  // It is about to run alone on a device that a manager grants: from now on it may run in pieces, if it can.
  virtual void slice(const RealDevice& /*device*/) {}
  // Where devices may run pieces of each other's parts: what they take from, as which of them. Needs slicing(). Not
  // under a manager.
  struct Shared {
    SharedWork& work;
    size_t part;
  };
  virtual std::optional<Shared> shared() const { return std::nullopt; }
  // Then, before its device runs pieces of another one's part: brings what they need and is not there. Blocks.
  virtual cl_int bring_for_others() { return CL_SUCCESS; }

  // What is known of how long it takes on its device, for a number of work-items; that of a piece.
  virtual PieceTimes& times() const = 0;
  virtual uint64_t work_items(const GroupBox& piece) const = 0;

  // Whether, and when, the device has to tell exactly when it ran.
  virtual Giving::Times times_wanted() const = 0;
  // Whether it is to begin when what it comes after on other devices has ended, as far as the host knows: a driver may
  // count what its device waits for others as the kernel's time (NVIDIA's does).
  virtual bool begins_apart() const { return false; }
  // It is not to be timed for what the runtime wants to learn: it is about to be given.
  virtual void need_no_time() {}
  // Whether the program, which has its event, may ask for its end when others are behind it.
  virtual bool is_asked_for() const { return true; }
  // It has begun; it has run. Any thread, without the context's lock.
  virtual void began(const RunTimes& run) = 0;
  virtual void ran(const RealDevice& device, const RunTimes& run) = 0;
  // What ran together with it took much longer than was expected, as far as the host sees. Under a manager.
  virtual void took_longer() { times().doubt(); }
};

// Runs it to its end, in slices where a manager grants the device. Blocks; for the device's compute lane. room: for
// what has not begun. Where it is shared: until nothing of the launch is left to take.
cl_int run_to_end(SubKernel& kernel, RealDevice& device, const Room& room = {});

}  // namespace samcl
