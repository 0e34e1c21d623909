// Conducts a live experiment: sizes programs, profiles them with sam-profile, and runs them together under a manager
// of their own, once for each policy. Everything it starts ends with it.
#pragma once

#include <functional>

#include "base/result.h"
#include "benchmarks/harness/catalogue.h"
#include "benchmarks/harness/live.h"

namespace samcl::bench {

struct LiveSettings {
  std::string folder;  // of sam-run, sam-managerd, sam-ctl and sam-profile
  double scale = 0.25;
  double load = 1;                             // the papers' utilisations of one GPU, times this
  std::vector<unsigned> beside = {0};          // so many programs of no task that never rest; a run for each
  std::string cpu_watch = "200us";             // likewise: the shorter, the tighter are bounds
  std::string overrun = "end";                 // the manager's, as its configuration has it
  double seconds = 10;                         // of each policy's run
  unsigned gpus = 2;                           // the most that a task may use
  std::vector<analysis::ModePolicy> policies;  // none: the experiment's
  unsigned margin_percent = 10;                // of profiles, on top of the longest time measured
};

// `tell`: what is being done, for people. Errors: a program fails alone, or the manager or the profiler does; that a
// program fails under a policy is its row's failure.
Result<LiveSession> run_live(const LiveExperiment& experiment, const std::vector<Program>& programs,
                             const LiveSettings& settings, const std::function<void(const std::string&)>& tell);

}  // namespace samcl::bench
