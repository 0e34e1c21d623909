#include "analysis/locking/requests.h"

#include <algorithm>

namespace samcl::analysis::locking {
namespace {

constexpr Time kMost = Time{1} << 60;  // what is longer is too long for any period

Time times(Time count, Time each) { return each > 0 && count > kMost / each ? kMost : count * each; }
Time plus(Time a, Time b) { return std::min(kMost, a + b); }

const ResourceUse* use_of(const RequestingTask& task, size_t resource) {
  const auto found = std::find_if(task.uses.begin(), task.uses.end(),
                                  [resource](const ResourceUse& use) { return use.resource == resource; });
  return found == task.uses.end() ? nullptr : &*found;
}

struct Blocking {
  const std::vector<RequestingTask>& tasks;
  int cpus;
  RequestOrder order;
  const std::vector<Time>& late;

  // How many jobs of task j can be pending together with one of task i.
  Time jobs(size_t i, size_t j) const {
    const Time window = plus(plus(tasks[i].period, late[i]), late[j]);
    return plus(window, 2 * tasks[j].period - 1) / tasks[j].period;
  }

  // What a job of task i waits for others on one resource.
  Time on(size_t i, const ResourceUse& own) const {
    Time all = 0, longest = 0;
    for (size_t j = 0; j < tasks.size(); ++j) {
      const ResourceUse* other = j == i ? nullptr : use_of(tasks[j], own.resource);
      if (!other) continue;
      Time from = times(jobs(i, j), other->total);
      if (order == RequestOrder::arrival) from = std::min(from, times(own.requests, other->longest));
      all = plus(all, from);
      longest = std::max(longest, other->longest);
    }
    if (order != RequestOrder::omlp) return all;
    return std::min(all, times(times(own.requests, 2 * Time{cpus} - 1), longest));
  }

  Time of(size_t i) const {
    Time sum = tasks[i].extra;
    for (const ResourceUse& use : tasks[i].uses) sum = plus(sum, on(i, use));
    return sum;
  }
};

}  // namespace

// The blocking grows with the tardiness and the tardiness with it: in turn until both settle, or a condition
// fails.
SharedResourceVerdict analyse_requests(const std::vector<RequestingTask>& tasks, int cpus, RequestOrder order,
                                       TardinessBound bound) {
  std::vector<Time> late(tasks.size(), 0);
  while (true) {
    SharedResourceVerdict verdict;
    std::vector<Stream> streams;
    for (size_t i = 0; i < tasks.size(); ++i) {
      const Time blocking = Blocking{tasks, cpus, order, late}.of(i);
      const Time demand = plus(tasks[i].execution, blocking);
      verdict.tasks.push_back({blocking, demand, 0});
      if (demand > tasks[i].period && !verdict.too_long) verdict.too_long = i;
      verdict.utilisation.add(demand, tasks[i].period);
      streams.push_back(stream(std::min(demand, tasks[i].period), tasks[i].period));
    }
    verdict.fits = verdict.utilisation.at_most(cpus);
    if (!verdict.schedulable()) return verdict;
    const std::vector<Time> found = tardiness(streams, verdict.utilisation, cpus, bound);
    bool settled = true;
    for (size_t i = 0; i < tasks.size(); ++i) {
      settled = settled && found[i] <= late[i];
      late[i] = std::max(late[i], found[i]);
      verdict.tasks[i].late = late[i];
    }
    if (settled) return verdict;
  }
}

}  // namespace samcl::analysis::locking
