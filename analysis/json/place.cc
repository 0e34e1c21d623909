#include "analysis/json/place.h"

#include <algorithm>

#include "base/duration.h"
#include "base/json_text.h"

namespace samcl::analysis {

using nlohmann::json;

Result<json> parse_json(const std::string& text) {
  try {
    return read_json(text);
  } catch (const json::parse_error& error) {
    // "[json.exception.parse_error.101] parse error at line 3, column 5: ..."
    const std::string what = error.what();
    return fail("no JSON: " + what.substr(what.find("] ") == std::string::npos ? 0 : what.find("] ") + 2));
  }
}

bool tasks_have(const std::string& text, const char* field) {
  const auto document = parse_json(text);
  if (!document || !document->contains("tasks")) return false;
  const nlohmann::json& tasks = document->at("tasks");
  return tasks.is_array() && !tasks.empty() && tasks.front().contains(field);
}

tl::unexpected<Error> Place::wrong(const std::string& expected) const {
  std::string shown = json_text(value);
  if (shown.size() > 40) shown = shown.substr(0, 37) + "...";
  return fail((path.empty() ? "/" : path) + ": " + shown + ", expected " + expected);
}

Result<void> read(const Place& place, std::string& target) {
  if (!place.value.is_string()) return place.wrong("a string");
  target = place.value.get<std::string>();
  return {};
}

Result<void> read(const Place& place, Time& target) {
  if (place.value.is_string()) {
    const auto time = parse_duration(place.value.get<std::string>());
    if (!time) return fail(place.path + ": " + time.error().message);
    target = *time;
    return {};
  }
  if (place.value.is_number_unsigned() && place.value.get<uint64_t>() > INT64_MAX)
    return place.wrong("at most " + std::to_string(kLongest) + " ns");
  if (!place.value.is_number_integer()) return place.wrong("whole nanoseconds, or a time such as \"40ms\"");
  target = place.value.get<Time>();
  return {};
}

Result<void> read(const Place& place, int& target) {
  if (!place.value.is_number_integer()) return place.wrong("a whole number");
  const auto value = place.value.get<int64_t>();
  if (value < INT32_MIN || value > INT32_MAX) return place.wrong("a whole number of 32 bits");
  target = static_cast<int>(value);
  return {};
}

Result<void> read(const Place& place, bool& target) {
  if (!place.value.is_boolean()) return place.wrong("true or false");
  target = place.value.get<bool>();
  return {};
}

Result<void> read(const Place& place, Resource& target) {
  for (const Resource resource : kResources)
    if (place.value == name(resource)) {
      target = resource;
      return {};
    }
  return place.wrong("\"CPU\", \"PCI\" or \"GPU\"");
}

Result<void> read(const Place& place, Platform& target) {
  auto good = Fields(place)
                  .need("cpus", target.cpus)
                  .need("gpus", target.gpus)
                  .may("pci", target.links)
                  .may("bound", target.bound)
                  .finish();
  if (!good) return good;
  if (target.bound && !place.has("pci")) target.links = target.gpus;
  // Before anything is as long as it says.
  if (target.gpus < 1 || target.gpus > kMaxElements)
    return place.at("gpus").wrong("1 to " + std::to_string(kMaxElements));
  return {};
}

Fields::Fields(const Place& place) : place_(place) {
  if (!place.value.is_object()) good_ = place.wrong("an object");
}

Result<void> Fields::finish() const {
  if (!place_.value.is_object()) return good_;
  if (!missing_.empty()) return fail(place_.path + "/" + missing_ + ": missing");
  std::string all;
  for (const std::string& field : known_) all += (all.empty() ? "" : ", ") + field;
  for (const auto& [field, value] : place_.value.items())
    if (std::find(known_.begin(), known_.end(), field) == known_.end())
      return fail(place_.path + "/" + field + ": unknown, expected one of " + all);
  return good_;
}

}  // namespace samcl::analysis
