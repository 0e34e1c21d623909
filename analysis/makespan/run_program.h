// The linear program of the RunRelaxation: its variables, and what holds between them.
#pragma once

#include <array>
#include <map>

#include "analysis/makespan/linear_program.h"
#include "analysis/makespan/stations.h"

namespace samcl::analysis::makespan {

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
