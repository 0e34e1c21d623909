// Evaluation: neighbours on a ring. `(z + 1) % n` over many z is one number and a row of numbers at the other end of
// the ring, and everything between only if nobody looks closer. Likewise `z < n - 1 ? z + 1 : 0`.
#include <algorithm>

#include "contract/footprint/evaluation.h"

namespace samcl::footprint {
namespace {

// Each doubles the work for an access.
constexpr size_t kMostChoices = 2;
// Worth it where at least that part of the range that is taken together is not touched.
constexpr Wide kLeastSaved = 4;

Wide length(const Interval& range) { return range.empty() ? 0 : add(range.high - range.low, 1); }

}  // namespace

std::optional<Wide> Evaluation::chosen(Id node) const {
  const auto found = std::ranges::find(choices_, node, &Choice::node);
  return found == choices_.end() ? std::nullopt : std::optional(found->which);
}

std::optional<Evaluation::Remainder> Evaluation::remainder(Id id) {
  const Node& node = symbolic_.nodes[id];
  if (node.op == Op::bit_and) {
    const Form a = value(node.a), b = value(node.b);
    if (a.is_constant() == b.is_constant()) return std::nullopt;
    const Wide modulus = (a.is_constant() ? a : b).constant() + 1;
    if (modulus < 2 || (modulus & (modulus - 1)) != 0) return std::nullopt;
    return Remainder{a.is_constant() ? b : a, modulus};
  }
  if (node.op != Op::remainder_signed && node.op != Op::remainder_unsigned) return std::nullopt;
  const bool is_signed = node.op == Op::remainder_signed;
  const auto divisor = constant(node.b, is_signed);
  const auto dividend = exactly(node.a, is_signed);
  if (!divisor || *divisor < 2 || !dividend || here_->range(*dividend).low < 0) return std::nullopt;
  return Remainder{*dividend, *divisor};
}

Evaluation::Cases Evaluation::cases_of(Id id, Wide factor) {
  const Node& node = symbolic_.nodes[id];
  const Interval together = here_->ranges[variables_.opaque(id)];
  const auto saved = [&](Wide apart) {
    const Wide less = length(together) - apart;
    return less * kLeastSaved >= length(together) ? multiply(less, factor < 0 ? -factor : factor) : 0;
  };
  if (const auto known = remainder(id)) {
    const Interval range = here_->range(known->dividend);
    if (!range.finite() || range.empty()) return {};
    return {id, divide_down(range.low, known->divisor), divide_down(range.high, known->divisor), saved(length(range))};
  }
  if (node.op == Op::select && !truth(node.a)) {
    const bool is_signed = node.value != 0;
    const Interval a = bounds_where(node.b, is_signed, node.a, true);
    const Interval b = bounds_where(node.c, is_signed, node.a, false);
    return {id, 0, 1, saved(add(length(a), length(b)))};
  }
  return {};
}

// Those that leave out the most.
Evaluation::Cases Evaluation::cases_of(const Form& offset) {
  Cases best;
  if (choices_.size() == kMostChoices) return best;
  for (const Term& term : offset) {
    if (!variables_.is_opaque(term.variable)) continue;
    const Cases cases = cases_of(variables_.node(term.variable), term.factor);
    if (cases.saved > best.saved) best = cases;
  }
  return best.saved > 0 ? best : Cases{};
}

void Evaluation::choose(const Choice& choice) {
  if (const auto known = remainder(choice.node)) {
    const Form rest = known->dividend - Form(choice.which * known->divisor);
    here_->require(rest, variables_);
    here_->require(Form(known->divisor - 1) - rest, variables_);
  } else {
    assume(symbolic_.nodes[choice.node].a, choice.which != 0);
  }
  choices_.push_back(choice);
}

void Evaluation::visit_cases(const Cases& cases, const Access& access, ArgumentFootprint& result) {
  const Knowledge before = *here_;
  for (Wide which = cases.first; which <= cases.last; ++which) {
    choose({cases.node, which});
    ++stamp_;
    if (!here_->never) visit(access, result);
    choices_.pop_back();
    *here_ = before;
    ++stamp_;
  }
}

}  // namespace samcl::footprint
