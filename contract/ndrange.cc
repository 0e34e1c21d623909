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

GroupBox cut_slice(std::vector<GroupBox>& left, uint64_t groups) {
  groups = std::max<uint64_t>(groups, 1);
  while (true) {
    GroupBox first = left.back();
    left.pop_back();
    if (first.total() <= groups) return first;
    unsigned cut = 2;
    while (first.count[cut] == 1) --cut;
    const uint64_t row = first.total() / first.count[cut];
    GroupBox rest = first;
    first.count[cut] = std::max<uint64_t>(groups / row, 1);
    rest.first[cut] += first.count[cut];
    rest.count[cut] -= first.count[cut];
    if (rest.count[cut] > 0) left.push_back(rest);
    left.push_back(first);  // cut on inside, if it is one row that is too long
  }
}

std::vector<GroupBox> slice(const GroupBox& box, uint64_t groups_per_slice) {
  std::vector<GroupBox> left{box}, slices;
  while (!left.empty()) slices.push_back(cut_slice(left, groups_per_slice));
  return slices;
}

}  // namespace samcl
