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

}  // namespace samcl::analysis::locking
