// A Chain folded for the RunRelaxation: the latency of an instruction is one station, and only units that
// the kernel uses have numbers.
#pragma once

#include "analysis/makespan/chain.h"

namespace samcl::analysis::makespan {

struct Station {
  size_t unit = 0;  // that a warp needs to leave, or that it has used before it waits here
  bool waits = false;
  int stay = 0;  // slots that a warp waits here
};

// A set of units, a bit each.
using UnitSet = uint32_t;

class Stations {
 public:
  // At most 32 units.
  explicit Stations(const Chain& chain) {
    std::vector<size_t> number(chain.units(), Chain::kNoUnit);
    for (size_t place = 0; place < chain.places(); ++place) {
      const size_t unit = chain.unit_of(place);
      if (unit == Chain::kNoUnit) {
        if (!stations_.back().waits) stations_.push_back({stations_.back().unit, true, 0});
        int& stay = stations_.back().stay;
        int& room = waiting_room_[stations_.back().unit];
        ++stay;
        room = std::max(room, capacity_[stations_.back().unit] * stay);
      } else {
        if (number[unit] == Chain::kNoUnit) {
          number[unit] = capacity_.size();
          capacity_.push_back(chain.capacity(unit));
          waiting_room_.push_back(0);
        }
        stations_.push_back({number[unit], false, 0});
      }
      of_place_.push_back(stations_.size() - 1);
    }
  }

  size_t size() const { return stations_.size(); }
  const Station& operator[](size_t station) const { return stations_[station]; }
  size_t places() const { return of_place_.size(); }
  size_t of_place(size_t place) const { return of_place_[place]; }
  size_t units() const { return capacity_.size(); }
  int capacity(size_t unit) const { return capacity_[unit]; }
  // Warps that wait after the unit at once, at most.
  int waiting_room(size_t unit) const { return waiting_room_[unit]; }
  UnitSet all() const { return (UnitSet{1} << units()) - 1; }

 private:
  std::vector<Station> stations_;
  std::vector<size_t> of_place_;
  std::vector<int> capacity_, waiting_room_;
};

}  // namespace samcl::analysis::makespan
