#include "libsamcl/objects/homes.h"

#include <algorithm>
#include <utility>

namespace samcl {

// What was done before counts half as much each time that so much has been done.
void Homes::count(HomeUse& use, uint64_t ns) {
  use.recent_ns >>= std::min<uint64_t>(epoch_ - use.epoch, 63);
  use.epoch = epoch_;
  use.recent_ns += ns;
  recent_ns_ += ns;
  if (recent_ns_ < kRecentNs) return;
  recent_ns_ /= 2;
  ++epoch_;
}

void Homes::move(HomeUse& use, unsigned device) {
  --queues_[use.device];
  ++queues_[device];
  use.device = device;
  use.waited_ns = use.computed_ns = use.moved_ns = 0;
}

unsigned Homes::of(HomeUse& use, const Launch& launch, std::span<const unsigned> devices) {
  const uint64_t ns = launch.ns + std::exchange(use.unseen_ns, 0);
  count(use, ns);
  const unsigned first = devices.front();
  const bool is_there = std::ranges::find(devices, use.device) != devices.end();
  if (use.device != first && (is_closed_ || !is_there)) move(use, first);
  if (is_closed_ || use.stays || devices.size() < 2) return use.device;
  if (launch.meets_others && !use.meets_others) {
    use.meets_others = true;
    ++queues_[use.device];
  }
  if (!use.meets_others) return use.device;
  if (are_elsewhere_) {
    use.computed_ns += ns;
    use.moved_ns += launch.moving_ns(use.device);
    if (use.moved_ns > kSomeMovingNs + use.computed_ns / kMostMoving) {
      // It has bytes in common with those that are elsewhere.
      if (use.device == first) is_closed_ = true;
      use.stays = true;
      if (use.device != first) move(use, first);
      return first;
    }
  }
  if (use.device != first || !launch.meets_others || launch.ns < kLeastNs) return use.device;
  use.waited_ns += ns;
  waited_ns_ += ns;
  const unsigned other =
      *std::ranges::min_element(devices, {}, [&](unsigned device) { return queues_[device].load(); });
  if (queues_[other] + 1 >= queues_[first]) return first;
  if (use.waited_ns < launch.moving_ns(other) || !launch.is_ready(other, waited_ns_)) return first;
  are_elsewhere_ = true;
  move(use, other);
  return other;
}

bool Homes::are_many(const HomeUse& use) {
  const uint64_t its = use.recent_ns >> std::min<uint64_t>(epoch_ - use.epoch, 63);
  const bool does_most = static_cast<double>(its) > kMost * static_cast<double>(recent_ns_);
  were_many_ = are_elsewhere_ && !is_closed_ && use.meets_others && !does_most;
  return were_many_;
}

}  // namespace samcl
