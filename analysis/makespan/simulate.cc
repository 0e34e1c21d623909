#include "analysis/makespan/simulate.h"

#include <algorithm>
#include <random>

namespace samcl::analysis::makespan {
namespace {

struct Warp {
  size_t next = 0;
  Slots ready = 0;
};

// The lower, the sooner taken.
class Precedence {
 public:
  Precedence(Policy policy, int warps, size_t units, uint64_t seed)
      : policy_(policy), warps_(warps), last_(units, warps - 1), random_(seed) {}

  int64_t of(int warp, size_t next, size_t unit) {
    switch (policy_) {
      case Policy::oldest: return warp;
      case Policy::youngest: return -warp;
      case Policy::round_robin: return (warp - last_[unit] - 1 + 2 * warps_) % warps_;
      case Policy::behind: return static_cast<int64_t>(next);
      case Policy::ahead: return -static_cast<int64_t>(next);
      case Policy::random: return static_cast<int64_t>(random_() >> 1);
    }
    return 0;
  }
  void taken(int warp, size_t unit) { last_[unit] = warp; }

 private:
  Policy policy_;
  int warps_;
  std::vector<int> last_;  // per unit
  std::mt19937_64 random_;
};

}  // namespace

const char* name(Policy policy) {
  constexpr const char* kNames[] = {"oldest", "youngest", "round robin", "behind", "ahead", "random"};
  return kNames[static_cast<size_t>(policy)];
}

Schedule simulate(const Kernel& kernel, int warps, Policy policy, uint64_t seed) {
  std::vector<Warp> all(static_cast<size_t>(warps));
  Precedence precedence(policy, warps, kernel.units.size(), seed);
  Schedule schedule;
  const size_t issues = static_cast<size_t>(warps) * kernel.instructions.size();
  std::vector<std::pair<int64_t, int>> ready;
  for (Slots slot = 0; schedule.size() < issues; ++slot) {
    // A warp that issues is not ready again in this slot, so that units can be served one after the other.
    for (size_t unit = 0; unit < kernel.units.size(); ++unit) {
      ready.clear();
      for (int i = 0; i < warps; ++i) {
        const Warp& warp = all[static_cast<size_t>(i)];
        if (warp.next < kernel.instructions.size() && warp.ready <= slot && kernel.instructions[warp.next].unit == unit)
          ready.emplace_back(precedence.of(i, warp.next, unit), i);
      }
      std::sort(ready.begin(), ready.end());
      ready.resize(std::min(ready.size(), static_cast<size_t>(kernel.units[unit].capacity)));
      for (const auto& [order, i] : ready) {
        Warp& warp = all[static_cast<size_t>(i)];
        schedule.push_back({slot, i, warp.next});
        warp.ready = slot + kernel.instructions[warp.next++].latency;
        precedence.taken(i, unit);
      }
    }
  }
  return schedule;
}

}  // namespace samcl::analysis::makespan
