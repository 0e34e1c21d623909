// Every schedule of a small set, one nanosecond after the other: all releases, execution times, requests, sections,
// when these need CPUs, and who goes first among equals. Where the search comes to its end, nothing that the model
// allows is longer than what it found: no luck is needed, as it is in random plans (sim/testing/soundness.h).
#pragma once

#include <optional>
#include <string>

#include "analysis/rta/response_time.h"
#include "analysis/sim/testing/random_set.h"

namespace samcl::analysis {

// What the search does not know: more than this, enforced budgets, times above 200 ns.
inline constexpr size_t kMostTasks = 3, kMostSubtasks = 3;
bool can_follow(const SmallSet& small);

struct Followed {
  std::vector<Time> longest;  // [task] response; of tasks without a proven bound: of jobs within their periods
  size_t states = 0;
  bool whole = false;            // nothing was left to be looked at
  std::optional<size_t> beyond;  // its job can take longer than its bound; the search ended there
  std::string schedule;          // up to then, an instant in each line
};

// Up to `most` states. Jobs of tasks whose bound is not proven are released when there is none before them.
Followed follow_every_schedule(const SmallSet& small, const Bounds& bounds, size_t most);

}  // namespace samcl::analysis
