#include "analysis/makespan/run_relaxation.h"

#include <algorithm>
#include <numeric>

#include "analysis/makespan/run_program.h"

namespace samcl::analysis::makespan {

std::optional<RunRelaxation> RunRelaxation::make(const Chain& chain, int warps) {
  RunRelaxation relaxation(chain);
  const auto program = RunProgram::make(relaxation.stations_);
  if (!program) return std::nullopt;
  const auto parts = program->solve(warps);
  if (!parts) return std::nullopt;
  relaxation.keep(*program, *parts);
  return relaxation;
}

void RunRelaxation::keep(const RunProgram& program, const Parts& parts) {
  denominator_ = parts.denominator;
  const auto value = [&](const RunProgram::Sum& sum) {
    int64_t value = 0;
    for (const Term& term : sum) value += parts.numerator[term.variable] * term.coefficient;
    return value;
  };
  const UnitSet all = stations_.all();
  pauses_.resize(all);
  runs_.resize(all + 1);
  stay_.assign(stations_.size(), 0);
  for (UnitSet full = 0; full <= all; ++full) {
    if (!program.entry(0, full)) continue;
    for (size_t station = 0; station < stations_.size(); ++station) {
      Run& run = runs_[full];
      run.slope.push_back(parts.numerator[program.run_slope(all, full, station)]);
      run.entry.emplace_back();
      if (const auto entry = program.entry(station, full))
        run.entry.back() = value(*entry) + value(program.allowance(all, full));
      if (full == all) continue;
      const auto slope = program.slope(full, station);
      pauses_[full].slope.push_back(slope ? parts.numerator[*slope] : 0);
      const bool head = program.may_be_head(station, full);
      pauses_[full].offset.push_back(head ? value(program.offset(station, full, 0)) : 0);
      if (head && stations_[station].waits)
        stay_[station] = value(program.offset(station, full, 1)) - pauses_[full].offset.back();
    }
  }
}

Slots RunRelaxation::bound(const Count* counts) const {
  std::vector<int64_t> warps(stations_.size(), 0), ready(stations_.units(), 0);
  size_t head = stations_.size();
  int stay = 0;  // of the warps at the head
  for (size_t place = 0; place < stations_.places(); ++place) {
    if (counts[place] == 0) continue;
    const size_t station = stations_.of_place(place);
    if (head == stations_.size()) {
      head = station;
      for (size_t on = place; on < stations_.places() && stations_.of_place(on) == station; ++on) ++stay;
    }
    warps[station] += counts[place];
    if (!stations_[station].waits) ready[stations_[station].unit] += counts[place];
  }
  if (head == stations_.size()) return 0;
  UnitSet full = 0;
  for (size_t unit = 0; unit < ready.size(); ++unit)
    if (ready[unit] >= stations_.capacity(unit)) full |= UnitSet{1} << unit;

  const auto times = [&](const std::vector<int64_t>& slope) {
    return std::inner_product(warps.begin(), warps.end(), slope.begin(), int64_t{0});
  };
  int64_t value = std::numeric_limits<int64_t>::min();
  if (full == stations_.all()) {
    for (const Run& run : runs_)
      if (!run.entry.empty() && run.entry[head]) value = std::max(value, times(run.slope) + *run.entry[head]);
  } else {
    value = times(pauses_[full].slope) + pauses_[full].offset[head] + stay * stay_[head];
  }
  return std::max<int64_t>(0, value) / denominator_;
}

}  // namespace samcl::analysis::makespan
