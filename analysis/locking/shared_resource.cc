#include "analysis/locking/shared_resource.h"

#include <algorithm>

namespace samcl::analysis::locking {
namespace {

// The conditions for given b.
SharedResourceVerdict judge(const TaskSet& set, Protocol protocol, const std::vector<Time>& blocking) {
  SharedResourceVerdict verdict;
  verdict.protocol = protocol;
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    const Time demand = set.tasks[i].execution() + blocking[i];
    verdict.tasks.push_back({blocking[i], demand, 0});
    verdict.utilisation.add(demand, set.tasks[i].period);
    if (demand > set.tasks[i].period && !verdict.too_long) verdict.too_long = i;
  }
  verdict.fits = verdict.utilisation.at_most(set.cpus);
  return verdict;
}

std::vector<Time> lateness(const TaskSet& set, const SharedResourceVerdict& verdict, TardinessBound bound) {
  std::vector<Stream> streams;
  for (size_t i = 0; i < set.tasks.size(); ++i)
    streams.push_back(stream(verdict.tasks[i].demand, set.tasks[i].period));
  return tardiness(streams, verdict.utilisation, set.cpus, bound);
}

}  // namespace

SharedResourceVerdict analyse_shared_resource(const TaskSet& set, Protocol protocol, TardinessBound bound) {
  const std::vector<int> gpu_of = assign_gpus(set);
  std::vector<Time> late(set.tasks.size(), 0);
  while (true) {
    const auto blocking =
        protocol == Protocol::fmlp_long ? fmlp_long_blocking(set) : omlp_blocking(set, gpu_of, late);
    SharedResourceVerdict verdict = judge(set, protocol, blocking);
    if (!verdict.schedulable()) return verdict;
    const std::vector<Time> found = lateness(set, verdict, bound);
    bool settled = true;
    for (size_t i = 0; i < late.size(); ++i) {
      settled = settled && (found[i] <= late[i] || protocol == Protocol::fmlp_long);
      late[i] = std::max(late[i], found[i]);
      verdict.tasks[i].late = late[i];
    }
    if (settled) return verdict;
  }
}

}  // namespace samcl::analysis::locking
