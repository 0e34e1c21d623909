#include "libsamcl/cost/layers.h"

#include <algorithm>
#include <utility>

namespace samcl {
namespace {

// Launches in a row for which layers were of no use before they are forgotten: fields that alternate (leapfrog schemes)
// exchange in every second or third.
constexpr unsigned kPatience = 8;

// Launches between two trials at most.
constexpr unsigned kMostSeldom = 1024;

}  // namespace

std::vector<Part> with_layers(const std::vector<Part>& parts, unsigned dimension, const Cut& cut) {
  std::vector<Part> result, insides;
  for (size_t p = 0; p < parts.size(); ++p) {
    Part inside = parts[p];
    const Ends ends = cut.ends[p];
    uint64_t& first = inside.box.first[dimension];
    uint64_t& count = inside.box.count[dimension];
    const uint64_t layer = std::max<uint64_t>(1, count / cut.share);
    const bool is_thin = count <= layer * (unsigned{ends.low} + unsigned{ends.high});
    const auto cut_off = [&](uint64_t at) {
      Part one = inside;
      one.box.first[dimension] = at;
      one.box.count[dimension] = layer;
      result.push_back(one);
      count -= layer;
    };
    if (ends.low && !is_thin) {
      cut_off(first);
      first += layer;
    }
    if (ends.high && !is_thin) cut_off(first + count - layer);
    (is_thin ? result : insides).push_back(inside);
  }
  result.insert(result.end(), insides.begin(), insides.end());
  return result;
}

std::optional<Cut> Layers::known(const Ndrange& ndrange, size_t parts) const {
  return cut_ && of_ == ndrange && cut_->ends.size() == parts ? cut_ : std::nullopt;
}

void Layers::found(const Ndrange& ndrange, Cut cut) {
  of_ = ndrange;
  cut_ = std::move(cut);
  in_vain_ = 0;
}

bool Layers::wants_trial() {
  if (++launches_ < next_trial_) return false;
  next_trial_ = std::min(2 * next_trial_, launches_ + kMostSeldom);
  return true;
}

void Layers::served(bool well) {
  in_vain_ = well ? 0 : in_vain_ + 1;
  if (in_vain_ >= kPatience) cut_.reset();
}

}  // namespace samcl
