// Names of an enumeration's values as a command-line option.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
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

}  // namespace samcl
