#include "libsamcl/footprint/linear_form.h"

#include <algorithm>

namespace samcl::footprint {
namespace {

Wide saturated(Wide value) { return std::clamp(value, -kInfinite, kInfinite); }
bool infinite(Wide value) { return value >= kInfinite || value <= -kInfinite; }

}  // namespace

Wide add(Wide a, Wide b) {
  if (infinite(a)) return a;
  return infinite(b) ? b : saturated(a + b);
}

Wide multiply(Wide a, Wide b) {
  Wide product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return (a < 0) == (b < 0) ? kInfinite : -kInfinite;
  return saturated(product);
}

Wide divide_down(Wide a, Wide b) {
  if (infinite(a)) return a;
  return a / b - (a % b < 0 ? 1 : 0);
}

Wide divide_up(Wide a, Wide b) {
  if (infinite(a)) return a;
  return a / b + (a % b > 0 ? 1 : 0);
}

Interval intersect(Interval a, Interval b) { return {std::max(a.low, b.low), std::min(a.high, b.high)}; }

Interval hull(Interval a, Interval b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

Interval operator+(Interval a, Interval b) {
  // An infinite end stays infinite whatever is added.
  const Wide low = infinite(b.low) ? b.low : add(a.low, b.low);
  const Wide high = infinite(b.high) ? b.high : add(a.high, b.high);
  return {low, high};
}

Interval operator*(Interval a, Wide factor) {
  const Wide x = multiply(a.low, factor), y = multiply(a.high, factor);
  return {std::min(x, y), std::max(x, y)};
}

Interval operator*(Interval a, Interval b) { return hull(a * b.low, a * b.high); }

Interval unsigned_values(unsigned bits) { return {0, (Wide{1} << bits) - 1}; }

Interval signed_values(unsigned bits) { return {-(Wide{1} << (bits - 1)), (Wide{1} << (bits - 1)) - 1}; }

Form Form::of(Variable variable, Wide factor) {
  Form form;
  form.append(variable, factor);
  return form;
}

void Form::check(Wide number) {
  constexpr Wide kLargest = Wide{1} << 80;
  if (number > kLargest || number < -kLargest) valid_ = false;
}

void Form::append(Variable variable, Wide factor) {
  if (factor == 0) return;
  check(factor);
  if (size_ == kMostTerms) {
    valid_ = false;
    return;
  }
  terms_[size_++] = {variable, factor};
}

Wide Form::factor(Variable variable) const {
  for (const Term& term : *this)
    if (term.variable == variable) return term.factor;
  return 0;
}

Form operator+(const Form& a, const Form& b) {
  Form sum(add(a.constant_, b.constant_));
  sum.valid_ = a.valid_ && b.valid_;
  sum.check(sum.constant_);
  const Term *x = a.begin(), *y = b.begin();
  while (x != a.end() || y != b.end()) {
    if (y == b.end() || (x != a.end() && x->variable < y->variable)) {
      sum.append(x->variable, x->factor);
      ++x;
    } else if (x == a.end() || y->variable < x->variable) {
      sum.append(y->variable, y->factor);
      ++y;
    } else {
      sum.append(x->variable, add(x->factor, y->factor));
      ++x;
      ++y;
    }
  }
  return sum;
}

Form operator-(const Form& a, const Form& b) { return a + b * Wide{-1}; }

Form operator*(const Form& form, Wide factor) {
  Form product(multiply(form.constant_, factor));
  product.valid_ = form.valid_;
  product.check(product.constant_);
  for (const Term& term : form) product.append(term.variable, multiply(term.factor, factor));
  return product;
}

}  // namespace samcl::footprint
