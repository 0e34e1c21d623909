// Everything a work-conserving scheduler can do in one slot.
#pragma once

#include <algorithm>

#include "analysis/makespan/chain.h"

namespace samcl::analysis::makespan {

// Calls `visit()` for every choice, with `moved` (as long as the chain) telling how many warps leave each
// place.
template <typename Visit>
class SlotChoices {
 public:
  SlotChoices(const Chain& chain, Counts& moved, Visit& visit) : chain_(chain), moved_(moved), visit_(visit) {}

  void visit_all(const Count* counts) {
    counts_ = counts;
    for (size_t place = 0; place < chain_.places(); ++place)
      moved_[place] = chain_.unit_of(place) == Chain::kNoUnit ? counts[place] : Count{0};
    choose_unit(0);
  }

 private:
  void choose_unit(size_t unit) {
    if (unit == chain_.units()) return visit_();
    int ready = 0;
    for (const size_t place : chain_.places_of(unit)) ready += counts_[place];
    choose_place(unit, 0, std::min(ready, chain_.capacity(unit)), ready);
  }

  // `taken` warps are still to be taken from the unit's places from the index on, where `ready` stand.
  void choose_place(size_t unit, size_t index, int taken, int ready) {
    const std::vector<size_t>& places = chain_.places_of(unit);
    while (index < places.size() && counts_[places[index]] == 0) ++index;
    if (index == places.size()) return choose_unit(unit + 1);
    const size_t place = places[index];
    const int here = counts_[place];
    for (int n = std::max(0, taken - (ready - here)); n <= std::min(taken, here); ++n) {
      moved_[place] = static_cast<Count>(n);
      choose_place(unit, index + 1, taken - n, ready - here);
    }
    moved_[place] = 0;
  }

  const Chain& chain_;
  Counts& moved_;
  Visit& visit_;
  const Count* counts_ = nullptr;
};

// Who stands where after the slot.
inline void move(const Counts& moved, const Count* from, Count* to) {
  Count arriving = 0;
  for (size_t place = 0; place < moved.size(); ++place) {
    to[place] = static_cast<Count>(from[place] - moved[place] + arriving);
    arriving = moved[place];
  }
}

}  // namespace samcl::analysis::makespan
