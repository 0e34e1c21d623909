#include "libsamcl/cost/ways.h"

#include <algorithm>
#include <utility>

namespace samcl {
namespace {

// Sequences whose times are kept.
constexpr size_t kMostSequences = 4096;
// What else the host does makes a sequence longer now and then, but not so many of them.
constexpr unsigned kBelieved = 2;

}  // namespace

void Ways::add(const LaunchCosts& costs, uint64_t going_over) {
  const auto [here, there] =
      taken() == Way::whole ? std::pair(costs.whole, costs.split) : std::pair(costs.split, costs.whole);
  sequence_.whole += costs.whole;
  lost_ = lost_ + here > there ? lost_ + here - there : 0;
  if (lost_ <= going_over + margin_ || stays_ > 0) return;
  if (taken() == Way::split) margin_ = std::min(4 * margin_, kNotHere / 4);
  go_over();
}

void Ways::go_over() {
  taken_ = taken() == Way::whole ? Way::split : Way::whole;
  begin_anew();
}

void Ways::begin_anew() {
  lost_ = 0;
  splits_faster_ = false;
  slower_ = 0;
  ++epoch_;
  sequence_.one_way = false;
}

void Ways::parts_change() {
  begin_anew();
  stays_ = 0;
  for (auto& [content, times] : times_) times.split = 0;
}

void Ways::planned(uint64_t work_items, uint64_t now) {
  if (sequence_.launches++ == 0) sequence_.began = now;
  sequence_.content = (sequence_.content ^ work_items) * 0x9e3779b97f4a7c15u;
}

void Ways::waited(uint64_t now) {
  const Sequence over = std::exchange(sequence_, {});
  if (over.launches == 0) return;
  if (stays_ > 0) --stays_;
  if (!over.one_way) return;
  if (times_.size() >= kMostSequences) times_.clear();
  Times& times = times_[over.content];
  uint64_t& best = taken() == Way::whole ? times.whole : times.split;
  const bool is_first = best == 0;
  const uint64_t took = now - over.began;
  best = is_first ? took : std::min(best, took);
  if (taken() == Way::split && times.whole > 0) {
    slower_ = splits_faster_ && took >= times.whole ? slower_ + 1 : 0;
    if (slower_ == kBelieved) best = took;
    splits_faster_ = times.split < times.whole;
  }
  // The first one may still have moved what going over left in the wrong place.
  if (taken() == Way::whole || is_first) return;
  const uint64_t whole = times.whole > 0 ? times.whole : over.whole + over.whole / 4 + kMargin;
  if (times.split < whole) {
    margin_ = kMargin;
    return;
  }
  times.split = 0;
  stays_ = next_stay_;
  next_stay_ *= 4;
  go_over();
}

}  // namespace samcl
