// What a task's bound is made of. Pure logic.
#pragma once

#include <string>
#include <vector>

#include "analysis/model/handovers.h"
#include "analysis/rta/response_time.h"

namespace samcl::planning {

struct Term {
  enum class Kind {
    own,           // what the job executes itself: `of` a stage
    together,      // how much less than its stages a job executes in all, as no job is longest in each; not above 0
    initiation,    // the CPU time in that of its transfers and kernels, as far as the profile tells of it
    handovers,     // its own requests, section boundaries and wake-ups
    interference,  // its waiting for a more urgent task, or for its own other subtasks
    late,          // its waiting for one until it is noticed that this has used up its CPU budget, or
    starts,     // because the budgets of one whose jobs may begin late may come sooner than a period after each other
    blocking,   // its waiting for sections of a less urgent task on a resource
    deadline,   // its relative deadline, and
    tardiness,  // by how much it may be late: where that is all that an analysis tells
  };
  Kind kind = Kind::own;
  std::string of;
  analysis::Time time = 0;
};
const char* name(Term::Kind kind);

// Terms that add up to the bound; none if it is not bounded. The waiting is that of the whole job, which may be
// less than the sum over its stages: what tasks and sections contribute to these tells their parts in it.
// `set` has the hand-overs in it already.
std::vector<Term> explain(const analysis::TaskSet& set, const analysis::Modes& modes, const analysis::Bounds& bounds,
                          size_t task, const analysis::Handovers& handovers);

}  // namespace samcl::planning
