#include "analysis/locking/experiment/draw_set.h"

#include "analysis/generator/draw.h"

namespace samcl::analysis::locking {
namespace {

// The n-th number drawn for a set; parts of it make several short ones.
class Numbers {
 public:
  explicit Numbers(uint64_t seed) : seed_(seed) {}
  uint64_t next() { return seed_of(seed_, n_++); }
  // 0..count - 1.
  size_t below(size_t count) { return static_cast<size_t>(((next() >> 32) * count) >> 32); }

 private:
  uint64_t seed_, n_ = 0;
};

// 32 bits of a number from `from` on, as a part of 1.
template <int from>
double part(uint64_t number) {
  return static_cast<double>((number >> from) & 0xffffffff) * 0x1.0p-32;
}

double within(const Range& range, double part) { return range.low + (range.high - range.low) * part; }

// How many of n tasks use the GPU; 0 if no number fits.
size_t users(const Scenario& scenario, size_t tasks, Numbers& numbers) {
  const size_t least = std::max<size_t>(2, (scenario.share * tasks + 9) / 10);
  const size_t most = (scenario.share + 1) * tasks / 10;
  return most < least ? 0 : least + numbers.below(most - least + 1);
}

}  // namespace

bool draw_set(const Scenario& scenario, uint64_t seed, QuickSet& set) {
  const Range &utilisations = kUtilisations[scenario.utilisation], &periods = kPeriods[scenario.period];
  Numbers numbers(seed);
  const double cap = scenario.cpu_count() * (1 - part<0>(numbers.next()));
  set.clear();
  thread_local std::vector<QuickTask> tasks;
  tasks.clear();
  double utilisation = 0;
  while (true) {
    const uint64_t size = numbers.next();
    QuickTask task;
    task.period = static_cast<Time>(within(periods, part<32>(size)));
    task.execution = static_cast<Time>(within(utilisations, part<0>(size)) * static_cast<double>(task.period));
    utilisation += static_cast<double>(task.execution) / static_cast<double>(task.period);
    if (utilisation > cap) break;
    tasks.push_back(task);
  }
  const size_t count = users(scenario, tasks.size(), numbers);
  for (size_t n = 0; n < count; ++n) {
    std::swap(tasks[n], tasks[n + numbers.below(tasks.size() - n)]);
    tasks[n].section = tasks[n].execution * kGpuUse[scenario.gpu_use] / 100;
    tasks[n].gpu = tasks[n].section;
  }
  for (const QuickTask& task : tasks) set.add(task);
  return count > 0 && set.section_utilisation() <= 1;
}

}  // namespace samcl::analysis::locking
