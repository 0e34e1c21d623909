#include "analysis/makespan/testing/exhaustive.h"

#include <algorithm>
#include <map>

namespace samcl::analysis::makespan {
namespace {

struct Warp {
  size_t next = 0;  // instruction
  int wait = 0;     // slots until it is ready, or until its last instruction completes
  auto operator<=>(const Warp&) const = default;
};
using Warps = std::vector<Warp>;

class Exhaustive {
 public:
  explicit Exhaustive(const Kernel& kernel) : kernel_(kernel) {}

  Slots longest(const Warps& warps) {
    const auto known = longest_.find(warps);
    if (known != longest_.end()) return known->second;
    Slots result = 0;
    if (std::any_of(warps.begin(), warps.end(), [&](const Warp& warp) { return !ended(warp); }))
      choose(warps, 0, std::vector<bool>(warps.size(), false), result);
    return longest_[warps] = result;
  }

 private:
  bool ended(const Warp& warp) const { return warp.next == kernel_.instructions.size() && warp.wait == 0; }

  // Every subset of the warps that are ready for the unit, as large as the unit takes.
  void choose(const Warps& warps, size_t unit, const std::vector<bool>& issued, Slots& result) {
    if (unit == kernel_.units.size()) {
      result = std::max(result, 1 + longest(after(warps, issued)));
      return;
    }
    std::vector<size_t> ready;
    for (size_t i = 0; i < warps.size(); ++i)
      if (warps[i].wait == 0 && !ended(warps[i]) && kernel_.instructions[warps[i].next].unit == unit)
        ready.push_back(i);
    const size_t due = std::min(ready.size(), static_cast<size_t>(kernel_.units[unit].capacity));
    std::vector<bool> taken(ready.size(), false);
    std::fill(taken.begin(), taken.begin() + static_cast<long>(due), true);
    do {
      std::vector<bool> more = issued;
      for (size_t n = 0; n < ready.size(); ++n)
        if (taken[n]) more[ready[n]] = true;
      choose(warps, unit + 1, more, result);
    } while (std::prev_permutation(taken.begin(), taken.end()));
  }

  Warps after(Warps warps, const std::vector<bool>& issued) const {
    for (size_t i = 0; i < warps.size(); ++i) {
      if (issued[i]) warps[i].wait = kernel_.instructions[warps[i].next++].latency;
      if (warps[i].wait > 0) --warps[i].wait;
    }
    return warps;
  }

  const Kernel& kernel_;
  std::map<Warps, Slots> longest_;
};

}  // namespace

Slots exhaustive_worst_case(const Kernel& kernel, int warps) {
  return Exhaustive(kernel).longest(Warps(static_cast<size_t>(warps)));
}

}  // namespace samcl::analysis::makespan
