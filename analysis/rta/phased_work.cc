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
    const Time since = window_ + phase_;           // the first release, at the window's end
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

  // The phase up to which all that work() told grows or falls steadily; without limit if it told nothing.
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

PhasedWork::PhasedWork(const TimedTask& task, Time window, Resources resources) : task_(task), window_(window) {
  for (const Resource resource : kResources) {
    if ((resources & only(resource)) == 0 || task.subtasks_on(resource) == 0) continue;
    std::array<Wide, 3> weight{};
    weight[at(resource)] = 1;
    const auto [work, phase] = worst(Parts(weight));
    most_[at(resource)] = static_cast<Time>(work);
    phase_[at(resource)] = phase;
  }
}

// What the least weight has in excess of nothing is had by all three, what the next has in excess of the least by two,
// and so on.
PhasedWork::Parts::Parts(const std::array<Wide, 3>& weight) {
  order = kResources;
  std::sort(order.begin(), order.end(), [&](Resource a, Resource b) { return weight[at(a)] > weight[at(b)]; });
  for (size_t n = 0; n < order.size(); ++n)
    excess[n] = weight[at(order[n])] - (n + 1 < order.size() ? weight[at(order[n + 1])] : 0);
}

// And the next phase: in between it is linear.
std::pair<PhasedWork::Wide, Time> PhasedWork::in_phase(const Parts& parts, Time time) const {
  Phase phase(task_, window_, time);
  Wide sum = 0;
  Resources some = 0;
  for (size_t n = 0; n < parts.order.size(); ++n) {
    some |= only(parts.order[n]);
    if (parts.excess[n] > 0) sum += parts.excess[n] * phase.work(some);
  }
  return {sum, phase.next()};
}

// What is linear from one phase to the next is most at one of them; where the first job is over, it is no more than
// at 0.
std::pair<PhasedWork::Wide, Time> PhasedWork::worst(const Parts& parts) const {
  std::pair<Wide, Time> worst{};
  for (Time time = 0; time < std::max<Time>(1, task_.response());) {
    const auto [work, next] = in_phase(parts, time);
    if (work > worst.first) worst = {work, time};
    time = next;
  }
  return worst;
}

PhasedWork::Wide PhasedWork::most(const std::array<Wide, 3>& weight) const { return worst(Parts(weight)).first; }

PhasedWork::Wide PhasedWork::some(const std::array<Wide, 3>& weight) const {
  const Parts parts(weight);
  return in_phase(parts, phase_[at(parts.order[0])]).first;
}

}  // namespace samcl::analysis
