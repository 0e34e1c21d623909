#include "libsamcl/commands/placing.h"

#include <algorithm>

#include "libsamcl/plan/launch_cost.h"
#include "libsamcl/program/remembered_placements.h"

namespace samcl::placing {
namespace {

bool is_by_program(const Storage& storage) {
  const auto pieces = storage.as_placed().pieces({0, storage.size()});
  return std::ranges::all_of(pieces, [](const auto& piece) { return contains(piece.valid, kHost); });
}

Placement placement_of(const BufferAccess& access, const LaunchPlan& plan) {
  Placement placement{.size = access.storage->size()};
  const bool by_program = is_by_program(*access.storage);
  for (size_t p = 0; p < plan.parts.size(); ++p) {
    const Places device = only(access.device_for(plan.parts[p].device));
    placement.devices |= device;
    if (!by_program) continue;
    for (const Range& range : access.needs(p)) placement.needed.push_back({range, device});
  }
  return placement;
}

// Bytes that go to another device, too.
uint64_t needed_twice(const Placement& placement) {
  uint64_t all = 0, once = 0;
  Directory needed(placement.size);
  for (const auto& [range, devices] : placement.needed) {
    all += range.size();
    needed.written(range, only(kHost));
  }
  for (const auto& piece : needed.pieces({0, placement.size}))
    if (piece.valid != 0) once += piece.range.size();
  return all - once;
}

Directory& as_placed(Storage& storage) { return storage.as_placed(); }

// Under the graph's lock.
void took(const LaunchPlan& whole, const LaunchPlan* split, const std::shared_ptr<Context>& context,
          const Kernel& kernel, uint64_t ns) {
  const Index3& local = (split ? *split : whole).ndrange.local;
  const uint64_t busy = context->devices[0]->busy_groups(local[0] * local[1] * local[2]);
  const Cheaper best = cheaper(whole, split, nullptr, {ns, ns}, busy, context->rates(), DirectoryOf(as_placed));
  const LaunchPlan& plan = best.splits ? *split : whole;
  uint64_t placed_ns = best.ns;
  for (const BufferAccess& access : plan.accesses) {
    const auto number = access.storage->placement_number();
    if (!number) continue;
    const Placement placement = placement_of(access, plan);
    // The host's link of one device carries them while that of another carries others.
    if (context->placements.learned(*number, placement))
      placed_ns += static_cast<uint64_t>(static_cast<double>(needed_twice(placement)) / context->rates().host / 2);
  }
  simulate(plan, DirectoryOf(as_placed));
  const auto news = context->placements.took(ns, placed_ns);
  if (!news) return;
  remember_placements(context, *news);
  if (!news->empty()) Build::make_beside(kernel.build, *context);  // the driver keeps them, too
}

}  // namespace

bool planned(const LaunchPlan& plan, const Context& context) {
  if (!context.placements.learns()) return false;
  for (const BufferAccess& access : plan.accesses) access.storage->begin_as_placed();
  return true;
}

void took(const LaunchRequest& launch, const LaunchPlan& whole, const std::shared_ptr<Context>& context,
          uint64_t ns) try {
  if (ns < kLeastNs) {
    context->placements.took_short_time();
    return simulate(whole, DirectoryOf(as_placed));
  }
  // To find out what parts need may take long, and the program waits for us.
  context->builder.post([launch, whole, context, ns] {
    if (!context->placements.learns()) return;
    try {
      const LaunchOptions options = options_of(launch, *context, Interest::parts);
      const LaunchPlan* const split = options.split && !options.split->merges() ? options.split.get() : nullptr;
      context->graph.locked([&] { took(whole, split, context, *launch.kernel, ns); });
    } catch (const std::exception&) {  // no memory
    }
  });
} catch (const std::exception&) {  // no memory: the launch has ended all the same
  context->placements.stop_learning();
}

void failed(const LaunchPlan& plan, const std::shared_ptr<Context>& context) {
  const auto is_placed = [](const BufferAccess& access) { return access.storage->is_placed(); };
  if (std::ranges::any_of(plan.accesses, is_placed) && context->placements.give_up()) forget_placements(context);
}

}  // namespace samcl::placing
