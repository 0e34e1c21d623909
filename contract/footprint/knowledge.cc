#include "contract/footprint/knowledge.h"

#include <algorithm>

namespace samcl::footprint {

Interval Knowledge::plain_range(const Form& form) const {
  if (!form.valid()) return {};
  Interval sum{form.constant(), form.constant()};
  for (const Term& term : form) sum = sum + ranges[term.variable] * term.factor;
  return sum;
}

// The lower (or higher) end of form - times * condition by the variables' ranges; infinite where numbers are large.
Wide Knowledge::end_of_rest(const Form& form, const Form& condition, Wide times, bool lower) const {
  const Wide unknown = lower ? -kInfinite : kInfinite;
  Wide sum = add(form.constant(), multiply(condition.constant(), -times));
  if (infinite(sum)) return unknown;
  const Term *x = form.begin(), *y = condition.begin();
  while (x != form.end() || y != condition.end()) {
    const bool from_form = y == condition.end() || (x != form.end() && x->variable <= y->variable);
    const bool from_condition = x == form.end() || (y != condition.end() && y->variable <= x->variable);
    const Interval& range = ranges[from_form ? x->variable : y->variable];
    const Wide factor = (from_form ? Wide{x->factor} : 0) - (from_condition ? multiply(y->factor, times) : 0);
    if (factor != 0) {
      const Wide part = multiply((factor > 0) == lower ? range.low : range.high, factor);
      if (infinite(part)) return unknown;
      sum = add(sum, part);
    }
    if (from_form) ++x;
    if (from_condition) ++y;
  }
  return sum;
}

Interval Knowledge::range(const Form& form) const {
  Interval result = plain_range(form);
  if (!form.valid()) return result;
  // form = c * condition + rest, so its ends are those of the rest at best.
  for (const Form& condition : pending) {
    Wide last = 0;
    for (const Term& term : condition) {
      const int64_t factor = form.factor(term.variable);
      if (factor == 0 || factor % term.factor != 0) continue;
      const Wide times = factor / term.factor;
      if (times == last) continue;  // it is a multiple of more of the condition
      last = times;
      if (times > 0)
        result.low = std::max(result.low, end_of_rest(form, condition, times, true));
      else
        result.high = std::min(result.high, end_of_rest(form, condition, times, false));
    }
  }
  return result;
}

bool Knowledge::has_opaque(const Form& form, const Variables& variables) const {
  return std::any_of(form.begin(), form.end(), [&](const Term& term) { return variables.is_opaque(term.variable); });
}

bool Knowledge::is_free(const Form& form, const Variables& variables) const {
  return !has_opaque(form, variables) &&
         std::none_of(left.begin(), left.end(), [&](Id loop) { return form.factor(Variables::round(loop)) != 0; });
}

void Knowledge::require(const Form& form, const Variables& variables) {
  if (!form.valid()) {
    exact = false;
    return;
  }
  const Interval all = plain_range(form);
  if (all.low >= 0) return;
  if (all.high < 0) {
    never = true;
    return;
  }
  if (!is_free(form, variables)) exact = false;
  unsigned open = 0;
  for (const Term& term : form) {
    Interval& range = ranges[term.variable];
    if (!range.single()) ++open;
    // factor * variable >= -(the most that the others can add)
    Wide most = form.constant();
    for (const Term& other : form)
      if (&other != &term) most = add(most, (ranges[other.variable] * other.factor).high);
    if (most >= kInfinite) continue;
    if (term.factor > 0)
      range.low = std::max(range.low, divide_up(-most, term.factor));
    else
      range.high = std::min(range.high, divide_down(most, -Wide{term.factor}));
    if (range.empty()) never = true;
  }
  if (open > 1) pending.push_back(form);
}

void Knowledge::know(const Form& form) {
  if (!form.valid() || form.size() < 2 || plain_range(form).low >= 0) return;
  if (std::find(pending.begin(), pending.end(), form) == pending.end()) pending.push_back(form);
}

void Knowledge::require_not_zero(const Form& form, const Variables& variables) {
  const Interval all = range(form);
  if (form.valid() && (all.low > 0 || all.high < 0)) return;
  // The first or last number that it may be.
  if (form.valid() && form.size() > 1 && all.low == 0) return require(form - Form(Wide{1}), variables);
  if (form.valid() && form.size() > 1 && all.high == 0) return require(form * Wide{-1} - Form(Wide{1}), variables);
  if (!form.valid() || form.size() > 1 || !is_free(form, variables)) {
    exact = false;
    return;
  }
  if (form.is_constant()) {
    never = true;
    return;
  }
  const Term& term = *form.begin();
  if (form.constant() % term.factor != 0) return;
  const Wide excluded = -form.constant() / term.factor;
  Interval& range = ranges[term.variable];
  if (excluded == range.low)
    ++range.low;
  else if (excluded == range.high)
    --range.high;
  else if (excluded > range.low && excluded < range.high)
    exact = false;
  if (range.empty()) never = true;
}

}  // namespace samcl::footprint
