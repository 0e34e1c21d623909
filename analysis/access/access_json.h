// Bounds of tasks that stay on their CPUs as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analysis/access/access.h"

namespace samcl::analysis {

// By one analysis that knows the set: {"analysis", "schedulable", "proven", "tasks": [{"name", "mode", "response",
// "beyond_proof", "deadline"}]}. Nanoseconds; null where there is no bound, and where no number is beyond the proof.
nlohmann::ordered_json access_json(const access::TaskSet& set, const Modes& modes, access::Analysis analysis,
                                   const access::Bounds& bounds, const std::vector<Time>& beyond_proof);

}  // namespace samcl::analysis
