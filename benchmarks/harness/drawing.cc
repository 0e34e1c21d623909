#include "benchmarks/harness/drawing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace samcl::bench {

std::string stroke(const std::string& colour, double width) {
  return "stroke=\"" + colour + "\" stroke-width=\"" + short_number(width) + "\"";
}

std::string fill(const std::string& colour) { return "fill=\"" + colour + "\""; }

std::string turned(double x, double y, double degrees, const std::string& anchor) {
  return "text-anchor=\"" + anchor + "\" transform=\"rotate(" + short_number(degrees) + " " + short_number(x) + " " +
         short_number(y) + ")\"";
}

double tidy_step(double highest, int most) {
  const double least = highest / most;
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::string short_number(double value) {
  if (value == 0) return "0";
  const double size = std::abs(value);
  const int decimals = size >= 100 ? 0 : std::min(6, 2 - static_cast<int>(std::floor(std::log10(size))));
  char text[48];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  std::string digits = text;
  if (digits.find('.') != std::string::npos) {
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.') digits.pop_back();
  }
  return digits;
}

}  // namespace samcl::bench
