#include "contract/footprint/access_box.h"

#include <algorithm>
#include <optional>

#include "base/small_vector.h"

namespace samcl::footprint {
namespace {

constexpr Wide kFarthest = Wide{1} << 62;
// Up to so many repetitions of rows are listed one by one.
constexpr Wide kFewPlanes = 4;

struct Rows {
  Wide start, length, stride, count;
};

using Forms = SmallVector<Form, 4>;

// Conditions and address over the same variables, brought to a form where each condition bounds one variable,
// or the address itself.
class Resolution {
 public:
  Resolution(const Knowledge& known, const Variables& variables, const Form& address)
      : variables_(variables), address_(address) {
    known_.ranges = known.ranges;
    Forms open;
    for (const Form& condition : known.pending)
      if (known.is_free(condition, variables)) open.push_back(condition);
    for (bool progress = true; progress && !known_.never;) {
      progress = false;
      for (size_t i = 0; i < open.size();) {
        open[i] = without_singles(open[i]);
        if (is_decided(open[i])) {
          open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
          progress = true;
        } else if (fuse(open, i)) {
          progress = true;
        } else {
          ++i;
        }
      }
    }
    address_ = without_singles(address_);
    for (const Form& condition : open) exact_ = clip(condition) && exact_;
  }

  const Form& address() const { return address_; }
  const Interval& range(Variable variable) const { return known_.ranges[variable]; }
  bool never() const { return known_.never; }
  bool exact() const { return exact_; }
  const Interval& limits() const { return limits_; }  // of the address

 private:
  Form without_singles(const Form& form) const {
    Form result(form.constant());
    for (const Term& term : form) {
      const Interval& range = known_.ranges[term.variable];
      result =
          result + (range.single() ? Form(multiply(term.factor, range.low)) : Form::of(term.variable, term.factor));
    }
    return result;
  }

  // True if the condition needs no more looking at: it holds, or one variable's range says it.
  bool is_decided(const Form& condition) {
    if (condition.size() > 1 && known_.plain_range(condition).low < 0) return false;
    known_.require(condition, variables_);
    return true;
  }

  Wide count(Variable variable) const { return add(known_.ranges[variable].high - known_.ranges[variable].low, 1); }

  // Makes one variable of two that together count without gaps, like group and local id, wherever they occur.
  bool fuse(Forms& conditions, size_t which) {
    const Form& condition = conditions[which];
    for (const Term& fast : condition) {
      if (known_.ranges[fast.variable].high >= kInfinite) continue;
      for (const Term& slow : condition) {
        const Wide turns = count(fast.variable);
        if (&fast == &slow || slow.factor != multiply(fast.factor, turns)) continue;
        if (known_.ranges[slow.variable].high >= kInfinite) continue;
        const auto fits = [&](const Form& form) {
          return form.factor(slow.variable) == multiply(form.factor(fast.variable), turns);
        };
        if (!fits(address_)) continue;
        const Variable kept = fast.variable, gone = slow.variable;
        const Interval kept_range = known_.ranges[kept], gone_range = known_.ranges[gone];
        const auto fused = [&](const Form& form) {
          const Wide factor = form.factor(kept);
          return form - Form::of(gone, form.factor(gone)) +
                 Form(multiply(form.factor(gone), gone_range.low) + multiply(factor, kept_range.low));
        };
        Forms others;
        for (const Form& each : conditions) {
          if (fits(each))
            others.push_back(fused(each));
          else
            exact_ = false;
        }
        address_ = fused(address_);
        known_.ranges[kept] = {0, multiply(turns, gone_range.high - gone_range.low + 1) - 1};
        conditions = std::move(others);
        return true;
      }
    }
    return false;
  }

  // A condition on the address: address = times * condition + constant.
  bool clip(const Form& unreduced) {
    const Form condition = without_singles(unreduced);
    if (address_.size() == 0 || condition.size() == 0) return false;
    const Term& term = *condition.begin();
    const int64_t factor = address_.factor(term.variable);
    if (factor == 0 || factor % term.factor != 0) return false;
    const Wide times = factor / term.factor;
    const Form rest = address_ - condition * times;
    if (!rest.valid() || !rest.is_constant()) return false;
    if (times > 0)
      limits_.low = std::max(limits_.low, rest.constant());
    else
      limits_.high = std::min(limits_.high, rest.constant());
    return true;
  }

  const Variables& variables_;
  Form address_;
  Knowledge known_;
  bool exact_ = true;
  Interval limits_;
};

// Elements of `width` bytes at base + all sums of steps.
struct Layout {
  SmallVector<Rows, kFewPlanes> planes;
  bool exact = true;  // these bytes and no others
  Wide step = 0;      // elements of a row are that far apart, without gaps between; 0: one element a row
  bool even = true;   // they really lie at every step
};

struct Step {
  Wide stride, count;
};

using StepList = SmallVector<Step, Form::kMostTerms>;

Layout lay_out(Wide base, StepList steps, Wide width) {
  std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.stride < b.stride; });
  Layout layout;
  Wide length = width;
  Step rows{0, 1}, planes{0, 1};
  for (const Step& step : steps) {
    if (rows.count == 1 && step.stride <= length) {
      if (layout.step == 0)
        layout.step = step.stride;
      else
        layout.even = layout.even && step.stride % layout.step == 0 && step.stride <= length - width + layout.step;
      length = add(length, multiply(step.stride, step.count - 1));
    } else if (rows.count == 1) {
      rows = step;
    } else if (step.stride % rows.stride == 0 && step.stride <= multiply(rows.stride, rows.count)) {
      rows.count = add(multiply(step.stride / rows.stride, step.count - 1), rows.count);
    } else if (step.count <= kFewPlanes && planes.count == 1) {
      planes = step;
    } else {
      // Too fine a structure: the rows count as one.
      length = add(length, multiply(rows.stride, rows.count - 1));
      layout.exact = false;
      rows = step;
      if (step.stride <= length) {
        length = add(length, multiply(step.stride, step.count - 1));
        rows = {0, 1};
      }
    }
  }
  if (layout.step != 0 && rows.count > 1 && rows.stride % layout.step != 0) layout.even = false;
  for (Wide plane = 0; plane < planes.count; ++plane)
    layout.planes.push_back({base + plane * planes.stride, length, rows.stride, rows.count});
  return layout;
}

