// How long a task may keep a GPU or a link that somebody more urgent waits for, as its profile tells: that needs
// neither a plan nor a bound. Pure logic.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "analysis/model/handovers.h"
#include "sam-manager/registry/registry.h"
#include "sam-manager/scheduler/policy.h"

namespace samcl::planning {

// Where a section needs CPUs, and it takes longer since others compute, it is looked at again so much later at least:
// it may be noticed so much too late that one takes longer without that.
constexpr uint64_t kDelayLookNs = 20'000;

// With what their boundaries cost; 0: the profile has no such stage.
struct Sections {
  uint64_t gpu_ns = 0, link_ns = 0;
  bool gpu_needs_cpu = false, link_needs_cpu = false;

  bool operator==(const Sections&) const = default;
};

struct LongestSections {
  Sections cut;    // where the scheduler's policy makes holders give way
  Sections whole;  // where they keep what they have for as long as they need it

  const Sections& under(const scheduler::Policy& policy) const { return policy.revokes ? cut : whole; }
};

// Of a task whose times include hand-overs, in modes from the first to the last one.
LongestSections longest_sections(const analysis::Task& task, int first_mode, int last_mode);

// Of each task that has a profile, in whichever mode. A profile that can't be read tells nothing.
std::map<std::string, LongestSections> longest_sections(const registry::Tasks& tasks,
                                                        const analysis::Handovers& handovers);

}  // namespace samcl::planning
