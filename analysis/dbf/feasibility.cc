#include "analysis/dbf/feasibility.h"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <numeric>

namespace samcl::analysis::dbf {
namespace {

using Rational = boost::multiprecision::cpp_rational;
using Whole = boost::multiprecision::cpp_int;

// Nothing is looked at beyond (36 years).
constexpr Time kLast = kMostDemand / 2;
// How many t are looked at, from above and then from below.
constexpr int64_t kMostLooks = 20'000'000;

Rational exact_utilisation(const std::vector<DemandBound>& bounds) {
  Rational sum = 0;
  for (const DemandBound& bound : bounds) sum += Rational(bound.heaviest(), bound.period());
  return sum;
}

// Rounded down; nothing beyond kLast.
std::optional<Time> whole_time(const Rational& time) {
  const Whole whole = numerator(time) / denominator(time);
  return whole <= kLast ? std::optional(static_cast<Time>(whole)) : std::nullopt;
}

// The demand minus t repeats after this, for t beyond the longest period: U is 1.
std::optional<Time> common_period(const std::vector<DemandBound>& bounds) {
  Whole common = 1;
  for (const DemandBound& bound : bounds) {
    common = boost::multiprecision::lcm(common, Whole(bound.period()));
    if (common > kLast) return std::nullopt;
  }
  return static_cast<Time>(common);
}

// Where there is an excess, there is one at or before this; nothing beyond kLast.
std::optional<Time> last_to_look_at(const std::vector<DemandBound>& bounds, const Rational& load) {
  if (load == 1) {
    Time longest = 0;
    for (const DemandBound& bound : bounds) longest = std::max(longest, bound.period());
    const auto common = common_period(bounds);
    return common && *common <= kLast - longest ? std::optional(longest + *common) : std::nullopt;
  }
  // dbf(t) <= burst + t E / P, and dbf(t) > t E / P - E.
  Rational sum = 0;
  for (const DemandBound& bound : bounds) sum += Rational(load < 1 ? bound.burst() : bound.heaviest());
  return whole_time(load < 1 ? Rational(sum / (1 - load)) : Rational(sum / (load - 1) + 1));
}

std::optional<Time> change_before(const std::vector<DemandBound>& bounds, Time t) {
  std::optional<Time> last;
  for (const DemandBound& bound : bounds)
    if (const auto change = bound.change_before(t)) last = std::max(last.value_or(0), *change);
  return last;
}

// From above: from t with demand h(t) <= t no t in [h(t), t] can have an excess. Stops at kMostLooks.
std::optional<Excess> some_excess(const std::vector<DemandBound>& bounds, Time last, int64_t& looks) {
  auto t = change_before(bounds, last + 1);
  for (; t && looks < kMostLooks; ++looks) {
    const Time demand = total_demand(bounds, *t);
    if (demand > *t) return Excess{*t, demand, false};
    t = change_before(bounds, demand);
  }
  return std::nullopt;
}

// The first t after which nothing can demand more per time than this, since dbf(t) <= burst + t E / P.
Time last_to_compare(const std::vector<DemandBound>& bounds, const Rational& load, const Step& found) {
  const Rational above = Rational(found.demand, found.at) - load;
  if (above <= 0) return kLast;
  Rational sum = 0;
  for (const DemandBound& bound : bounds) sum += Rational(bound.burst());
  return whole_time(sum / above).value_or(kLast);
}

// From below, at every change up to `last` or until so many were looked at.
std::optional<Excess> least_excess(const std::vector<DemandBound>& bounds, Time last, int64_t& looks) {
  const int64_t end = looks + kMostLooks;
  for (Time t = next_change(bounds, 0); t <= last && looks < end; t = next_change(bounds, t)) {
    const Time demand = total_demand(bounds, t);
    ++looks;
    if (demand > t) return Excess{t, demand, true};
  }
  return std::nullopt;
}

}  // namespace

double utilisation(const std::vector<DemandBound>& bounds) { return static_cast<double>(exact_utilisation(bounds)); }

Time total_demand(const std::vector<DemandBound>& bounds, Time t) {
  Time sum = 0;
  for (const DemandBound& bound : bounds) sum = std::min(kMostDemand, sum + bound.at(t));
  return sum;
}

Time next_change(const std::vector<DemandBound>& bounds, Time t) {
  Time next = INT64_MAX;
  for (const DemandBound& bound : bounds) next = std::min(next, bound.change_after(t));
  return next;
}

Result<Verdict> feasibility(const std::vector<DemandBound>& bounds) {
  const Rational load = exact_utilisation(bounds);
  Verdict verdict;
  const auto last = last_to_look_at(bounds, load);
  verdict.last_t = last.value_or(kLast);
  if (load < 1) {
    Rational twice = 0;
    for (const DemandBound& bound : bounds) twice += 2 * Rational(bound.heaviest());
    verdict.published_last_t = whole_time(twice / (1 - load));
  }
  verdict.excess = some_excess(bounds, verdict.last_t, verdict.looks);
  const bool all_seen = last && verdict.looks < kMostLooks;
  verdict.feasible = !verdict.excess && all_seen;
  if (verdict.feasible) return verdict;
  const Time up_to = verdict.excess ? verdict.excess->t : verdict.last_t;
  if (const auto least = least_excess(bounds, up_to, verdict.looks)) verdict.excess = least;
  if (verdict.excess) return verdict;
  return fail("not decided after looking at " + std::to_string(verdict.looks) +
              " interval lengths: the utilisation is 1 or too close to it");
}

Tightest tightest_interval(const std::vector<DemandBound>& bounds) {
  using Wide = __int128;
  constexpr int64_t kMost = 100'000;
  const Rational load = exact_utilisation(bounds);
  Tightest found;
  Time last = kLast;
  int64_t looks = 0;
  for (Time t = next_change(bounds, 0); t <= last && looks < kMost; t = next_change(bounds, t), ++looks) {
    const Step here{t, total_demand(bounds, t)};
    if (found.step.at > 0 && Wide{here.demand} * found.step.at <= Wide{found.step.demand} * t) continue;
    found.step = here;
    last = last_to_compare(bounds, load, here);
  }
  found.of_all = looks < kMost;
  return found;
}

}  // namespace samcl::analysis::dbf
