// How long the jobs of each task took since the daemon began, over all programs of it. Pure logic.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "sam-manager/protocol/words.h"

namespace samcl::daemon {

struct TaskHistory {
  uint64_t jobs = 0;
  uint64_t misses = 0;  // jobs beyond the deadline
  uint64_t longest_ns = 0;
  std::array<uint64_t, protocol::kResponseBuckets> responses{};

  nlohmann::json describe() const;  // numbers, percentiles
};

// What of a program's page is in its task's history already.
struct Harvest {
  uint64_t jobs = 0;
  uint64_t misses = 0;
  std::array<uint32_t, protocol::kResponseBuckets> responses{};
};

// Adds what the page has more than was taken before; returns the misses among it. The page may hold anything.
uint64_t harvest(const protocol::JobTimes& page, Harvest& taken, TaskHistory& history);

}  // namespace samcl::daemon
