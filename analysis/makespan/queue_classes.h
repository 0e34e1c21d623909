// The states and slots of the QueueRelaxation: only how many warps are ready for each unit, cut off at
// `kept`.
#pragma once

#include <optional>

#include "analysis/makespan/chain.h"

namespace samcl::analysis::makespan {

// How many warps are ready for each unit. In a class `kept` stands for that many or more.
using Ready = std::vector<int>;

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
std::optional<QueueClasses> queue_classes(const Chain& chain, int kept, int few, size_t most_slots);

}  // namespace samcl::analysis::makespan
