#include "analysis/rta/job_window.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace samcl::analysis {
namespace {

Time ceil_divide(Time numerator, Time denominator) {
  return numerator <= 0 ? 0 : (numerator + denominator - 1) / denominator;
}

// Sections less 1 ns: of one length so many.
using Lengths = std::vector<std::pair<Time, Time>>;
constexpr Time kMany = Time{1} << 40;  // more than any count
constexpr int kPlainSteps = 8;

Time longest(Lengths& lengths, Time count) {
  std::sort(lengths.begin(), lengths.end(), std::greater<>());
  Time sum = 0;
  for (const auto& [length, many] : lengths) {
    const Time taken = std::min(count, many);
    sum += taken * length;
    count -= taken;
  }
  return sum;
}

// Sections of less urgent tasks that stages find under way when they become ready.
struct Sections {
  Time work = 0;              // of all that are found, one on each element
  Time last = 0;              // of the longest that each stage finds
  Time let_in = 0;            // by one more urgent arrival: lemma 2
  std::vector<Share> shares;  // of `work`, task by task

  Sections(std::span<const TimedTask> tasks, std::span<const PhasedWork> phased, Resource resource, Time stages,
           Time elements, Time window) {
    Lengths at_once, counted;
    Time executed = 0;
    for (size_t n = 0; n < tasks.size(); ++n) {
      const TimedTask& task = tasks[n];
      const Time jobs = ceil_divide(window + task.response(), task.period), subtasks = task.subtasks_on(resource);
      Lengths own;
      for (const TimedStage& stage : task.stages)
        if (stage.resource == resource && stage.section > 1)
          own.emplace_back(stage.section - 1, stage.whole ? subtasks * jobs : kMany);
      if (own.empty()) continue;
      at_once.emplace_back(std::max_element(own.begin(), own.end())->first, subtasks);
      counted.insert(counted.end(), own.begin(), own.end());
      shares.push_back({subtasks, std::min(longest(own, stages * subtasks), subtasks * phased[n].most(resource))});
      executed += shares.back().work;
    }
    work = std::min({stages * longest(at_once, elements), longest(counted, stages * elements), executed});
    last = std::min({stages * longest(at_once, 1), longest(counted, stages), executed});
    let_in = longest(at_once, elements - 1);
  }
};

}  // namespace

// Down from above: the sum is concave in w, so that its tangent at a bound gives another bound.
int64_t longest_busy(int64_t elements, std::span<const Share> shares) {
  int64_t sum = 0;
  for (const Share& share : shares) sum += share.work;
  int64_t busy = sum / elements;
  while (busy > 0) {
    int64_t taken = 0, work = 0;
    for (const Share& share : shares)
      if (share.work >= share.elements * busy)
        taken += share.elements;
      else
        work += share.work;
    if (taken >= elements) break;
    const int64_t less = work / (elements - taken);
    if (less >= busy) break;
    busy = less;
  }
  return busy;
}

JobWindow::JobWindow(const Platform& platform, std::span<const TimedTask> tasks, size_t at_) : tasks_(tasks), at_(at_) {
  for (const Resource resource : kResources) lanes_[at(resource)].elements = platform.elements(resource);
}

void JobWindow::append(const TimedStage& stage) {
  Lane& lane = lanes_[at(stage.resource)];
  ++lane.stages;
  lane.siblings = stage.subtasks - 1;
  lane.execution += stage.worst;
  lane.cut = lane.cut || (!stage.whole && stage.resource != Resource::cpu);
  executed_ += stage.worst;
  rest_ = stage.whole ? stage.worst : 0;
}

JobWindow::Wait JobWindow::wait(Resource resource, std::span<const PhasedWork> phased, Time window) const {
  const Lane& lane = lanes_[at(resource)];
  const Sections sections(tasks_.subspan(at_ + 1), phased.subspan(at_ + 1), resource, lane.stages, lane.elements,
                          window);
  std::vector<Share> urgent;
  Time urgent_work = 0, arrivals = 0;
  for (size_t k = 0; k < at_; ++k) {
    const Time subtasks = tasks_[k].subtasks_on(resource);
    if (subtasks == 0) continue;
    urgent.push_back({subtasks, subtasks * phased[k].most(resource)});
    urgent_work += urgent.back().work;
    for (const TimedStage& stage : tasks_[k].stages)
      if (stage.resource == resource) arrivals += ceil_divide(stage.ready - stage.earliest + window, tasks_[k].period);
  }
  const Time later = lane.cut ? arrivals * sections.let_in : 0;  // sections that begin while a stage waits
  const Time siblings = lane.siblings * lane.execution, left = lane.elements - lane.siblings;
  urgent.push_back({lane.elements, later});
  // First the sections found, then more urgent work on the elements that the stage's other subtasks leave.
  const Time by_time = sections.last + longest_busy(left, urgent);
  // Or all of it as work.
  urgent.push_back({lane.siblings, siblings});
  std::vector<Share> by_task = urgent;
  by_task.insert(by_task.end(), sections.shares.begin(), sections.shares.end());
  urgent.push_back({lane.elements, sections.work});
  const Time by_work = std::min(longest_busy(lane.elements, urgent), longest_busy(lane.elements, by_task));

  const Wait as_work = {std::min(by_work, by_time), lane.elements, siblings + sections.work + later, 0};
  const Wait as_time = {as_work.longest, left, later, sections.last};
  const auto plain = [&](const Wait& wait) { return (urgent_work + wait.work) / wait.elements + wait.time; };
  return plain(as_work) <= plain(as_time) ? as_work : as_time;
}

