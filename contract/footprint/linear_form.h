// Integer arithmetic that cannot overflow unnoticed: linear forms over variables, and the intervals they
// span.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace samcl::footprint {

using Wide = __int128;

// Beyond it a number counts as infinite.
constexpr Wide kInfinite = Wide{1} << 100;

constexpr Wide saturated(Wide value) { return value > kInfinite ? kInfinite : value < -kInfinite ? -kInfinite : value; }
constexpr bool infinite(Wide value) { return value >= kInfinite || value <= -kInfinite; }

// Saturates at +-kInfinite.
constexpr Wide add(Wide a, Wide b) {
  if (infinite(a)) return a;
  return infinite(b) ? b : saturated(a + b);
}

// Likewise; 0 times infinite is 0.
constexpr Wide multiply(Wide a, Wide b) {
  if (a == static_cast<int64_t>(a) && b == static_cast<int64_t>(b)) return saturated(a * b);
  Wide product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return (a < 0) == (b < 0) ? kInfinite : -kInfinite;
  return saturated(product);
}

// Rounded towards minus infinity, or plus; b > 0; infinite stays so.
Wide divide_down(Wide a, Wide b);
Wide divide_up(Wide a, Wide b);

// Closed. Empty where low > high.
struct Interval {
  Wide low = -kInfinite, high = kInfinite;

  bool empty() const { return low > high; }
  bool single() const { return low == high; }
  bool within(const Interval& outer) const { return low >= outer.low && high <= outer.high; }
  bool finite() const { return low > -kInfinite && high < kInfinite; }
};

inline Interval intersect(Interval a, Interval b) { return {std::max(a.low, b.low), std::min(a.high, b.high)}; }
inline Interval hull(Interval a, Interval b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }
inline Interval operator+(Interval a, Interval b) {
  // An infinite end stays infinite whatever is added.
  return {infinite(b.low) ? b.low : add(a.low, b.low), infinite(b.high) ? b.high : add(a.high, b.high)};
}
inline Interval operator*(Interval a, Wide factor) {
  const Wide x = multiply(a.low, factor), y = multiply(a.high, factor);
  return factor >= 0 ? Interval{x, y} : Interval{y, x};
}
inline Interval operator*(Interval a, Interval b) { return hull(a * b.low, a * b.high); }

// All values of an integer type.
Interval unsigned_values(unsigned bits);
Interval signed_values(unsigned bits);

using Variable = uint32_t;

struct Term {
  Variable variable;
  int64_t factor;  // not 0
  bool operator==(const Term&) const = default;
};

// constant + sum of factor * variable; terms ascend by variable.
class Form {
 public:
  static constexpr unsigned kMostTerms = 8;

  Form() = default;
  explicit Form(Wide constant) : constant_(constant) {}
  static Form of(Variable variable, Wide factor = 1);

  Wide constant() const { return constant_; }
  unsigned size() const { return size_; }
  const Term* begin() const { return terms_.data(); }
  const Term* end() const { return terms_.data() + size_; }
  bool is_constant() const { return size_ == 0; }
  int64_t factor(Variable variable) const;
  bool operator==(const Form& other) const {
    return constant_ == other.constant_ && valid_ == other.valid_ &&
           std::equal(begin(), end(), other.begin(), other.end());
  }
  // Sums are wrong once a number grew too large or there were too many terms; such a form is not valid.
  bool valid() const { return valid_; }

  friend Form operator+(const Form& a, const Form& b) { return combined(a, b, 1); }
  friend Form operator-(const Form& a, const Form& b) { return combined(a, b, -1); }
  friend Form operator*(const Form& form, Wide factor);

 private:
  // a + sign * b
  static Form combined(const Form& a, const Form& b, int sign);
  void append(Variable variable, Wide factor);
  void check(Wide number);

  Wide constant_ = 0;
  std::array<Term, kMostTerms> terms_;
  uint8_t size_ = 0;
  bool valid_ = true;
};

}  // namespace samcl::footprint
