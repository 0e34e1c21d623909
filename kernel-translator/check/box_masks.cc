#include "kernel-translator/check/box_masks.h"

#include <algorithm>

namespace samcl::check {
namespace {

Mask mask_of(const ByteSet& set, uint64_t size) {
  Mask mask(size, set.whole);
  for (const StridedRange& range : set.ranges)
    for (uint64_t row = 0; row < range.count; ++row)
      for (uint64_t at = range.row(row).begin; at < range.row(row).end && at < size; ++at) mask[at] = true;
  return mask;
}

}  // namespace

uint64_t count(const Mask& mask) { return static_cast<uint64_t>(std::count(mask.begin(), mask.end(), true)); }

CaseValues::CaseValues(const LaunchCase& launch) : launch_(launch), images_(launch.arguments.size()) {
  for (size_t i = 0; i < launch.arguments.size(); ++i) values_.push_back(launch.arguments[i].value(images_[i]));
}

std::vector<Masks> CaseValues::masks(const Footprint& footprint, const GroupBox& box) const {
  const std::vector<ArgumentFootprint> used = footprint.evaluate({launch_.ndrange, values_}, box);
  std::vector<Masks> masks(used.size());
  for (size_t i = 0; i < used.size(); ++i) {
    const uint64_t size = launch_.arguments[i].has_contents() ? launch_.arguments[i].bytes.size() : 0;
    masks[i] = {mask_of(used[i].reads, size), mask_of(used[i].may_write, size), mask_of(used[i].surely_writes, size)};
  }
  return masks;
}

std::vector<GroupBox> boxes_of(const Ndrange& ndrange) {
  const GroupBox all{{0, 0, 0}, ndrange.groups()};
  std::vector<GroupBox> boxes = {all};
  GroupBox one = all;
  for (unsigned d = 0; d < ndrange.dimensions; ++d) {
    one.first[d] = all.count[d] / 3;
    one.count[d] = 1;
    const uint64_t half = all.count[d] / 2;
    if (half == 0) continue;
    GroupBox first = all, second = all;
    first.count[d] = second.first[d] = half;
    second.count[d] = all.count[d] - half;
    boxes.push_back(first);
    boxes.push_back(second);
  }
  boxes.push_back(one);
  return boxes;
}

std::string words(const GroupBox& box) {
  std::string text = "work-groups";
  for (unsigned d = 0; d < 3; ++d)
    text +=
        (d ? " x [" : " [") + std::to_string(box.first[d]) + "," + std::to_string(box.first[d] + box.count[d]) + ")";
  return text;
}

}  // namespace samcl::check
