// Let a step have y_p moves from station p and a run of d slots, and let n and n' count the warps at its
// ends: n'_p = n_p + y_{p-1} - y_p. A unit u with capacity Lambda_u makes Lambda_u d moves in the run, and in
// the pause Lambda_u if it is full, all it has if not. A step must lower the bound by the slots that it
// takes,
//
//     sum of slope_p n_p + offset  >=  1 + d + sum of slope'_p n'_p + offset',
//
// for all such n, y, d, n'. By duality that is so if there are run slopes a_p (of the first equations) and
// shares s_u (of the second ones) such that, with a = 0 behind the last station,
//
//     a_p - a_{p+1} >= s_u  where p needs unit u,  >= 0  where warps wait    for y_p
//     sum of Lambda_u s_u >= 1                                               for d
//     slope_p >= a_p (full),  slope_p + s_u >= a_p (not full),  a_p >= slope'_p
//
// and offsets pay for the pause's own slot. Where n_p or n'_p is bounded by some room, the last line may be
// violated by an amount ("loose") that the offsets pay as often as there is room.
#include "analysis/makespan/run_program.h"

#include <algorithm>

namespace samcl::analysis::makespan {
namespace {

constexpr size_t kMostUnits = 3, kMostStations = 100;
constexpr int kMostRoom = 100'000;        // times a numerator stays far below 2^63
constexpr size_t kMostCells = 2'000'000;  // variables times constraints: some half a second

}  // namespace

std::optional<RunProgram> RunProgram::make(const Stations& stations) {
  if (stations.units() > kMostUnits || stations.size() > kMostStations) return std::nullopt;
  RunProgram program(stations);
  for (size_t unit = 0; unit < stations.units(); ++unit)
    if (std::max(stations.capacity(unit), stations.waiting_room(unit)) > kMostRoom) return std::nullopt;
  const UnitSet all = program.all_;
  const auto never = [&](UnitSet full) { return !program.entry(0, full); };
  for (UnitSet full = 0; full < all; ++full) program.let_offsets_fall(full);
  for (size_t head = 0; head < stations.size(); ++head)
    if (stations[head].waits) program.require({{program.variable({kStay, head}), 1}});
  for (UnitSet from = 0; from <= all; ++from)
    for (UnitSet to = 0; to <= all; ++to) {
      if (never(from) || never(to)) continue;
      program.follow_moves(from, to);
      program.compare_ends(from, to);
      program.compare_offsets(from, to);
      if (program.numbers_.size() * program.constraints_.size() > kMostCells) return std::nullopt;
    }
  return program;
}

std::optional<Parts> RunProgram::solve(int warps) const {
  std::vector<int64_t> cost(numbers_.size(), 0);
  cost[known({kFirstSlope})] = warps;
  cost[known({kFirstOffset})] = 1;
  return minimise_in_parts(cost, constraints_);
}

std::optional<size_t> RunProgram::slope(UnitSet full, size_t station) const {
  const auto found = numbers_.find({kSlope, full, station});
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

size_t RunProgram::run_slope(UnitSet from, UnitSet to, size_t station) const {
  return known({kRunSlope, from, to, station});
}

RunProgram::Sum RunProgram::offset(size_t head, UnitSet full, int stay) const {
  Sum sum = {{known({kOffset, full, head}), 1}};
  if (stations_[head].waits) sum.push_back({known({kStay, head}), stay});
  return sum;
}

std::optional<RunProgram::Sum> RunProgram::entry(size_t head, UnitSet full) const {
  if (full == all_) return Sum{};
  head = next_head(head, full);
  if (head == stations_.size()) return std::nullopt;
  return offset(head, full, stations_[head].stay);
}

RunProgram::Sum RunProgram::allowance(UnitSet from, UnitSet to) const {
  Sum sum;
  for (const auto& [end, full] : {std::pair(kFrom, from), std::pair(kTo, to)})
    for (size_t unit = 0; unit < stations_.units(); ++unit)
      for (const bool waiting : {false, true})
        if (const int most = room(full, unit, waiting); most > 0)
          sum.push_back({known({kLoose, 2 * end + waiting, from, to, unit}), most});
  return sum;
}

size_t RunProgram::variable(const Name& name) { return numbers_.emplace(name, numbers_.size()).first->second; }

void RunProgram::require(Sum terms, int least) { constraints_.push_back({std::move(terms), least}); }

// A warp before an instruction of a unit that takes one warp makes it full; and all full units have warps.
bool RunProgram::may_be_head(size_t head, UnitSet full) const {
  const Station& first = stations_[head];
  if (!first.waits && !is_full(full, first.unit) && stations_.capacity(first.unit) == 1) return false;
  UnitSet ahead = 0;
  for (size_t station = head; station < stations_.size(); ++station)
    if (!stations_[station].waits) ahead |= UnitSet{1} << stations_[station].unit;
  return (full & ~ahead) == 0;
}

size_t RunProgram::next_head(size_t head, UnitSet full) const {
  while (head < stations_.size() && !may_be_head(head, full)) ++head;
  return head;
}

int RunProgram::room(UnitSet full, size_t unit, bool waiting) const {
  if (full == all_) return 0;
  if (waiting) return stations_.waiting_room(unit);
  return is_full(full, unit) ? 0 : stations_.capacity(unit) - 1;
}

// With the head further on no more is added.
void RunProgram::let_offsets_fall(UnitSet full) {
  for (size_t head = next_head(0, full); head < stations_.size(); head = next_head(head + 1, full)) {
    variable({kOffset, full, head});
    if (stations_[head].waits) variable({kStay, head});
  }
  for (size_t head = next_head(0, full); head < stations_.size(); head = next_head(head + 1, full)) {
    Sum drop = offset(head, full, 0);
    for (const Term& term : entry(head + 1, full).value_or(Sum{})) drop.push_back({term.variable, -term.coefficient});
    require(std::move(drop));
  }
}

void RunProgram::follow_moves(UnitSet from, UnitSet to) {
  for (size_t station = 0; station < stations_.size(); ++station) {
    Sum left = {{variable({kRunSlope, from, to, station}), 1}};
    if (station + 1 < stations_.size()) left.push_back({variable({kRunSlope, from, to, station + 1}), -1});
    if (!stations_[station].waits) left.push_back({variable({kShare, from, to, stations_[station].unit}), -1});
    require(std::move(left));
  }
  Sum slot;
  for (size_t unit = 0; unit < stations_.units(); ++unit)
    slot.push_back({variable({kShare, from, to, unit}), stations_.capacity(unit)});
  require(std::move(slot), 1);
}

// The last line of inequalities, at both ends.
void RunProgram::compare_ends(UnitSet from, UnitSet to) {
  for (const auto& [end, full] : {std::pair(kFrom, from), std::pair(kTo, to)}) {
    if (full == all_) continue;
    for (size_t station = 0; station < stations_.size(); ++station) {
      const auto& [unit, waits, stay] = stations_[station];
      const bool bounded = waits || !is_full(full, unit);
      if (bounded && room(full, unit, waits) == 0) continue;
      const int sign = end == kFrom ? 1 : -1;
      Sum difference = {{variable({kSlope, full, station}), sign}, {variable({kRunSlope, from, to, station}), -sign}};
      if (bounded) difference.push_back({variable({kLoose, 2 * end + waits, from, to, unit}), 1});
      if (bounded && !waits && end == kFrom) difference.push_back({variable({kShare, from, to, unit}), 1});
      require(std::move(difference));
    }
    for (size_t unit = 0; unit < stations_.units(); ++unit)
      for (const bool waiting : {false, true})
        if (room(full, unit, waiting) > 0) require({{variable({kLoose, 2 * end + waiting, from, to, unit}), 1}});
  }
  if (from == all_) require({{variable({kFirstSlope}), 1}, {variable({kRunSlope, from, to, 0}), -1}});
}

// For each head: where all warps leave it in the pause, the next one is further on. Where its unit is full
// there is at least one, and what the slopes leave over for it pays as well.
void RunProgram::compare_offsets(UnitSet from, UnitSet to) {
  const auto pay = [&](Sum sum, const std::optional<Sum>& next) {
    if (!next) return;  // no such pause can follow
    for (const Term& term : *next) sum.push_back({term.variable, -term.coefficient});
    for (const Term& term : allowance(from, to)) sum.push_back({term.variable, -term.coefficient});
    for (size_t unit = 0; unit < stations_.units(); ++unit)
      if (from != all_ && is_full(from, unit))
        sum.push_back({known({kShare, from, to, unit}), stations_.capacity(unit)});
    require(std::move(sum), from == all_ ? 0 : 1);
  };
  if (from == all_) return pay({{variable({kFirstOffset}), 1}}, entry(0, to));
  for (size_t head = next_head(0, from); head < stations_.size(); head = next_head(head + 1, from)) {
    const Station& station = stations_[head];
    const bool stays = station.waits || is_full(from, station.unit);
    const bool same = to != all_ && stays && may_be_head(head, to);
    Sum sum = offset(head, from, 1);  // a slot less to stay
    if (!station.waits && stays) {
      sum.push_back({known({kSlope, from, head}), 1});
      sum.push_back({known({kRunSlope, from, to, head}), -1});
    }
    pay(std::move(sum), same ? std::optional(offset(head, to, 0)) : entry(head + 1, to));
  }
}

}  // namespace samcl::analysis::makespan
