// What devices wait for of each other by themselves, as the backend gives them operations (device/timelines.h): which
// come behind which so, and what a queue is given before and after an operation for that.
#pragma once

#include <CL/cl.h>

#include <optional>

#include "libsamcl/device/device_set.h"
#include "libsamcl/device/submission_queue.h"
#include "libsamcl/engine/operation.h"

namespace samcl {

class DeviceOrder {
 public:
  explicit DeviceOrder(DeviceSet& set) : set_(set) {}

  // Of two on drivers' queues of different devices, the first one no call on a thread: whether the second one may be
  // given as soon as the first has been. Under the context's lock, as the next.
  bool keeps(const engine::Node& before, const engine::Node& after) const;
  // The same of two on devices that a manager grants: where the first one is under way, and others are going to be told
  // of it, so that the second one's device, which is held for it, waits for nothing that has no lease yet.
  bool keeps_under_lease(const engine::Node& before, const engine::Node& after) const;
  // It is issued to a driver's queue, where it gets its place: what it is behind on others.
  ReachedList enter(engine::Node& node) const;

  // Under a lease: whether others are told of it, by which they may wait for what came before it, too; such a one is on
  // its way to a queue that is held for it.
  bool tells(const engine::Node& node) const;
  void promise(const engine::Node& node) const { set_.timelines->promise(node.lane.device, node.position); }

  // Whether what it waits for has been given: else nobody would know whether it comes. Any thread, as the next.
  bool may_be_given(const Giving& giving) const;
  // Has that given, as far as may be (SubmissionQueue::drain()).
  bool give_others(const Giving& giving, SubmissionQueue::Lock context) const;

  // By who gives a device's queue its operations. Before one that is no copy between devices, or that copy() left: its
  // device waits.
  cl_int wait(RealDevice& device, const Giving& giving) const;
  // One that is: the device waits and copies; nothing if it does not.
  std::optional<cl_int> copy(RealDevice& device, const engine::Operation& operation, const Giving& giving,
                             const EventWanted& wanted) const;
  // The queue has it; it never will, and nobody is to wait for that.
  void given(RealDevice& device, const engine::Node& node, const Giving& giving) const;
  void given_up(const engine::Node& node) const;
  // That device is lost.
  void let_go(unsigned device) const {
    if (set_.timelines) set_.timelines->let_go(device);
  }

 private:
  bool has(const Reached& after) const;

  DeviceSet& set_;
};

}  // namespace samcl
