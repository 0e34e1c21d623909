#include "analysis/makespan/queue_relaxation.h"

#include <algorithm>
#include <numeric>

#include "analysis/makespan/linear_program.h"
#include "analysis/makespan/queue_classes.h"

namespace samcl::analysis::makespan {
namespace {

constexpr size_t kMostSlots = 400;  // keeps the linear program small
constexpr size_t kMostUnits = 6, kMostPlaces = 400;
constexpr int64_t kMostPrice = 100'000'000'000'000;  // that of 65,000 warps stays below 2^63
constexpr int64_t kUnknown = std::numeric_limits<int64_t>::max();

// Variables of the linear program: a price per kind of move, a potential per class, and per unit what one of
// the few warps that are left adds if it is ready for that unit.
struct Variables {
  size_t kinds, classes, units;
  size_t price(size_t kind) const { return kind; }
  size_t potential(size_t number) const { return kinds + number; }
  size_t few(size_t unit) const { return kinds + classes + unit; }
  size_t count() const { return kinds + classes + units; }
};

std::vector<Constraint> constraints_of(const Chain& chain, const QueueClasses& queue, const Variables& variables) {
  std::vector<Constraint> constraints;
  for (const ClassSlot& slot : queue.slots) {
    Constraint drop{.terms = {{variables.potential(slot.from), 1}}, .least = 1};
    for (size_t kind = 0; kind < queue.kinds.size(); ++kind)
      if (slot.moves[kind] > 0) drop.terms.push_back({variables.price(kind), slot.moves[kind]});
    if (slot.to) drop.terms.push_back({variables.potential(*slot.to), -1});
    for (size_t unit = 0; unit < slot.few.size(); ++unit)
      if (slot.few[unit] > 0) drop.terms.push_back({variables.few(unit), -slot.few[unit]});
    constraints.push_back(std::move(drop));
  }
  // A slot instead of the price for each place that the warp has still to leave.
  std::vector<int> moves(queue.kinds.size(), 0);
  for (size_t place = chain.places(); place-- > 0;) {
    ++moves[queue.kind_of_place[place]];
    Constraint enough{.terms = {{variables.few(chain.unit_of(place)), 1}},
                      .least = static_cast<int>(chain.places() - place)};
    for (size_t kind = 0; kind < moves.size(); ++kind)
      if (moves[kind] > 0) enough.terms.push_back({variables.price(kind), moves[kind]});
    constraints.push_back(std::move(enough));
  }
  // A unit that no place has.
  for (size_t unit = 0; unit < chain.units(); ++unit)
    if (chain.places_of(unit).empty()) constraints.push_back({{{variables.few(unit), 1}}, 0});
  return constraints;
}

}  // namespace

std::optional<QueueRelaxation> QueueRelaxation::make(const Chain& chain, int warps) {
  QueueRelaxation relaxation;
  for (size_t unit = 0; unit < chain.units(); ++unit)
    relaxation.kept_ = std::max(relaxation.kept_, chain.capacity(unit));
  relaxation.few_ = std::max(1, static_cast<int>(chain.units()) * (relaxation.kept_ - 1));
  if (chain.has_waits() || warps <= relaxation.few_ || chain.units() > kMostUnits || chain.places() > kMostPlaces)
    return std::nullopt;
  const auto queue = queue_classes(chain, relaxation.kept_, relaxation.few_, kMostSlots);
  if (!queue) return std::nullopt;

  const Variables variables{queue->kinds.size(), queue->classes.size(), chain.units()};
  const std::vector<Constraint> constraints = constraints_of(chain, *queue, variables);
  std::vector<int64_t> cost(variables.count(), 0);
  for (const size_t kind : queue->kind_of_place) cost[variables.price(kind)] += warps;
  cost[variables.potential(0)] = 1;
  const auto parts = minimise_in_parts(cost, constraints);
  if (!parts) return std::nullopt;
  relaxation.denominator_ = parts->denominator;

  relaxation.price_from_.assign(chain.places(), 0);
  int64_t sum = 0;
  for (size_t place = chain.places(); place-- > 0;)
    relaxation.price_from_[place] = sum += parts->numerator[variables.price(queue->kind_of_place[place])];
  for (const int64_t price : relaxation.price_from_)
    if (std::abs(price) > kMostPrice) return std::nullopt;
  relaxation.potential_.assign(relaxation.code(Ready(chain.units(), relaxation.kept_)) + 1, kUnknown);
  for (size_t number = 0; number < queue->classes.size(); ++number)
    relaxation.potential_[relaxation.code(queue->classes[number])] = parts->numerator[variables.potential(number)];
  return relaxation;
}

size_t QueueRelaxation::code(const Ready& ready) const {
  size_t code = 0;
  for (const int count : ready)
    code = code * (static_cast<size_t>(kept_) + 1) + static_cast<size_t>(std::min(count, kept_));
  return code;
}

std::optional<Slots> QueueRelaxation::bound(const Chain& chain, const Count* counts) const {
  int64_t warps = 0, value = 0;
  Ready ready(chain.units(), 0);
  for (size_t place = 0; place < price_from_.size(); ++place) {
    warps += counts[place];
    value += counts[place] * price_from_[place];
    ready[chain.unit_of(place)] += counts[place];
  }
  if (warps <= few_) return std::nullopt;
  const int64_t potential = potential_[code(ready)];
  if (potential == kUnknown) return std::nullopt;
  value += potential;
  return value >= 0 ? value / denominator_ : -((-value + denominator_ - 1) / denominator_);
}

}  // namespace samcl::analysis::makespan
