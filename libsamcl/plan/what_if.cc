#include "libsamcl/plan/what_if.h"

#include <utility>

#include "base/clock.h"
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

WhatIf::WhatIf(ImaginedMachines machines) : machines_(with_one_device(std::move(machines))) {}

WhatIf* WhatIf::wanted() {
  static WhatIf* const one = begun();
  return one;
}

WhatIf::Launch WhatIf::follow(const LaunchRequest& request, const LaunchPlan& whole, const Context& context,
                              uint64_t whole_ns) {
  const uint64_t began = now_ns();
  Launch launch;
  LaunchPlan on_first = whole;
  for (Part& part : on_first.parts) part.device = 0;
  const size_t machines = devices().size();
  for (size_t m = 0; m < machines; ++m) {
    const ImaginedDirectoryOf directory = [m, machines](Storage& storage) -> ImaginedDirectory& {
      return storage.imagined(machines)[m];
    };
    const unsigned count = devices()[m];
    const auto split = count > 1 ? plan_on(request, context, count) : nullptr;
    const Index3& local = (split ? *split : whole).ndrange.local;
    const uint64_t busy = context.devices[0]->busy_groups(local[0] * local[1] * local[2]);
    const TransferRates rates = machines_.rates(count, context.rates());
    const bool splits = cheaper(on_first, split.get(), whole_ns, busy, rates, directory).splits;
    const LaunchPlan& taken = splits ? *split : on_first;
    const uint64_t moving = moving_ns(taken, rates, directory);
    launch.on.push_back({splits, splits ? longest_share(taken, busy) : 1, moving + (splits ? rates.hand_over : 0)});
    simulate(taken, directory);
  }
  prediction::predicted(now_ns() - began);
  return launch;
}

void WhatIf::took(const Launch& launch, uint64_t ns) const {
  prediction::launched(ns);
  for (size_t m = 0; m < launch.on.size(); ++m) {
    const Launch::On& on = launch.on[m];
    prediction::add(m, {.split_launches = on.is_split ? 1u : 0u,
                        .computing_ns = static_cast<uint64_t>(on.share * static_cast<double>(ns)),
                        .moving_ns = on.moving_ns});
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
  for (ImaginedDirectory& directory : storage.imagined(devices().size())) directory.written(range, ManyPlaces(kZeros));
}

void WhatIf::copied(Storage& from, Range source, Storage& to, uint64_t target) {
  for (size_t m = 0; m < devices().size(); ++m) {
    const auto pieces = from.imagined(devices().size())[m].pieces(source);
    ImaginedDirectory& directory = to.imagined(devices().size())[m];
    for (const auto& [range, valid] : pieces) {
      const uint64_t begin = target + (range.begin - source.begin);
      directory.written({begin, begin + range.size()}, valid);
    }
  }
}

}  // namespace samcl
