// Evaluation: what nodes are worth.
#include <algorithm>
#include <bit>
#include <cstring>

#include "contract/footprint/evaluation.h"

namespace samcl::footprint {
namespace {

Wide power(unsigned exponent) { return Wide{1} << exponent; }

// The least 2^n - 1 that is not below `value`.
Wide all_ones_from(Wide value) {
  Wide ones = 0;
  while (ones < value) ones = ones * 2 + 1;
  return ones;
}

struct Quotient {
  Form quotient, rest;
};

// form = divisor * quotient + rest, term by term.
Quotient divide(const Form& form, Wide divisor) {
  Quotient result;
  for (const Term& term : form) {
    const Wide times = term.factor / divisor, left = term.factor % divisor;
    if (times != 0) result.quotient = result.quotient + Form::of(term.variable, times);
    if (left != 0) result.rest = result.rest + Form::of(term.variable, left);
  }
  const Wide times = divide_down(form.constant(), divisor);
  result.quotient = result.quotient + Form(times);
  result.rest = result.rest + Form(form.constant() - times * divisor);
  return result;
}

}  // namespace

Form Evaluation::value(Id id) {
  Cached& cached = cache_[id];
  if (cached.region != kNone) {
    if (cached.stamp == stamp_) return cached.form;
    if (cached.lasting) {
      Id region = region_;
      while (region != kNone && region > cached.region) region = symbolic_.regions[region].parent;
      if (region == cached.region) return cached.form;
    }
  }
  Form form = compute(id, symbolic_.nodes[id]);
  if (!form.valid()) form = any(id);
  cache_[id] = {form, region_, stamp_, choices_.empty() && !here_->has_opaque(form, variables_)};
  return form;
}

// An opaque variable stands for its node's value as one integer, always by the same reading: what is known of
// it in one region then holds in those below.
Interval Evaluation::reading(Id id) const {
  const Node& node = symbolic_.nodes[id];
  switch (node.op) {
    case Op::divide_signed:
    case Op::remainder_signed:
    case Op::shift_right_signed:
    case Op::minimum_signed:
    case Op::maximum_signed:
    case Op::sign_extend: return signed_values(node.bits);
    case Op::divide_unsigned:
    case Op::remainder_unsigned:
    case Op::shift_right_unsigned:
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
    case Op::minimum_unsigned:
    case Op::maximum_unsigned:
    case Op::zero_extend:
    case Op::up_to: return unsigned_values(node.bits);
    default: return node.value != 0 ? signed_values(node.bits) : unsigned_values(node.bits);
  }
}

Form Evaluation::opaque(Id id, Interval range) {
  const Interval all = reading(id);
  if (range.empty() || !range.within(all)) range = all;
  const Variable variable = variables_.opaque(id);
  if (here_->ranges.size() <= variable) here_->ranges.resize(variable + 1);
  const Interval narrowed = intersect(here_->ranges[variable], range);
  here_->ranges[variable] = narrowed.empty() ? range : narrowed;
  return Form::of(variable);
}

Form Evaluation::any(Id id) { return opaque(id, reading(id)); }

std::optional<Form> Evaluation::exactly(const Form& form, unsigned bits, bool is_signed) const {
  const Interval wanted = is_signed ? signed_values(bits) : unsigned_values(bits);
  const Interval range = here_->range(form);
  if (range.within(wanted)) return form;
  if (!range.finite()) return std::nullopt;
  const Wide turns = divide_down(range.low - wanted.low, power(bits));
  const Form turned = form - Form(turns * power(bits));
  if (turned.valid() && here_->range(turned).within(wanted)) return turned;
  return std::nullopt;
}

std::optional<Form> Evaluation::exactly(Id node, bool is_signed) {
  return exactly(value(node), symbolic_.nodes[node].bits, is_signed);
}

std::optional<Wide> Evaluation::constant(Id node, bool is_signed) {
  const auto form = exactly(node, is_signed);
  if (form && form->is_constant()) return form->constant();
  return std::nullopt;
}

Interval Evaluation::bounds(Id node, bool is_signed) {
  const unsigned bits = symbolic_.nodes[node].bits;
  if (const auto form = exactly(node, is_signed)) return here_->range(*form);
  return is_signed ? signed_values(bits) : unsigned_values(bits);
}

// Of an argument, from one launch to the next.
Form Evaluation::growth(const Node& node) const {
  const int64_t step = is_gathered() ? launch_.steps[node.a] : 0;
  return step == 0 ? Form() : Form::of(Variables::group(2), step);
}

Form Evaluation::by_place(Id id, const Node& node) {
  const Ndrange& ndrange = launch_.ndrange;
  const unsigned d = node.a;
  if (is_gathered() && d == 2 && node.op != Op::local_id) return any(id);  // kernels that ask for it are not gathered
  const Wide local = ndrange.local[d];
  const bool uniform = ndrange.global[d] % ndrange.local[d] == 0;
  switch (node.op) {
    case Op::group_id: return Form::of(Variables::group(d));
    case Op::local_id: return Form::of(Variables::local(d));
    case Op::global_id:
      return Form::of(Variables::group(d), local) + Form::of(Variables::local(d)) + Form(Wide{ndrange.offset[d]});
    case Op::num_groups: return Form(Wide{ndrange.groups(d)});
    case Op::local_size: return uniform ? Form(local) : opaque(id, {1, local});
    case Op::enqueued_local_size: return Form(local);
    case Op::global_size: return Form(Wide{ndrange.global[d]});
    default: return Form(Wide{ndrange.offset[d]});
  }
}

Form Evaluation::compute(Id id, const Node& node) {
  switch (node.op) {
    case Op::constant: return Form(Wide{node.value});
    case Op::argument: {
      const size_t bytes = (node.bits + 7) / 8;
      if (node.a >= launch_.arguments.size()) return any(id);
      const auto all = launch_.arguments[node.a].value;
      if (node.b + bytes > all.size()) return any(id);
      if (node.b != 0 && is_gathered() && launch_.steps[node.a] != 0) return any(id);
      int64_t number = 0;
      std::memcpy(&number, all.data() + node.b, bytes);
      // As signed: small negative numbers stay small.
      if (bytes < 8 && (number >> (bytes * 8 - 1)) != 0) number -= int64_t{1} << (bytes * 8);
      return Form(Wide{number}) + growth(node);
    }
    case Op::unknown: return any(id);
    case Op::work_dim: return is_gathered() ? any(id) : Form(Wide{launch_.ndrange.dimensions});
    case Op::group_id:
    case Op::local_id:
    case Op::global_id:
    case Op::num_groups:
    case Op::local_size:
    case Op::enqueued_local_size:
    case Op::global_size:
    case Op::global_offset: return by_place(id, node);
    case Op::counter: {
      const auto step = exactly(node.c, true);
      if (!step || !step->is_constant()) return any(id);
      return value(node.b) + Form::of(Variables::round(node.a), step->constant());
    }
    case Op::add:
    case Op::subtract: {
      const Form a = value(node.a), b = value(node.b);
      const Form sum = node.op == Op::add ? a + b : a - b;
      if (sum.valid()) return sum;
      return opaque(id, here_->range(a) + here_->range(b) * Wide{node.op == Op::add ? 1 : -1});
    }
    case Op::multiply: return product(id, value(node.a), value(node.b));
    case Op::multiply_24_signed:
    case Op::multiply_24_unsigned: {
      const bool is_signed = node.op == Op::multiply_24_signed;
      const auto a = exactly(node.a, is_signed), b = exactly(node.b, is_signed);
      const Interval fitting = is_signed ? signed_values(24) : unsigned_values(24);
      if (!a || !b || !here_->range(*a).within(fitting) || !here_->range(*b).within(fitting)) return any(id);
      return product(id, *a, *b);
    }
    case Op::divide_signed:
    case Op::remainder_signed: return division(id, node, true);
    case Op::divide_unsigned:
    case Op::remainder_unsigned: return division(id, node, false);
    case Op::shift_left: {
      const auto by = constant(node.b, false);
      if (!by || *by >= node.bits) return any(id);
      return value(node.a) * power(static_cast<unsigned>(*by));
    }
    case Op::shift_right_signed: return shifted_right(id, node, true);
    case Op::shift_right_unsigned: return shifted_right(id, node, false);
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor: return bitwise(id, node);
    case Op::minimum_signed: return extreme(id, node, true, true);
    case Op::minimum_unsigned: return extreme(id, node, false, true);
    case Op::maximum_signed: return extreme(id, node, true, false);
    case Op::maximum_unsigned: return extreme(id, node, false, false);
    case Op::absolute: {
      const auto a = exactly(node.a, true);
      if (!a) return any(id);
      const Interval range = here_->range(*a);
      if (range.low >= 0) return *a;
      if (range.high <= 0) return *a * Wide{-1};
      return opaque(id, {0, std::max(-range.low, range.high)});
    }
    case Op::sign_extend:
    case Op::zero_extend: {
      const bool is_signed = node.op == Op::sign_extend;
      if (const auto a = exactly(node.a, is_signed)) return *a;
      return opaque(id, bounds(node.a, is_signed));
    }
    case Op::truncate: return value(node.a);
    case Op::up_to: return opaque(id, {0, bounds(node.a, false).high});
    case Op::select: return selected(id, node);
    case Op::either: {
      const Form a = value(node.a), b = value(node.b);
      const Form difference = b - a;
      if (difference.valid() && difference.is_constant() && difference.constant() == 0) return a;
      const Interval range = hull(here_->range(a), here_->range(b));
      return opaque(id, range);
    }
    case Op::equal:
    case Op::less_signed:
    case Op::less_unsigned:
    case Op::both:
    case Op::negation: {
      if (const auto known = truth(id)) return Form(Wide{*known});
      return opaque(id, {0, 1});
    }
  }
  return any(id);
}

Form Evaluation::product(Id id, const Form& a, const Form& b) {
  if (a.is_constant()) return b * a.constant();
  if (b.is_constant()) return a * b.constant();
  return opaque(id, here_->range(a) * here_->range(b));
}

Form Evaluation::division(Id id, const Node& node, bool is_signed) {
  const bool remainder = node.op == Op::remainder_signed || node.op == Op::remainder_unsigned;
  const Interval divisors = bounds(node.b, is_signed);
  const auto dividend = exactly(node.a, is_signed);
  const Interval range = bounds(node.a, is_signed);
  // Empty where nothing gets to.
  if (divisors.low <= 0 || divisors.high < divisors.low) return any(id);
  if (range.low < 0) {
    const Wide size = std::max(range.high, -range.low);
    if (remainder) return opaque(id, {-std::min(size, divisors.high - 1), std::min(size, divisors.high - 1)});
    return opaque(id, {-(-range.low / divisors.low), std::max<Wide>(range.high, 0) / divisors.low});
  }
  if (dividend && divisors.single()) {
    Quotient parts = divide(*dividend, divisors.low);
    const Interval rest = here_->range(parts.rest);
    const Wide turns = divide_down(rest.low, divisors.low);
    const Form moved = parts.rest - Form(turns * divisors.low);
    if (rest.finite() && here_->range(moved).within({0, divisors.low - 1}))
      return remainder ? moved : parts.quotient + Form(turns);
  }
  if (!remainder) return opaque(id, {range.low / divisors.high, range.high / divisors.low});
  if (const auto turn = chosen(id); turn && dividend) return *dividend - Form(*turn * divisors.low);
  if (dividend && range.high < divisors.low) return *dividend;
  return opaque(id, {0, std::min(range.high, divisors.high - 1)});
}

Form Evaluation::shifted_right(Id id, const Node& node, bool is_signed) {
  const auto a = exactly(node.a, is_signed);
  const Interval range = bounds(node.a, is_signed);
  const auto by = constant(node.b, false);
  if (!by || *by >= node.bits) return range.low >= 0 ? opaque(id, {0, range.high}) : any(id);
  const Wide divisor = power(static_cast<unsigned>(*by));
  if (a) {
    const Quotient parts = divide(*a, divisor);
    const Interval rest = here_->range(parts.rest);
    const Wide turns = divide_down(rest.low, divisor);
    if (rest.finite() && rest.high < (turns + 1) * divisor) return parts.quotient + Form(turns);
  }
  return opaque(id, {divide_down(range.low, divisor), divide_down(range.high, divisor)});
}

Form Evaluation::bitwise(Id id, const Node& node) {
  const Form a = value(node.a), b = value(node.b);
  if (node.op == Op::bit_xor)
    for (const bool swap : {false, true}) {
      const Form &ones = swap ? a : b, &other = swap ? b : a;
      if (ones.is_constant() && ones.constant() == -1) return other * Wide{-1} - Form(Wide{1});
    }
  if (node.op == Op::bit_and && (a.is_constant() || b.is_constant())) {
    const Form& other = a.is_constant() ? b : a;
    const Wide mask = (a.is_constant() ? a : b).constant();
    // The lowest bits alone, or all but these: right modulo 2^bits, too.
    const Wide modulus = mask >= 0 ? mask + 1 : -mask;
    if (mask != -1 && (modulus & (modulus - 1)) == 0 && modulus < power(node.bits)) {
      const Quotient parts = divide(other, modulus);
      const Interval rest = here_->range(parts.rest);
      const Wide turns = divide_down(rest.low, modulus);
      if (rest.finite() && rest.high < (turns + 1) * modulus) {
        const Form low = parts.rest - Form(turns * modulus);
        return mask >= 0 ? low : other - low;
      }
      if (const auto turn = chosen(id)) return other - Form(*turn * modulus);
    }
  }
  const Interval x = bounds(node.a, false), y = bounds(node.b, false);
  if (node.op == Op::bit_and) return common_bits(id, node, x, y);
  if (node.op == Op::bit_or) {
    // No carries: one has only multiples of 2^n, the other is below 2^n.
    for (const bool swap : {false, true}) {
      const auto high = exactly(swap ? node.b : node.a, false);
      const Wide unit = all_ones_from(swap ? x.high : y.high) + 1;
      if (!high) continue;
      bool multiple = high->constant() % unit == 0;
      for (const Term& term : *high) multiple = multiple && term.factor % unit == 0;
      const auto low = exactly(swap ? node.a : node.b, false);
      if (multiple && low) return *high + *low;
    }
  }
  const Wide low = node.op == Op::bit_or ? std::max(x.low, y.low) : 0;
  return opaque(id, {low, all_ones_from(std::max(x.high, y.high))});
}

// A value of its own that is no larger than either, and not much smaller where only the lowest bits are left out.
Form Evaluation::common_bits(Id id, const Node& node, Interval a, Interval b) {
  Interval range{0, std::min(a.high, b.high)};
  for (const bool swap : {false, true}) {
    const Form mask = value(swap ? node.a : node.b);
    const Wide modulus = mask.is_constant() && mask.constant() < 0 ? -mask.constant() : 0;
    if (modulus == 0 || (modulus & (modulus - 1)) != 0) continue;
    const Interval number = swap ? b : a;
    range = {number.low - number.low % modulus, number.high - number.high % modulus};
  }
  const Form common = opaque(id, range);
  for (const Id each : {node.a, node.b})
    if (const auto number = exactly(each, false)) here_->know(*number - common);
  return common;
}

Form Evaluation::extreme(Id id, const Node& node, bool is_signed, bool minimum) {
  const auto a = exactly(node.a, is_signed), b = exactly(node.b, is_signed);
  if (a && b) {
    const Interval difference = here_->range(*a - *b);
    if (difference.high <= 0) return minimum ? *a : *b;
    if (difference.low >= 0) return minimum ? *b : *a;
  }
  const Interval x = bounds(node.a, is_signed), y = bounds(node.b, is_signed);
  if (minimum) return opaque(id, {std::min(x.low, y.low), std::min(x.high, y.high)});
  return opaque(id, {std::max(x.low, y.low), std::max(x.high, y.high)});
}

Form Evaluation::selected(Id id, const Node& node) {
  if (const auto known = truth(node.a)) return value(*known ? node.b : node.c);
  if (const auto which = chosen(id)) return value(*which != 0 ? node.b : node.c);
  const Form a = value(node.b), b = value(node.c);
  const Form difference = b - a;
  if (difference.valid() && difference.is_constant() && difference.constant() == 0) return a;
  const bool is_signed = node.value != 0;
  const Interval range =
      hull(bounds_where(node.b, is_signed, node.a, true), bounds_where(node.c, is_signed, node.a, false));
  return opaque(id, range);
}

}  // namespace samcl::footprint
