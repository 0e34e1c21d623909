#include "libsamcl/plan/what_if.h"

#include <utility>

#include "base/clock.h"
#include "libsamcl/cost/parts_build.h"
#include "libsamcl/objects/context.h"
#include "libsamcl/observe/prediction.h"
#include "libsamcl/settings/config.h"

namespace samcl {
namespace {

// What is compared with comes first.
ImaginedMachines with_one_device(ImaginedMachines machines) {
  auto& devices = machines.devices;
  if (devices.front() != 1) devices.insert(devices.begin(), 1);
  return machines;
}

WhatIf* begun() {
  const std::string& text = Config::get().what_if;
  if (text.empty()) return nullptr;
  auto machines = parse_imagined_machines(text);
  if (!machines) {
    warn("SAMCL_WHAT_IF " + machines.error().message + "; nothing is predicted");
    return nullptr;
  }
  auto* const made = new WhatIf(*std::move(machines));
  prediction::begin(text, made->devices());
  return made;
}

}  // namespace

WhatIf::WhatIf(ImaginedMachines machines)
    : machines_(with_one_device(std::move(machines))), at_(machines_.devices.size()) {}

WhatIf* WhatIf::wanted() {
  static WhatIf* const one = begun();
  return one;
}

// Built beside each other, and beside the program's launches or before one that is long enough by itself.
bool WhatIf::has_parts(Machine& machine, const Kernel& kernel, unsigned devices, uint64_t whole_ns,
                       uint64_t& building) const {
  const std::shared_ptr<const Build>& build = kernel.build;
  if (build->built_ns == 0 || !kernel.cost_model) return true;
  const auto known = machine.built.find(build);
  if (known != machine.built.end()) return known->second <= machine.clock_ns;
  const uint64_t all_ns = build->built_ns * (devices - (build->is_rewritten() ? 0 : 1));
  const PartsBuild when = when_to_build_parts(all_ns, kernel.cost_model->took_ns, whole_ns, 0, !build->is_rewritten());
  if (when == PartsBuild::not_yet) return false;
  if (when == PartsBuild::now) building = build->built_ns;
  machine.built[build] = machine.clock_ns.load() + (when == PartsBuild::now ? 0 : build->built_ns);
  return when == PartsBuild::now;
}

WhatIf::Launch WhatIf::follow(const LaunchRequest& request, const LaunchPlan& whole, const Context& context,
                              uint64_t whole_ns) {
  const uint64_t began = now_ns();
  Launch launch;
  LaunchPlan on_first = whole;
  for (Part& part : on_first.parts) part.device = 0;
  const size_t machines = devices().size();
  for (size_t m = 0; m < machines; ++m) {
    Machine& machine = at_[m];
    Ways& ways = machine.ways;
    const ImaginedDirectoryOf here = [m, machines](Storage& storage) -> ImaginedDirectory& {
      return storage.imagined(machines)[m];
    };
    const ImaginedDirectoryOf there = [m, machines, &ways](Storage& storage) -> ImaginedDirectory& {
      return storage.imagined_otherwise(machines, m, ways.epoch());
    };
    const unsigned count = devices()[m];
    uint64_t building = 0;
    const bool is_long = count > 1 && whole_ns >= 2 * kHandOver;
    const bool is_built = is_long && has_parts(machine, *request.kernel, count, whole_ns, building);
    auto split = is_long ? plan_on(request, context, count) : nullptr;
    const bool is_unbuilt = split && !is_built;
    if (is_unbuilt) split = nullptr;
    const Index3& local = (split ? *split : whole).ndrange.local;
    const uint64_t busy = context.devices[0]->busy_groups(local[0] * local[1] * local[2]);
    const TransferRates rates = machines_.rates(count, context.rates());
    const bool splits = choose_way(ways, on_first, split.get(), &machine.moving[request.kernel->cost_model],
                                   {whole_ns, whole_ns}, busy, rates, here, there)
                            .splits;
    const LaunchPlan& taken = splits ? *split : on_first;
    const uint64_t moving = moving_ns(taken, rates, here) + (splits ? rates.hand_over : 0) + building;
    const double share = splits ? longest_share(taken, busy) : 1;
    ways.planned(work_items(request.ndrange), ways.begins() ? machine.clock_ns.load() : 0);
    machine.clock_ns += moving;
    launch.on.push_back({splits, is_unbuilt, static_cast<unsigned>(taken.parts.size()), share, moving});
    simulate(taken, here);
  }
  prediction::predicted(now_ns() - began);
  return launch;
}

void WhatIf::waited() {
  for (Machine& machine : at_) machine.ways.waited(machine.clock_ns);
}

void WhatIf::took(const Launch& launch, uint64_t ns) {
  prediction::launched(ns);
  for (size_t m = 0; m < launch.on.size(); ++m) {
    const Launch::On& on = launch.on[m];
    const auto computing = static_cast<uint64_t>(on.share * static_cast<double>(ns));
    at_[m].clock_ns += computing;
    prediction::OnMachine more{.computing_ns = computing, .moving_ns = on.moving_ns, .most_parts = on.parts};
    if (on.is_split) {
      more.split_launches = 1;
      more.split_alone_ns = ns;
      more.split_ns = computing + on.moving_ns;
    }
    if (on.is_unbuilt) more.unbuilt_launches = 1;
    prediction::add(m, more);
  }
}

void WhatIf::read(Storage& storage, std::span<const Range> ranges, const TransferRates& measured, bool keep) {
  const uint64_t began = now_ns();
  for (size_t m = 0; m < devices().size(); ++m) {
    ImaginedDirectory& directory = storage.imagined(devices().size())[m];
    const TransferRates rates = machines_.rates(devices()[m], measured);
    prediction::add(m, {.moving_ns = fetching_ns(ranges, rates, directory)});
    if (!keep) continue;
    for (const Range& range : ranges) directory.copied(range, kHost);
  }
  prediction::predicted(now_ns() - began);
}

void WhatIf::filled_with_zeros(Storage& storage, Range range) {
  storage.imagined(devices().size());
  storage.written_on_imagined(range, ManyPlaces(kZeros));
}

void WhatIf::copied(Storage& from, Range source, Storage& to, uint64_t target) {
  const auto copy = [&](const ImaginedDirectory& known, ImaginedDirectory& directory) {
    for (const auto& [range, valid] : known.pieces(source)) {
      const uint64_t begin = target + (range.begin - source.begin);
      directory.written({begin, begin + range.size()}, valid);
    }
  };
  const size_t machines = devices().size();
  for (size_t m = 0; m < machines; ++m) {
    const uint64_t epoch = at_[m].ways.epoch();
    copy(from.imagined(machines)[m], to.imagined(machines)[m]);
    copy(from.imagined_otherwise(machines, m, epoch), to.imagined_otherwise(machines, m, epoch));
  }
}

}  // namespace samcl
