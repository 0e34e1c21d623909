#include "libsamcl/objects/strands.h"

#include <algorithm>
#include <bit>

namespace samcl {

unsigned Strands::of(StrandUse& use, bool is_busy) {
  if (use.strand > 0 && strands_[use.strand].is_closed) use.strand = 0;
  if (use.strand == 0) {
    const bool meets_others = (is_busy || always_) && last_on_first_ && last_on_first_ != &use;
    if (meets_others && (++use.met_others % kMeets == 0 || always_)) use.strand = next();
  }
  if (use.strand == 0) last_on_first_ = &use;
  ++strands_[use.strand].commands;
  return use.strand;
}

// 0: all are closed.
unsigned Strands::next() {
  for (unsigned tried = 1; tried < kFirstBeside; ++tried) {
    last_given_ = last_given_ % (kFirstBeside - 1) + 1;
    if (!strands_[last_given_].is_closed) return last_given_;
  }
  return 0;
}

unsigned Strands::beside(unsigned usual, Set before, const Loads& loads) {
  if (before != 0) return before & only(usual) ? usual : static_cast<unsigned>(std::countr_zero(before));
  const auto least = std::ranges::min_element(loads.begin() + kFirstBeside, loads.end());
  return *least < loads[usual] ? static_cast<unsigned>(least - loads.begin()) : usual;
}

void Strands::waits(unsigned strand, unsigned other) {
  if (always_ || ((only(strand) | only(other)) & kForBeside)) return;
  for (const unsigned number : {strand, other}) {
    Strand& each = strands_[number];
    if (number > 0 && ++each.waits >= kSome && each.waits * kSeldom >= each.commands) each.is_closed = true;
  }
}

}  // namespace samcl
