// Numbers that are not whole, as text for tables and messages.
#pragma once

#include <cstdio>
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

inline std::string percent(double share, int digits) { return decimal(100 * share, digits) + "%"; }

}  // namespace samcl::analysis
