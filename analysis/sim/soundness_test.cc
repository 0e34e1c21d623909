#include "analysis/sim/testing/soundness.h"

#include <gtest/gtest.h>

#include <chrono>

#include "analysis/json/task_set_json.h"
#include "base/test_seed.h"

namespace samcl::analysis {
namespace {

std::string tell(const Excess& excess) {
  std::string text = format_task_set({excess.small.set, excess.small.modes});
  text += "task " + excess.small.set.tasks[excess.task].name + ": bound " + std::to_string(excess.bound) +
          ", simulated " + std::to_string(excess.response) + "\n";
  for (size_t i = 0; i < excess.plan.jobs.size(); ++i)
    for (const PlannedJob& job : excess.plan.jobs[i]) {
      text += excess.simulated.set.tasks[i].name + " at " + std::to_string(job.release);
      if (job.dropped != kNoInstant) text += " to " + std::to_string(job.dropped);
      text += ":";
      for (const auto& stage : job.execution) {
        text += " [";
        for (const Time time : stage) text += " " + std::to_string(time);
        text += " ]";
      }
      for (size_t j = 0; j < job.pauses.size(); ++j)
        for (const Pause& pause : job.pauses[j])
          text += " stage " + std::to_string(j + 1) + " pauses after " + std::to_string(pause.after) + " for " +
                  std::to_string(pause.length) + ";";
      text += "\n";
    }
  text += "sections";
  for (const int part : excess.plan.sections) text += " " + std::to_string(part);
  if (excess.plan.in_turn) text += ", CPU time in turn";
  return text + "\n";
}

// Told every ten seconds, so that a night's run shows where it is, and how to repeat it.
class Progress {
 public:
  explicit Progress(uint64_t seed) : seed_(seed) {}
  void tell(const SoundnessTally& tally) {
    const auto now = Clock::now();
    if (now - told_ < std::chrono::seconds(10)) return;
    told_ = now;
    std::cout << testing::UnitTest::GetInstance()->current_test_info()->test_suite_name() << ", SAMCL_SEED=" << seed_
              << ": " << tally.sets << " sets, " << tally.jobs << " jobs in "
              << std::chrono::duration_cast<std::chrono::seconds>(now - begin_).count() << " s" << std::endl;
  }

