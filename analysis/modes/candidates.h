// What every policy asks while it chooses: how good are these modes? Remembers the last answer's parts, so
// that modes which differ in few tasks are cheap to compare.
#pragma once

#include <cmath>
#include <limits>

#include "analysis/modes/choice.h"

namespace samcl::analysis {

// Ratios below are schedulable, this and above are not.
inline const double kLate = std::nextafter(1.0, 2.0);
inline constexpr double kNever = std::numeric_limits<double>::infinity();

// Of modes that are not schedulable: how far from it. Less is better.
struct Lateness {
  double late = 0;  // sum of what R_i / D_i is above 1
  double full = 0;  // sum of R_i / D_i
  bool operator<(const Lateness& other) const { return late < other.late || (late == other.late && full < other.full); }
};

Lateness lateness_of(const TaskSet& set, std::span<const Time> responses);
// The task with the greatest R_i / D_i.
size_t latest_of(const TaskSet& set, std::span<const Time> responses);

class Candidates {
 public:
  Candidates(const TaskSet& set, Form form, PriorityOrder order);

  size_t size() const { return set_->tasks.size(); }
  const TaskSet& set() const { return *set_; }
  const PriorityOrder& order() const { return order_; }
  // Modes worth trying for a task, ascending: the form's up to its largest, or 1 where the mode makes no
  // difference.
  const std::vector<int>& modes(size_t task) const { return modes_[task]; }
  // The task has the least sum of C in it; the smallest of several.
  int fastest(size_t task) const;

  // A ratio with kUndecided modes is exactly a lower bound, and costs little more than another: not so in the
  // safe form, which has to begin anew.
  bool exact_bounds() const { return exact_bounds_; }
  // max R_j / D_j, or any value >= enough; a lower bound where modes are kUndecided.
  double ratio(const Modes& modes, double enough = kNever);
  Lateness lateness(const Modes& modes);
  size_t latest(const Modes& modes);

  int64_t analyses() const { return analyses_; }

  // A choice without steps.
  Choice choice(const Modes& modes);
  // The steps that lead from one choice to the other: tasks in priority order.
  Choice choice(const Modes& start, const Modes& modes);

 private:
  const TaskSet* set_;
  PriorityOrder order_;
  ResponseTimeAnalysis analysis_;
  std::vector<std::vector<int>> modes_;
  int64_t analyses_ = 0;
  bool exact_bounds_;
};

// A step; it is listed if it changes the task's mode.
void take(Choice& choice, const ModeStep& step);

// The policies.
Choice choose_single(Candidates& candidates);
Choice choose_local(Candidates& candidates);
Choice choose_gema(Candidates& candidates);
Choice choose_gpa(Candidates& candidates);
Choice choose_descent(Candidates& candidates);  // of `search` alone
Choice choose_search(Candidates& candidates);
Choice choose_optimal(Candidates& candidates);

}  // namespace samcl::analysis
