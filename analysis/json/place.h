// How the readers of JSON documents find values, and name what is wrong: by a JSON pointer
// ("/tasks/0/period"), what stands there, and what was expected.
#pragma once

#include <concepts>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/model/task_set.h"

namespace samcl::analysis {

// Text that is no JSON is an error naming line and column.
Result<nlohmann::json> parse_json(const std::string& text);
// Whether it is a document whose first task has the field: so the formats are told apart.
bool tasks_have(const std::string& text, const char* field);

// A value and its place in the document, which must outlive it.
struct Place {
  const nlohmann::json& value;
  std::string path;

  tl::unexpected<Error> wrong(const std::string& expected) const;
  bool has(const char* field) const { return value.contains(field); }
  Place at(const std::string& field) const { return {value.at(field), path + "/" + field}; }
  Place at(size_t index) const { return {value.at(index), path + "/" + std::to_string(index)}; }
};

// Reads a value; an error if it is none of the kind.
Result<void> read(const Place& place, std::string& target);
// Whole nanoseconds, or text with a unit (base/duration.h). Signs and limits are the model's to check.
Result<void> read(const Place& place, Time& target);
Result<void> read(const Place& place, int& target);
Result<void> read(const Place& place, bool& target);
Result<void> read(const Place& place, Resource& target);
Result<void> read(const Place& place, Platform& target);
template <typename T>
Result<void> read(const Place& place, std::optional<T>& target) {
  return read(place, target.emplace());
}

// `read_one` makes a Result<T> of each place.
template <typename T, typename Read>
Result<void> read_list(const Place& place, std::vector<T>& target, const std::string& expected, Read read_one,
                       size_t least = 0) {
  if (!place.value.is_array() || place.value.size() < least) return place.wrong(expected);
  for (size_t n = 0; n < place.value.size(); ++n) {
    auto one = read_one(place.at(n));
    if (!one) return tl::unexpected(one.error());
    target.push_back(std::move(*one));
  }
  return {};
}

// An object's fields, read into variables one after the other. finish() tells what is wrong: a field that is missing,
// or else one that nobody asked for, or else the first that could not be read.
class Fields {
 public:
  explicit Fields(const Place& place);

  template <typename T>
    requires(!std::invocable<T, const Place&>)
  Fields& need(const char* field, T& target) {
    return need(field, [&](const Place& place) { return read(place, target); });
  }
  template <typename T>
    requires(!std::invocable<T, const Place&>)
  Fields& may(const char* field, T& target) {
    return may(field, [&](const Place& place) { return read(place, target); });
  }
  // By a function of its place that says what is wrong.
  template <std::invocable<const Place&> Read>
  Fields& need(const char* field, Read reader) {
    if (missing_.empty() && !place_.has(field)) missing_ = field;
    return may(field, reader);
  }
  template <std::invocable<const Place&> Read>
  Fields& may(const char* field, Read reader) {
    known_.emplace_back(field);
    if (good_ && place_.has(field)) good_ = reader(place_.at(field));
    return *this;
  }

  Result<void> finish() const;
  // `value`, which was read into.
  template <typename T>
  Result<T> finish(T& value) const {
    if (auto good = finish(); !good) return tl::unexpected(good.error());
    return std::move(value);
  }

 private:
  Place place_;
  Result<void> good_;
  std::string missing_;  // the first of them
  std::vector<std::string> known_;
};

// The index of the vertex that has this name.
template <typename Vertex>
Result<void> read_end(const Place& place, const std::vector<Vertex>& vertices, size_t& end) {
  std::string name;
  if (auto good = read(place, name); !good) return good;
  for (end = 0; end < vertices.size(); ++end)
    if (vertices[end].name == name) return {};
  return place.wrong("the name of a vertex of this task");
}

}  // namespace samcl::analysis
