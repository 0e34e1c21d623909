#include "contract/ndrange.h"

#include <algorithm>
#include <cmath>

namespace samcl {

BoxLaunch launch_of(const Ndrange& ndrange, const GroupBox& box) {
  BoxLaunch launch{};
  for (unsigned d = 0; d < 3; ++d) {
    const uint64_t begin = box.first[d] * ndrange.local[d];
    const uint64_t end = std::min((box.first[d] + box.count[d]) * ndrange.local[d], ndrange.global[d]);
    launch.offset[d] = ndrange.offset[d] + begin;
    launch.size[d] = end - begin;
  }
  return launch;
}

namespace {

constexpr double kAboutAsGood = 0.125;

// The longest part decides when all are done: in units of an ideal part, 1 is perfect.
double imbalance(const Ndrange& ndrange, unsigned dimension, unsigned parts) {
  const double groups = static_cast<double>(ndrange.groups(dimension));
  return std::ceil(groups / parts) / (groups / parts);
}

}  // namespace

unsigned best_dimension(const Ndrange& ndrange, unsigned parts) {
  unsigned best = ndrange.dimensions - 1;
  for (unsigned d = ndrange.dimensions - 1; d-- > 0;) {
    if (imbalance(ndrange, d, parts) + kAboutAsGood < imbalance(ndrange, best, parts)) best = d;
  }
  return best;
}

std::vector<unsigned> good_dimensions(const Ndrange& ndrange, unsigned parts) {
  const unsigned best = best_dimension(ndrange, parts);
  std::vector<unsigned> good{best};
  for (unsigned d = ndrange.dimensions; d-- > 0;) {
    if (d != best && imbalance(ndrange, d, parts) <= imbalance(ndrange, best, parts) + kAboutAsGood) good.push_back(d);
  }
  return good;
}

std::vector<Part> split(const Ndrange& ndrange, std::span<const double> shares) {
  return split(ndrange, shares, best_dimension(ndrange, static_cast<unsigned>(shares.size())));
}

std::vector<Part> split(const Ndrange& ndrange, std::span<const double> shares, unsigned cut) {
  std::vector<Part> parts;
  const uint64_t groups = ndrange.groups(cut);
  double total = 0, given = 0;
  for (double share : shares) total += share;
  uint64_t begin = 0;
  for (unsigned device = 0; device < shares.size() && begin < groups; ++device) {
    given += shares[device];
    uint64_t end = device + 1 == shares.size()
                       ? groups
                       : std::min<uint64_t>(groups, std::llround(static_cast<double>(groups) * given / total));
    if (end <= begin) continue;
    GroupBox box{{0, 0, 0}, ndrange.groups()};
    box.first[cut] = begin;
    box.count[cut] = end - begin;
    parts.push_back({device, box});
    begin = end;
  }
  return parts;
}

std::vector<GroupBox> slice(const GroupBox& box, uint64_t groups_per_slice) {
  // Cut the slowest dimension that is long enough for slices of the wanted length; if one row of it is longer
  // than a slice, cut a faster dimension inside each row instead.
  std::vector<GroupBox> slices;
  groups_per_slice = std::max<uint64_t>(groups_per_slice, 1);
  if (box.total() <= groups_per_slice) return {box};
  unsigned cut = 2;
  while (cut > 0 && box.count[cut] == 1) --cut;
  uint64_t row = 1;
  for (unsigned d = 0; d < cut; ++d) row *= box.count[d];
  if (row > groups_per_slice) {
    for (uint64_t i = 0; i < box.count[cut]; ++i) {
      GroupBox one = box;
      one.first[cut] += i;
      one.count[cut] = 1;
      for (const GroupBox& piece : slice(one, groups_per_slice)) slices.push_back(piece);
    }
    return slices;
  }
  const uint64_t rows = groups_per_slice / row;
  for (uint64_t i = 0; i < box.count[cut]; i += rows) {
    GroupBox piece = box;
    piece.first[cut] += i;
    piece.count[cut] = std::min(rows, box.count[cut] - i);
    slices.push_back(piece);
  }
  return slices;
}

}  // namespace samcl
