#include "libsamcl/api/buffer_arguments.h"

#include <algorithm>

namespace samcl::api {
namespace {

// sum += a * b; false if that does not fit.
bool add_product(uint64_t& sum, uint64_t a, uint64_t b) {
  uint64_t product;
  return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(sum, product, &sum);
}

}  // namespace

bool is_rectangle(const size_t* origin, const size_t* region, size_t row_pitch, size_t slice_pitch, uint64_t size) {
  if (!origin || !region || region[0] == 0 || region[1] == 0 || region[2] == 0) return false;
  if (row_pitch == 0) row_pitch = region[0];
  uint64_t slice = 0;
  if (row_pitch < region[0] || !add_product(slice, region[1], row_pitch)) return false;
  if (slice_pitch == 0) slice_pitch = slice;
  if (slice_pitch < slice || slice_pitch % row_pitch != 0) return false;
  uint64_t end = 0;
  return add_product(end, origin[2], slice_pitch) && add_product(end, origin[1], row_pitch) &&
         add_product(end, origin[0], 1) && add_product(end, region[2] - 1, slice_pitch) &&
         add_product(end, region[1] - 1, row_pitch) && add_product(end, region[0], 1) && end <= size;
}

bool overlap(const Rectangle& a, const Rectangle& b) {
  if (intersect(a.bounds(), b.bounds()).empty()) return false;
  if (a.row_pitch != b.row_pitch || a.slice_pitch != b.slice_pitch) return true;
  // They share a byte if their distance is z slices, y rows and x bytes, each less than the region's. What
  // remains after the slices is less than one slice, so that only two numbers of slices come into question;
  // the same with rows.
  const uint64_t distance = std::max(a.offset, b.offset) - std::min(a.offset, b.offset);
  const auto gap = [](uint64_t x, uint64_t y) { return x > y ? x - y : y - x; };
  for (uint64_t z : {distance / a.slice_pitch, distance / a.slice_pitch + 1}) {
    const uint64_t in_slice = gap(distance, z * a.slice_pitch);
    for (uint64_t y : {in_slice / a.row_pitch, in_slice / a.row_pitch + 1}) {
      if (z < a.region[2] && y < a.region[1] && gap(in_slice, y * a.row_pitch) < a.region[0]) return true;
    }
  }
  return false;
}

}  // namespace samcl::api
