// Sets of values of clocks, given by how far any two of them are apart at most, with zero as the first clock (Dill
// 1989).
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/model/task_set.h"

namespace samcl::analysis {

class Zone {
 public:
  static constexpr Time kAny = Time{1} << 60;

  // All values of clocks 1 to `clocks`.
  explicit Zone(size_t clocks) : size_(clocks + 1), apart_(size_ * size_, kAny) {
    for (size_t n = 0; n < size_; ++n) apart(0, n) = apart(n, n) = 0;
  }

  Time most(size_t clock) const { return apart_[clock * size_]; }
  bool within(const Zone& other) const;
  void delay();
  void reset(size_t clock);
  void forget(size_t clock);               // any value
  void at_most(size_t clock, Time time);   // if that leaves any
  bool at_least(size_t clock, Time time);  // false: none is left
  // Adds values from which nothing more can be reached, where clocks are only asked whether they are at least one of
  // `lower` or beyond, at most one of `upper`: [clock - 1]. (Behrmann, Bouyer, Larsen & Pelanek 2006, Extra LU+.)
  void widen(const std::vector<Time>& lower, const std::vector<Time>& upper);

 private:
  Time& apart(size_t a, size_t b) { return apart_[a * size_ + b]; }
  void limit(size_t a, size_t b, Time most);

  size_t size_;
  std::vector<Time> apart_;  // [a, b]: the most that a is above b
};

}  // namespace samcl::analysis
