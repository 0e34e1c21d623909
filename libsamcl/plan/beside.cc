#include "libsamcl/plan/beside.h"

#include <algorithm>

#include "libsamcl/plan/launch_plan.h"

namespace samcl::beside {
namespace {

// Whether memory objects are in use there so that it would have to come after that if it used all of them.
bool needs_what_runs(const LaunchRequest& launch, const RealDevice& device) {
  const Arguments& arguments = *launch.arguments;
  engine::NodeList before;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto& buffer = arguments[i].buffer;
    if (!buffer) continue;
    Storage& storage = *buffer->storage;
    storage.users(storage.place_of(device.index))
        .find_conflicts(buffer->range, may_write(launch.kernel->translation, i), before);
  }
  return std::ranges::any_of(before, [](const engine::NodePtr& each) { return !each->ended; });
}

}  // namespace

bool leaves_idle(const LaunchRequest& launch, const RealDevice& device) {
  const Index3& local = launch.ndrange.local;
  const uint64_t group = launch.has_local ? local[0] * local[1] * local[2] : kFreeGroup;
  return work_items(launch.ndrange) <= device.busy_groups(group) * group;
}

bool may_pay(const LaunchRequest& launch, const Context& context, const RealDevice& device) {
  return device.may_have_strands() && !context.survives() && !launch.kernel->shows_its_turn() &&
         (context.strands.are_always() || leaves_idle(launch, device));
}

// Nearly all launches are too short.
bool pays(const LaunchRequest& launch, const Context& context, const RealDevice& device) {
  const CostModel* const known = launch.kernel->cost_model;
  const bool is_long = context.strands.are_always() ||
                       (known && known->times.expect(work_items(launch.ndrange)).whole >= Strands::kLeastBesideNs);
  return is_long && may_pay(launch, context, device);
}

// A footprint tells more. For tests not all launches are planned: there have to be some that follow, too.
bool is_worth_planning(const LaunchRequest& launch, const Context& context, RealDevice& device) {
  return pays(launch, context, device) && !device.completions().has_untold_end_of_all() &&
         !(context.strands.are_always() && needs_what_runs(launch, device));
}

}  // namespace samcl::beside
