// How long one stage can wait for its resource (PROOF.md, theorem 1).
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "analysis/rta/steps.h"

namespace samcl::analysis {

// Who can hold the elements of a resource at the instant from which a stage is kept waiting (PROOF.md,
// lemma 1): stages of more urgent tasks that were at work already, on all elements but one at most, and
// sections of less urgent tasks. What each adds to the waiting, the largest for every element.
class Occupants {
 public:
  explicit Occupants(size_t elements) : carried_(elements - 1, 0), times_(elements, 0) {}

  void clear() { std::fill(carried_.begin(), carried_.end(), 0.0); }

  // A stage at work, one per task: what it adds per subtask.
  void carry(double growth, double copies) {
    for (; copies > 0 && !carried_.empty() && growth > carried_.back(); --copies) {
      double time = growth;
      for (double& kept : carried_)
        if (time > kept) std::swap(time, kept);
    }
  }

  // With the longest sections of less urgent tasks, one per element, longest first.
  void choose(const std::vector<double>& sections) {
    size_t carried = 0, section = 0;
    for (double& time : times_)
      time = carried < carried_.size() && carried_[carried] > sections[section] ? carried_[carried++]
                                                                                : sections[section++];
  }

  // One per element, longest first; 0 where nothing of interest is held.
  const std::vector<double>& times() const { return times_; }
  double sum() const { return std::accumulate(times_.begin(), times_.end(), 0.0); }

 private:
  std::vector<double> carried_;
  std::vector<double> times_;
};

struct StageQuestion {
  const Demand* demand = nullptr;
  const Cycles* cycles = nullptr;
  size_t end = 0;       // rows of more urgent tasks
  double worst = 0;     // C of one subtask
  double siblings = 0;  // its other subtasks
  // No interruption once started: the window is up to the start of the last subtask, else up to its end.
  bool whole = false;
  // Sections of less urgent tasks at the begin, longest first, one per element; all 0 on a CPU.
  const std::vector<double>* sections = nullptr;
  // A more urgent task may execute on several elements at once in each of its stages: CPUs that sections need.
  bool spread = false;
  // Sections, less 1, of the same task on the resource: of this stage, and the longest of its others.
  double same_section = 0;
  double other_section = 0;
  double jitter = 0;  // of the time the stage becomes ready
  double period = 0;
  double limit = 0;  // no answer beyond
  // The answer grows with jitter, work and sections; else it may be better where these are more, since ways
  // that begin badly are not gone to their ends.
  bool monotone = false;
};

struct StageAnswer {
  double waiting = kForever;
  double blocking = 0;  // the part of it due to less urgent tasks
  // The waiting, however long the stage itself takes; `waiting` may need that it takes its worst time.
  double whatever = kForever;
  bool bounded() const { return waiting < kForever; }
};

class StageWindow {
 public:
  StageWindow(size_t elements, size_t tasks, size_t rows)
      : count_(static_cast<double>(elements)),
        steps_(tasks),
        occupants_(elements),
        fresh_(rows + kBlock),
        growth_(rows + kBlock),
        none_(elements, 0) {}

  StageAnswer solve(const StageQuestion& question);
  // What the waiting is rarely below: only where work cannot spread over all elements, or fits in part.
  double least(const StageQuestion& question);

 private:
  StageAnswer after(const StageQuestion& question, double own_section);
  StageAnswer by_work(const StageQuestion& question, double own_section);
  StageAnswer by_time(const StageQuestion& question, double own_section);
  double begin(const StageQuestion& question, double elements, double Line::* base) const;
  double work(const StageQuestion& question);
  double ascend(const StageQuestion& question, double elements);
  double descend(const StageQuestion& question, double waiting);

  double count_;
  double before_ = 0;       // how much earlier arrivals count than work
  double per_arrival_ = 0;  // sections of less urgent tasks that one more urgent arrival can let in
  double arrivals_ = 0;     // more urgent arrivals in the window
  Steps steps_;
  Occupants occupants_;
  std::vector<double> fresh_, growth_;
  const std::vector<double> none_;  // no sections
};

}  // namespace samcl::analysis
