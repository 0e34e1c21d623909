// Who can hold the elements of a resource at the instant from which a stage is kept waiting (PROOF.md,
// lemma 1): stages of more urgent tasks that were at work already, on all elements but one at most, and
// sections of less urgent tasks. What each adds to the waiting, the largest for every element.
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace samcl::analysis {

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

}  // namespace samcl::analysis
