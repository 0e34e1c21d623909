// Whether launches of kernels that follow each other in steps are independent: none touches a byte that another one may
// write, so that they may run in any order, or all at once.
//
// A reach is what one access of a kernel may touch in all of these launches: that in launch number i, counted from 0,
// lies within [low, high) + i * step + any multiple of `lattice`. Found with a formula's variables still in place, so
// that one evaluation answers for thousands of launches. Pure logic.
#pragma once

#include <cstdint>
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

// True only if what any launch of the one touches is apart from what another launch, of another number, of the other
// touches, wherever one of the two writes. a, b: of the same `launches` numbers, which may be of one and the same
// kernel; places: by argument of each.
bool launches_are_apart(std::span<const Reach> a, std::span<const ReachPlace> places_of_a, std::span<const Reach> b,
                        std::span<const ReachPlace> places_of_b, uint64_t launches);

}  // namespace samcl
