#include "analysis/locking/experiment/scenario.h"

namespace samcl::analysis::locking {

Scenario scenario(size_t index) {
  const auto take = [&](size_t count) {
    const size_t digit = index % count;
    index /= count;
    return digit;
  };
  Scenario scenario;
  scenario.cpus = take(kCpus.size());
  scenario.share = take(kShares);
  scenario.gpu_use = take(kGpuUse.size());
  scenario.period = take(kPeriods.size());
  scenario.utilisation = take(kUtilisations.size());
  return scenario;
}

size_t index_of(const Scenario& scenario) {
  size_t index = scenario.utilisation;
  index = index * kPeriods.size() + scenario.period;
  index = index * kGpuUse.size() + scenario.gpu_use;
  index = index * kShares + scenario.share;
  return index * kCpus.size() + scenario.cpus;
}

std::string share_name(size_t share) { return std::to_string(10 * share) + "-" + std::to_string(10 * share + 10); }

}  // namespace samcl::analysis::locking
