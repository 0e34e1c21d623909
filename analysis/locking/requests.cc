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

SharedResourceVerdict analyse_requests(const std::vector<RequestingTask>& tasks, int cpus, RequestOrder order,
                                       TardinessBound bound) {
  std::vector<ObliviousTask> executing;
  for (const RequestingTask& task : tasks) executing.push_back({task.period, task.execution});
  return analyse_oblivious(executing, cpus, bound, [&](const std::vector<Time>& late) {
    std::vector<Time> blocking;
    for (size_t i = 0; i < tasks.size(); ++i) blocking.push_back(Blocking{tasks, cpus, order, late}.of(i));
    return blocking;
  });
}

}  // namespace samcl::analysis::locking