 private:
  using Clock = std::chrono::steady_clock;
  const uint64_t seed_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point told_ = begin_;
};

class SafeForm : public testing::TestWithParam<Shape> {};

TEST_P(SafeForm, IsNotExceededInSimulations) {
  const TestSeed seed;
  const int64_t count = test_sets(2000);
  Random random(seed);
  SoundnessTally tally;
  Progress progress(seed);
  while (tally.sets < count || tally.jobs < static_cast<int64_t>(test_jobs())) {
    progress.tell(tally);
    const auto excess = challenge(random_set(GetParam(), random), Form::safe, {}, random, tally);
    ASSERT_FALSE(excess) << tell(*excess);
  }
  std::cout << tally.sets << " sets, " << tally.jobs << " jobs, " << tally.bounds << " bounds, " << tally.attained
            << " attained, mean tightness " << tally.tightness / static_cast<double>(tally.bounds) << "\n";
  // So many are bounded that it says something: beside liars on every lane about half of the sets are.
  EXPECT_GT(tally.bounds, tally.sets / 3);
}

// Longer runs: SAMCL_SETS=60000, SAMCL_JOBS=100000000 (per shape: tasks, stages, elements, period, best cases,
// sections, bound, requests, host, threads, late, work).
INSTANTIATE_TEST_SUITE_P(OneElementEach, SafeForm, testing::Values(Shape{3, 3, 1, 40, true, true}));
INSTANTIATE_TEST_SUITE_P(TwoTasks, SafeForm, testing::Values(Shape{2, 4, 2, 30, true, true}));
INSTANTIATE_TEST_SUITE_P(OneStageEach, SafeForm, testing::Values(Shape{6, 1, 3, 30, true, true}));
INSTANTIATE_TEST_SUITE_P(SeveralElements, SafeForm, testing::Values(Shape{5, 4, 3, 60, true, true}));
INSTANTIATE_TEST_SUITE_P(WholeStages, SafeForm, testing::Values(Shape{5, 3, 4, 60, true, false}));
INSTANTIATE_TEST_SUITE_P(LongPipelines, SafeForm, testing::Values(Shape{4, 9, 3, 120, false, true}));
INSTANTIATE_TEST_SUITE_P(Seconds, SafeForm, testing::Values(Shape{8, 5, 5, 10'000'000'000, true, true}));
INSTANTIATE_TEST_SUITE_P(BoundTwoDevices, SafeForm, testing::Values(Shape{3, 4, 2, 40, true, true, true}));
INSTANTIATE_TEST_SUITE_P(BoundDevices, SafeForm, testing::Values(Shape{5, 4, 4, 60, true, true, true}));
INSTANTIATE_TEST_SUITE_P(BoundWholeStages, SafeForm, testing::Values(Shape{5, 3, 4, 60, true, false, true}));
INSTANTIATE_TEST_SUITE_P(BoundPipelines, SafeForm, testing::Values(Shape{4, 9, 3, 120, false, true, true}));
INSTANTIATE_TEST_SUITE_P(BoundSeconds, SafeForm, testing::Values(Shape{8, 5, 4, 10'000'000'000, true, true, true}));
INSTANTIATE_TEST_SUITE_P(RequestsOneElement, SafeForm, testing::Values(Shape{3, 3, 1, 60, true, true, false, 4}));
INSTANTIATE_TEST_SUITE_P(Requests, SafeForm, testing::Values(Shape{4, 4, 3, 90, true, true, false, 4}));
INSTANTIATE_TEST_SUITE_P(RequestsNeverCut, SafeForm, testing::Values(Shape{4, 4, 3, 90, true, false, false, 4}));
INSTANTIATE_TEST_SUITE_P(RequestsBound, SafeForm, testing::Values(Shape{4, 4, 3, 90, true, true, true, 4}));
INSTANTIATE_TEST_SUITE_P(RequestsBoundSeconds, SafeForm,
                         testing::Values(Shape{5, 5, 4, 10'000'000'000, true, true, true, 6}));

INSTANTIATE_TEST_SUITE_P(HostOneElement, SafeForm, testing::Values(Shape{3, 3, 1, 60, true, true, true, 1, true}));
INSTANTIATE_TEST_SUITE_P(Host, SafeForm, testing::Values(Shape{4, 4, 3, 90, true, true, true, 1, true}));
INSTANTIATE_TEST_SUITE_P(HostNeverCut, SafeForm, testing::Values(Shape{4, 4, 3, 90, true, false, true, 1, true}));
INSTANTIATE_TEST_SUITE_P(HostRequests, SafeForm, testing::Values(Shape{4, 4, 3, 90, true, true, true, 4, true}));
INSTANTIATE_TEST_SUITE_P(HostSeconds, SafeForm,
                         testing::Values(Shape{6, 5, 4, 10'000'000'000, true, true, true, 3, true}));

INSTANTIATE_TEST_SUITE_P(ThreadsTwoTasks, SafeForm,
                         testing::Values(Shape{2, 4, 2, 40, true, true, false, 1, false, 3}));
INSTANTIATE_TEST_SUITE_P(Threads, SafeForm, testing::Values(Shape{5, 4, 4, 60, true, true, false, 1, false, 4}));
INSTANTIATE_TEST_SUITE_P(ThreadsRequests, SafeForm,
                         testing::Values(Shape{4, 4, 3, 90, true, true, false, 4, false, 3}));
INSTANTIATE_TEST_SUITE_P(ThreadsBound, SafeForm, testing::Values(Shape{4, 4, 4, 90, true, true, true, 4, false, 4}));
INSTANTIATE_TEST_SUITE_P(ThreadsHost, SafeForm, testing::Values(Shape{4, 4, 4, 90, true, true, true, 4, true, 4}));
INSTANTIATE_TEST_SUITE_P(ThreadsSeconds, SafeForm,
                         testing::Values(Shape{6, 5, 4, 10'000'000'000, true, true, true, 3, true, 4}));

INSTANTIATE_TEST_SUITE_P(LateOneElement, SafeForm,
                         testing::Values(Shape{3, 3, 1, 90, true, true, true, 1, false, 1, true}));
INSTANTIATE_TEST_SUITE_P(Late, SafeForm, testing::Values(Shape{4, 3, 3, 120, true, true, true, 1, false, 1, true}));
INSTANTIATE_TEST_SUITE_P(LateNeverCut, SafeForm,
                         testing::Values(Shape{4, 3, 3, 120, true, false, true, 1, false, 1, true}));
INSTANTIATE_TEST_SUITE_P(LateRequests, SafeForm,
                         testing::Values(Shape{4, 3, 3, 120, true, true, true, 4, false, 1, true}));
INSTANTIATE_TEST_SUITE_P(LateHost, SafeForm, testing::Values(Shape{4, 3, 3, 120, true, true, true, 1, true, 1, true}));
INSTANTIATE_TEST_SUITE_P(LateAll, SafeForm, testing::Values(Shape{4, 4, 4, 160, true, true, true, 4, true, 4, true}));
INSTANTIATE_TEST_SUITE_P(LateSeconds, SafeForm,
                         testing::Values(Shape{5, 4, 4, 10'000'000'000, true, true, true, 3, true, 4, true}));

INSTANTIATE_TEST_SUITE_P(WorkOneElement, SafeForm,
                         testing::Values(Shape{3, 4, 1, 60, true, true, false, 1, false, 1, false, true}));
INSTANTIATE_TEST_SUITE_P(Work, SafeForm,
                         testing::Values(Shape{4, 5, 3, 90, true, true, false, 3, false, 3, false, true}));
INSTANTIATE_TEST_SUITE_P(WorkNeverCut, SafeForm,
                         testing::Values(Shape{4, 5, 3, 90, true, false, true, 1, false, 1, false, true}));
INSTANTIATE_TEST_SUITE_P(WorkAll, SafeForm,
                         testing::Values(Shape{4, 5, 4, 160, true, true, true, 4, true, 4, true, true}));

}  // namespace
}  // namespace samcl::analysis
