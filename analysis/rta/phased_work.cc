#include "analysis/rta/phased_work.h"

#include <algorithm>
#include <limits>

namespace samcl::analysis {
namespace {

// A time that depends on the phase: while that grows, it stays or grows as fast.
struct Instant {
  Time at = 0;
  bool grows = false;
};

// What a task executes on some resources in a window, as the phase of its first job grows.
class Phase {
 public:
  Phase(const TimedTask& task, Time window, Time phase) : task_(task), window_(window), phase_(phase) {}

  Time work(Resources resources) {
    const Time since = window_ + phase_;  // the first release, at the window's end
    const Time last = (since - 1) / task_.period;  // jobs after the first one
    Time sum = of_job(resources, {phase_, true}, {since, true});
    changes_in(task_.period - (since - 1) % task_.period);
    if (last > 0) {
      sum += of_job(resources, {}, {since - last * task_.period, true});
      for (const TimedStage& stage : task_.stages)
        if ((resources & only(stage.resource)) != 0) sum += (last - 1) * stage.worst;
    }
    return sum;
  }

  // The phase up to which all that work() told grows or falls steadily.
  Time next() const { return next_; }

 private:
  // Of a job between two times since its release: each stage as early as it can be.
  Time of_job(Resources resources, Instant from, Instant to) {
    Time sum = 0;
    for (const TimedStage& stage : task_.stages) {
      if ((resources & only(stage.resource)) == 0) continue;
      const Instant begin = later(from, {stage.earliest, false});
      const Instant end = earlier({begin.at + stage.worst, begin.grows}, earlier({stage.end, false}, to));
      if (earlier(begin, end).at == end.at) continue;
      sum += end.at - begin.at;
      from = end;
    }
    return sum;
  }

  // Of equal ones the one that will be.
  Instant earlier(Instant a, Instant b) {
    if (a.grows == b.grows) return a.at <= b.at ? a : b;
    const Instant moving = a.grows ? a : b, fixed = a.grows ? b : a;
    if (moving.at >= fixed.at) return fixed;
    changes_in(fixed.at - moving.at);
    return moving;
  }
  Instant later(Instant a, Instant b) {
    if (a.grows == b.grows) return a.at >= b.at ? a : b;
    const Instant moving = a.grows ? a : b, fixed = a.grows ? b : a;
    if (moving.at >= fixed.at) return moving;
    changes_in(fixed.at - moving.at);
    return fixed;
  }

  void changes_in(Time time) { next_ = std::min(next_, phase_ + time); }

  const TimedTask& task_;
  Time window_, phase_;
  Time next_ = std::numeric_limits<Time>::max();
};

}  // namespace

Time TimedTask::subtasks_on(Resource resource) const {
  for (const TimedStage& stage : stages)
    if (stage.resource == resource) return stage.subtasks;
  return 0;
}

// What is linear from one of these phases to the next is most at one of them. At the last one, where the first job is
// over, it is no more than at 0.
PhasedWork::PhasedWork(const TimedTask& task, Time window, Resources resources) {
  for (Time time = 0; time < std::max<Time>(1, task.response());) {
    Phase phase(task, window, time);
    auto& works = works_.emplace_back();
    for (Resources some = 1; some <= kAllResources; ++some)
      works[some] = (some & resources) == some ? phase.work(some) : works[some & resources];
    time = phase.next();
  }
}

Time PhasedWork::most(Resource resource) const {
  Time most = 0;
  for (const auto& works : works_) most = std::max(most, works[only(resource)]);
  return most;
}

// By parts: what the least weight has in excess of nothing is had by all three, what the next has in excess of the
// least by two, and so on.
PhasedWork::Wide PhasedWork::most(const std::array<Wide, 3>& weight) const {
  std::array<Resource, 3> heaviest = kResources;
  std::sort(heaviest.begin(), heaviest.end(), [&](Resource a, Resource b) { return weight[at(a)] > weight[at(b)]; });
  Wide most = 0;
  for (const auto& works : works_) {
    Wide sum = 0;
    Resources some = 0;
    for (size_t n = 0; n < heaviest.size(); ++n) {
      some |= only(heaviest[n]);
      sum += (weight[at(heaviest[n])] - (n + 1 < heaviest.size() ? weight[at(heaviest[n + 1])] : 0)) * works[some];
    }
    most = std::max(most, sum);
  }
  return most;
}

}  // namespace samcl::analysis
