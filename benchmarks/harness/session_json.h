// Sessions as JSON, which is how they are kept.
#pragma once

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "benchmarks/harness/measurement.h"

namespace samcl::bench {

nlohmann::ordered_json to_json(const Machine& machine);
Result<Machine> machine_from(const std::string& text);

std::string format_session(const Session& session);
// format_session()'s inverse. Errors name the field.
Result<Session> parse_session(const std::string& text);

}  // namespace samcl::bench
