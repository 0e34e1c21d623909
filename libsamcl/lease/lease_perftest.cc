// What leases cost, under a daemon of our own: one that nobody contends for (one acquire and one release),
// one that always passes to another process, the question which devices to use, and what a marked job costs under a
// policy (its begin, the wait for a GPU of its own where it has one, and its end).
#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

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
