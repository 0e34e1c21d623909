// What a trace's spans tell of leases. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace samcl::trace_events {

struct Interval {
  int64_t begin = 0, end = 0;  // ns
};

// What a span of that activity had a lease of; none: of nothing (fills, copies within a device, merging).
enum class Leased : uint8_t { device, link };
std::optional<Leased> leased_by(const std::string& activity);

// As people see it: "pocl:0: device", "pocl:0: link".
std::string resource_name(const std::string& device, Leased leased);

// Without the times at which it had given way; these by begin.
std::vector<Interval> without(Interval whole, const std::vector<Interval>& away);

}  // namespace samcl::trace_events
