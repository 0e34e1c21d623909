#include "libsamcl/cost/kernel_times.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/atomic_max.h"
#include "libsamcl/cost/ways.h"

namespace samcl {
namespace {

// Launches that are all timed, and one of how many is later. A time costs as much as several short launches, and what
// is launched behind it takes a driver twice as long until the device has been idle: of those that are not long each
// that comes after as many again, of those too short for parts after eight times as many, and one of how many then;
// fewer first ones of what is found not to be long, but in parts, whose times differ more.
constexpr uint64_t kLongNs = 1'000'000;
constexpr uint32_t kFirst = 4, kFirstOfShorter = 2, kLater = 64, kSeldomLater = 1024;
bool is_timed(uint32_t asked_before, uint64_t expected_ns, KernelTimes::Ran ran) {
  const bool are_alike = expected_ns > 0 && expected_ns < (ran == KernelTimes::Ran::whole ? kLongNs : kHandOver);
  if (asked_before < (are_alike ? kFirstOfShorter : kFirst)) return true;
  if (expected_ns >= kLongNs) return asked_before % kLater == 0;
  if (asked_before >= kSeldomLater) return asked_before % kSeldomLater == 0;
  if (!std::has_single_bit(asked_before)) return false;
  return expected_ns >= 2 * kHandOver ? asked_before >= kLater : std::countr_zero(asked_before) % 3 == 0;
}

// Times of parts that are longer than whole's are believed when there are so many.
constexpr uint32_t kBelieved = 2;

// Doublings of the size over which a work-item is taken to need as long, where the size itself was never measured. In
// larger launches it needs no more: what is expected is no more than it takes.
constexpr size_t kNear = 2;

}  // namespace

// What the host's other work adds to a time never makes it shorter, nor does the compiling that many drivers do in the
// first launch: of the first ones the least counts, then shorter times count more.
void KernelTimes::Measured::took(double value) {
  const double before = ns_per_item.load(std::memory_order_relaxed);
  const bool is_early = taken.fetch_add(1, std::memory_order_relaxed) < kFirst;
  const double weight = is_early ? (value < before ? 1 : 0) : (value < before ? 0.5 : 0.125);
  ns_per_item.store(before == 0 ? value : (1 - weight) * before + weight * value, std::memory_order_relaxed);
}

void KernelTimes::took(uint64_t work_items, uint64_t ns, Ran ran) {
  measured(work_items, ran).took(static_cast<double>(ns) / static_cast<double>(std::max<uint64_t>(work_items, 1)));
}

ComputingTimes KernelTimes::expect(uint64_t work_items) const {
  const size_t size = size_class(work_items);
  const auto ns = [&](double ns_per_item) {
    return static_cast<uint64_t>(std::ceil(ns_per_item * static_cast<double>(work_items)));
  };
  const auto per_item = [&](size_t of, Measured Class::* measured) {
    return of < classes_.size() ? (classes_[of].*measured).ns_per_item.load(std::memory_order_relaxed) : 0;
  };
  double here = 0;
  for (size_t of = size; here == 0 && of <= size + kNear; ++of) here = per_item(of, &Class::whole);
  const uint64_t whole = ns(here), parts = ns(per_item(size, &Class::in_parts));
  const bool is_believed = parts < whole || classes_[size].in_parts.taken.load(std::memory_order_relaxed) >= kBelieved;
  return {whole, parts > 0 && is_believed ? parts : whole};
}

uint64_t KernelTimes::longest(uint64_t most_work_items) const {
  double longest = 0;
  for (size_t size = 0; size <= size_class(most_work_items); ++size)
    longest = std::max(longest, classes_[size].whole.ns_per_item.load(std::memory_order_relaxed) *
                                    static_cast<double>(uint64_t{1} << size));
  return static_cast<uint64_t>(longest);
}

void KernelTimes::kept_whole(uint64_t work_items) {
  Class& here = classes_[size_class(work_items)];
  here.in_parts_since.store(0, std::memory_order_relaxed);
  const uint32_t stay = here.stay.load(std::memory_order_relaxed);
  if (here.kept_whole.fetch_add(1, std::memory_order_relaxed) + 1 < stay) return;
  here.kept_whole.store(0, std::memory_order_relaxed);
  here.stay.store(stay > UINT32_MAX / 4 ? stay : 4 * stay, std::memory_order_relaxed);
  here.in_parts.ns_per_item.store(0, std::memory_order_relaxed);
  here.in_parts.asked.store(0, std::memory_order_relaxed);
}

void KernelTimes::runs_in_parts(uint64_t work_items) {
  Class& here = classes_[size_class(work_items)];
  if (here.in_parts_since.fetch_add(1, std::memory_order_relaxed) + 1 == kStay)
    here.stay.store(kStay, std::memory_order_relaxed);
}

bool KernelTimes::wants_time(uint64_t work_items, Ran ran) {
  const uint32_t before = measured(work_items, ran).asked.fetch_add(1, std::memory_order_relaxed);
  return is_timed(before, expect(work_items).whole, ran);
}

void KernelTimes::was_not_timed(uint64_t work_items, Ran ran) {
  std::atomic<uint32_t>& asked = measured(work_items, ran).asked;
  uint32_t before = asked.load(std::memory_order_relaxed);
  while (before > 0 && !asked.compare_exchange_weak(before, before - 1, std::memory_order_relaxed)) continue;
}

bool KernelTimes::time_is_due(uint64_t work_items) const {
  return is_timed(classes_[size_class(work_items)].whole.asked.load(std::memory_order_relaxed),
                  expect(work_items).whole, Ran::whole);
}

void KernelTimes::doubt() {
  for (Class& each : classes_) each.whole.asked.store(0, std::memory_order_relaxed);
}

uint64_t KernelTimes::busy_items(uint64_t work_items, uint64_t written) {
  const double per_item = static_cast<double>(written) / static_cast<double>(std::max<uint64_t>(work_items, 1));
  raise(written_per_item_, per_item);
  const double most = written_per_item_.load(std::memory_order_relaxed);
  if (per_item >= most) return work_items;
  return std::max<uint64_t>(1, static_cast<uint64_t>(static_cast<double>(work_items) * per_item / most));
}

KernelTimes::Known KernelTimes::known() const {
  Known times;
  for (unsigned size = 0; size < classes_.size(); ++size) {
    const Class& here = classes_[size];
    const double whole = here.whole.ns_per_item.load(std::memory_order_relaxed);
    if (whole > 0) times.whole[size] = whole;
    const KnownParts parts{.ns_per_item = here.in_parts.ns_per_item.load(std::memory_order_relaxed),
                           .taken = std::min(here.in_parts.taken.load(std::memory_order_relaxed), kBelieved),
                           .kept_whole = here.kept_whole.load(std::memory_order_relaxed),
                           .stay = here.stay.load(std::memory_order_relaxed)};
    if (parts != KnownParts{}) times.in_parts[size] = parts;
  }
  times.written_per_item = written_per_item_.load(std::memory_order_relaxed);
  return times;
}

// What was short is taken to be so: a launch that takes much longer makes its times be taken (doubt()).
void KernelTimes::recall(const Known& times) {
  const auto recall = [](Measured& here, unsigned size, double ns, uint32_t taken) {
    const bool is_short = std::ldexp(ns, static_cast<int>(size) + 1) < kHandOver;
    here.ns_per_item.store(ns, std::memory_order_relaxed);
    if (is_short) here.asked.store(kFirst, std::memory_order_relaxed);
    here.taken.store(is_short ? kFirst : taken, std::memory_order_relaxed);
  };
  for (const auto& [size, ns] : times.whole)
    if (size < classes_.size() && ns > 0) recall(classes_[size].whole, size, ns, 0);
  for (const auto& [size, parts] : times.in_parts) {
    if (size >= classes_.size() || parts.stay < kStay) continue;
    Class& here = classes_[size];
    here.kept_whole.store(parts.kept_whole, std::memory_order_relaxed);
    here.stay.store(parts.stay, std::memory_order_relaxed);
    if (parts.ns_per_item > 0) recall(here.in_parts, size, parts.ns_per_item, std::min(parts.taken, kBelieved));
  }
  if (times.written_per_item > 0) written_per_item_.store(times.written_per_item, std::memory_order_relaxed);
}

}  // namespace samcl
