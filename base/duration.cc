#include "base/duration.h"

#include <array>
#include <cstdlib>
#include <utility>

namespace samcl {
namespace {

constexpr std::array<std::pair<const char*, int>, 4> kUnits = {{{"s", 9}, {"ms", 6}, {"us", 3}, {"ns", 0}}};

int64_t power_of_ten(int exponent) {
  int64_t value = 1;
  while (exponent-- > 0) value *= 10;
  return value;
}

}  // namespace

Result<int64_t> parse_duration(const std::string& text) {
  const auto wrong = [&] {
    return fail("\"" + text + "\", expected a time such as 40ms (ns, us, ms or s; whole nanoseconds)");
  };
  size_t i = 0;
  int64_t value = 0;
  int digits = 0, after_point = 0;
  bool point = false;
  for (; i < text.size() && (text[i] == '.' || (text[i] >= '0' && text[i] <= '9')); ++i) {
    if (text[i] == '.') {
      if (point) return wrong();
      point = true;
      continue;
    }
    if (++digits > 18) return wrong();
    value = value * 10 + (text[i] - '0');
    after_point += point ? 1 : 0;
  }
  if (digits == 0) return wrong();
  const std::string unit =
      text.substr(text.find_first_not_of(' ', i) == std::string::npos ? text.size() : text.find_first_not_of(' ', i));
  for (const auto& [name, exponent] : kUnits) {
    if (unit != name) continue;
    for (; after_point > exponent && value % 10 == 0; --after_point) value /= 10;
    if (after_point > exponent) return wrong();
    int64_t ns = 0;
    if (__builtin_mul_overflow(value, power_of_ten(exponent - after_point), &ns)) return wrong();
    return ns;
  }
  return wrong();
}

std::string format_duration(int64_t ns) {
  if (ns == 0) return "0";
  const std::string sign = ns < 0 ? "-" : "";
  const int64_t size = std::abs(ns);
  for (const auto& [name, exponent] : kUnits) {
    const int64_t unit = power_of_ten(exponent);
    if (size < unit) continue;
    std::string fraction;
    if (size % unit != 0) {
      fraction = std::to_string(size % unit);
      fraction = "." + std::string(static_cast<size_t>(exponent) - fraction.size(), '0') + fraction;
      fraction.erase(fraction.find_last_not_of('0') + 1);
    }
    return sign + std::to_string(size / unit) + fraction + " " + name;
  }
  return "0";
}

}  // namespace samcl
