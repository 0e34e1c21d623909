#include "contract/footprint/linear_form.h"

namespace samcl::footprint {
namespace {

struct Divided {
  Wide quotient, rest;
};

// Nearly all numbers are small, and a division of large ones is a call.
Divided divided(Wide a, Wide b) {
  const auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
  if (x == a && y == b) return {x / y, x % y};
  return {a / b, a % b};
}

}  // namespace

Wide divide_down(Wide a, Wide b) {
  if (infinite(a)) return a;
  const auto [quotient, rest] = divided(a, b);
  return quotient - (rest < 0 ? 1 : 0);
}

Wide divide_up(Wide a, Wide b) {
  if (infinite(a)) return a;
  const auto [quotient, rest] = divided(a, b);
  return quotient + (rest > 0 ? 1 : 0);
}

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
  constexpr Wide kLargest = Wide{1} << 62;
  if (size_ == kMostTerms || factor > kLargest || factor < -kLargest) {
    valid_ = false;
    return;
  }
  terms_[size_++] = {variable, static_cast<int64_t>(factor)};
}

int64_t Form::factor(Variable variable) const {
  for (const Term& term : *this)
    if (term.variable == variable) return term.factor;
  return 0;
}

Form Form::combined(const Form& a, const Form& b, int sign) {
  Form sum(add(a.constant_, sign * b.constant_));
  sum.valid_ = a.valid_ && b.valid_;
  sum.check(sum.constant_);
  const Term *x = a.begin(), *y = b.begin();
  while (x != a.end() || y != b.end()) {
    if (y == b.end() || (x != a.end() && x->variable < y->variable)) {
      sum.append(x->variable, x->factor);
      ++x;
    } else if (x == a.end() || y->variable < x->variable) {
      sum.append(y->variable, Wide{y->factor} * sign);
      ++y;
    } else {
      sum.append(x->variable, Wide{x->factor} + Wide{y->factor} * sign);
      ++x;
      ++y;
    }
  }
  return sum;
}

Form operator*(const Form& form, Wide factor) {
  Form product(multiply(form.constant_, factor));
  product.valid_ = form.valid_;
  product.check(product.constant_);
  for (const Term& term : form) product.append(term.variable, multiply(term.factor, factor));
  return product;
}

}  // namespace samcl::footprint
