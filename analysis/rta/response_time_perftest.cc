// How long one analysis of a set of 30 tasks takes, about 13 stages each, as GPU-SAM's experiments make
// them: CPU-(PCI-GPU-PCI-CPU)^k, k from 1 to 5; 4 CPUs, 1 PCI link, 4 GPUs.
#include <benchmark/benchmark.h>

#include <random>

#include "analysis/rta/response_time.h"

namespace samcl::analysis {
namespace {

using Random = std::mt19937_64;

Stage stage(Resource resource, Time worst) {
  const Time k2 = resource == Resource::gpu ? worst / 2 : worst * 2;
  const Time k4 = resource == Resource::gpu ? worst / 4 : worst * 3;
  const Time k3 = resource == Resource::gpu ? worst / 3 : worst * 5 / 2;
  return {resource, {worst, k2, k3, k4}, {}};
}

// `share`: of the period that each task executes.
TaskSet thirty_tasks(double share, Random& random) {
  std::uniform_real_distribution<double> part(0.5, 1.5);
  TaskSet set;
  set.platform = {4, 1, 4};
  for (int i = 0; i < 30; ++i) {
    Task task;
    task.name = "P" + std::to_string(i);
    task.period = task.deadline = std::uniform_int_distribution<Time>(100'000'000, 1'000'000'000)(random);
    const int k = 1 + i % 5;
    const auto time = [&] {
      return static_cast<Time>(static_cast<double>(task.period) * share * part(random) / (4 * k + 1));
    };
    task.stages.push_back(stage(Resource::cpu, time()));
    for (int n = 0; n < k; ++n)
      for (const Resource resource : {Resource::link, Resource::gpu, Resource::link, Resource::cpu})
        task.stages.push_back(stage(resource, time()));
    set.tasks.push_back(std::move(task));
  }
  return set;
}

void analyse_thirty(benchmark::State& state, Form form, double share, bool bound = false) {
  Random random(1);
  std::vector<TaskSet> sets;
  for (int i = 0; i < 16; ++i) sets.push_back(thirty_tasks(share, random));
  if (bound)
    for (TaskSet& set : sets) set.platform = {4, 4, 4, true};
  std::vector<ResponseTimeAnalysis> analyses;
  for (const TaskSet& set : sets) analyses.emplace_back(set, form);
  const Modes single(30, 1), dual(30, 2);  // in turn, so that nothing is remembered
  size_t n = 0;
  int64_t bounded = 0, schedulable = 0;
  for ([[maybe_unused]] auto _ : state) {
    const auto& modes = n / sets.size() % 2 == 0 ? single : dual;
    const auto responses = analyses[n % sets.size()].responses(modes);
    bool all = true;
    for (size_t i = 0; i < responses.size(); ++i) {
      bounded += responses[i] != kUnbounded ? 1 : 0;
      all = all && responses[i] <= sets[n % sets.size()].tasks[i].deadline;
    }
    schedulable += all ? 1 : 0;
    ++n;
  }
  state.counters["bounded"] = benchmark::Counter(static_cast<double>(bounded) / static_cast<double>(n));
  state.counters["schedulable"] = benchmark::Counter(static_cast<double>(schedulable) / static_cast<double>(n));
}

// GPA's and GEMA's step: one task's mode changed.
void change_one(benchmark::State& state, Form form, double share) {
  Random random(1);
  const TaskSet set = thirty_tasks(share, random);
  ResponseTimeAnalysis analysis(set, form);
  Modes modes(30, 1);
  size_t n = 0;
  for ([[maybe_unused]] auto _ : state) {
    int& mode = modes[n++ % modes.size()];
    mode = mode == 1 ? 2 : 1;
    benchmark::DoNotOptimize(analysis.responses(modes));
  }
}

BENCHMARK_CAPTURE(analyse_thirty, gpu_sam_easy, Form::gpu_sam, 0.012);
BENCHMARK_CAPTURE(analyse_thirty, safe_easy, Form::safe, 0.012);
BENCHMARK_CAPTURE(analyse_thirty, gpu_sam_middle, Form::gpu_sam, 0.02);
BENCHMARK_CAPTURE(analyse_thirty, safe_middle, Form::safe, 0.02);
BENCHMARK_CAPTURE(analyse_thirty, gpu_sam_light, Form::gpu_sam, 0.03);
BENCHMARK_CAPTURE(analyse_thirty, gpu_sam_heavy, Form::gpu_sam, 0.06);
BENCHMARK_CAPTURE(analyse_thirty, gpu_sparc_heavy, Form::gpu_sparc, 0.06);
BENCHMARK_CAPTURE(analyse_thirty, safe_light, Form::safe, 0.03);
BENCHMARK_CAPTURE(analyse_thirty, safe_heavy, Form::safe, 0.06);
BENCHMARK_CAPTURE(analyse_thirty, safe_bound_easy, Form::safe, 0.012, true);
BENCHMARK_CAPTURE(analyse_thirty, safe_bound_light, Form::safe, 0.03, true);
BENCHMARK_CAPTURE(change_one, gpu_sam, Form::gpu_sam, 0.03);
BENCHMARK_CAPTURE(change_one, safe, Form::safe, 0.03);

}  // namespace
}  // namespace samcl::analysis

BENCHMARK_MAIN();
