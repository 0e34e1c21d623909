// Of a launch whose parts run on devices with memories of their own: what a device needs to run some of another one's
// part, and how what that wrote comes to where directories say that it is, the device of the part.
//
// A device that has run its own part takes what needs no bytes but those that are there or at the host when the launch
// begins, as what all parts read; and what is proven to write nothing that the rest of the launch writes. Whether that
// pays, SharedWork knows by what it gets from here.
#pragma once

#include <span>
#include <vector>

#include "libsamcl/device/shared_work.h"
#include "libsamcl/objects/bytes.h"
#include "libsamcl/objects/planner.h"
#include "libsamcl/plan/launch_plan.h"

namespace samcl {

class Context;

class TakingOver {
 public:
  // When directories say what is there for the parts, and not yet what these write. All of them outlive it.
  TakingOver(const LaunchRequest& request, const LaunchPlan& plan, Context& context);
  TakingOver(const TakingOver&) = delete;
  TakingOver& operator=(const TakingOver&) = delete;

  SharedWork::Moving moving();
  // What the device of that part may use for others' parts.
  void add_accesses(Planner::Accesses& accesses, size_t part) const;
  // Brings what the device of that part has not for what it took last. For the thread that asks for its pieces.
  cl_int bring(size_t by);

  // When all of the launch has run: brings what others wrote of that part to its device.
  cl_int bring_back(size_t part) const;
  void add_accesses_to_bring_back(Planner::Accesses& accesses, size_t part) const;

 private:
  // Of what parts need.
  struct Found {
    std::vector<Bytes> there, at_host;
  };
  // A box of the NDRange, of what was planned as one part, and of which another device runs all or the rest.
  struct Taken {
    size_t of, by;               // parts
    std::vector<Bytes> brought;  // for it
    std::vector<Bytes> written;
  };
  Found find(size_t part) const;
  bool may_run(size_t by, const GroupBox& taken);
  bool finds_all(Taken& taken, const BufferAccesses& accesses, size_t box) const;
  double moving_ns_per_place() const;

  const LaunchRequest& request_;
  const LaunchPlan& plan_;
  Context& context_;
  std::vector<Found> found_;                  // by part, on its device
  std::vector<std::vector<Bytes>> to_bring_;  // by part
  std::vector<Part> division_;                // who runs what, as far as is known: what is left of each part, and then
  std::vector<Taken> taken_;                  // what was taken
};

}  // namespace samcl
