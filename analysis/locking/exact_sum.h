// A sum of fractions compared with whole numbers, exactly: utilisations with periods that have nothing in
// common. Binary fixed point decides nearly always; rational numbers of any length decide the rest.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace samcl::analysis::locking {

// Products of two times, and quotients of them, without overflow.
using Wide = unsigned __int128;

constexpr Wide ceil_divide(Wide numerator, Wide denominator) { return (numerator + denominator - 1) / denominator; }

class ExactSum {
 public:
  // 0 <= numerator, 0 < denominator. A sum above 2^62 counts as 2^62.
  void add(int64_t numerator, int64_t denominator);

  bool at_most(int64_t whole) const;
  int64_t ceiling() const;
  double value() const;

  // The sum in units of 2^-64, rounded down; it is less than one unit per fraction larger.
  Wide below() const { return below_; }

 private:
  Wide below_ = 0;
  uint64_t inexact_ = 0;  // fractions that were rounded
  std::vector<std::pair<int64_t, int64_t>> fractions_;
};

}  // namespace samcl::analysis::locking
