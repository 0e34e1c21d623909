#include "libsamcl/cost/ways.h"

#include <utility>

namespace samcl {
namespace {

// Predictions err: what is to be won by going over must be more than it costs by that, ns.
constexpr uint64_t kMargin = 100'000;

}  // namespace

void Ways::add(const LaunchCosts& costs, uint64_t going_over) {
  const auto [here, there] = taken_ == Way::whole ? std::pair(costs.whole, costs.split) : std::pair(costs.split, costs.whole);
  lost_ = lost_ + here > there ? lost_ + here - there : 0;
  if (lost_ <= going_over + kMargin) return;
  taken_ = taken_ == Way::whole ? Way::split : Way::whole;
  lost_ = 0;
  ++epoch_;
}

}  // namespace samcl
