// A job as the analysis sees it: stages on the host's CPUs, the links and the GPUs, one after the other.
// Pure.
//
// A job with n launches has n GPU stages and n + 1 intervals: before the first, between two, after the last.
// Of the transfers in an interval one PCI stage is made; host time before them and after them are CPU
// stages, merging one of its own, in as many threads as merge, and that between them is told with the transfers: each
// that begins when those before it have ended asks for its link anew, and finds it given to somebody else. What the
// devices do at the same time counts once: for a launch the longest device's time, for transfers the time in which any
// link of the job is in use. Where commands overlap in time (transfers beside kernels) each still counts in full, so
// that the stages together are never shorter than what the job needs of a resource.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tools/sam-profile/jobs.h"

namespace samcl::profile {

// How long something took, and for how long at most nothing could take its place: the longest chunk; of
// sliced kernels two slices, since two are in flight; of others the whole.
struct Work {
  Time time = 0;
  Time section = 0;
  // How many links or GPUs were asked for one after the other, and how long the host took in between.
  size_t requests = 1;
  Time between = 0;
  // How many threads of the host computed at once: between requests, or, of the host's own work, in it.
  size_t threads = 1;
  // CPU time that it may have needed in all, and in one section; kNotTold: nobody measured it, or it was more than one
  // CPU can do.
  Time host = 0, host_section = 0;
};

struct BetweenLaunches {
  Time host_before = 0;  // until the first transfer; all host time where there is none
  Work transfers;
  Work merging;  // after them
  Time host_after = 0;
  size_t transfer_count = 0;
};

struct Launch {
  std::string kernel;  // or "(fill or copy)", "(image)": what ran on a GPU without being a kernel
  Work work;
  unsigned devices = 0;
};

struct JobStages {
  Time length = 0;                         // of the job
  std::vector<BetweenLaunches> intervals;  // one more than launches
  std::vector<Launch> launches;
  Time overlap = 0;  // how much more the stages are together than the job is long

  Time host_time() const;
  Time transfer_time() const;
  Time launch_time() const;
  // What its stages are together.
  Time work() const { return host_time() + transfer_time() + launch_time(); }
};

JobStages stages_of(const Job& job);

}  // namespace samcl::profile
