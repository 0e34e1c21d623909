#include "analysis/rta/phased_work.h"

#include <algorithm>

namespace samcl::analysis {
namespace {

// Of a stage whose first job was released `phase` before the window, the later ones a period after each other.
Time work(const TimedTask& task, const TimedStage& stage, Time phase, Time window) {
  const auto up_to_end = [&](Time begin) { return std::clamp<Time>(window - begin, 0, stage.worst); };
  const Time begin = stage.earliest - phase;
  const Time first = std::min(up_to_end(begin), std::max<Time>(0, stage.end - phase));
  const Time whole = std::max<Time>(0, window - begin - stage.worst) / task.period;  // later jobs, from begin to end
  return first + whole * stage.worst + up_to_end(begin + (whole + 1) * task.period);
}

// From one of these to the next every stage's work is linear in the phase.
std::vector<Time> phases(const TimedTask& task, Time window) {
  std::vector<Time> all = {0};
  const auto add = [&](Time phase) {
    if (phase > 0 && phase < task.response()) all.push_back(phase);
  };
  for (const TimedStage& stage : task.stages) {
    add(stage.end);
    add(stage.end - stage.worst);
    // Of the first job's part, what there is time for begins to be less at its end than at the window's.
    const Time twice = stage.end + stage.earliest - window;
    add(twice / 2);
    add((twice + 1) / 2);
    // Some job's stage begins, or could just be whole, at the window's end.
    for (const Time executed : {Time{0}, stage.worst}) {
      const Time phase = (stage.earliest + executed - window) % task.period;
      add(phase < 0 ? phase + task.period : phase);
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

Time TimedTask::subtasks_on(Resource resource) const {
  for (const TimedStage& stage : stages)
    if (stage.resource == resource) return stage.subtasks;
  return 0;
}

PhasedWork::PhasedWork(const TimedTask& task, Time window) {
  for (const Time phase : phases(task, window)) {
    auto& works = works_.emplace_back();
    for (const TimedStage& stage : task.stages)
      works[static_cast<size_t>(stage.resource)] += work(task, stage, phase, window);
  }
}

Time PhasedWork::most(Resource resource) const {
  Time most = 0;
  for (const auto& works : works_) most = std::max(most, works[static_cast<size_t>(resource)]);
  return most;
}

PhasedWork::Wide PhasedWork::most(const std::array<Wide, 3>& weight) const {
  Wide most = 0;
  for (const auto& works : works_)
    most = std::max(most, weight[0] * works[0] + weight[1] * works[1] + weight[2] * works[2]);
  return most;
}

}  // namespace samcl::analysis
