// Reads traces as samcl writes them (libsamcl/observe/trace.h, base/trace_events.h): one event on each line of a JSON
// array whose end may be missing.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/result.h"

namespace samcl::trace_events {

// Calls `visit` with each event, in the file's order. Errors: it is no such array, or one of its lines is no event, but
// for the last one of a writer that was killed.
Result<void> for_each_event(std::string_view text, const std::function<void(const nlohmann::json&)>& visit);

// Its time or duration (a field in microseconds) in ns.
int64_t ns_of(const nlohmann::json& event, const char* field);

// Whether one of its categories is this.
bool has_category(const nlohmann::json& event, std::string_view category);

}  // namespace samcl::trace_events
