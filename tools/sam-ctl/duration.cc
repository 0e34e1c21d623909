#include "tools/sam-ctl/duration.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace samcl::ctl {
namespace {
constexpr std::array<std::pair<const char*, double>, 4> kUnits = {{{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}}};
constexpr double kDay = 86400e9;
}  // namespace

Result<uint64_t> parse_duration(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  std::string unit = end;
  unit.erase(0, unit.find_first_not_of(' '));
  for (const auto& [name, factor] : kUnits) {
    if (end == text.c_str() || unit != name) continue;
    const double ns = value * factor;
    if (!(ns >= 1) || ns > kDay) return fail("\"" + text + "\" is out of range: expected 1ns to 86400s");
    return static_cast<uint64_t>(std::llround(ns));
  }
  return fail("\"" + text + "\" is no time: expected a number with unit ns, us, ms or s, such as 40ms");
}

std::string format_duration(uint64_t ns) {
  const double value = static_cast<double>(ns);
  for (const auto& [name, factor] : kUnits) {
    if (value < factor) continue;
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%.10g %s", value / factor, name);
    return text.data();
  }
  return "0";
}

}  // namespace samcl::ctl
