#include "sam-manager/protocol/words.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstring>
#include <ctime>

#include "base/atomic_max.h"

namespace samcl::protocol {

namespace {

template <size_t N>
void store_all(const std::array<uint64_t, N>& from, std::array<std::atomic<uint64_t>, N>& to) {
  for (size_t i = 0; i < N; ++i) to[i].store(from[i]);
}

template <size_t N>
std::array<uint64_t, N> load_all(const std::array<std::atomic<uint64_t>, N>& from) {
  std::array<uint64_t, N> words;
  for (size_t i = 0; i < N; ++i) words[i] = from[i].load();
  return words;
}

}  // namespace

void AssignmentCell::write(const Value& value) {
  std::array<uint64_t, kNameBytes / 8> name{};
  std::memcpy(name.data(), value.task.data(), std::min(value.task.size(), kNameBytes - 1));
  std::array<uint64_t, kMaxDevices / 8> order{};
  const size_t count = std::min<size_t>(value.devices.size(), kMaxDevices);
  std::copy_n(value.devices.begin(), count, reinterpret_cast<uint8_t*>(order.data()));
  // Sequentially consistent throughout: a few ns, and rarely used.
  version.fetch_add(1);
  priority.store(value.priority);
  gpus.store(value.gpus);
  deadline_ns.store(value.deadline_ns);
  period_ns.store(value.period_ns);
  budget_ns.store(value.budget_ns);
  early_ns.store(value.early_ns);
  hold_ns.store(value.hold_ns);
  device_count.store(static_cast<uint32_t>(count));
  store_all(name, task);
  store_all(order, devices);
  version.fetch_add(1);
}

AssignmentCell::Value AssignmentCell::read() const {
  Value value;
  // A daemon that died while writing leaves the version odd: then what stands there must do.
  for (int attempt = 0; attempt < 1000; ++attempt) {
    const uint32_t before = version.load();
    const auto name = load_all(task);
    std::array<char, kNameBytes + 1> text{};
    std::memcpy(text.data(), name.data(), kNameBytes);
    const auto order = load_all(devices);
    const auto* first = reinterpret_cast<const uint8_t*>(order.data());
    value = {text.data(),      priority.load(), gpus.load(),   {}, deadline_ns.load(), period_ns.load(),
             budget_ns.load(), early_ns.load(), hold_ns.load()};
    value.devices.assign(first, first + std::min(device_count.load(), kMaxDevices));
    if (before % 2 == 0 && version.load() == before) break;
  }
  return value;
}

void JobTimes::begin(uint64_t now_ns) {
  began_ns = now_ns;
  builds_at_begin = builds.load();
}

void JobTimes::add(uint64_t response_ns, uint64_t waited_ns, bool was_building, uint64_t now_ns,
                   const AssignmentCell& task) {
  const uint64_t began_before = ended_ns - last_ns;
  last_ns = response_ns;
  ended_ns = now_ns;
  const uint64_t deadline = task.deadline_ns.load(), period = task.period_ns.load(), budget = task.budget_ns.load();
  if (was_building) {
    ++building;
    raise(longest_building_ns, response_ns);
  } else {
    builds_passed = builds_at_begin.load();
    raise(longest_ns, response_ns);
    ++responses[response_bucket(response_ns)];
    if (deadline > 0 && response_ns > deadline) ++misses;
    if (budget > 0 && response_ns > waited_ns && response_ns - waited_ns > budget) ++long_jobs;
  }
  // Of a period that was longer before, no more counts than what is left of this one.
  const uint64_t begin = now_ns - response_ns, earliest = std::min(next_ns.load(), began_before + period);
  const uint64_t tolerated = std::min(task.early_ns.load(), period);
  if (period > 0 && begin < earliest)
    ++early;
  else
    next_ns = std::max(begin, earliest + tolerated) + period - tolerated;
  ++count;
}

void LifeLock::hold() {
  static_assert(offsetof(pthread_mutex_t, __data.__lock) == 0);
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex_, &kind);
  pthread_mutexattr_destroy(&kind);
  pthread_mutex_lock(&mutex_);
}

uint32_t LifeLock::mark() const {
  const uint32_t now = word().load(std::memory_order_relaxed);
  return now & FUTEX_OWNER_DIED ? 0 : now;
}

void LifeLock::let_go() {
  if (mark() != 0) pthread_mutex_unlock(&mutex_);
}

void futex_wait(const std::atomic<uint32_t>& cell, uint32_t seen, int ms) {
  const timespec limit{ms / 1000, (ms % 1000) * 1'000'000L};
  syscall(SYS_futex, &cell, FUTEX_WAIT, seen, &limit, nullptr, 0);
}

void futex_wake_all(std::atomic<uint32_t>& cell) {
  syscall(SYS_futex, &cell, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

namespace {

// Clients share the bits: one in 32 of the others is woken, too.
uint32_t bit_of(uint32_t client) { return uint32_t{1} << (client % 32); }

}  // namespace

void Words::wake_granted(uint32_t resource, uint32_t client) {
  grants[resource].fetch_add(1);
  futex_wake_one(client, grants[resource]);
}

void futex_wait_as(uint32_t client, const std::atomic<uint32_t>& cell, uint32_t seen, int ms) {
  timespec until{};
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += (ms % 1000) * 1'000'000L;
  until.tv_sec += ms / 1000 + until.tv_nsec / 1'000'000'000;
  until.tv_nsec %= 1'000'000'000;
  syscall(SYS_futex, &cell, FUTEX_WAIT_BITSET, seen, &until, nullptr, bit_of(client));
}

void futex_wake_one(uint32_t client, std::atomic<uint32_t>& cell) {
  syscall(SYS_futex, &cell, FUTEX_WAKE_BITSET, INT_MAX, nullptr, nullptr, bit_of(client));
}

}  // namespace samcl::protocol
