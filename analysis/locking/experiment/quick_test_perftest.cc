// How long one task set takes under both methods, with and without drawing it; all scenarios in turn.
#include <benchmark/benchmark.h>

#include "analysis/generator/draw.h"
#include "analysis/locking/experiment/draw_set.h"

namespace samcl::analysis::locking {
namespace {

void draw_only(benchmark::State& state) {
  QuickSet set;
  uint64_t n = 0;
  size_t tasks = 0;
  for ([[maybe_unused]] auto _ : state) {
    draw_set(scenario(n % kScenarios), seed_of(1, n), set);
    tasks += set.tasks().size();
    ++n;
  }
  state.counters["tasks"] = static_cast<double>(tasks) / static_cast<double>(n);
}

void draw_and_test(benchmark::State& state, TardinessBound bound) {
  QuickSet set;
  uint64_t n = 0;
  int64_t schedulable = 0;
  for ([[maybe_unused]] auto _ : state) {
    const Scenario where = scenario(n % kScenarios);
    draw_set(where, seed_of(1, n), set);
    const QuickVerdict verdict = quick_test(set, where.cpu_count(), bound);
    schedulable += verdict.shared_resource() || verdict.containers ? 1 : 0;
    ++n;
  }
  state.counters["schedulable"] = static_cast<double>(schedulable) / static_cast<double>(n);
}

BENCHMARK(draw_only)->MinTime(3);
BENCHMARK_CAPTURE(draw_and_test, devi_anderson, TardinessBound::devi_anderson)->MinTime(3);
BENCHMARK_CAPTURE(draw_and_test, compliant_vector, TardinessBound::compliant_vector)->MinTime(3);

}  // namespace
}  // namespace samcl::analysis::locking

BENCHMARK_MAIN();
