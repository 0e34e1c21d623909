#include "analysis/locking/shared_resource.h"

#include <algorithm>

#include "analysis/locking/smlp.h"

namespace samcl::analysis::locking {
namespace {

// The conditions for given b.
SharedResourceVerdict judge(const std::vector<ObliviousTask>& tasks, int cpus, const std::vector<Time>& blocking) {
  SharedResourceVerdict verdict;
  for (size_t i = 0; i < tasks.size(); ++i) {
    const Time demand = tasks[i].execution + blocking[i];
    verdict.tasks.push_back({blocking[i], demand, 0});
    verdict.utilisation.add(demand, tasks[i].period);
    if (demand > tasks[i].period && !verdict.too_long) verdict.too_long = i;
  }
  verdict.fits = verdict.utilisation.at_most(cpus);
  return verdict;
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

SharedResourceVerdict analyse_oblivious(const std::vector<ObliviousTask>& tasks, int cpus, TardinessBound bound,
                                        const BlockingOf& blocking) {
  std::vector<Time> late(tasks.size(), 0);
  while (true) {
    SharedResourceVerdict verdict = judge(tasks, cpus, blocking(late));
    if (!verdict.schedulable()) return verdict;
    std::vector<Stream> streams;
    for (size_t i = 0; i < tasks.size(); ++i) streams.push_back(stream(verdict.tasks[i].demand, tasks[i].period));
    const std::vector<Time> found = tardiness(streams, verdict.utilisation, cpus, bound);
    bool settled = true;
    for (size_t i = 0; i < late.size(); ++i) {
      settled = settled && found[i] <= late[i];
      late[i] = std::max(late[i], found[i]);
      verdict.tasks[i].late = late[i];
    }
    if (settled) return verdict;
  }
}

SharedResourceVerdict analyse_shared_resource(const TaskSet& set, Protocol protocol, TardinessBound bound) {
  const std::vector<int> gpu_of = assign_gpus(set);
  std::vector<ObliviousTask> tasks;
  for (const Task& task : set.tasks)
    tasks.push_back({task.period, task.cpu + (protocol == Protocol::smlp ? task.gpu_on(1) : task.gpu)});
  SharedResourceVerdict verdict = analyse_oblivious(
      tasks, set.cpus, bound, [&](const std::vector<Time>& late) { return blocking_by(protocol, set, gpu_of, late); });
  verdict.protocol = protocol;
  return verdict;
}

}  // namespace samcl::analysis::locking
