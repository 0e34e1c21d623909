// How long the policies take for 30 tasks on 4 CPUs, 1 PCI link and 4 GPUs: GPU-SAM's generator, with tasks
// short enough that 30 of them are near the border of what is schedulable, and as long as the paper's.
#include <benchmark/benchmark.h>

#include "analysis/generator/draw.h"
#include "analysis/generator/paper_sets.h"
#include "analysis/modes/choice.h"

namespace samcl::analysis {
namespace {

void thirty_tasks(benchmark::State& state, Form form, ModePolicy policy, double most_share) {
  PaperSet wanted;
  wanted.classes = true;
  wanted.most_share = most_share;
  wanted.least_tasks = wanted.most_tasks = 30;
  std::vector<TaskSet> sets;
  for (uint64_t n = 0; n < 200; ++n) sets.push_back(paper_set(wanted, seed_of(1, n)));
  size_t n = 0;
  double schedulable = 0, analyses = 0;
  for ([[maybe_unused]] auto _ : state) {
    const Choice choice = choose_modes(sets[n++ % sets.size()], form, policy);
    schedulable += choice.schedulable ? 1 : 0;
    analyses += static_cast<double>(choice.analyses);
  }
  state.counters["schedulable"] = schedulable / static_cast<double>(n);
  state.counters["analyses"] = analyses / static_cast<double>(n);
}

// Near the border about half of the sets are schedulable; beyond it few or none are, but all seem possible.
#define SAMCL_THIRTY(form, policy, border, beyond)                                                           \
  BENCHMARK_CAPTURE(thirty_tasks, form##_##policy##_near_the_border, Form::form, ModePolicy::policy, border) \
      ->Iterations(200)                                                                                      \
      ->Unit(benchmark::kMillisecond);                                                                       \
  BENCHMARK_CAPTURE(thirty_tasks, form##_##policy##_beyond_it, Form::form, ModePolicy::policy, beyond)       \
      ->Iterations(200)                                                                                      \
      ->Unit(benchmark::kMillisecond);                                                                       \
  BENCHMARK_CAPTURE(thirty_tasks, form##_##policy##_as_in_the_paper, Form::form, ModePolicy::policy, 1)      \
      ->Iterations(200)                                                                                      \
      ->Unit(benchmark::kMillisecond)

SAMCL_THIRTY(gpu_sam, gpa, 0.03, 0.06);
SAMCL_THIRTY(gpu_sam, search, 0.03, 0.06);
SAMCL_THIRTY(gpu_sparc, gema, 0.03, 0.06);
SAMCL_THIRTY(safe, gpa, 0.06, 0.1);
SAMCL_THIRTY(safe, search, 0.06, 0.1);

}  // namespace
}  // namespace samcl::analysis

BENCHMARK_MAIN();
