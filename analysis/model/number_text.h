// Numbers as text for tables and messages, and back.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

namespace samcl::analysis {

// With so many digits behind the point.
inline std::string decimal(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

// With so many digits in all, and no zeros at the end.
inline std::string significant(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

// A value above a limit, with so many digits that it reads as one.
inline std::string above(double value, int limit) {
  for (int digits = 4; digits <= 17; ++digits)
    if (const std::string text = significant(value, digits); std::stod(text) > limit) return text;
  return "just over " + std::to_string(limit);
}

inline std::string percent(double share, int digits) { return decimal(100 * share, digits) + "%"; }

// The number that a text is, as far as it fits; nothing if it is anything else.
inline std::optional<int64_t> whole_number(const std::string& text) {
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end ? std::optional(value) : std::nullopt;
}

}  // namespace samcl::analysis
