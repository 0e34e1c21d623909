// One kernel launch: decided on one device or on several when all before it is planned, and entered as operations.
//
// In parts whose footprint is known, each device gets what it may read, and what it wrote is valid there. What several
// devices may have written is merged: all of them start from the bytes of the host copy, and what they changed is found
// by comparing and brought together there (merge/).
#pragma once

#include <memory>

#include "libsamcl/plan/launch_cost.h"
#include "libsamcl/plan/launch_plan.h"
#include "libsamcl/plan/planner.h"
#include "libsamcl/runtime/event.h"

namespace samcl {

class KernelLaunch : public Command {
 public:
  KernelLaunch(LaunchRequest request, const Context& context);
  ~KernelLaunch() override;

  cl_int plan(Planner& planner, const std::shared_ptr<Event>& event) override;
  void ended(cl_int error) override;
  bool tells_what_will_be() const override;

 private:
  struct State;  // shared with the parts, which may outlive the command for a moment
  class SubLaunch;

  static bool parts_are_of_interest(const LaunchRequest& request, const Context& context);
  void decide(Context& context);
  bool choose_way(Context& context, uint64_t whole_ns);
  void count(const Event& event) const;
  void note_use() const;
  void bring_bytes(Planner& planner) const;
  void run_parts(Planner& planner, const std::shared_ptr<Event>& event) const;
  void note_written() const;
  void merge(Planner& planner, Context& context) const;

  const std::shared_ptr<State> state_;
};

}  // namespace samcl
