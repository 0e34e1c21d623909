// What every trace of samcl's must be, by the description of Chrome's trace event format and by what samcl promises.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace samcl::testing {

// The events of a trace file whose writer has ended: strict JSON. Fails the test otherwise.
std::vector<nlohmann::json> read_trace(const std::string& file);

// What is wrong with these events, in words; empty: nothing. Of a writer that was killed, arrows and what had begun may
// lack their ends.
std::vector<std::string> faults_of(const std::vector<nlohmann::json>& events, bool was_killed = false);

// Those of one phase whose categories include this one ("": any), by time.
std::vector<nlohmann::json> events_of(const std::vector<nlohmann::json>& events, char phase,
                                      const std::string& category = "");

}  // namespace samcl::testing
