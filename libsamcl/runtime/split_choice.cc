#include "libsamcl/runtime/split_choice.h"

#include <algorithm>
#include <bit>

namespace samcl {
namespace {

// Launches after a change that are not counted: they move what the change left in the wrong place.
constexpr uint32_t kSettling = 1;
// Below it, in ns, what splitting costs counts.
constexpr uint64_t kShort = 100'000;
// On one device more of them: the program's other kernels may follow, and only then does nothing move any more.
constexpr uint32_t kSettlingOnOne = 8;
// Launches that are compared.
constexpr uint32_t kSample = 3;
// Launches after which the other way is tried again: the program may have changed its ways.
constexpr uint32_t kReview = 512;

size_t case_of(uint64_t work_items) { return static_cast<size_t>(std::bit_width(work_items | 1)) - 1; }

void learn(double& mean, uint64_t ns) {
  const double value = static_cast<double>(ns);
  mean = mean == 0 ? value : 0.5 * mean + 0.5 * value;
}

}  // namespace

// Of the recent launches but for the longest of four or more: a program's launches of one kernel may differ.
struct SplitChoice::Burden {
  uint32_t burdened = 0;  // launches, of all
  uint64_t total_ns = 0, computing_ns = 0;
  double mean_ns = 0;
};

SplitChoice::Burden SplitChoice::burden_of(const Case& here) {
  const size_t known = std::min<size_t>(here.launches - kSettling, here.recent.size());
  Burden burden;
  const Launch* longest = &here.recent[0];
  for (size_t i = 0; i < known; ++i) {
    const Launch& launch = here.recent[i];
    if (launch.total_ns > longest->total_ns) longest = &launch;
    burden.burdened += launch.burdened ? 1 : 0;
    burden.total_ns += launch.total_ns;
    burden.computing_ns += launch.computing_ns;
  }
  if (known > kSample) {
    burden.total_ns -= longest->total_ns;
    burden.computing_ns -= longest->computing_ns;
  }
  burden.mean_ns = static_cast<double>(burden.total_ns) / static_cast<double>(known > kSample ? known - 1 : known);
  return burden;
}

SplitChoice::Case& SplitChoice::of(uint64_t work_items) { return cases_[case_of(work_items)]; }

bool SplitChoice::split(uint64_t work_items) const {
  std::lock_guard lock(mutex_);
  return !cases_[case_of(work_items)].whole;
}

void SplitChoice::split_took(uint64_t work_items, uint64_t total_ns, uint64_t computing_ns, bool moved) {
  std::lock_guard lock(mutex_);
  Case& here = of(work_items);
  if (here.whole) return;  // decided before the change
  if (++here.launches <= kSettling) return;
  here.recent[(here.launches - kSettling - 1) % here.recent.size()] = {
      total_ns, computing_ns, total_ns > computing_ns && (moved || total_ns < kShort)};
  const Burden burden = burden_of(here);
  here.split_ns = burden.mean_ns;
  const bool known_worse = here.whole_ns > 0 && here.split_ns > here.whole_ns;
  if (burden.burdened < kSample || burden.total_ns <= burden.computing_ns) return;
  const bool again = here.whole_ns > 0 && !known_worse && here.launches < kReview;
  if (again) return;
  here = {.whole = true, .split_ns = here.split_ns, .whole_ns = known_worse ? here.whole_ns : 0};
}

void SplitChoice::whole_took(uint64_t work_items, uint64_t total_ns) {
  std::lock_guard lock(mutex_);
  Case& here = of(work_items);
  if (!here.whole) return;
  if (++here.launches <= kSettlingOnOne) return;
  learn(here.whole_ns, total_ns);
  const bool worse = here.launches >= kSettlingOnOne + kSample && here.whole_ns > here.split_ns;
  if (!worse && here.launches < kReview) return;
  here = {.split_ns = worse ? here.split_ns : 0, .whole_ns = here.whole_ns};
}

}  // namespace samcl
