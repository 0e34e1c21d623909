// A kernel as the chain of places where a warp can stand, one slot apart: before each of its instructions,
// and one place more for each further slot of latency, where nothing holds it. Since warps are identical, how
// many stand at each place is all there is to know about them. A warp that stands nowhere has ended.
#pragma once

#include <limits>

#include "analysis/makespan/model.h"

namespace samcl::analysis::makespan {

// How many warps stand at each place.
using Count = uint16_t;
using Counts = std::vector<Count>;

class Chain {
 public:
  static constexpr size_t kNoUnit = std::numeric_limits<size_t>::max();

  explicit Chain(const Kernel& kernel);

  size_t places() const { return unit_of_.size(); }
  // The unit that a warp needs to leave the place, or kNoUnit: it leaves in the next slot.
  size_t unit_of(size_t place) const { return unit_of_[place]; }
  // The instruction that is issued by leaving the place; only where it has a unit.
  size_t instruction_of(size_t place) const { return instruction_of_[place]; }
  const std::vector<size_t>& places_of(size_t unit) const { return places_of_[unit]; }
  size_t units() const { return capacity_.size(); }
  int capacity(size_t unit) const { return capacity_[unit]; }
  bool has_waits() const { return waits_; }

  Counts start(int warps) const;
  // How many of the unit's places a warp at this place has still to leave, this one included.
  int left(size_t place, size_t unit) const { return left_[place * units() + unit]; }

 private:
  std::vector<size_t> unit_of_, instruction_of_;
  std::vector<std::vector<size_t>> places_of_;
  std::vector<int> capacity_, left_;
  bool waits_ = false;
};

}  // namespace samcl::analysis::makespan
