// Task sets that share GPUs (locking/task_set.h) and their verdicts as JSON; README.md of analysis/locking/
// documents the fields. What is wrong is named by its place and what was expected, as in task_set_json.h.
#pragma once

#include <span>
#include <string>

#include "analysis/locking/verdicts.h"

namespace samcl::analysis {

// The result has passed check().
Result<locking::TaskSet> parse_locking_set(const std::string& text);

// Nanoseconds; null where there is no bound. One effective utilisation per speed-up.
std::string format_verdicts(const locking::TaskSet& set, const locking::Verdicts& verdicts,
                            std::span<const double> speed_ups);

}  // namespace samcl::analysis
