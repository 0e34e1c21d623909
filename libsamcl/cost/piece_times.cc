#include "libsamcl/cost/piece_times.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace samcl {
namespace {

constexpr uint32_t kSeldom = 64, kSeldomAlone = 1024;

uint64_t scaled(uint64_t value, uint64_t by, uint64_t from) {
  const double result = static_cast<double>(value) * static_cast<double>(by) / static_cast<double>(from);
  return result < 1e18 ? static_cast<uint64_t>(result) : static_cast<uint64_t>(1e18);
}

}  // namespace

int PieceTimes::class_of(uint64_t work_items) { return std::bit_width(work_items); }

bool PieceTimes::takes_less(const Measured& one, const Measured& other) {
  return scaled(one.ns, other.work_items, one.work_items) < other.ns;
}

void PieceTimes::took(uint64_t work_items, uint64_t ns) {
  const Measured measured{std::max<uint64_t>(work_items, 1), std::max<uint64_t>(ns, 1)};
  std::lock_guard lock(mutex_);
  const int wanted = class_of(measured.work_items);
  const auto at = std::find_if(classes_.begin(), classes_.end(),
                               [&](const Class& each) { return class_of(each.last.work_items) >= wanted; });
  if (at == classes_.end() || class_of(at->last.work_items) != wanted) {
    classes_.insert(at, {measured, measured});
    return;
  }
  if (scaled(at->least().ns, 2 * measured.work_items, at->least().work_items) < measured.ns) doubt();
  at->before = std::exchange(at->last, measured);
}

uint64_t PieceTimes::expect(uint64_t work_items) const {
  std::lock_guard lock(mutex_);
  work_items = std::max<uint64_t>(work_items, 1);
  uint64_t least = 0;
  for (const Class& each : classes_) {
    const Measured& known = each.least();
    const uint64_t ns = known.work_items < work_items ? scaled(known.ns, work_items, known.work_items) : known.ns;
    if (class_of(each.last.work_items) == class_of(work_items)) return ns;
    least = least == 0 ? ns : std::min(least, ns);
  }
  return least;
}

uint64_t PieceTimes::fitting(uint64_t work_items, uint64_t took_ns, uint64_t ns, uint64_t margin) {
  const uint64_t fitting = scaled(work_items, ns, took_ns);
  return std::min(fitting, std::max(kGrowth * work_items, margin > 0 ? fitting / margin : 0));
}

uint64_t PieceTimes::fitting(uint64_t ns, uint64_t margin) const {
  std::lock_guard lock(mutex_);
  uint64_t most = 0, fewest = std::numeric_limits<uint64_t>::max();
  for (const Class& each : classes_) {
    const Measured& known = each.least();
    if (known.ns <= ns) most = std::max(most, fitting(known.work_items, known.ns, ns, margin));
    fewest = std::min(fewest, std::max<uint64_t>(scaled(known.work_items, ns, known.ns), 1));
  }
  return classes_.empty() || most > 0 ? most : fewest;
}

bool PieceTimes::wants_time(bool is_alone) {
  if (doubted_.load(std::memory_order_relaxed) && doubted_.exchange(false, std::memory_order_relaxed)) return true;
  return since_.fetch_add(1, std::memory_order_relaxed) % (is_alone ? kSeldomAlone : kSeldom) == 0;
}

}  // namespace samcl
