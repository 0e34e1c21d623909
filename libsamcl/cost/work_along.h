// Where the work of a kernel lies along one dimension of its NDRange: not all work-groups have equally much to do (rows
// of a triangle, the lit part of a scene). Places are from 0 to 1, and so is work: all of it is 1.
#pragma once

#include <array>
#include <cstddef>

namespace samcl {

// What a part covers of its NDRange: of that dimension from `begin` to `end`, and all of the others.
struct Covered {
  unsigned dimension = 0;
  double begin = 0, end = 1;
};

class WorkAlong {
 public:
  WorkAlong() { parts_.fill(1); }
  // Before a place.
  double before(double place) const;
  double between(double begin, double end) const { return before(end) - before(begin); }
  // The place before which that much lies.
  double place_of(double work) const;
  // There is that many times as much between these places as was believed. How many times as much there is in all,
  // which is then called 1 again.
  double scale(double begin, double end, double factor);

 private:
  static constexpr size_t kParts = 256;
  std::array<double, kParts> parts_;  // of the dimension, equally long: the work in each, 1 on average
};

}  // namespace samcl
