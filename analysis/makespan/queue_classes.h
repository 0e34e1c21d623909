// The states and slots of the QueueRelaxation.
#pragma once

#include <optional>

#include "analysis/makespan/chain.h"

namespace samcl::analysis::makespan {

// Places of one unit that the relaxation does not tell apart.
struct Stations {
  std::vector<size_t> of_place;
  std::vector<size_t> unit;  // per station
  size_t count() const { return unit.size(); }
};

// A station per unit, and one per run of neighbouring places with the same unit.
Stations by_unit(const Chain& chain);
Stations by_run(const Chain& chain);

// How many warps stand at each station; `kept` stands for that many or more.
using Ready = std::vector<int>;

// A warp that leaves a place of a station, to stand at a place of another or of the same, or to end.
struct MoveKind {
  size_t from = 0;
  std::optional<size_t> to;
};

// One slot: how often each kind of move is made, from one class of states to another, or to where few warps are left.
struct ClassSlot {
  size_t from = 0;
  std::optional<size_t> to;
  std::vector<int> moves;
};

struct QueueClasses {
  std::vector<MoveKind> kinds;
  std::vector<size_t> kind_of_place;
  std::vector<Ready> classes;  // reached from the first, in which all warps stand at the first place's
  std::vector<ClassSlot> slots;
};

// All classes and slots in which more than `few` warps have not ended; a superset of what schedules of the chain
// do. `kept` is at least every capacity, and few >= stations * (kept - 1). Nothing if there are more than `most_slots`.
std::optional<QueueClasses> queue_classes(const Chain& chain, const Stations& stations, int kept, int few,
                                          size_t most_slots);

}  // namespace samcl::analysis::makespan
