#include "analysis/locking/verdicts.h"

#include "analysis/model/number_text.h"
#include "base/duration.h"

namespace samcl::analysis::locking {
namespace {

std::string overload(const ExactSum& utilisation, const std::string& what, int cpus) {
  return "utilisation " + above(utilisation.value(), cpus) + what + " is above " + std::to_string(cpus) +
         (cpus == 1 ? " CPU" : " CPUs");
}

// Of the task whose `demand` does not fit into its period.
std::string too_long(const Task& task, const std::string& what, Time demand, const std::string& relation) {
  return what + " of \"" + task.name + "\" is " + format_duration(demand) + ", " + relation + " its period of " +
         format_duration(task.period);
}

}  // namespace

Verdicts analyse(const TaskSet& set, TardinessBound bound) {
  Verdicts verdicts = {{}, analyse_containers(set), analyse_suspension_aware(set), {}, loose_omlp_blocking(set)};
  for (const Protocol protocol : {Protocol::fmlp_long, Protocol::omlp, Protocol::donation, Protocol::smlp})
    if (protocol != Protocol::smlp || set.parts > 1)
      verdicts.shared_resource.push_back(analyse_shared_resource(set, protocol, bound));
  for (const Task& task : set.tasks) verdicts.gpu_utilisation.add(task.section, task.period);
  return verdicts;
}

std::string failure(const TaskSet& set, const SharedResourceVerdict& verdict) {
  if (verdict.too_long)
    return too_long(set.tasks[*verdict.too_long], "e + s + b", verdict.tasks[*verdict.too_long].demand, "above");
  return verdict.fits ? "" : overload(verdict.utilisation, " with blocking", set.cpus);
}

std::string failure(const TaskSet& set, const ContainerVerdict& verdict) {
  if (verdict.too_long)
    return too_long(set.tasks[*verdict.too_long], "e + s", set.tasks[*verdict.too_long].execution(), "above");
  if (verdict.overfull)
    return "bandwidth " + above(verdict.bandwidth[*verdict.overfull].value(), 1) + " of GPU " +
           std::to_string(*verdict.overfull + 1) + "'s container is above 1";
  return verdict.fits ? "" : overload(verdict.utilisation, "", set.cpus);
}

std::string failure(const TaskSet& set, const SuspensionAwareVerdict& verdict) {
  if (verdict.too_long)
    return too_long(set.tasks[*verdict.too_long], "e + s + b", verdict.tasks[*verdict.too_long].demand, "not below");
  if (set.cpus <= set.gpus) return "not more CPUs than GPUs";
  if (!verdict.fits) return overload(verdict.utilisation, " on CPUs", set.cpus - set.gpus);
  return verdict.settles ? "" : "the bounds of tardiness grow with each other";
}

}  // namespace samcl::analysis::locking
