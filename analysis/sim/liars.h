// Tasks that keep to nothing but what is enforced (Task::late; rta/PROOF.md, "Enforced budgets"), as tasks of the
// simulator: each becomes one for every CPU, which computes whenever it likes, one for each of its links and GPUs,
// which has that whenever it likes, and for each of these one that is less urgent than all others, for when it is made
// so. How much they may have in all, plans are kept to as the manager would.
#pragma once

#include <optional>
#include <vector>

#include "analysis/rta/response_time.h"
#include "analysis/sim/behaviour_plan.h"

namespace samcl::analysis {

class Liars {
 public:
  // `bounds` are the safe form's of the set. Those tasks lie; all of them have `late` and a proven bound.
  Liars(const TaskSet& set, std::span<const int> modes, const Bounds& bounds, std::span<const size_t> lying,
        Random& random);

  // To be simulated instead of the set. Tasks that do not lie come first, in their order.
  const TaskSet& set() const { return set_; }
  const PriorityOrder& order() const { return order_; }
  const Modes& modes() const { return modes_; }
  // Those that do not lie: indices into the set that they come from.
  const std::vector<size_t>& honest() const { return honest_; }

  // Leaves of what liars do in the plan what they are let do.
  void enforce(BehaviourPlan& plan) const;

 private:
  // What some of the simulator's tasks may have of something, together.
  struct Share {
    std::vector<size_t> tasks;
    Time each = 0;
    int requests = 0;                   // 0: any number
    std::optional<size_t> less_urgent;  // the same task where it is made so: it does not wait for itself
  };
  // All shares anew, at the same instant, with the first of their tasks that comes when a period since the last budget
  // is over, but for how much jobs may seem early.
  struct Budget {
    std::vector<Share> shares;
    Time period = 0;
    Time early = 0;
    Time longest = kNoInstant;  // after its begin nothing is left of it
  };

  size_t add(Task task, int mode);
  void add_cpus(const Task& liar, int mode, Random& random);
  void add_devices(const Task& liar, int mode, const std::vector<int>& devices, const TaskBound& bound, Random& random,
                   PriorityOrder& last);
  static void enforce(const Budget& budget, BehaviourPlan& plan);
  static void enforce_one_at_a_time(const Share& share, BehaviourPlan& plan);

  TaskSet set_;
  PriorityOrder order_;
  Modes modes_;
  std::vector<size_t> honest_;
  std::vector<Budget> budgets_;
};

}  // namespace samcl::analysis
