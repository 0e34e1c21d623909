#include "analysis/rta/zone.h"

#include <algorithm>
#include <functional>

namespace samcl::analysis {

bool Zone::within(const Zone& other) const {
  return std::equal(apart_.begin(), apart_.end(), other.apart_.begin(), std::less_equal<>());
}

void Zone::delay() {
  for (size_t a = 1; a < size_; ++a) apart(a, 0) = kAny;
}

void Zone::reset(size_t clock) {
  for (size_t b = 0; b < size_; ++b) {
    apart(clock, b) = apart(0, b);
    apart(b, clock) = apart(b, 0);
  }
  apart(clock, clock) = 0;
}

void Zone::forget(size_t clock) {
  for (size_t b = 0; b < size_; ++b) {
    apart(clock, b) = kAny;
    apart(b, clock) = apart(b, 0);
  }
  apart(clock, clock) = 0;
}

void Zone::limit(size_t a, size_t b, Time most) {
  if (most >= apart(a, b)) return;
  apart(a, b) = most;
  for (size_t i = 0; i < size_; ++i)
    for (size_t j = 0; j < size_; ++j) apart(i, j) = std::min(apart(i, j), apart(i, a) + most + apart(b, j));
}

void Zone::at_most(size_t clock, Time time) { limit(clock, 0, time); }

bool Zone::at_least(size_t clock, Time time) {
  if (most(clock) < time) return false;
  limit(0, clock, -time);
  return true;
}

void Zone::widen(const std::vector<Time>& lower, const std::vector<Time>& upper) {
  const std::vector<Time> least(apart_.begin(), apart_.begin() + static_cast<std::ptrdiff_t>(size_));  // negated
  for (size_t a = 1; a < size_; ++a)
    for (size_t b = 0; b < size_; ++b)
      if (a != b && (apart(a, b) > lower[a - 1] || -least[a] > lower[a - 1] || (b > 0 && -least[b] > upper[b - 1])))
        apart(a, b) = kAny;
  for (size_t b = 1; b < size_; ++b) apart(0, b) = std::max(apart(0, b), -upper[b - 1]);
  for (size_t k = 0; k < size_; ++k)
    for (size_t a = 0; a < size_; ++a)
      for (size_t b = 0; b < size_; ++b) apart(a, b) = std::min(apart(a, b), apart(a, k) + apart(k, b));
}

}  // namespace samcl::analysis
