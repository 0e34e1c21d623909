#include "analysis/makespan/chain.h"

namespace samcl::analysis::makespan {

Chain::Chain(const Kernel& kernel) : places_of_(kernel.units.size()) {
  for (const Unit& unit : kernel.units) capacity_.push_back(unit.capacity);
  for (size_t i = 0; i < kernel.instructions.size(); ++i) {
    const Instruction& instruction = kernel.instructions[i];
    places_of_[instruction.unit].push_back(places());
    unit_of_.push_back(instruction.unit);
    unit_of_.resize(places() + static_cast<size_t>(instruction.latency) - 1, kNoUnit);
    instruction_of_.resize(places(), i);
    waits_ = waits_ || instruction.latency > 1;
  }
  left_.assign(places() * units(), 0);
  for (size_t place = places(); place-- > 0;) {
    for (size_t unit = 0; unit < units(); ++unit)
      left_[place * units() + unit] = (place + 1 < places() ? left(place + 1, unit) : 0) + (unit_of(place) == unit);
  }
}

Counts Chain::start(int warps) const {
  Counts counts(places(), 0);
  counts[0] = static_cast<Count>(warps);
  return counts;
}

}  // namespace samcl::analysis::makespan
