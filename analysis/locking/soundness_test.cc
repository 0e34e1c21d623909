// Does any simulated job end later than a bound says? Random sets and plans; a failure prints seed and set.
#include <gtest/gtest.h>

#include <iostream>

#include "analysis/locking/testing/random_set.h"
#include "analysis/locking/verdicts.h"
#include "base/test_seed.h"

namespace samcl::analysis::locking {
namespace {

// An analysis, and the method it is about.
struct Analysis {
  const char* name;
  Method method;
  // Its bounds; empty where the set is not schedulable.
  std::vector<Time> (*late)(const TaskSet& set);
};

template <typename Verdict>
std::vector<Time> late(const Verdict& verdict) {
  std::vector<Time> late;
  if (verdict.schedulable())
    for (const SharedResourceTask& task : verdict.tasks) late.push_back(task.late);
  return late;
}

template <Protocol protocol, TardinessBound bound>
std::vector<Time> shared_resource(const TaskSet& set) {
  return late(analyse_shared_resource(set, protocol, bound));
}

constexpr auto kDevi = TardinessBound::devi_anderson, kErickson = TardinessBound::compliant_vector,
               kEarlier = TardinessBound::earlier_deadlines;
constexpr Analysis kAnalyses[] = {
    {"FMLP-Long, Devi & Anderson", Method::fmlp_long, shared_resource<Protocol::fmlp_long, kDevi>},
    {"FMLP-Long, compliant vector", Method::fmlp_long, shared_resource<Protocol::fmlp_long, kErickson>},
    {"FMLP-Long, earlier deadlines", Method::fmlp_long, shared_resource<Protocol::fmlp_long, kEarlier>},
    {"OMLP, Devi & Anderson", Method::omlp, shared_resource<Protocol::omlp, kDevi>},
    {"OMLP, compliant vector", Method::omlp, shared_resource<Protocol::omlp, kErickson>},
    {"OMLP, earlier deadlines", Method::omlp, shared_resource<Protocol::omlp, kEarlier>},
    {"donation, Devi & Anderson", Method::donation, shared_resource<Protocol::donation, kDevi>},
    {"donation, compliant vector", Method::donation, shared_resource<Protocol::donation, kErickson>},
    {"donation, earlier deadlines", Method::donation, shared_resource<Protocol::donation, kEarlier>},
    {"SMLP", Method::smlp, shared_resource<Protocol::smlp, TardinessBound::least>},
    {"containers", Method::containers, [](const TaskSet& set) { return analyse_containers(set).late; }},
    {"FMLP-Long, suspension-aware", Method::fmlp_long,
     [](const TaskSet& set) { return late(analyse_suspension_aware(set)); }}};

std::string tell(const TaskSet& set) {
  std::string text = std::to_string(set.cpus) + " CPUs, " + std::to_string(set.gpus) + " GPUs;";
  for (const Task& task : set.tasks)
    text += " (" + std::to_string(task.period) + ", " + std::to_string(task.cpu) + ", " + std::to_string(task.gpu) +
            ", " + std::to_string(task.section) + ")";
  return text;
}

struct Count {
  int64_t sets = 0, bounds = 0, late = 0, attained = 0;
};

void challenge(const TaskSet& set, const Analysis& analysis, Random& random, Count& count) {
  const std::vector<Time> most = analysis.late(set);
  if (most.empty()) return;
  ++count.sets;
  std::vector<Time> longest(most.size(), 0);
  std::vector<JobSequences> worst(most.size());
  const auto attempt = [&](const JobSequences& plan) {
    const auto late = lateness(set, simulate(set, analysis.method, plan));
    for (size_t i = 0; i < late.size(); ++i) {
      if (late[i] < longest[i]) continue;
      longest[i] = late[i];
      worst[i] = plan;
    }
  };
  for (int n = 0; n < 4; ++n) attempt(random_plan(set, 12, random));
  // Whoever is late already is made later, step by step.
  for (size_t n = 0; n < 8; ++n) attempt(mutated(set, worst[n % worst.size()], random));
  for (size_t i = 0; i < most.size(); ++i) {
    ASSERT_LE(longest[i], most[i]) << analysis.name << ", " << set.tasks[i].name << " of " << tell(set);
    ++count.bounds;
    count.late += longest[i] > 0 ? 1 : 0;
    count.attained += longest[i] == most[i] ? 1 : 0;
  }
}

// The waiting that the Shared Resource Method counts as computing.
void challenge_blocking(const TaskSet& set, Protocol protocol, Random& random, Count& count) {
  const auto verdict = analyse_shared_resource(set, protocol);
  if (!verdict.schedulable()) return;
  ++count.sets;
  std::vector<Time> longest(set.tasks.size(), 0);
  std::vector<JobSequences> worst(set.tasks.size());
  const auto attempt = [&](const JobSequences& plan) {
    for (const Ended& job : simulate(set, static_cast<Method>(protocol), plan).ended) {
      if (job.blocked < longest[job.task]) continue;
      longest[job.task] = job.blocked;
      worst[job.task] = plan;
    }
  };
  for (int n = 0; n < 4; ++n) attempt(random_plan(set, 12, random));
  for (size_t n = 0; n < 8; ++n) attempt(mutated(set, worst[n % worst.size()], random));
  for (size_t i = 0; i < longest.size(); ++i) {
    ASSERT_LE(longest[i], verdict.tasks[i].blocking)
        << name(protocol) << ", " << set.tasks[i].name << " of " << tell(set);
    ++count.bounds;
    count.attained += longest[i] > 0 && longest[i] == verdict.tasks[i].blocking ? 1 : 0;
  }
}

class LockingBounds : public testing::TestWithParam<Shape> {};

// Longer runs: SAMCL_SETS=100000.
TEST_P(LockingBounds, AreNotExceededInSimulations) {
  const TestSeed seed;
  const int64_t wanted = test_sets(500);
  Random random(seed);
  for (const Analysis& analysis : kAnalyses) {
    if (analysis.method == Method::smlp && GetParam().parts == 1) continue;
    Count count;
    for (int64_t n = 0; n < wanted; ++n) {
      challenge(random_set(GetParam(), random), analysis, random, count);
      if (HasFatalFailure()) return;
    }
    std::cout << analysis.name << ": " << count.sets << " schedulable sets, " << count.bounds << " bounds, "
              << count.late << " tasks late, " << count.attained << " bounds attained\n";
    // The last one gives up a CPU per GPU.
    const bool fits = !GetParam().full || &analysis != std::end(kAnalyses) - 1;
    EXPECT_EQ(count.sets > 0, fits);
  }
}

TEST_P(LockingBounds, OfBlockingAreNotExceededInSimulations) {
  const TestSeed seed;
  const int64_t wanted = test_sets(500);
  Random random(seed);
  for (const Protocol protocol : {Protocol::fmlp_long, Protocol::omlp, Protocol::donation, Protocol::smlp}) {
    if ((protocol == Protocol::smlp) != (GetParam().parts > 1)) continue;
    Count count;
    for (int64_t n = 0; n < wanted; ++n) {
      challenge_blocking(random_set(GetParam(), random), protocol, random, count);
      if (HasFatalFailure()) return;
    }
    std::cout << name(protocol) << ": " << count.sets << " schedulable sets, " << count.bounds
              << " bounds of blocking, " << count.attained << " above 0 attained\n";
    EXPECT_GT(count.sets, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(FewTasks, LockingBounds, testing::Values(Shape{4, 2, 1, 20, 0.9, false}));
INSTANTIATE_TEST_SUITE_P(FullLoad, LockingBounds, testing::Values(Shape{6, 3, 2, 12, 1, true}));
INSTANTIATE_TEST_SUITE_P(ManyTasks, LockingBounds, testing::Values(Shape{12, 4, 1, 200, 0.5, false}));
INSTANTIATE_TEST_SUITE_P(SeveralGpus, LockingBounds, testing::Values(Shape{9, 5, 3, 60, 0.8, false}));
// More users of GPUs than CPUs: there are donors.
// Of a GPU's parts.
INSTANTIATE_TEST_SUITE_P(FewParts, LockingBounds, testing::Values(Shape{6, 3, 1, 40, 0.9, false, 2}));
INSTANTIATE_TEST_SUITE_P(ManyParts, LockingBounds, testing::Values(Shape{12, 2, 1, 200, 0.4, false, 5}));
INSTANTIATE_TEST_SUITE_P(ManyUsers, LockingBounds, testing::Values(Shape{14, 2, 2, 300, 0.4, false}));

}  // namespace
}  // namespace samcl::analysis::locking
