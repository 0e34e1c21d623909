// Bounds of a whole set at once: the safe form's, and where those of all tasks keep to their periods, tighter
// ones.
//
// The safe form bounds a task without a word about less urgent ones: each stage finds the longest of their
// sections. If no stage of any task ends later than its bound, only so many less urgent jobs can be under way
// while a job is, and when one of a task's stages happens tells when the others can. PROOF.md, "All tasks
// together".
#pragma once

#include "analysis/rta/response_time.h"

namespace samcl::analysis {

// No bound is above analyse(set, modes, Form::safe)'s. Where devices are bound, where stages have several
// requests or threads, where CPU budgets are enforced, or where some task keeps to its period in neither, they are the
// same, and Bounds::together is false. The set has passed check().
Bounds analyse_together(const TaskSet& set, std::span<const int> modes, PriorityOrder order = {});

}  // namespace samcl::analysis
