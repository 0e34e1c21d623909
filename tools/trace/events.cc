#include "tools/trace/events.h"

#include <cmath>
#include <string>

#include "base/json_text.h"

namespace samcl::trace_events {

using nlohmann::json;

Result<void> for_each_event(std::string_view text, const std::function<void(const json&)>& visit) {
  if (!text.starts_with("[")) return fail("no trace: expected a JSON array with one event on each line");
  text.remove_prefix(1);
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    const bool is_whole = end != std::string_view::npos;
    std::string_view line = text.substr(0, end);
    text.remove_prefix(is_whole ? end + 1 : text.size());
    while (!line.empty() && (line.back() == ',' || line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
    if (line.empty() || line == "]") continue;
    const json event = try_read_json(line);
    if (event.is_object() && event.contains("ph")) {
      visit(event);
    } else if (is_whole) {
      return fail("line " + std::to_string(number) + " of the trace is no event");
    }
  }
  return {};
}

int64_t ns_of(const json& event, const char* field) { return std::llround(event.at(field).get<double>() * 1000); }

bool has_category(const json& event, std::string_view category) {
  const auto found = event.find("cat");
  if (found == event.end() || !found->is_string()) return false;
  const std::string all = "," + found->get<std::string>() + ",";
  return all.find("," + std::string(category) + ",") != std::string::npos;
}

}  // namespace samcl::trace_events
