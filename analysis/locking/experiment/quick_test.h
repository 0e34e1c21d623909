// The verdicts of shared_resource.h and container.h on sets with one GPU, made for counting them by the
// billion: most are decided by a few sums that are kept while a set is drawn. Always the same verdicts: where
// a sum in doubles comes too close to a limit, the exact analysis decides.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "analysis/locking/tardiness.h"
#include "analysis/locking/task_set.h"

namespace samcl::analysis::locking {

struct QuickTask {
  Time period = 0;
  Time execution = 0;  // e + s
  Time gpu = 0;        // s; 0: uses none
  Time section = 0;    // cs
};

class QuickSet {
 public:
  void clear() { *this = QuickSet(std::move(tasks_), std::move(users_)); }

  void add(const QuickTask& task) { add(task, 1.0 / static_cast<double>(task.period)); }
  // `frequency`: 1 / period, which whoever drew the task knows already.
  void add(const QuickTask& task, double frequency) {
    tasks_.push_back(task);
    const double share = static_cast<double>(task.execution) * frequency;
    utilisation_ += share;
    slack_ = std::min(slack_, task.period - task.execution);
    if (task.gpu == 0) return;
    users_.push_back(task);
    bandwidth_ += share;
    sections_ += task.section;
    user_slack_ = std::min(user_slack_, task.period - task.execution);
    section_slack_ = std::min(section_slack_, task.period - task.execution + task.section);
    frequencies_ += frequency;
    section_utilisation_ += static_cast<double>(task.section) * frequency;
  }

  const std::vector<QuickTask>& tasks() const { return tasks_; }
  const std::vector<QuickTask>& users() const { return users_; }  // of the GPU
  double utilisation() const { return utilisation_; }
  double effective_utilisation(double speed_up) const { return utilisation_ + (speed_up - 1) * section_utilisation_; }

  // In ns, or shares of a CPU.
  Time slack() const { return slack_; }                  // least p - (e + s)
  Time user_slack() const { return user_slack_; }        // likewise of a user
  Time section_slack() const { return section_slack_; }  // least p - (e + s) + cs of a user
  Time sections() const { return sections_; }            // sum of cs
  double bandwidth() const { return bandwidth_; }        // users' sum of (e + s) / p
  double frequencies() const { return frequencies_; }    // users' sum of 1 / p
  double section_utilisation() const { return section_utilisation_; }

  QuickSet() = default;

 private:
  QuickSet(std::vector<QuickTask>&& tasks, std::vector<QuickTask>&& users)
      : tasks_(std::move(tasks)), users_(std::move(users)) {
    tasks_.clear();
    users_.clear();
  }

  std::vector<QuickTask> tasks_, users_;
  double utilisation_ = 0, bandwidth_ = 0, frequencies_ = 0, section_utilisation_ = 0;
  Time slack_ = std::numeric_limits<Time>::max(), user_slack_ = slack_, section_slack_ = slack_;
  Time sections_ = 0;
};

struct QuickVerdict {
  bool fmlp_long = false;
  bool omlp = false;
  bool containers = false;
  bool shared_resource() const { return fmlp_long || omlp; }
};

// `omlp` is told only where FMLP-Long fails: elsewhere it is false, whatever it would be.
QuickVerdict quick_test(const QuickSet& set, int cpus, TardinessBound bound);

// The same tasks for the exact analyses.
TaskSet task_set(const QuickSet& set, int cpus);

}  // namespace samcl::analysis::locking
