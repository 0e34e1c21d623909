// A self-test: part of a launch, run on one device of each kind from the same bytes before the launch itself changes
// them, and what they wrote compared. The kernel's SelfTests learn what came out.
//
// Each device works on copies of what the kernel may write; what it only reads is brought to it as for a launch. The
// operations are the launch's own: under a manager they have leases and run in slices like it, and the program sees the
// launch end when they have. So a test costs the bytes that the tested part of the launch uses, once to each kind's
// device and what it writes back, and as long as the slowest of the devices computes on it.
//
// A test that cannot be done changes nothing for the program: kinds that nothing is known of stay apart.
#pragma once

#include <memory>
#include <vector>

#include "libsamcl/cost/self_tests.h"
#include "libsamcl/objects/event.h"
#include "libsamcl/objects/planner.h"
#include "libsamcl/plan/launch_plan.h"

namespace samcl {

class SelfTest : public std::enable_shared_from_this<SelfTest> {
 public:
  // Enters the test of a launch that could run in these parts. devices: one of each kind, the first kind's first;
  // expected_ns: of the whole launch on one device, 0: unknown. Under the graph's lock. An error of planning leaves the
  // launch to go on without it.
  static void enter(Planner& planner, const std::shared_ptr<Event>& event, const LaunchRequest& request,
                    const LaunchPlan& split, const std::vector<unsigned>& devices, uint64_t expected_ns);

  // For make_shared(), through enter().
  SelfTest(const LaunchRequest& request, const LaunchPlan& split, const std::vector<unsigned>& devices,
           uint64_t expected_ns);
  ~SelfTest();

 private:
  class Run;
  // What one device does.
  struct Side {
    unsigned device;
    std::shared_ptr<Arguments> arguments;          // the launch's, with copies for what is written
    std::vector<std::shared_ptr<Storage>> copies;  // one for each of written_
    std::unique_ptr<Run> run;
  };
  struct Written {
    BufferAccess access;
    std::vector<Range> uses, writes;  // of the storage
  };

  Kernel& kernel() const { return *request_.kernel; }
  bool has_memory(const Context& context) const;
  void copy_what_is_written(Planner& planner, const std::shared_ptr<Context>& context, Side& side) const;
  void run(Planner& planner);
  void compare(Planner& planner);
  void judge();

  const LaunchRequest request_;
  const Ndrange ndrange_;
  const bool pass_local_;
  const GroupBox box_;
  BufferAccesses accesses_;  // of the tested part
  std::vector<Written> written_;
  std::vector<Side> sides_;
};

}  // namespace samcl
