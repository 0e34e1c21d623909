// Sizes of memory as people write them.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "base/result.h"

namespace samcl {

inline constexpr std::array<std::pair<const char*, uint64_t>, 5> kByteUnits = {{{"TiB", uint64_t{1} << 40},
                                                                                {"GiB", uint64_t{1} << 30},
                                                                                {"MiB", uint64_t{1} << 20},
                                                                                {"KiB", uint64_t{1} << 10},
                                                                                {"B", 1}}};

// "4GiB", "1.5 GiB", "512MiB", "100B".
inline Result<uint64_t> parse_bytes(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  std::string unit = end;
  unit.erase(0, unit.find_first_not_of(' '));
  for (const auto& [name, factor] : kByteUnits) {
    if (end == text.c_str() || unit != name) continue;
    const double bytes = value * static_cast<double>(factor);
    if (!(bytes >= 1) || bytes > static_cast<double>(uint64_t{1} << 50))
      return fail("\"" + text + "\" is out of range: expected 1B to 1024TiB");
    return static_cast<uint64_t>(std::llround(bytes));
  }
  return fail("\"" + text +
              "\" is no size of memory: expected a number with unit B, KiB, MiB, GiB or TiB, such as 4GiB");
}

inline std::string format_bytes(uint64_t bytes) {
  for (const auto& [name, factor] : kByteUnits) {
    if (bytes < factor) continue;
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%.4g %s", static_cast<double>(bytes) / static_cast<double>(factor), name);
    return text.data();
  }
  return "0 B";
}

}  // namespace samcl
