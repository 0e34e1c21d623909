#include "libsamcl/coherence/halo.h"

#include <algorithm>
#include <utility>

namespace samcl {
namespace {

constexpr unsigned kEnough = 3;

bool contains_all(std::span<const Range> ranges, std::span<const Range> of) {
  return std::ranges::all_of(of, [&](const Range& each) {
    return std::ranges::any_of(ranges,
                               [&](const Range& range) { return range.begin <= each.begin && each.end <= range.end; });
  });
}

}  // namespace

void Halo::passes(uint64_t group, Place from, Place to, const std::vector<Range>& ranges) {
  if (last_.group != group) {
    before_ = std::exchange(last_, {});
    last_.group = group;
  }
  last_.passes.push_back({from, to, ranges});
}

void Halo::foreseen(uint64_t group) {
  if (last_.group != group) return;  // nothing had to pass
  last_.is_foreseen = true;
  guess_.clear();
}

void Halo::used(uint64_t group, std::span<const Need> needs) {
  const bool passed_more = last_.group == group;
  if (last_.is_foreseen) {
    const bool needs_it = std::ranges::all_of(last_.passes, [&](const Pass& pass) {
      return std::ranges::any_of(
          needs, [&](const Need& need) { return need.device == pass.to && contains_all(need.ranges, pass.ranges); });
    });
    if (!needs_it) return;  // but perhaps a later one does
    last_.group = group;
    last_.is_foreseen = false;
  } else if (passed_more && before_.is_foreseen) {
    before_.is_foreseen = false;
    right_ = 0;
  } else if (passed_more && !guess_.empty()) {
    right_ = last_.passes == guess_ ? std::min(right_ + 1, kEnough) : 0;
    guess_.clear();
  }
}

bool Halo::is_foreseen() const { return right_ == kEnough; }

std::span<const Halo::Pass> Halo::written(uint64_t group) {
  if (last_.is_foreseen || before_.is_foreseen || !guess_.empty()) right_ = 0;  // nobody needed it
  last_.is_foreseen = before_.is_foreseen = false;
  guess_ = last_.group == group ? before_.passes : last_.passes;
  return is_foreseen() ? guess_ : std::span<const Pass>();
}

}  // namespace samcl
