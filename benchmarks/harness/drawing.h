// What both charts say in SVG's attributes, and their numbers.
#pragma once

#include <string>

#include "analysis/draw/svg.h"

namespace samcl::bench {

inline constexpr const char* kFrame = "stroke=\"#555555\"";
inline constexpr const char* kGrid = "stroke=\"#dddddd\"";
inline constexpr const char* kMiddle = "text-anchor=\"middle\"";
inline constexpr const char* kEnd = "text-anchor=\"end\"";

std::string stroke(const std::string& colour, double width = 1);
std::string fill(const std::string& colour);
// Words turned about their own begin or end.
std::string turned(double x, double y, double degrees, const std::string& anchor);

// 1, 2 or 5 times a power of ten, so that at most `most` steps reach `highest` (above 0).
double tidy_step(double highest, int most);

// Three digits that count, without zeros behind them: "0.0123", "7.5", "1230".
std::string short_number(double value);

}  // namespace samcl::bench
