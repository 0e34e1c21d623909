// What leases cost, under a daemon of our own: one that nobody contends for (one acquire and one release),
// one that always passes to another process, and the question which devices to use.
#include <benchmark/benchmark.h>

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

}  // namespace
}  // namespace samcl

BENCHMARK_MAIN();
