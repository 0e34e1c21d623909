// Wang et al., "GCAPS", ECRTS 2024, Section 6, in its letters. Not safe under the rules of testing/simulator.h:
// README.md.
#include "analysis/access/forms.h"

namespace samcl::analysis::access {

Bound gcaps_published(const TaskSet& set, size_t i, const Responses& response, Time update) {
  const Task& tau = set.tasks[i];
  const auto eps = [&](const Task& task) { return 2 * update * task.count(); };
  const bool uses = tau.uses_gpu();
  // Section 6.4: where GPU priorities are others, D_h stands for R_h, and hp() goes by them, for CPU-only tasks, too.
  bool separate = false;
  for (size_t h = 1; h < set.tasks.size(); ++h)
    separate = separate || set.tasks[h].gpu_rank < set.tasks[h - 1].gpu_rank;
  const auto R_of = [&](size_t h) { return separate ? set.tasks[h].deadline : response[h]; };
  const Time own = tau.cpu_time() + tau.misc() + tau.pure() + eps(tau) + (tau.count() + 1) * update;  // with (9)
  return least_window(own, tau.deadline, [&](Wide R) {
    Wide sum = own;
    for (size_t h = 0; h < set.tasks.size(); ++h) {
      const Task& other = set.tasks[h];
      const Time C = other.cpu_time(), Gm = other.misc(), Ge = other.pure(), T = other.period;
      const bool hpp = h < i && other.cpu == tau.cpu;
      if (hpp && !other.uses_gpu()) sum += jobs_in(R, 0, T) * C;
      if (!other.uses_gpu() || h == i) continue;
      // (10) and (12): the text leaves G^e of a busy-waiting task out where the other one is CPU-only; the
      // authors' program has it, and so has this.
      if (hpp && other.busy) sum += jobs_in(R, 0, T) * (C + Gm + Ge + eps(other));
      if (hpp && !other.busy) {
        sum += jobs_in(R, R_of(h) - (C + Gm), T) * (C + Gm + eps(other));  // (14)
        if (uses) sum += jobs_in(R, R_of(h) - Ge, T) * Ge;                 // (13), first term
      }
      const bool remote = !hpp && other.cpu != tau.cpu;
      if (remote && other.gpu_rank < tau.gpu_rank && (uses || other.busy))
        sum += jobs_in(R, R_of(h) - Ge, T) * (Ge + eps(other));  // (10), (11), (13)
    }
    return sum;
  });
}

}  // namespace samcl::analysis::access
