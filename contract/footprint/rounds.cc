// Evaluation: how often loops go round.
#include <algorithm>

#include "contract/footprint/evaluation.h"

namespace samcl::footprint {
namespace {

// A form taken apart: rest + step * round.
struct Steps {
  Form rest;
  Wide step;
};

Steps steps_of(const Form& form, Variable round) {
  const Wide step = form.factor(round);
  return {form - Form::of(round, step), step};
}

}  // namespace

Evaluation::Rounds Evaluation::rounds(Id loop, const Condition& stay) {
  const Node& node = symbolic_.nodes[stay.node];
  switch (node.op) {
    case Op::negation: return rounds(loop, {node.a, !stay.when});
    case Op::both: {
      if (!stay.when) return {};
      const Rounds a = rounds(loop, {node.a, true}), b = rounds(loop, {node.b, true});
      return {std::min(a.most, b.most), false, a.gives_way && b.gives_way};
    }
    case Op::less_signed: return rounds_less(loop, node, stay.when, true);
    case Op::less_unsigned: return rounds_less(loop, node, stay.when, false);
    case Op::equal: return stay.when ? Rounds{} : rounds_unequal(loop, node);
    default: return {};
  }
}

// The loop goes on while a < b (`when`), or while b <= a.
Evaluation::Rounds Evaluation::rounds_less(Id loop, const Node& node, bool when, bool is_signed) {
  const Variable round = Variables::round(loop);
  Interval allowed =
      is_signed ? signed_values(symbolic_.nodes[node.a].bits) : unsigned_values(symbolic_.nodes[node.a].bits);
  // The side that changes from round to round may be widened before it is compared.
  const auto changing = [&](Id id) -> std::optional<Steps> {
    Interval within = allowed;
    const Node* at = &symbolic_.nodes[id];
    while (at->op == Op::sign_extend || at->op == Op::zero_extend) {
      const unsigned bits = symbolic_.nodes[at->a].bits;
      within = intersect(within, at->op == Op::sign_extend ? signed_values(bits) : unsigned_values(bits));
      id = at->a;
      at = &symbolic_.nodes[id];
    }
    const Form form = value(id);
    if (!form.valid() || form.factor(round) == 0) return std::nullopt;
    Steps steps = steps_of(form, round);
    const Interval range = here_->range(steps.rest);
    if (!range.finite()) return std::nullopt;
    const Wide turn = Wide{1} << at->bits;
    steps.rest = steps.rest - Form(divide_down(range.low - within.low, turn) * turn);
    if (!here_->range(steps.rest).within(within)) return std::nullopt;
    allowed = within;
    return steps;
  };

  std::optional<Steps> a = changing(node.a), b;
  if (!a) b = changing(node.b);
  if (!a && !b) return {};
  const auto fixed = exactly(a ? node.b : node.a, is_signed);
  if (!fixed || fixed->factor(round) != 0) return {};
  if (!a) a = Steps{*fixed, 0};
  if (!b) b = Steps{*fixed, 0};

  // On while distance >= 0; it shrinks by -step in each round.
  const Form distance = when ? b->rest - a->rest - Form(Wide{1}) : a->rest - b->rest;
  const Wide step = when ? b->step - a->step : a->step - b->step;
  if (step >= 0 || !distance.valid()) return {};
  const Interval range = here_->range(distance);
  if (!range.finite()) return {};
  // Where it stops, the distance is still at least `step`: no number has wrapped around by then.
  const Interval limit = here_->range(*fixed);
  const Wide overshoot = (when ? 1 : 0) + step;
  const bool upwards = a->step > 0 || b->step > 0;
  const Wide last = upwards ? limit.high - overshoot : limit.low + overshoot;
  if (last < allowed.low || last > allowed.high) return {};

  Rounds result;
  result.most = range.high < 0 ? 0 : divide_down(range.high, -step) + 1;
  const Wide least = range.low < 0 ? 0 : divide_down(range.low, -step) + 1;
  const bool known = here_->is_free(distance, variables_);
  result.same_for_all = known && least == result.most;
  result.gives_way = known;
  return result;
}

// The loop goes on while a != b.
Evaluation::Rounds Evaluation::rounds_unequal(Id loop, const Node& node) {
  const Variable round = Variables::round(loop);
  const Wide turn = Wide{1} << symbolic_.nodes[node.a].bits;
  const Form difference = value(node.b) - value(node.a);
  if (!difference.valid()) return {};
  Steps steps = steps_of(difference, round);
  if (steps.step == 0) return {};
  if (steps.step > 0) steps = {steps.rest * Wide{-1}, -steps.step};
  Interval range = here_->range(steps.rest);
  if (!range.finite()) return {};
  const Wide turns = divide_down(range.low, turn) * turn;
  range = {range.low - turns, range.high - turns};
  if (range.high >= turn || !here_->is_free(steps.rest, variables_)) return {};
  if (steps.step != -1 && (!range.single() || range.low % steps.step != 0)) return {};
  const Wide most = range.high / -steps.step;
  return {most, range.single(), range.single()};
}

}  // namespace samcl::footprint
