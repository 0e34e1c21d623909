#include "analysis/json/place.h"

#include <algorithm>

#include "analysis/json/time_text.h"
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

tl::unexpected<Error> Place::wrong(const std::string& expected) const {
  std::string shown = json_text(value);
  if (shown.size() > 40) shown = shown.substr(0, 37) + "...";
  return fail((path.empty() ? "/" : path) + ": " + shown + ", expected " + expected);
}

Result<void> check_fields(const Place& place, std::initializer_list<const char*> required,
                          std::initializer_list<const char*> optional) {
  if (!place.value.is_object()) return place.wrong("an object");
  std::string all;
  for (const auto& list : {required, optional})
    for (const char* field : list) all += (all.empty() ? "" : ", ") + std::string(field);
  for (const char* field : required)
    if (!place.has(field)) return fail(place.path + "/" + field + ": missing");
  for (const auto& [field, value] : place.value.items()) {
    const auto is = [&, &key = field](const char* known) { return key == known; };
    if (std::none_of(required.begin(), required.end(), is) && std::none_of(optional.begin(), optional.end(), is))
      return fail(place.path + "/" + field + ": unknown, expected one of " + all);
  }
  return {};
}

Result<std::string> read_string(const Place& place) {
  if (!place.value.is_string()) return place.wrong("a string");
  return place.value.get<std::string>();
}

Result<Time> read_time(const Place& place) {
  if (place.value.is_string()) {
    const auto time = parse_time(place.value.get<std::string>());
    if (!time) return fail(place.path + ": " + time.error().message);
    return *time;
  }
  if (place.value.is_number_unsigned() && place.value.get<uint64_t>() > INT64_MAX)
    return place.wrong("at most " + std::to_string(kLongest) + " ns");
  if (!place.value.is_number_integer()) return place.wrong("whole nanoseconds, or a time such as \"40ms\"");
  return place.value.get<Time>();
}

Result<int> read_int(const Place& place) {
  if (!place.value.is_number_integer()) return place.wrong("a whole number");
  const auto value = place.value.get<int64_t>();
  if (value < INT32_MIN || value > INT32_MAX) return place.wrong("a whole number of 32 bits");
  return static_cast<int>(value);
}

Result<bool> read_bool(const Place& place) {
  if (!place.value.is_boolean()) return place.wrong("true or false");
  return place.value.get<bool>();
}

Result<Resource> read_resource(const Place& place) {
  for (const Resource resource : kResources)
    if (place.value == name(resource)) return resource;
  return place.wrong("\"CPU\", \"PCI\" or \"GPU\"");
}

Result<Platform> read_platform(const Place& place) {
  if (auto good = check_fields(place, {"cpus", "gpus"}, {"pci", "bound"}); !good) return tl::unexpected(good.error());
  Platform platform;
  for (const auto& [field, count] :
       {std::pair{"cpus", &platform.cpus}, {"pci", &platform.links}, {"gpus", &platform.gpus}}) {
    if (!place.has(field)) continue;
    const auto value = read_int(place.at(field));
    if (!value) return tl::unexpected(value.error());
    *count = *value;
  }
  if (place.has("bound")) {
    const auto bound = read_bool(place.at("bound"));
    if (!bound) return tl::unexpected(bound.error());
    platform.bound = *bound;
    if (!place.has("pci") && platform.bound) platform.links = platform.gpus;
  }
  // Before anything is as long as it says.
  if (platform.gpus < 1 || platform.gpus > kMaxElements)
    return place.at("gpus").wrong("1 to " + std::to_string(kMaxElements));
  return platform;
}

}  // namespace samcl::analysis
