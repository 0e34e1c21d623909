// What a launch will cost, predicted from where the bytes are that it needs.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "libsamcl/cost/judging.h"
#include "libsamcl/cost/kernel_times.h"
#include "libsamcl/cost/moving.h"
#include "libsamcl/cost/ways.h"
#include "libsamcl/plan/launch_plan.h"

namespace samcl {

// Which of a storage's directories: what is, or what would be on the way that is not taken, or on an imagined machine.
template <typename Known>
using DirectoryFrom = std::function<Known&(Storage&)>;
using DirectoryOf = DirectoryFrom<Directory>;
using ImaginedDirectoryOf = DirectoryFrom<ImaginedDirectory>;

// All of these: Known is Directory or ImaginedDirectory.

// ns until the parts of a plan have what they need.
template <typename Known>
uint64_t moving_ns(const LaunchPlan& plan, const TransferRates& rates, const DirectoryFrom<Known>& directory);

// ns until the host has these bytes, which one command reads.
template <typename Known>
uint64_t fetching_ns(std::span<const Range> ranges, const TransferRates& rates, const Known& directory);

// How long the part computes that takes longest, of what all would on the first device, by what parts write where that
// is known, else by their work-groups. busy_groups: as many work-groups keep a device as busy as it can be; fewer take
// it no less time, since each of them takes its own.
double longest_share(const LaunchPlan& plan, uint64_t busy_groups);

// ns of a launch whose parts together compute that long.
template <typename Known>
uint64_t launch_ns(const LaunchPlan& plan, uint64_t computing_ns, uint64_t busy_groups, const TransferRates& rates,
                   const DirectoryFrom<Known>& directory);

// What it would cost on each of these numbers of devices, as the split plan is for one of them, or whole, if that is
// less: with what moves for the split plan now, which does not depend much on how many there are.
template <typename Known>
SmallVector<uint64_t, 8> costs_on(std::span<const size_t> devices, const LaunchPlan& split, ComputingTimes times,
                                  uint64_t busy_groups, const TransferRates& rates,
                                  const DirectoryFrom<Known>& directory);

// What a launch costs where it may be split, and whether it is.
struct Cheaper {
  bool splits = false;
  uint64_t ns = 0;
  uint64_t in_parts_ns = UINT64_MAX;  // the most there is: it cannot be split
};
// split: nullptr if it must not be; moving: of its kernel, nullptr if no other launch like it comes.
template <typename Known>
Cheaper cheaper(const LaunchPlan& whole, const LaunchPlan* split, Moving* moving, ComputingTimes times,
                uint64_t busy_groups, const TransferRates& rates, const DirectoryFrom<Known>& directory);

struct Choice {
  bool splits = false;  // on the way that is taken
  // On the split way, whichever is taken.
  Judging::Found parts = Judging::Found::parts_cost_more;
};
// Follows a launch on both ways (cost/ways.h), over directories of what is and of what would be on the way that is not
// taken, where it leaves its marks. A launch of which nothing is known yet (times.whole is 0) runs whole: what it takes
// is then known.
template <typename Known>
Choice choose_way(Ways& ways, const LaunchPlan& whole, const LaunchPlan* split, Moving* moving, ComputingTimes times,
                  uint64_t busy_groups, const TransferRates& rates, const DirectoryFrom<Known>& here,
                  const DirectoryFrom<Known>& there);

// Notes in these directories what holds after the launch.
template <typename Known>
void simulate(const LaunchPlan& plan, const DirectoryFrom<Known>& directory);

}  // namespace samcl
