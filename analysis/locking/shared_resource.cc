#include "analysis/locking/shared_resource.h"

#include <algorithm>

#include "analysis/locking/smlp.h"

namespace samcl::analysis::locking {
namespace {

// The conditions for given b.
SharedResourceVerdict judge(const TaskSet& set, Protocol protocol, const std::vector<Time>& blocking) {
  SharedResourceVerdict verdict;
  verdict.protocol = protocol;
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    const Task& task = set.tasks[i];
    const Time demand = task.cpu + (protocol == Protocol::smlp ? task.gpu_on(1) : task.gpu) + blocking[i];
    verdict.tasks.push_back({blocking[i], demand, 0});
    verdict.utilisation.add(demand, task.period);
    if (demand > task.period && !verdict.too_long) verdict.too_long = i;
  }
  verdict.fits = verdict.utilisation.at_most(set.cpus);
  return verdict;
}

std::vector<Time> lateness(const TaskSet& set, const SharedResourceVerdict& verdict, TardinessBound bound) {
  std::vector<Stream> streams;
  for (size_t i = 0; i < set.tasks.size(); ++i) streams.push_back(stream(verdict.tasks[i].demand, set.tasks[i].period));
  return tardiness(streams, verdict.utilisation, set.cpus, bound);
}

std::vector<Time> blocking_by(Protocol protocol, const TaskSet& set, const std::vector<int>& gpu_of,
                              const std::vector<Time>& late) {
  switch (protocol) {
    case Protocol::fmlp_long: return fmlp_long_blocking(set);
    case Protocol::donation: return donation_blocking(set);
    case Protocol::smlp: return smlp_blocking(set);
    case Protocol::omlp: break;
  }
  return omlp_blocking(set, gpu_of, late);
}

}  // namespace

SharedResourceVerdict analyse_shared_resource(const TaskSet& set, Protocol protocol, TardinessBound bound) {
  const std::vector<int> gpu_of = assign_gpus(set);
  std::vector<Time> late(set.tasks.size(), 0);
  while (true) {
    SharedResourceVerdict verdict = judge(set, protocol, blocking_by(protocol, set, gpu_of, late));
    if (!verdict.schedulable()) return verdict;
    const std::vector<Time> found = lateness(set, verdict, bound);
    bool settled = true;
    for (size_t i = 0; i < late.size(); ++i) {
      settled = settled && (found[i] <= late[i] || protocol != Protocol::omlp);
      late[i] = std::max(late[i], found[i]);
      verdict.tasks[i].late = late[i];
    }
    if (settled) return verdict;
  }
}

}  // namespace samcl::analysis::locking
