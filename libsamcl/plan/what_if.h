// A program that runs on one device, followed on machines that are imagined: each of its launches is planned there as
// on a real machine, over directories of that machine's own, and costs what the planner says that it costs. As on a
// real machine a program begins on one device there, and goes over to several and back as cost/ways.h has it; and a
// kernel has parts only once it has taken as long as they take to build (cost/parts_build.h).
//
// Guarded, but for wanted() and took(), by the lock of the context's graph.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <vector>

#include "libsamcl/cost/imagined_machines.h"
#include "libsamcl/cost/moving.h"
#include "libsamcl/plan/launch_cost.h"

namespace samcl {

class WhatIf {
 public:
  explicit WhatIf(ImaginedMachines machines);

  // Of this process; nullptr unless SAMCL_WHAT_IF asks for it. Any thread.
  static WhatIf* wanted();

  // One launch on each machine, as far as it is known before it has run.
  struct Launch {
    struct On {
      bool is_split = false;
      bool is_unbuilt = false;  // it may be split, but its parts are not built yet
      unsigned parts = 1;
      double share = 1;        // of what one device computes: the longest part
      uint64_t moving_ns = 0;  // and starting parts
    };
    std::vector<On> on;
  };
  // The same on all machines. whole: in one piece; whole_ns: what one device is expected to compute, 0: nothing is
  // known.
  Launch follow(const LaunchRequest& request, const LaunchPlan& whole, const Context& context, uint64_t whole_ns);
  // The program has waited for what it launched.
  void waited();
  // It ran, and computed that long. Any thread.
  void took(const Launch& launch, uint64_t ns);

  // The program's own commands. keep: the host has the bytes then, too.
  void read(Storage& storage, std::span<const Range> ranges, const TransferRates& measured, bool keep);
  void filled_with_zeros(Storage& storage, Range range);
  void copied(Storage& from, Range source, Storage& to, uint64_t target);

  const std::vector<unsigned>& devices() const { return machines_.devices; }

 private:
  // A machine, as far as the program has come there.
  struct Machine {
    Ways ways;
    std::atomic<uint64_t> clock_ns{0};  // what launches have taken there
    // By program: when the parts of its kernels are built.
    std::map<std::weak_ptr<const Build>, uint64_t, std::owner_less<>> built;
    std::map<const CostModel*, Moving> moving;  // by kernel
  };
  // Whether a kernel has parts there; may begin to build them. building: ns that the launch waits for that.
  bool has_parts(Machine& machine, const Kernel& kernel, unsigned devices, uint64_t whole_ns, uint64_t& building) const;

  const ImaginedMachines machines_;  // the first has one device
  std::vector<Machine> at_;          // for each
};

}  // namespace samcl
