// What the work of more urgent tasks on one resource becomes as a window grows, task by task: it grows in
// steps, and the steps of one task repeat with its period. So a task's steps within one period are sorted
// once, and a window is then a number of periods and a place among them.
//
// A step is one stage becoming ready once more ("fresh"), or once more if it was at work when the window
// began ("carried"); see demand.h for jitter and carry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/rta/demand.h"

namespace samcl::analysis {

// Below what comes of several tasks in any window: base + slope * window. Bases from stage by stage, to the
// highest that there is.
struct Line {
  double slope = 0;
  double stage_base = 0;  // sum of jitter * work / period
  double base = 0;
  double grown_base = 0;  // of work and what was carried in, see Steps::growth()
  // Of the number of requests for the resource.
  double arrivals_slope = 0;
  double arrivals_base = 0;
};

// The tasks that use one resource, the more urgent first.
class Cycles {
 public:
  // Tasks lie in the demand's rows as Demand::first and end say.
  explicit Cycles(const Demand& demand);
  Cycles() = default;

  // A task's rows of the demand have been set. After the tasks before it.
  void sort(const Demand& demand, size_t task);

  // How many tasks have rows before this one.
  size_t tasks_before(size_t row) const { return task_of_[row]; }
  double copies(size_t task) const { return copies_[task]; }
  // Of the first `tasks`.
  const Line& below(size_t tasks) const { return below_[tasks]; }

 private:
  void set_below(const Demand& demand, size_t task);

  friend class Steps;

  // What has been reached just after a step.
  struct Reached {
    double work = 0;      // fresh, since the period's begin
    double arrivals = 0;  // requests, likewise
    double growth = 0;    // per subtask, if of the task's stages the worst one was at work; see Steps
  };

  std::vector<uint32_t> task_of_;  // [row]; [rows]: the number of tasks
  std::vector<uint32_t> first_row_, end_row_;
  // [task]; padded by a block.
  std::vector<double> period_, rate_;
  std::vector<double> copies_, work_, arrivals_;     // of a whole period
  std::vector<double> begin_work_, begin_arrivals_;  // before the first step
  std::vector<Line> below_;                          // [tasks]
  std::vector<uint32_t> place_;                      // of its steps in the following
  std::vector<uint32_t> count_;                      // of its steps
  // Steps happen when the window exceeds a number of periods plus the phase, 0 <= phase < period. After a
  // task's last step the first of the next period; then what no window exceeds, up to whole blocks.
  std::vector<double> phase_;
  std::vector<Reached> reached_;  // [place + n]: after n steps
};

}  // namespace samcl::analysis
