// Names of an enumeration's values as a command-line option.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <ranges>
#include <string>

namespace samcl {

// For an option's transform(): one of the names, each of which stands for a value of an enumeration.
template <typename Value>
CLI::Validator one_of(const std::map<std::string, Value>& values) {
  std::string names;
  for (const auto& [name, value] : values) names += (names.empty() ? "" : "|") + name;
  return CLI::Validator(
      [values, names](std::string& given) {
        const auto found = values.find(given);
        if (found == values.end()) return "'" + given + "', expected one of " + names;
        given = std::to_string(static_cast<int>(found->second));
        return std::string();
      },
      names);
}

// Of values whose names a function name() tells.
template <std::ranges::input_range Values>
CLI::Validator one_of(const Values& values) {
  std::map<std::string, std::ranges::range_value_t<Values>> named;
  for (const auto value : values) named[name(value)] = value;
  return one_of(named);
}

}  // namespace samcl
