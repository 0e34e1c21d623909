#include "analysis/locking/experiment/draw_set.h"

#include "analysis/generator/draw.h"

namespace samcl::analysis::locking {
namespace {

// The n-th number drawn for a set; parts of it make several short ones.
class Numbers {
 public:
  explicit Numbers(uint64_t seed) : seed_(seed) {}
  uint64_t next() { return seed_of(seed_, n_++); }

 private:
  uint64_t seed_, n_ = 0;
};

// `bits` bits of a number from `from` on, as a part of 1.
template <int from, int bits>
double part(uint64_t number) {
  constexpr double unit = 1.0 / static_cast<double>(uint64_t{1} << bits);
  return static_cast<double>((number >> from) & ((uint64_t{1} << bits) - 1)) * unit;
}

double within(const Range& range, double part) {
  return range.low + (range.high - range.low) * part;
}

}  // namespace

void draw_set(const Scenario& scenario, uint64_t seed, QuickSet& set) {
  const Range &utilisations = kUtilisations[scenario.utilisation], &periods = kPeriods[scenario.period],
              &gpu_use = kGpuUse[scenario.gpu_use];
  Numbers numbers(seed);
  const uint64_t about_set = numbers.next();
  const double target = scenario.cpu_count() * (1 - part<32, 32>(about_set));
  const double share = (static_cast<double>(scenario.share) + part<0, 32>(about_set)) / kShares;
  set.clear();
  while (true) {
    const uint64_t size = numbers.next(), kind = numbers.next();
    QuickTask task;
    task.period = static_cast<Time>(within(periods, part<32, 32>(size)));
    task.execution =
        static_cast<Time>(within(utilisations, part<0, 32>(size)) * static_cast<double>(task.period));
    const double frequency = 1.0 / static_cast<double>(task.period);
    const bool first = set.tasks().empty();
    if (!first && set.utilisation() + static_cast<double>(task.execution) * frequency > target) return;
    if (part<42, 22>(kind) < share) {
      const auto execution = static_cast<double>(task.execution);
      task.gpu = static_cast<Time>(execution * within(gpu_use, part<21, 21>(kind)));
      const auto cpu = static_cast<double>(task.execution - task.gpu);
      task.section = task.gpu + static_cast<Time>(cpu * within({"", 0.1, 0.5}, part<0, 21>(kind)));
    }
    set.add(task, frequency);
  }
}

}  // namespace samcl::analysis::locking
