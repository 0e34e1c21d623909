#include "tools/trace/holdings.h"

namespace samcl::trace_events {

std::optional<Leased> leased_by(const std::string& activity) {
  if (activity == "upload" || activity == "download") return Leased::link;
  if (activity == "kernel" || activity == "image") return Leased::device;
  return std::nullopt;
}

std::string resource_name(const std::string& device, Leased leased) {
  return device + (leased == Leased::link ? ": link" : ": device");
}

std::vector<Interval> without(Interval whole, const std::vector<Interval>& away) {
  std::vector<Interval> parts;
  for (const Interval& gap : away) {
    if (gap.end <= whole.begin || gap.begin >= whole.end) continue;
    if (gap.begin > whole.begin) parts.push_back({whole.begin, gap.begin});
    whole.begin = gap.end;
  }
  if (whole.begin < whole.end) parts.push_back(whole);
  return parts;
}

}  // namespace samcl::trace_events
