#include "analysis/makespan/queue_relaxation.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "analysis/makespan/chain.h"
#include "analysis/makespan/linear_program.h"

namespace samcl::analysis::makespan {
namespace {

// The states and slots of the QueueRelaxation: only how many warps are ready for each unit, cut off at
// `kept`.

// A warp that leaves a unit, to be ready for another or for the same, or to end.
struct MoveKind {
  size_t from = 0;
  std::optional<size_t> to;
  bool operator==(const MoveKind&) const = default;
};

// One slot: how often each kind of move is made, and where that leads.
struct ClassSlot {
  size_t from = 0;
  std::vector<int> moves;
  std::optional<size_t> to;  // a class; else few warps are left,
  Ready few;                 // these exactly
};

struct QueueClasses {
  std::vector<MoveKind> kinds;
  std::vector<size_t> kind_of_place;
  std::vector<Ready> classes;  // reached from the first, in which all warps are ready for the first place's unit
  std::vector<ClassSlot> slots;
};

// All classes of more than `few` warps that have not ended, and all their slots; a superset of what schedules
// of the chain do. `kept` is at least every capacity, few >= 1 and >= units * (kept - 1), so that some number
// is cut off while more than few are left. Nothing if there are more than `most_slots`.
class Explorer {
 public:
  Explorer(const Chain& chain, int kept, int few, size_t most_slots)
      : chain_(chain), kept_(kept), few_(few), most_slots_(most_slots) {
    for (size_t place = 0; place < chain.places(); ++place) {
      const bool last = place + 1 == chain.places();
      const MoveKind kind{chain.unit_of(place), last ? std::nullopt : std::optional(chain.unit_of(place + 1))};
      const auto known = std::find(found_.kinds.begin(), found_.kinds.end(), kind);
      found_.kind_of_place.push_back(static_cast<size_t>(known - found_.kinds.begin()));
      if (known == found_.kinds.end()) found_.kinds.push_back(kind);
    }
  }

  std::optional<QueueClasses> explore() {
    Ready first(chain_.units(), 0);
    first[chain_.unit_of(0)] = kept_;
    number(first);
    for (size_t n = 0; n < found_.classes.size(); ++n) {
      Ready taken = found_.classes[n];
      for (size_t unit = 0; unit < taken.size(); ++unit) taken[unit] = std::min(taken[unit], chain_.capacity(unit));
      std::vector<int> moves(found_.kinds.size(), 0);
      choose_moves(n, taken, 0, moves);
      if (found_.slots.size() > most_slots_) return std::nullopt;
    }
    return std::move(found_);
  }

 private:
  size_t number(const Ready& ready) {
    const auto [known, is_new] = numbers_.emplace(ready, found_.classes.size());
    if (is_new) found_.classes.push_back(ready);
    return known->second;
  }

  // What is ready at least: where only one number is cut off, the warps that the others leave.
  Ready least(Ready ready) const {
    const auto cut_off = std::find(ready.begin(), ready.end(), kept_);
    if (std::count(ready.begin(), ready.end(), kept_) == 1)
      *cut_off = std::max(kept_, few_ + 1 + kept_ - std::accumulate(ready.begin(), ready.end(), 0));
    return ready;
  }

  // All ways to spread the warps that each unit takes over the kinds of moves from `kind` on.
  void choose_moves(size_t from, Ready& taken, size_t kind, std::vector<int>& moves) {
    if (found_.slots.size() > most_slots_) return;
    if (kind == found_.kinds.size()) {
      if (std::all_of(taken.begin(), taken.end(), [](int left) { return left == 0; })) finish(from, moves);
      return;
    }
    int& left = taken[found_.kinds[kind].from];
    const int all = left;
    for (int n = 0; n <= all; ++n) {
      moves[kind] = n;
      left = all - n;
      choose_moves(from, taken, kind + 1, moves);
    }
    left = all;
    moves[kind] = 0;
  }

  void finish(size_t from, const std::vector<int>& moves) {
    Ready after = least(found_.classes[from]);
    const int warps = std::accumulate(after.begin(), after.end(), 0);
    int ended = 0;
    for (size_t kind = 0; kind < moves.size(); ++kind) {
      after[found_.kinds[kind].from] -= moves[kind];
      (found_.kinds[kind].to ? after[*found_.kinds[kind].to] : ended) += moves[kind];
    }
    const bool few_possible = std::max(warps, few_ + 1) - ended <= few_;
    std::set<Ready> classes, few;
    Ready exact(after.size());
    collect(from, after, 0, exact, classes, few);
    for (const Ready& next : classes) found_.slots.push_back({from, moves, number(next), {}});
    if (!few_possible) return;
    for (const Ready& next : few) found_.slots.push_back({from, moves, std::nullopt, next});
  }

  // What can be ready after the slot: `after`, or more where the number was cut off.
  void collect(size_t from, const Ready& after, size_t unit, Ready& exact, std::set<Ready>& classes,
               std::set<Ready>& few) const {
    if (unit < after.size()) {
      const bool more = found_.classes[from][unit] == kept_;
      for (exact[unit] = after[unit]; exact[unit] <= (more ? std::max({after[unit], kept_, few_}) : after[unit]);
           ++exact[unit])
        collect(from, after, unit + 1, exact, classes, few);
      return;
    }
    if (std::accumulate(exact.begin(), exact.end(), 0) <= few_) few.insert(exact);
    Ready cut = exact;
    for (int& count : cut) count = std::min(count, kept_);
    if (std::count(cut.begin(), cut.end(), kept_) > 0) classes.insert(cut);
  }

  const Chain& chain_;
  const int kept_, few_;
  const size_t most_slots_;
  std::map<Ready, size_t> numbers_;
  QueueClasses found_;
};

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
  const auto queue = Explorer(chain, relaxation.kept_, relaxation.few_, kMostSlots).explore();
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
