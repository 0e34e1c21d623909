#include "analysis/locking/exact_sum.h"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>

namespace samcl::analysis::locking {
namespace {

constexpr Wide kMost = Wide{1} << (62 + 64);

}  // namespace
void ExactSum::add(int64_t numerator, int64_t denominator) {
  const auto n = static_cast<Wide>(numerator), d = static_cast<Wide>(denominator);
  // n < 2^63: the whole part and the 64 bits behind the point apart, so that nothing overflows.
  const Wide rest = (n % d) << 64;
  below_ = std::min(below_ + ((n / d) << 64) + rest / d, kMost);
  inexact_ += rest % d == 0 ? 0 : 1;
  fractions_.emplace_back(numerator, denominator);
}

bool ExactSum::at_most(int64_t whole) const {
  if (whole < 0) return false;
  const Wide limit = static_cast<Wide>(whole) << 64;
  if (below_ > limit || (below_ == limit && inexact_ > 0)) return false;
  if (below_ + inexact_ <= limit) return true;
  boost::multiprecision::cpp_rational sum = 0;
  for (const auto& [n, d] : fractions_) sum += boost::multiprecision::cpp_rational(n, d);
  return sum <= whole;
}

int64_t ExactSum::ceiling() const {
  const auto whole = static_cast<int64_t>(below_ >> 64);
  return at_most(whole) ? whole : at_most(whole + 1) ? whole + 1 : whole + 2;
}

double ExactSum::value() const { return static_cast<double>(below_) * 0x1p-64; }

}  // namespace samcl::analysis::locking
