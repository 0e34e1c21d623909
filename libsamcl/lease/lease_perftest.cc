// What leases cost, under a daemon of our own: one that nobody contends for (one acquire and one release),
// one that always passes to another process, how long it takes from one's giving back to the other's having it (half of
// the times, 99 %, the longest), the question which devices to use, and what a marked job costs under a policy (its
// begin, the wait for a GPU of its own where it has one, and its end).
#include <benchmark/benchmark.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "libsamcl/lease/devices_in_use.h"
#include "sam-manager/tests/testbed.h"

namespace samcl {
namespace {

void uncontended_lease(benchmark::State& state) {
  testing::Daemon daemon;
  const auto client = daemon.start() ? daemon.connect() : nullptr;
  if (!client) return state.SkipWithError("no daemon");
  for ([[maybe_unused]] auto step : state) {
    lease::Lease gpu(client.get(), lease::ResourceKind::gpu, 0);
    benchmark::DoNotOptimize(gpu.revoke_requested());
  }
}
BENCHMARK(uncontended_lease);

// Two processes want the same resource all the time, so that each lease is granted by the daemon.
void contended_lease(benchmark::State& state) {
  testing::Daemon daemon;
  if (!daemon.start()) return state.SkipWithError("no daemon");
  const testing::Child rival([&daemon](const testing::Child::Line& line) {
    const auto client = daemon.connect();
    if (!client) return 1;
    line.say('c');
    while (true) const lease::Lease gpu(client.get(), lease::ResourceKind::gpu, 0);
  });
  const auto client = daemon.connect();
  if (!client || rival.line().hear() != 'c') return state.SkipWithError("no daemon");
  for ([[maybe_unused]] auto step : state) const lease::Lease gpu(client.get(), lease::ResourceKind::gpu, 0);
}
BENCHMARK(contended_lease)->UseRealTime();

// To another process that has waited for long enough to sleep, with threads at real-time priorities where the system
// allows it, or as those of no task; `programs` are connected in all.
void hand_over(benchmark::State& state, const char* holder, const char* waiter, size_t programs) {
  testing::Daemon daemon;
  if (!daemon.start_configured("access.programs_per_user = 1024")) return state.SkipWithError("no daemon");
  for (const char* task : {holder, waiter})
    if (*task && !daemon.register_task(task, task == waiter ? 20 : 10).empty()) return state.SkipWithError("no task");
  using Time = std::atomic<uint64_t>;
  void* const memory = mmap(nullptr, sizeof(Time), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return state.SkipWithError("no memory");
  Time& had_ns = *new (memory) Time(0);
  const testing::Child rival([&](const testing::Child::Line& line) {
    const auto client = daemon.connect(waiter);
    if (!client) return 1;
    client->attach_thread(gettid());
    line.say('c');
    while (line.hear() == 't') {
      const lease::Lease gpu(client.get(), lease::ResourceKind::gpu, 0);
      had_ns = now_ns();
      line.say('h');
    }
    return 0;
  });
  const auto client = daemon.connect(holder);
  if (!client || rival.line().hear() != 'c') return state.SkipWithError("no daemon");
  client->attach_thread(gettid());
  std::vector<std::unique_ptr<lease::Client>> others;
  while (others.size() + 2 < programs)
    if (others.push_back(daemon.connect()); !others.back()) return state.SkipWithError("refused");
  std::vector<uint64_t> times;
  for ([[maybe_unused]] auto step : state) {
    client->acquire(lease::ResourceKind::gpu, 0);
    rival.line().say('t');
    const auto pause = std::chrono::microseconds(200);
    for (std::this_thread::sleep_for(pause);
         !client->revoke_requested(lease::ResourceKind::gpu, 0) && !client->is_wanted(lease::ResourceKind::gpu, 0);)
      std::this_thread::sleep_for(pause);
    const uint64_t gave_ns = now_ns();
    client->release(lease::ResourceKind::gpu, 0);
    if (rival.line().hear() != 'h') return state.SkipWithError("not handed over");
    times.push_back(had_ns - gave_ns);
    state.SetIterationTime(static_cast<double>(times.back()) * 1e-9);
  }
  std::sort(times.begin(), times.end());
  const auto us = [&](size_t n) { return static_cast<double>(times[n]) * 1e-3; };
  state.counters["p50_us"] = us(times.size() / 2);
  state.counters["p99_us"] = us(times.size() * 99 / 100);
  state.counters["max_us"] = us(times.size() - 1);
}
BENCHMARK_CAPTURE(hand_over, tasks, "low", "high", 2)->UseManualTime()->Iterations(5000);
BENCHMARK_CAPTURE(hand_over, no_tasks, "", "", 2)->UseManualTime()->Iterations(5000);
BENCHMARK_CAPTURE(hand_over, tasks_among_512, "low", "high", 512)->UseManualTime()->Iterations(5000);

void which_devices(benchmark::State& state) {
  testing::Daemon daemon;
  const auto client = daemon.start() ? daemon.connect() : nullptr;
  if (!client) return state.SkipWithError("no daemon");
  for ([[maybe_unused]] auto step : state)
    benchmark::DoNotOptimize(lease::devices_in_use(client->assignment(), {0, 1}, 0));
}
BENCHMARK(which_devices);

void marked_job(benchmark::State& state, const char* policy) {
  testing::Daemon daemon;
  if (!daemon.start()) return state.SkipWithError("no daemon");
  std::vector<std::unique_ptr<lease::Client>> clients;
  for (const char* task : {"measured", "beside", "another"}) {
    if (!daemon.register_task(task, 10, 0, {}, 1'000'000).empty()) return state.SkipWithError("no task");
    clients.push_back(daemon.connect(task));
    if (!clients.back()) return state.SkipWithError("no daemon");
  }
  if (!daemon.ask({{"ask", "policy"}, {"name", policy}})) return state.SkipWithError("no such policy");
  clients[1]->job_began();
  for ([[maybe_unused]] auto step : state) {
    clients[0]->job_began();
    clients[0]->await_gpu();
    clients[0]->job_ended(1);
    // Programs are heard so many times a second.
    state.PauseTiming();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    state.ResumeTiming();
  }
}
BENCHMARK_CAPTURE(marked_job, fixed_priority, "fixed-priority")->UseRealTime()->Iterations(2000);
BENCHMARK_CAPTURE(marked_job, edf, "edf")->UseRealTime()->Iterations(2000);
BENCHMARK_CAPTURE(marked_job, k_exclusion, "k-exclusion")->UseRealTime()->Iterations(2000);

}  // namespace
}  // namespace samcl

BENCHMARK_MAIN();
