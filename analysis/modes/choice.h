// On how many GPUs should every task run? A policy answers from a task set, a form of the analysis and a
// priority order. Only `optimal` is exact; all others take a number of analyses polynomial in the number
// of tasks.
//
//   single   mode 1 for all
//   local    each task the mode in which it alone is fastest ("INDIVIDUAL" in the GPU-SPARC paper)
//   gema     Algorithm 1 of the GPU-SPARC paper: greedy from single, each step one task to all GPUs
//   gpa      Algorithm 1 of Han et al., "GPU-SAM", JSS 117 (2016): greedy from local, each step one task to
//            any mode
//   search   from several starts, by bounds on what is not chosen yet and by local search; the default
//   optimal  schedulable modes, or the proof that there are none: branch and bound
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/rta/response_time.h"

namespace samcl::analysis {

enum class ModePolicy : uint8_t { single, local, gema, gpa, search, optimal };
inline constexpr std::array<ModePolicy, 6> kPolicies = {ModePolicy::single, ModePolicy::local,  ModePolicy::gema,
                                                        ModePolicy::gpa,    ModePolicy::search, ModePolicy::optimal};
inline constexpr ModePolicy kBestPolicy = ModePolicy::search;
const char* name(ModePolicy policy);

// One task's mode changed.
struct ModeStep {
  size_t task = 0;
  int mode = 1;
  double ratio = 0;  // max R_j / D_j from then on; infinity if one is unbounded
};

struct Choice {
  Modes modes;
  double ratio = 0;  // max R_j / D_j
  bool schedulable = false;
  bool impossible = false;      // proven: no modes are schedulable by this form in this order
  Modes start;                  // before the first step
  double start_ratio = 0;       // of it
  std::vector<ModeStep> steps;  // from `start` to `modes`, where the policy goes by steps
  int64_t analyses = 0;         // how many combinations of modes were analysed, some in part only
};

// The set has passed check(), also the form's. An empty order means priority_order(set).
Choice choose_modes(const TaskSet& set, Form form, ModePolicy policy = kBestPolicy, PriorityOrder order = {});

}  // namespace samcl::analysis
