// Whether launches of kernels that follow each other in steps are independent: none touches a byte that another one may
// write, so that they may run in any order, or all at once.
//
// A reach is what one access of a kernel may touch in all of these launches: that in launch number i, counted from 0,
// lies within [low, high) + i * step + any multiple of `lattice`. Found with a formula's variables still in place, so
// that one evaluation answers for thousands of launches. Pure logic.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace samcl {

struct Reach {
  size_t argument = 0;
  bool writes = false;
  bool is_anywhere = false;  // nothing more is known
  // Bytes from the argument's start; low < high.
  int64_t low = 0, high = 0;
  int64_t step = 0;                   // of either sign; 0: all launches alike
  int64_t lattice = 0;                // 0: no multiples
  int64_t all_low = 0, all_high = 0;  // where all of that lies, of all launches
  bool operator==(const Reach&) const = default;
};

// Where an access may go that an argument shows.
struct ReachPlace {
  const void* memory = nullptr;  // object; nullptr: none that others share
  int64_t start = 0;             // of the argument's first byte there
};

// Launches of one kernel in a row.
struct ReachingLaunches {
  std::span<const Reach> reaches;
  std::span<const ReachPlace> places;  // by argument
  uint64_t count = 0;
};

// True only if what launch number i of `a` touches is apart from what any launch of `b` but number i + `distance`
// touches, wherever one of the two writes.
bool launches_are_apart(const ReachingLaunches& a, const ReachingLaunches& b, int64_t distance = 0);

// Such a distance; nullopt: none was found. Where nothing is shared any will do.
std::optional<int64_t> distance_of_meeting(const ReachingLaunches& a, const ReachingLaunches& b);

}  // namespace samcl
