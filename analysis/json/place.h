// How the readers of JSON documents find values, and name what is wrong: by a JSON pointer
// ("/tasks/0/period"), what stands there, and what was expected.
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "analysis/model/task_set.h"

namespace samcl::analysis {

// Text that is no JSON is an error naming line and column.
Result<nlohmann::json> parse_json(const std::string& text);

// A value and its place in the document, which must outlive it.
struct Place {
  const nlohmann::json& value;
  std::string path;

  tl::unexpected<Error> wrong(const std::string& expected) const;
  bool has(const char* field) const { return value.contains(field); }
  Place at(const std::string& field) const { return {value.at(field), path + "/" + field}; }
  Place at(size_t index) const { return {value.at(index), path + "/" + std::to_string(index)}; }
};

// An object with all of the required fields and no others than the optional ones.
Result<void> check_fields(const Place& place, std::initializer_list<const char*> required,
                          std::initializer_list<const char*> optional);

Result<std::string> read_string(const Place& place);

// Whole nanoseconds, or text with a unit (time_text.h). Signs and limits are the model's to check.
Result<Time> read_time(const Place& place);

Result<int> read_int(const Place& place);
Result<bool> read_bool(const Place& place);
Result<Resource> read_resource(const Place& place);
Result<Platform> read_platform(const Place& place);

// Reads a field into a variable; an error if that is not possible.
template <typename T, typename Read>
Result<void> read_into(T& target, Read read, const Place& place) {
  auto value = read(place);
  if (!value) return tl::unexpected(value.error());
  target = std::move(*value);
  return {};
}

template <typename T, typename Read>
Result<std::vector<T>> read_list(const Place& place, const std::string& expected, Read read) {
  if (!place.value.is_array()) return place.wrong(expected);
  std::vector<T> all;
  for (size_t n = 0; n < place.value.size(); ++n) {
    auto one = read(place.at(n));
    if (!one) return tl::unexpected(one.error());
    all.push_back(std::move(*one));
  }
  return all;
}

// The index of the vertex that has this name.
template <typename Vertex>
Result<size_t> read_end(const Place& place, const std::vector<Vertex>& vertices) {
  const auto name = read_string(place);
  if (!name) return tl::unexpected(name.error());
  for (size_t n = 0; n < vertices.size(); ++n)
    if (vertices[n].name == *name) return n;
  return place.wrong("the name of a vertex of this task");
}

}  // namespace samcl::analysis
