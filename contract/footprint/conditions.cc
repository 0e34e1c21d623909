// Evaluation: what follows from a condition that holds, or does not.
#include <algorithm>

#include "contract/footprint/evaluation.h"

namespace samcl::footprint {

void Evaluation::assume(Id id, bool when) {
  const Node& node = symbolic_.nodes[id];
  switch (node.op) {
    case Op::constant:
      if (((node.value & 1) != 0) != when) here_->never = true;
      return;
    case Op::negation: return assume(node.a, !when);
    case Op::both:
      if (when) {
        assume(node.a, true);
        return assume(node.b, true);
      }
      if (truth(node.a) == true) return assume(node.b, false);
      if (truth(node.b) == true) return assume(node.a, false);
      if (truth(node.a) != false && truth(node.b) != false) here_->exact = false;
      return;
    case Op::equal: {
      const Wide turn = Wide{1} << symbolic_.nodes[node.a].bits;
      for (const bool is_signed : {true, false}) {
        const auto a = exactly(node.a, is_signed), b = exactly(node.b, is_signed);
        if (!a || !b) continue;
        if (!when) return here_->require_not_zero(*a - *b, variables_);
        here_->require(*a - *b, variables_);
        return here_->require(*b - *a, variables_);
      }
      // Equal modulo 2^bits, and never that far apart.
      const Form difference = value(node.a) - value(node.b);
      if (difference.valid() && here_->range(difference).within({1 - turn, turn - 1})) {
        if (!when) return here_->require_not_zero(difference, variables_);
        here_->require(difference, variables_);
        return here_->require(difference * Wide{-1}, variables_);
      }
      here_->exact = false;
      return;
    }
    case Op::less_signed: return assume_less(node, when, true);
    case Op::less_unsigned: return assume_less(node, when, false);
    default: here_->exact = false;
  }
}

void Evaluation::assume_less(const Node& node, bool when, bool is_signed) {
  const auto a = exactly(node.a, is_signed), b = exactly(node.b, is_signed);
  if (a && b) {
    const Form difference = *b - *a;
    return here_->require(when ? difference - Form(Wide{1}) : difference * Wide{-1}, variables_);
  }
  if (!is_signed && b && when) {
    // A negative number, as an unsigned one, is beyond any small bound: it is not less.
    const unsigned bits = symbolic_.nodes[node.a].bits;
    if (const auto number = exactly(node.a, true)) {
      const Interval range = here_->range(*number), limit = here_->range(*b);
      if (range.low + (Wide{1} << bits) >= limit.high) {
        here_->require(*number, variables_);
        return here_->require(*b - *number - Form(Wide{1}), variables_);
      }
    }
  }
  here_->exact = false;
}

std::optional<bool> Evaluation::truth(Id id) {
  const Node& node = symbolic_.nodes[id];
  switch (node.op) {
    case Op::constant: return (node.value & 1) != 0;
    case Op::negation:
      if (const auto a = truth(node.a)) return !*a;
      return std::nullopt;
    case Op::both: {
      const auto a = truth(node.a), b = truth(node.b);
      if (a == false || b == false) return false;
      if (a == true && b == true) return true;
      return std::nullopt;
    }
    case Op::less_signed:
    case Op::less_unsigned: {
      const bool is_signed = node.op == Op::less_signed;
      const auto a = exactly(node.a, is_signed), b = exactly(node.b, is_signed);
      Interval difference;  // of b - a
      if (a && b)
        difference = here_->range(*b - *a);
      else
        difference = bounds(node.b, is_signed) + bounds(node.a, is_signed) * Wide{-1};
      if (difference.low > 0) return true;
      if (difference.high <= 0) return false;
      return std::nullopt;
    }
    case Op::equal: {
      for (const bool is_signed : {true, false}) {
        const auto a = exactly(node.a, is_signed), b = exactly(node.b, is_signed);
        if (!a || !b) continue;
        const Interval difference = here_->range(*a - *b);
        if (difference.low > 0 || difference.high < 0) return false;
        if (difference.low == 0 && difference.high == 0) return true;
      }
      return std::nullopt;
    }
    default: return std::nullopt;
  }
}

// The bounds of a value, seen as one integer, where a condition holds (`when`) or does not.
Interval Evaluation::bounds_where(Id node, bool is_signed, Id condition, bool when) {
  const Node& test = symbolic_.nodes[condition];
  Interval result = bounds(node, is_signed);
  if (test.op == Op::negation) return bounds_where(node, is_signed, test.a, !when);
  if (test.op == Op::both && when)
    return intersect(bounds_where(node, is_signed, test.a, true), bounds_where(node, is_signed, test.b, true));
  const std::optional<Form> holds = what_holds(test, when);
  if (!holds) return result;
  // It may be that number only where the condition holds.
  const unsigned bits = symbolic_.nodes[node].bits;
  const auto exact = exactly(node, is_signed);
  const Form number = exact ? *exact : value(node);
  if (!number.valid()) return result;
  Interval refined = exact ? result : here_->range(number);
  // *holds >= 0; number = times * *holds + rest.
  for (const Term& term : *holds) {
    const int64_t factor = number.factor(term.variable);
    if (factor == 0 || factor % term.factor != 0) continue;
    const Wide times = factor / term.factor;
    const Interval rest = here_->range(number - *holds * times);
    if (times > 0)
      refined.low = std::max(refined.low, rest.low);
    else
      refined.high = std::min(refined.high, rest.high);
  }
  const bool is_number = exact || refined.within(is_signed ? signed_values(bits) : unsigned_values(bits));
  return is_number ? refined : result;
}

// A form that is at least 0 where that comparison holds (`when`) or does not.
std::optional<Form> Evaluation::what_holds(const Node& test, bool when) {
  if (test.op == Op::equal && when) return std::nullopt;
  std::optional<Form> holds;
  if (test.op == Op::equal) {
    for (const bool is_signed : {true, false}) {
      const auto a = exactly(test.a, is_signed), b = exactly(test.b, is_signed);
      if (!a || !b || holds) continue;
      const Interval difference = here_->range(*a - *b);
      if (difference.low == 0) holds = *a - *b - Form(Wide{1});
      if (difference.high == 0) holds = *b - *a - Form(Wide{1});
    }
  } else if (test.op == Op::less_signed || test.op == Op::less_unsigned) {
    const bool is_signed = test.op == Op::less_signed;
    const auto a = exactly(test.a, is_signed), b = exactly(test.b, is_signed);
    if (a && b) holds = when ? *b - *a - Form(Wide{1}) : *a - *b;
  }
  return holds && holds->valid() ? holds : std::nullopt;
}

}  // namespace samcl::footprint
