// What a lease costs that nobody contends for: one acquire and one release under a daemon of our own.
#include <benchmark/benchmark.h>

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

}  // namespace
}  // namespace samcl

BENCHMARK_MAIN();