void push(std::vector<StridedRange>& result, Wide start, Wide length, Wide stride, Wide count) {
  if (length <= 0 || count <= 0) return;
  if (count == 1) stride = 0;
  result.push_back({static_cast<uint64_t>(start), static_cast<uint64_t>(length), static_cast<uint64_t>(stride),
                    static_cast<uint64_t>(count)});
}

// The bytes of `rows` from `low` to before `high`, where `first` and `last` give the part of a row that
// begins at the given place.
template <typename Part>
void push_within(std::vector<StridedRange>& result, const Rows& rows, Wide low, Wide high, Part part) {
  Wide first = 0, last = rows.count - 1;
  if (rows.count > 1) {
    first = std::max<Wide>(0, divide_up(low - rows.start - rows.length + 1, rows.stride));
    last = std::min<Wide>(last, divide_down(high - 1 - rows.start, rows.stride));
  }
  const auto single = [&](Wide row) {
    const Wide start = rows.start + row * rows.stride;
    const Range bytes = part(start);
    push(result, Wide{bytes.begin}, Wide{bytes.size()}, 0, 1);
  };
  if (first > last) return;
  const auto cut = [&](Wide row) {
    const Wide start = rows.start + row * rows.stride;
    return start < low || start + rows.length > high;
  };
  if (cut(first)) single(first++);
  if (first > last) return;
  const bool cut_last = cut(last);
  if (cut_last) --last;
  push(result, rows.start + first * rows.stride, rows.length, rows.stride, last - first + 1);
  if (cut_last) single(last + 1);
}

Range range_of(Wide low, Wide high) {
  low = std::max<Wide>(low, 0);
  return high <= low ? Range{} : Range{static_cast<uint64_t>(low), static_cast<uint64_t>(high)};
}

}  // namespace

std::vector<StridedRange> clipped(const StridedRange& range, Range inside) {
  const Rows rows{range.start, range.length, range.stride, range.count};
  std::vector<StridedRange> result;
  const Wide low = inside.begin, high = inside.end;
  push_within(result, rows, low, high,
              [&](Wide start) { return range_of(std::max(start, low), std::min(start + rows.length, high)); });
  return result;
}

AccessBox access_box(const Knowledge& known, const Variables& variables, const Form& offset, uint64_t width,
                     uint64_t sure_width) {
  AccessBox box;
  if (known.never) {
    box.known = true;
    return box;
  }
  const Interval all = known.range(offset);
  if (all.low < -kFarthest || all.high > kFarthest) return box;
  box.known = true;

  const Resolution resolution(known, variables, offset);
  if (resolution.never() || all.empty()) return box;
  const Form& address = resolution.address();
  if (!address.valid()) return {};
  Wide base = address.constant();
  StepList steps;
  for (const Term& term : address) {
    const Interval& range = resolution.range(term.variable);
    base = add(base, multiply(term.factor, term.factor > 0 ? range.low : range.high));
    steps.push_back({term.factor > 0 ? term.factor : -term.factor, add(range.high, 1) - range.low});
  }
  const Wide wide = static_cast<Wide>(width);
  const auto endless = [](const Step& step) { return step.count >= kInfinite || step.stride >= kInfinite; };
  if (base <= -kInfinite || base >= kInfinite || std::any_of(steps.begin(), steps.end(), endless)) {
    // Bounded by conditions alone.
    push_within(box.may, {all.low, all.high - all.low + wide, 0, 1}, 0, 2 * kFarthest,
                [&](Wide start) { return range_of(start, all.high + wide); });
    return box;
  }

  for (const Rows& rows : lay_out(base, steps, wide).planes) {
    const Wide low = std::max<Wide>(0, all.low), high = all.high + wide;
    push_within(box.may, rows, low, high,
                [&](Wide start) { return range_of(std::max(start, low), std::min(start + rows.length, high)); });
  }

  if (sure_width == 0 || !known.exact || !known.unsettled.empty() || !resolution.exact() ||
      !known.is_free(offset, variables))
    return box;
  const Wide element = static_cast<Wide>(sure_width);
  const Layout layout = lay_out(base, steps, element);
  if (!layout.exact) return box;
  const Interval limits = intersect(resolution.limits(), {0, kFarthest});
  const bool bounded = resolution.limits().low > -kInfinite || resolution.limits().high < kInfinite || base < 0;
  if (bounded && !layout.even) return box;
  for (const Rows& rows : layout.planes) {
    // Elements that begin within the limits, all of them.
    push_within(box.surely, rows, limits.low, add(limits.high, element), [&](Wide start) -> Range {
      if (layout.step == 0)
        return start >= limits.low && start <= limits.high ? range_of(start, start + element) : Range{};
      const Wide first = std::max<Wide>(0, divide_up(limits.low - start, layout.step));
      const Wide last = std::min((rows.length - element) / layout.step, divide_down(limits.high - start, layout.step));
      return first > last ? Range{} : range_of(start + first * layout.step, start + last * layout.step + element);
    });
  }
  return box;
}

}  // namespace samcl::footprint
