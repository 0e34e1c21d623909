#include "analysis/locking/suspension_aware.h"

#include <algorithm>
#include <functional>

#include "analysis/locking/exact_sum.h"

namespace samcl::analysis::locking {
namespace {

constexpr Wide kTooLate = Wide{1} << 58;
constexpr int kMostSteps = 10'000;

// By how much a job can be late if at its deadline work of at most `left` is left, of jobs at least as
// urgent, and `rate` CPUs work on it whenever the job's task does not progress.
Wide lateness(const Task& task, Time demand, Wide left, Wide rate) {
  const Wide p = static_cast<Wide>(task.period), c = static_cast<Wide>(demand);
  if (task.uses_gpu()) return ceil_divide(left * p, rate * (p - c)) + c;
  return std::max(c, ceil_divide(left * p + (rate - 1) * (p - c) * c, rate * p - (rate - 1) * c));
}

// The least L of PROOF.md, from below; nothing if none is found.
class Iteration {
 public:
  Iteration(const TaskSet& set, const SuspensionAwareVerdict& verdict)
      : set_(set),
        verdict_(verdict),
        rate_(static_cast<Wide>(set.cpus - set.gpus)),
        others_(static_cast<size_t>(std::max<int64_t>(1, verdict.utilisation.ceiling()) - 1)) {}

  std::optional<std::vector<Time>> late() {
    Wide left = 0;
    for (int step = 0; step < kMostSteps; ++step) {
      const auto next = left_at_deadline(left);
      if (!next) return std::nullopt;
      if (*next <= left) return late_;
      left = *next;
    }
    return std::nullopt;
  }

 private:
  // What can be left if the tardiness follows from `left`: of all users of a GPU, and of as many others as
  // run while CPUs are free.
  std::optional<Wide> left_at_deadline(Wide left) {
    Wide sum = 0;
    std::vector<Wide> others;
    late_.clear();
    for (size_t i = 0; i < set_.tasks.size(); ++i) {
      const Task& task = set_.tasks[i];
      const Wide late = lateness(task, verdict_.tasks[i].demand, left, rate_);
      if (late > kTooLate) return std::nullopt;
      late_.push_back(static_cast<Time>(late));
      const Wide e = static_cast<Wide>(task.cpu);
      const Wide lag = e + ceil_divide(e * (late - e), static_cast<Wide>(task.period));
      if (task.uses_gpu())
        sum += lag;
      else
        others.push_back(lag);
    }
    std::sort(others.begin(), others.end(), std::greater<>());
    for (size_t n = 0; n < std::min(others_, others.size()); ++n) sum += others[n];
    return sum;
  }

  const TaskSet& set_;
  const SuspensionAwareVerdict& verdict_;
  const Wide rate_;
  const size_t others_;
  std::vector<Time> late_;
};

}  // namespace

SuspensionAwareVerdict analyse_suspension_aware(const TaskSet& set) {
  SuspensionAwareVerdict verdict;
  const std::vector<Time> blocking = fmlp_long_blocking(set);
  for (size_t i = 0; i < set.tasks.size(); ++i) {
    const Task& task = set.tasks[i];
    const Time demand = task.execution() + blocking[i];
    verdict.tasks.push_back({blocking[i], demand, 0});
    verdict.utilisation.add(task.cpu, task.period);
    if (!verdict.too_long && demand > task.period - (task.uses_gpu() ? 1 : 0)) verdict.too_long = i;
  }
  verdict.fits = set.cpus > set.gpus && verdict.utilisation.at_most(set.cpus - set.gpus);
  if (!verdict.fits || verdict.too_long) return verdict;
  const auto late = Iteration(set, verdict).late();
  verdict.settles = late.has_value();
  for (size_t i = 0; late && i < late->size(); ++i) verdict.tasks[i].late = (*late)[i];
  return verdict;
}

}  // namespace samcl::analysis::locking
