// Integer arithmetic that cannot overflow unnoticed: linear forms over variables, and the intervals they span.
#pragma once

#include <array>
#include <cstdint>

namespace samcl::footprint {

__extension__ typedef __int128 Wide;

// Beyond it a number counts as infinite.
constexpr Wide kInfinite = Wide{1} << 100;

Wide add(Wide a, Wide b);       // saturates at +-kInfinite
Wide multiply(Wide a, Wide b);  // likewise; 0 times infinite is 0
Wide divide_down(Wide a, Wide b);  // rounded towards minus infinity; b > 0; infinite stays so
Wide divide_up(Wide a, Wide b);

// Closed. Empty where low > high.
struct Interval {
  Wide low = -kInfinite, high = kInfinite;

  bool empty() const { return low > high; }
  bool single() const { return low == high; }
  bool within(const Interval& outer) const { return low >= outer.low && high <= outer.high; }
  bool finite() const { return low > -kInfinite && high < kInfinite; }
};

Interval intersect(Interval a, Interval b);
Interval hull(Interval a, Interval b);
Interval operator+(Interval a, Interval b);
Interval operator*(Interval a, Interval b);
Interval operator*(Interval a, Wide factor);

// All values of an integer type.
Interval unsigned_values(unsigned bits);
Interval signed_values(unsigned bits);

using Variable = uint32_t;

struct Term {
  Variable variable;
  Wide factor;  // not 0
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
  Wide factor(Variable variable) const;
  // Sums are wrong once a number grew too large or there were too many terms; such a form is not valid.
  bool valid() const { return valid_; }

  friend Form operator+(const Form& a, const Form& b);
  friend Form operator-(const Form& a, const Form& b);
  friend Form operator*(const Form& form, Wide factor);

 private:
  void append(Variable variable, Wide factor);
  void check(Wide number);

  Wide constant_ = 0;
  std::array<Term, kMostTerms> terms_;
  uint8_t size_ = 0;
  bool valid_ = true;
};

}  // namespace samcl::footprint
