#include "libsamcl/commands/gathering.h"

#include <algorithm>
#include <iterator>

#include "base/clock.h"
#include "libsamcl/objects/context.h"
#include "libsamcl/plan/accesses.h"
#include "libsamcl/settings/config.h"

namespace samcl {
namespace {

// How long before a device has nothing more to do it is given more; and what launches wait at most.
constexpr uint64_t kInTimeNs = 30'000, kLongestWaitNs = 100'000;

// The NDRange of that many launches as one.
Ndrange gathered(Ndrange ndrange, bool has_local, uint64_t launches) {
  ndrange.dimensions = 3;
  ndrange.global[2] = launches;
  if (!has_local) ndrange.local = {1, 1, 1};
  return ndrange;
}

// Finds out whether launches of that series are independent, of which this is one.
void judge(LaunchSeries& series, const LaunchRequest& launch) {
  for (const uint64_t launches : {LaunchSeries::kLeast, LaunchSeries::kMost}) {
    Reaches found = reaches_of(*launch.kernel, *launch.arguments, gathered(launch.ndrange, launch.has_local, launches),
                               series.growing());
    const ReachingLaunches all{found.reaches, found.places, launches};
    const bool are_apart = launches_are_apart(all, all);
    if (are_apart)
      series.found(launches, std::move(found.reaches), std::move(found.places));
    else if (!series.is_independent())
      series.found(0, {}, {});
    if (!are_apart) return;
  }
}

// Whether it is there now; it may be asked for.
bool has_variant(const Kernel& kernel, Context& context, const RealDevice& device) {
  const Build& build = *kernel.build;
  if (build.is_gathered_on(device.index)) return true;
  if (Config::get().gathering == Config::Gathering::always) return build.gathered_on(context, device.index) != nullptr;
  Build::misses_gathered(kernel.build, context, device.index);
  return false;
}

}  // namespace

bool Gathering::may_gather(const LaunchRequest& launch, const Context& context, const RealDevice& device) {
  const Kernel& kernel = *launch.kernel;
  const Ndrange& ndrange = launch.ndrange;
  if (!kernel.translation || kernel.translation->gathers_by.empty() || !kernel.build->may_gather) return false;
  if (context.device->kinds[device.index] != 0 || launch.arguments->exec_info || !launch.reachable.empty())
    return false;
  if (!launch.has_local && kernel.translation->depends_on_local_size) return false;
  return ndrange.global[2] == 1 && ndrange.local[2] == 1 && ndrange.offset[2] == 0;
}

bool Gathering::observe(const LaunchRequest& launch, Context& context, const RealDevice& device) {
  const Kernel& kernel = *launch.kernel;
  LaunchSeries& series = launch.kernel->series;
  number_ = series.observe(*launch.arguments, launch.ndrange, launch.has_local, kernel.translation->gathers_by);
  if (series.is_in_question()) {
    judge(series, launch);
    number_ = series.number();
  }
  if (!number_ || !has_variant(kernel, context, device)) return false;
  now_ns_ = now_ns();
  return true;
}

bool Gathering::join(const LaunchRequest& launch, RealDevice& device) {
  const LaunchSeries& series = launch.kernel->series;
  for (auto waiting = waiting_.rbegin(); waiting != waiting_.rend(); ++waiting) {
    if (waiting->version != waiting->kernel->series.version()) return false;
    if (waiting->kernel == launch.kernel.get())
      return waiting->first + waiting->count == *number_ && join(launch, device, *waiting);
    if (!series.may_pass(*number_, waiting->kernel->series, waiting->first, waiting->count)) return false;
  }
  return false;
}

bool Gathering::join(const LaunchRequest& launch, RealDevice& device, Waiting& waiting) {
  LaunchRing& ring = device.submissions().launches();
  LaunchRing::Launch* const first = ring.put_as(waiting.put);
  if (!first || first->is_taken()) return false;
  if (waiting.count == 1) {
    Kernel& kernel = *launch.kernel;
    GatheredKernel& variant = kernel.gathered(device);
    if (!variant.prepare(*kernel.build, kernel, device, *launch.arguments, ring.given_count())) return false;
    LaunchRing::Gathered& gathered = first->gathered;
    gathered.kernel = variant.get();
    gathered.growing = 0;
    for (const LaunchSeries::Growing& each : kernel.series.growing()) {
      if (each.step == 0) continue;
      if (gathered.growing == LaunchRing::Gathered::kMostGrowing) return false;
      gathered.values[gathered.growing++] = {each.argument, each.size, each.first + waiting.first * each.step,
                                             each.step};
    }
    variant.used(waiting.put);
    Build::gathers(kernel.build, *kernel.program->context);
  }
  if (!LaunchRing::gather(*first)) return false;
  ++waiting.count;
  ++launch.kernel->record.gathered_launches;
  return true;
}

uint64_t Gathering::may_wait_until_ns() const {
  const uint64_t until = std::min(busy_until_ns_ - std::min(busy_until_ns_, kInTimeNs), now_ns_ + kLongestWaitNs);
  return until > now_ns_ ? until : 0;
}

// Those that run together take less than one after the other; how much is not known.
void Gathering::expect(uint64_t ns) { busy_until_ns_ = std::max(busy_until_ns_, now_ns_) + ns / 2; }

void Gathering::was_put(const LaunchRequest& launch, RealDevice& device) {
  if (waiting_.size() == kMostWaiting) waiting_.erase(waiting_.begin());
  waiting_.push_back(
      {launch.kernel.get(), launch.kernel->series.version(), device.submissions().launches().put_count(), *number_, 1});
}

}  // namespace samcl
