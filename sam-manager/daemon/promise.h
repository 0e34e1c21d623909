// What is promised of a program to those who wait for it. When its task or the plan changes, what it does was begun
// under the promise before, so until its next job is released the longer of both holds, as the bounds of changes count
// (analysis/modes/transition.h). Pure logic.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "sam-manager/protocol/limits.h"

namespace samcl::daemon {

struct PromisedTimes {
  std::array<uint64_t, protocol::kResourcesPerDevice> section_ns{};  // on a GPU, on a link
  uint64_t own_gpu_ns = 0;                                           // for how long a job has a GPU to itself
  uint64_t budget_ns = 0;  // that a job executes, waiting for CPUs included; 0: nobody knows

  bool operator==(const PromisedTimes&) const = default;
};

class Promise {
 public:
  // Of the next job. A program whose jobs are not seen to be released (`has_jobs`) keeps the promise before for as long
  // as a section of that may have gone on.
  void set(const PromisedTimes& next, bool has_jobs, uint64_t now_ns) {
    if (next == next_ && has_jobs == has_jobs_) return;
    held_ = times(now_ns);
    next_ = next;
    has_jobs_ = has_jobs;
    for (size_t i = 0; i < next.section_ns.size(); ++i)
      held_.section_ns[i] = std::max(held_.section_ns[i], next.section_ns[i]);
    held_.own_gpu_ns = std::max(held_.own_gpu_ns, next.own_gpu_ns);
    held_.budget_ns = next.budget_ns == 0 ? 0 : std::max(held_.budget_ns, next.budget_ns);
    until_ns_ = has_jobs ? UINT64_MAX : now_ns + *std::ranges::max_element(held_.section_ns);
  }
  void release_job() { held_ = next_; }

  const PromisedTimes& times(uint64_t now_ns) const { return now_ns > until_ns_ ? next_ : held_; }

 private:
  PromisedTimes next_, held_;
  bool has_jobs_ = false;
  uint64_t until_ns_ = 0;
};

}  // namespace samcl::daemon