// The waits of the chosen resources with one phase of each more urgent task for all of them, the others' by themselves;
// or `enough` if that would not be below it.
Time JobWindow::with_common_phases(const std::array<Wait, 3>& waits, std::span<const PhasedWork> phased,
                                   Resources chosen, Time enough) const {
  PhasedWork::Wide common = 1, sum = 0;  // in parts of 1 / common
  Time apart = 0;
  for (const Wait& wait : waits) common *= wait.elements;
  std::array<PhasedWork::Wide, 3> weight{};
  for (size_t r = 0; r < waits.size(); ++r) {
    if ((chosen >> r & 1U) == 0) {
      apart += waits[r].longest;
      continue;
    }
    weight[r] = common / waits[r].elements;
    sum += weight[r] * waits[r].work + common * waits[r].time;
  }
  const auto of_urgent = [&](auto one) {
    PhasedWork::Wide all = sum;
    for (size_t k = 0; k < at_; ++k) {
      auto of_task = weight;
      for (const Resource resource : kResources) of_task[at(resource)] *= tasks_[k].subtasks_on(resource);
      all += one(phased[k], of_task);
    }
    return apart + static_cast<Time>(all / common);
  };
  if (of_urgent([](const PhasedWork& task, const auto& of) { return task.some(of); }) >= enough) return enough;
  return std::min(enough, of_urgent([](const PhasedWork& task, const auto& of) { return task.most(of); }));
}

// Others and the stages' own other subtasks can keep all elements busy.
bool JobWindow::can_wait(Resource resource) const {
  const Lane& lane = lanes_[at(resource)];
  Time others = lane.siblings;
  for (size_t k = 0; k < tasks_.size(); ++k)
    if (k != at_) others += tasks_[k].subtasks_on(resource);
  return lane.stages > 0 && others >= lane.elements;
}

Time JobWindow::waiting(Time window) const {
  Resources resources = 0;
  for (const Resource resource : kResources)
    if (can_wait(resource)) resources |= only(resource);
  std::vector<PhasedWork> phased;
  phased.reserve(tasks_.size());
  for (const TimedTask& task : tasks_) phased.emplace_back(task, window, resources);
  std::array<Wait, 3> waits;
  Time least = 0;
  for (const Resource resource : kResources) {
    if ((resources & only(resource)) == 0) continue;
    waits[at(resource)] = wait(resource, phased, window);
    least += waits[at(resource)].longest;
  }
  for (const Resources chosen : {0b011U, 0b101U, 0b110U, 0b111U})
    if ((chosen & resources) == chosen) least = with_common_phases(waits, phased, chosen, least);
  return least;
}

Time JobWindow::end(Time enough) const {
  const Time work = tasks_[at_].work, constant = std::min(executed_ - rest_, work);
  const Time rest = std::min(executed_, work) - constant;
  const auto next = [&](Time length) { return constant + waiting(length + (rest_ > 0 ? 1 : 0)); };
  // Nearly always, where any length below would do, the longest does.
  const Time longest = enough - rest - 1;
  if (longest < constant || next(longest) > longest) return enough;
  // None below `least` would do, as next() grows. Where it grows as fast as the window the steps are ever the same, and
  // may be small: after some of them they are doubled, and then the gap is halved.
  Time least = constant, length = constant, step = 0;
  for (int steps = 0; length < longest && next(length) > length; ++steps) {
    least = next(length);
    step = std::max(least - length, steps < kPlainSteps ? 0 : 2 * step);
    length = std::min(length + step, longest);
  }
  while (least < length) {
    const Time middle = least + (length - least) / 2;
    const Time more = next(middle);
    if (more <= middle)
      length = middle;
    else
      least = more;
  }
  return length + rest;
}

}  // namespace samcl::analysis
