#include "libsamcl/runtime/split_choice.h"

#include <algorithm>
#include <bit>
#include <utility>

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
// Launches on one device whose times are learned.
constexpr uint32_t kLearning = 4 * kSample;
// Of split launches that pay, one of so many is timed.
constexpr uint32_t kTimedOneOf = 8;
// Launches whose sum counts even if most of them pay: a few that move everything can outweigh them.
constexpr uint32_t kMany = 64;
// Launches after which the other way is tried again: the program may have changed its ways. Twice as many after each
// time that it had not.
constexpr uint32_t kReview = 512;
constexpr uint32_t kLongestReview = kReview << 10;

size_t case_of(uint64_t work_items) { return static_cast<size_t>(std::bit_width(work_items | 1)) - 1; }

void learn(double& mean, uint64_t ns) {
  const double value = static_cast<double>(ns);
  mean = mean == 0 ? value : 0.5 * mean + 0.5 * value;
}

}  // namespace

void SplitChoice::Sum::add(const Launch& launch) {
  ++launches;
  burdened += launch.burdened ? 1 : 0;
  total_ns += launch.total_ns;
  computing_ns += launch.computing_ns;
}

void SplitChoice::Sum::remove(const Launch& launch) {
  --launches;
  total_ns -= launch.total_ns;
  computing_ns -= launch.computing_ns;
}

// But for the longest of four or more: something else may have held it up.
SplitChoice::Sum SplitChoice::recent_of(const Case& here) {
  const size_t known = std::min<size_t>(here.launches - kSettling, here.recent.size());
  Sum sum;
  const Launch* longest = &here.recent[0];
  for (size_t i = 0; i < known; ++i) {
    if (here.recent[i].total_ns > longest->total_ns) longest = &here.recent[i];
    sum.add(here.recent[i]);
  }
  if (known > kSample) sum.remove(*longest);
  return sum;
}

SplitChoice::Case& SplitChoice::of(uint64_t work_items) { return cases_[case_of(work_items)]; }

bool SplitChoice::split(uint64_t work_items) const {
  std::lock_guard lock(mutex_);
  return !cases_[case_of(work_items)].whole;
}

bool SplitChoice::wants_time(uint64_t work_items) {
  std::lock_guard lock(mutex_);
  Case& here = of(work_items);
  if (!here.whole) return here.launches < kSettling + kMany || here.untimed++ % kTimedOneOf == 0;
  if (here.launches < kSettlingOnOne + kLearning) return true;
  if (++here.launches >= here.review) here = {.whole_ns = here.whole_ns, .review = here.review};
  return false;
}

void SplitChoice::split_took(uint64_t work_items, uint64_t total_ns, uint64_t computing_ns, bool moved) {
  std::lock_guard lock(mutex_);
  Case& here = of(work_items);
  if (here.whole) return;  // decided before the change
  if (++here.launches <= kSettling) return;
  const Launch launch{total_ns, computing_ns, total_ns > computing_ns && (moved || total_ns < kShort)};
  here.recent[(here.launches - kSettling - 1) % here.recent.size()] = launch;
  here.many.add(launch);
  const bool many = here.many.launches == kMany;
  const Sum sum = many ? std::exchange(here.many, {}) : recent_of(here);
  here.split_ns = sum.mean_ns();
  const bool known_worse = here.whole_ns > 0 && here.split_ns > here.whole_ns;
  if (sum.burdened < (many ? 1 : kSample) || sum.total_ns <= sum.computing_ns) return;
  const bool again = here.whole_ns > 0 && !known_worse && here.launches + here.untimed < kReview;
  if (again) return;
  const uint32_t review = known_worse ? std::min(here.review * 2, kLongestReview) : kReview;
  here = {.whole = true, .split_ns = here.split_ns, .whole_ns = known_worse ? here.whole_ns : 0, .review = review};
}

void SplitChoice::whole_took(uint64_t work_items, uint64_t total_ns) {
  std::lock_guard lock(mutex_);
  Case& here = of(work_items);
  if (!here.whole) return;
  if (++here.launches <= kSettlingOnOne) return;
  learn(here.whole_ns, total_ns);
  if (here.launches < kSettlingOnOne + kSample || here.whole_ns <= here.split_ns) return;
  here = {.split_ns = here.split_ns, .whole_ns = here.whole_ns, .review = here.review};
}

}  // namespace samcl
