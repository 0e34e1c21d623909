// How long the jobs of each task took since the daemon began, over all programs of it. Pure logic.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "sam-manager/daemon/overruns.h"
#include "sam-manager/protocol/words.h"

namespace samcl::daemon {

struct TaskHistory {
  uint64_t jobs = 0;
  uint64_t misses = 0;  // jobs beyond the deadline
  uint64_t longest_ns = 0;
  // Of the jobs those in which programs were built, and the longest of these: nothing was promised of them, and nothing
  // else here tells of them.
  uint64_t building = 0, longest_building_ns = 0;
  std::array<uint64_t, protocol::kResponseBuckets> responses{};
  Overruns overruns;

  nlohmann::json describe() const;  // numbers, percentiles
};

// What of a program's page is in its task's history already.
struct CountedJobs {
  uint64_t jobs = 0;
  uint64_t misses = 0;
  uint64_t early = 0;
  uint64_t long_jobs = 0;
  uint64_t building = 0;
  std::array<uint32_t, protocol::kResponseBuckets> responses{};
};

// What there is more on a page than before.
struct NewJobs {
  uint64_t misses = 0, early = 0, long_jobs = 0;
};

// Adds what the page has more than was taken before. The page may hold anything.
NewJobs count_jobs(const protocol::JobTimes& page, CountedJobs& taken, TaskHistory& history);

}  // namespace samcl::daemon
