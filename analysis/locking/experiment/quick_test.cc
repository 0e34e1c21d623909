#include "analysis/locking/experiment/quick_test.h"

#include <functional>
#include <optional>

#include "analysis/locking/verdicts.h"

namespace samcl::analysis::locking {
namespace {

// Sums of 10,000 terms up to 2^20 in doubles are nearer to the exact ones than this.
constexpr double kDoubt = 1e-6;

// Whether a sum is at most a limit, or nothing if rounding might decide.
std::optional<bool> at_most(double sum, double limit) {
  if (sum > limit + kDoubt) return false;
  if (sum < limit - kDoubt) return true;
  return std::nullopt;
}

bool fmlp_long(const QuickSet& set, int cpus) {
  if (set.slack() < 0 || set.section_slack() < set.sections()) return false;
  const double blocking = static_cast<double>(set.sections()) * set.frequencies() - set.section_utilisation();
  if (const auto known = at_most(set.utilisation() + blocking, cpus)) return *known;
  return analyse_shared_resource(task_set(set, cpus), Protocol::fmlp_long).schedulable();
}

// A lower bound of every user's OMLP blocking: the 2m - 1 longest sections if the longest one is the user's
// own and each other task offers two, as it always does.
Time least_omlp_blocking(const QuickSet& set, int cpus) {
  std::vector<Time> sections;
  sections.reserve(set.users().size());
  for (const QuickTask& user : set.users()) sections.push_back(user.section);
  const auto last = sections.begin() + cpus;
  std::nth_element(sections.begin(), last, sections.end(), std::greater<>());
  // The m + 1 longest, without the longest: all twice but the shortest.
  Time sum = 0, longest = *last, shortest = *last;
  for (auto at = sections.begin(); at <= last; ++at) {
    sum += *at;
    longest = std::max(longest, *at);
  }
  return 2 * (sum - longest) - shortest;
}

bool omlp(const QuickSet& set, int cpus, TardinessBound bound) {
  // For at most m users it is FMLP-Long, which has failed.
  if (set.users().size() <= static_cast<size_t>(cpus) || set.slack() < 0) return false;
  const Time least = least_omlp_blocking(set, cpus);
  if (set.user_slack() < least) return false;
  if (set.utilisation() + static_cast<double>(least) * set.frequencies() > cpus + kDoubt) return false;
  return analyse_shared_resource(task_set(set, cpus), Protocol::omlp, bound).schedulable();
}

bool containers(const QuickSet& set, int cpus) {
  if (set.slack() < 0) return false;
  const auto bandwidth = at_most(set.bandwidth(), 1), utilisation = at_most(set.utilisation(), cpus);
  if (bandwidth && utilisation) return *bandwidth && *utilisation;
  return analyse_containers(task_set(set, cpus)).schedulable();
}

}  // namespace

QuickVerdict quick_test(const QuickSet& set, int cpus, TardinessBound bound) {
  QuickVerdict verdict;
  verdict.fmlp_long = fmlp_long(set, cpus);
  verdict.omlp = !verdict.fmlp_long && omlp(set, cpus, bound);
  verdict.containers = containers(set, cpus);
  return verdict;
}

TaskSet task_set(const QuickSet& set, int cpus) {
  TaskSet result{cpus, 1, {}};
  for (const QuickTask& task : set.tasks())
    result.tasks.push_back({std::string("T").append(std::to_string(result.tasks.size() + 1)), task.period,
                            task.execution - task.gpu, task.gpu, task.section});
  return result;
}

}  // namespace samcl::analysis::locking
