#include "analysis/locking/verdicts.h"

#include <cstdio>

namespace samcl::analysis::locking {
namespace {

std::string decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string overload(const TaskSet& set, const ExactSum& utilisation, const std::string& what) {
  return "utilisation " + decimal(utilisation.value()) + what + " is above the " + std::to_string(set.cpus) +
         (set.cpus == 1 ? " CPU" : " CPUs");
}

}  // namespace

Verdicts analyse(const TaskSet& set, TardinessBound bound) {
  return {{analyse_shared_resource(set, Protocol::fmlp_long, bound),
           analyse_shared_resource(set, Protocol::omlp, bound)},
          analyse_containers(set)};
}

std::string failure(const TaskSet& set, const SharedResourceVerdict& verdict) {
  if (verdict.too_long) {
    const Task& task = set.tasks[*verdict.too_long];
    return "e + s + b of \"" + task.name + "\" is " +
           std::to_string(verdict.tasks[*verdict.too_long].demand) + " ns, above its period of " +
           std::to_string(task.period) + " ns";
  }
  return verdict.fits ? "" : overload(set, verdict.utilisation, " with blocking");
}

std::string failure(const TaskSet& set, const ContainerVerdict& verdict) {
  if (verdict.too_long) {
    const Task& task = set.tasks[*verdict.too_long];
    return "e + s of \"" + task.name + "\" is " + std::to_string(task.execution()) +
           " ns, above its period of " + std::to_string(task.period) + " ns";
  }
  if (verdict.overfull)
    return "bandwidth " + decimal(verdict.bandwidth[*verdict.overfull].value()) + " of GPU " +
           std::to_string(*verdict.overfull + 1) + "'s container is above 1";
  return verdict.fits ? "" : overload(set, verdict.utilisation, "");
}

}  // namespace samcl::analysis::locking
