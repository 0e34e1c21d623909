// The rules of access.h as a program, one nanosecond after the other: what the bounds are checked against.
//
// In all of them CPUs are preemptive, a task stays on its CPU, the jobs of a task go one after the other, and
// a request for a GPU is made in no time, but only by the job that its CPU would run.
//
//   preemptive   begin and end of a segment are updates of the runlist, of which there is one at a
//                time: the most urgent (on the GPU) of those that wait is next, and nothing interrupts
//                it on its CPU; meanwhile, if it is more urgent than the GPU's user, the GPU stands
//                still. The GPU belongs to the most urgent task in a segment, until the update at
//                that's end. G^m runs at the task's own priority.
//   locks        a segment holds its device. The next one is the most urgent waiting, or the first
//                come. G^m, and of a task that keeps its CPU the GPU's time, runs above all jobs that
//                hold nothing, on the task's CPU or the server's; of several such on one CPU the more
//                urgent task first.
//   turns        what the device works on changes after each slice, and when it has nothing to do;
//                before it goes on with another task's work it stands still for theta.
#pragma once

#include "analysis/access/access.h"

namespace samcl::analysis::access {

struct SimulatedJob {
  size_t task = 0;
  Time arrival = 0, release = 0;
  std::vector<Time> between;                 // what it executes, at most Task::between
  std::vector<std::array<Time, 3>> segment;  // G^m before, G^e, G^m after
};

// How long each task's jobs took at most, from arrival to end; the jobs of a task by arrival. Runs until all
// have ended. Of `analysis` only the rules matter: those from oblivious on are one. The server's time per
// segment is in no plan: half of it is added before and behind each.
std::vector<Time> simulate(const TaskSet& set, Analysis analysis, const Costs& costs,
                           const std::vector<SimulatedJob>& jobs);

}  // namespace samcl::analysis::access
