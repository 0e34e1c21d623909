// How programs compare a result with its reference. Every answer is empty if all is right, else says what
// differs first.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bench {

// Half the distance of neighbouring floats at 1: rounding a real number changes it by at most this factor.
inline constexpr double kFloatRounding = 0x1p-24;

// A number for people; a real one with enough digits to tell floats apart.
std::string number(double value);
template <std::integral T>
std::string number(T value) {
  return std::to_string(value);
}

// "element 7 is 3, expected 4".
template <typename T>
std::string differs(size_t index, T is, T expected) {
  return "element " + number(index) + " is " + number(is) + ", expected " + number(expected);
}

// Bit by bit; for integers.
template <typename Is, typename Expected>
std::string compare(const Is& is, const Expected& expected) {
  for (size_t i = 0; i < expected.size(); ++i)
    if (is[i] != expected[i]) return differs(i, is[i], expected[i]);
  return {};
}

// At most `bound` apart; a NaN never is.
std::string compare_within(size_t index, double is, double expected, double bound);

// Which of `count` elements to verify: all of them, or a random sample if that is more than `most`.
std::vector<size_t> to_verify(size_t count, size_t most, uint64_t seed);

}  // namespace bench
