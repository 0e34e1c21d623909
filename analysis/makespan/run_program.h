// The linear program of the RunRelaxation: its variables, and what holds between them.
#pragma once

#include <array>
#include <map>

#include "analysis/makespan/chain.h"
#include "analysis/makespan/linear_program.h"

namespace samcl::analysis::makespan {

// A Chain folded for the RunRelaxation: the latency of an instruction is one station, and only units that
// the kernel uses have numbers.
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

class RunProgram {
 public:
  // `stations` outlive it. Nothing if it would be too large to be solved soon.
  static std::optional<RunProgram> make(const Stations& stations);

  // Such that the bound for that many warps before the first station is least; nothing if that fails.
  std::optional<Parts> solve(int warps) const;

  // The variables are parts of bounds (see RunRelaxation). A pause is told by its full units, and by its
  // head: the first station where a warp stands. A step leads from the pause `from` through a run to the
  // pause `to`; all units stand for a run that no pause precedes, as `from`, and for the end, as `to`.
  using Sum = std::vector<Term>;

  // What a warp at the station adds at a pause; nothing where there can be none.
  std::optional<size_t> slope(UnitSet full, size_t station) const;
  // What a warp at the station adds at the begin of a run that ends in `to`.
  size_t run_slope(UnitSet from, UnitSet to, size_t station) const;
  // What a pause adds whose head is the station, where its warps stay for at most so many slots.
  Sum offset(size_t head, UnitSet full, int stay) const;
  // What is added for a pause whose head is this station or a later one; nothing where there is none.
  std::optional<Sum> entry(size_t head, UnitSet full) const;
  // Whether a pause with these full units can have its first warp at the station.
  bool may_be_head(size_t head, UnitSet full) const;
  // What is added to a step, save for the pause's own slot, since counts at its ends are only bounded.
  Sum allowance(UnitSet from, UnitSet to) const;

 private:
  enum Kind : size_t { kSlope, kRunSlope, kShare, kOffset, kStay, kFirstSlope, kFirstOffset, kLoose };
  enum End : size_t { kFrom, kTo };
  using Name = std::array<size_t, 5>;

  explicit RunProgram(const Stations& stations) : stations_(stations), all_(stations.all()) {}
  size_t variable(const Name& name);
  size_t known(const Name& name) const { return numbers_.at(name); }
  void require(Sum terms, int least = 0);
  size_t next_head(size_t head, UnitSet full) const;
  bool is_full(UnitSet full, size_t unit) const { return (full >> unit & 1) != 0; }
  // Warps that may stand at stations of a unit that is not full, or wait after it.
  int room(UnitSet full, size_t unit, bool waiting) const;

  void let_offsets_fall(UnitSet full);
  void follow_moves(UnitSet from, UnitSet to);
  void compare_ends(UnitSet from, UnitSet to);
  void compare_offsets(UnitSet from, UnitSet to);

  const Stations& stations_;
  const UnitSet all_;
  std::map<Name, size_t> numbers_;
  std::vector<Constraint> constraints_;
};

}  // namespace samcl::analysis::makespan
