// What a launch costs that nobody contends for, under a daemon of our own: a lease (one acquire and one
// release) and the question which devices to use.
#include <benchmark/benchmark.h>

#include "libsamcl/lease/devices_in_use.h"
#include "sam-manager/tests/testbed.h"

namespace samcl {
namespace {

void uncontended_lease(benchmark::State& state) {
  testing::Daemon daemon;
  const auto client = daemon.start() ? daemon.connect() : nullptr;
  if (!client) return state.SkipWithError("no daemon");
  for (auto step : state) {
    lease::Lease gpu(client.get(), lease::ResourceKind::gpu, 0);
    benchmark::DoNotOptimize(gpu.revoke_requested());
  }
}
BENCHMARK(uncontended_lease);

void which_devices(benchmark::State& state) {
  testing::Daemon daemon;
  const auto client = daemon.start() ? daemon.connect() : nullptr;
  if (!client) return state.SkipWithError("no daemon");
  for (auto step : state) benchmark::DoNotOptimize(lease::devices_in_use(client->assignment(), {0, 1}, 0));
}
BENCHMARK(which_devices);

}  // namespace
}  // namespace samcl

BENCHMARK_MAIN();
