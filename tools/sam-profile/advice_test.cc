#include "tools/sam-profile/advice.h"

#include <gmock/gmock.h>

namespace samcl::profile {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Time kMs = 1'000'000;

// One whose times give no reason to complain.
ModeProfile mode_of(unsigned gpus, Time host, Time transfers, Time kernels) {
  ModeProfile mode;
  mode.gpus = mode.gpus_used = gpus;
  mode.jobs = 100;
  mode.boundaries = Boundaries::marks;
  mode.host = host;
  mode.transfers = transfers;
  mode.kernels = kernels;
  const Time length = host + transfers + kernels;
  mode.length = {100, length, length, length, length};
  mode.managed = true;
  return mode;
}

Profile profile_of(const ModeProfile& mode) { return {{mode}, {}}; }

TEST(Verdict, OnOneGpuIsWhatAJobTakes) {
  const ModeProfile one = mode_of(1, 1 * kMs, 2 * kMs, 7 * kMs);
  EXPECT_EQ(verdict(one, one), "1 GPU: a job takes 10.00 ms; kernels take 70% of it, transfers 20%, the host 10%.");
}

TEST(Verdict, SplittingPaysAndTransfersLimitIt) {
  EXPECT_EQ(verdict(mode_of(2, 1 * kMs, 3 * kMs, 4 * kMs), mode_of(1, 1 * kMs, 2 * kMs, 7 * kMs)),
            "2 GPUs: a job takes 8.00 ms, 0.80 of that on 1 GPU; kernels take 50% of it, transfers 38%, the "
            "host 13%. "
            "Splitting pays; what limits it are the transfers (2.00 ms on 1 GPU, 3.00 ms here).");
}

TEST(Verdict, SplittingDoesNotPayWhereTransfersGrow) {
  EXPECT_THAT(verdict(mode_of(2, 0, 30 * kMs, 1 * kMs), mode_of(1, 0, 2 * kMs, 2 * kMs)),
              HasSubstr("Splitting does not pay: what costs more than is gained are the transfers"));
}

TEST(Verdict, KernelsThatDoNotScaleLimit) {
  EXPECT_THAT(verdict(mode_of(2, 0, 1 * kMs, 8 * kMs), mode_of(1, 0, 1 * kMs, 10 * kMs)),
              HasSubstr("the kernels, which take 0.80 of their time on 1 GPU, not 0.50"));
}

TEST(Verdict, KernelsThatWereNotSplitSayWhy) {
  ModeProfile two = mode_of(2, 0, 1 * kMs, 10 * kMs);
  two.gpus_used = 1;
  two.why_not_more = {{"count", "uses atomics on global memory"}};
  EXPECT_THAT(verdict(two, mode_of(1, 0, 1 * kMs, 10 * kMs)),
              HasSubstr("No kernel ran on more GPUs (count: uses atomics on global memory)."));
}

TEST(Warnings, MeasuredMaximaAreNeverAProof) {
  EXPECT_THAT(warnings(profile_of(mode_of(1, 0, 0, kMs)), 20),
              ElementsAre("the worst-case times are the longest seen and 20%: estimates from these runs, no proof"));
}

TEST(Warnings, ThreadsOfOrdinaryPriority) {
  ModeProfile mode = mode_of(1, 0, 0, kMs);
  EXPECT_THAT(warnings(profile_of(mode), 20), Not(Contains(HasSubstr("real-time"))));
  mode.realtime = false;
  EXPECT_THAT(warnings(profile_of(mode), 20), Contains(HasSubstr("on 1 GPU its threads had no real-time priority")));
}

TEST(Warnings, FewJobs) {
  ModeProfile mode = mode_of(1, 0, 0, kMs);
  mode.jobs = 29;
  EXPECT_THAT(warnings(profile_of(mode), 20), Contains(HasSubstr("only 29 jobs were measured")));
}

TEST(Warnings, WideTimesOfAStageThatMatters) {
  Profile profile = profile_of(mode_of(1, 0, 0, kMs));
  StageProfile stage;
  stage.resource = analysis::Resource::gpu;
  stage.what = "smooth";
  stage.by_mode[1] = {100, 3 * kMs, kMs, kMs, kMs};
  profile.stages = {stage};
  EXPECT_THAT(warnings(profile, 20), Contains(HasSubstr("stage 1 (smooth) on 1 GPU took up to 3.00 times its median")));
  profile.stages[0].by_mode[1] = {100, 300, 100, 100, 100};
  EXPECT_THAT(warnings(profile, 20), Not(Contains(HasSubstr("smooth"))));
}

TEST(Warnings, StagesThatAreLongestInDifferentJobs) {
  Profile profile = profile_of(mode_of(1, 0, 0, 4 * kMs));
  StageProfile stage;
  stage.by_mode[1] = {100, 3 * kMs, 2 * kMs, 2 * kMs, kMs};
  profile.stages = {stage, stage};
  EXPECT_THAT(warnings(profile, 20),
              Contains(HasSubstr("on 1 GPU the stages' longest times, each from the job where it "
                                 "was longest, are 1.50 times the longest job together")));
  profile.stages[1].by_mode[1].worst = kMs;
  EXPECT_THAT(warnings(profile, 20), Not(Contains(HasSubstr("the stages' longest times"))));
}

TEST(Warnings, LinksThatWereIdleMeanwhile) {
  const ModeProfile two = mode_of(2, 0, 1 * kMs, 10 * kMs);
  ModeProfile one = mode_of(1, 0, 1 * kMs, 10 * kMs);
  Profile profile = profile_of(one);
  profile.modes = {one, two};
  EXPECT_THAT(warnings(profile, 20), Contains(HasSubstr("while other links were idle")));
  profile.modes[0].beside = 1;
  EXPECT_THAT(warnings(profile, 20), Not(Contains(HasSubstr("while other links were idle"))));
}

TEST(Warnings, CpuTimeThatIsNotKnown) {
  Profile profile = profile_of(mode_of(1, 0, 0, kMs));
  StageProfile stage;
  stage.by_mode[1] = {100, kMs, kMs, kMs, kMs};
  stage.host[1] = 500;
  profile.stages = {stage, stage};
  EXPECT_THAT(warnings(profile, 20), Not(Contains(HasSubstr("the CPU time"))));
  profile.stages[1].host[1] = kNotTold;
  EXPECT_THAT(warnings(profile, 20), Contains(HasSubstr("the CPU time that 1 of the 2 stages need is not known")));
}

TEST(Warnings, EverythingElseThatSpeaksAgainstTheNumbers) {
  ModeProfile mode = mode_of(3, 0, 0, kMs);
  mode.boundaries = Boundaries::none;
  mode.dropped = 7;
  mode.same_launches = false;
  mode.managed = false;
  mode.overlap = kMs / 2;
  const auto list = warnings(profile_of(mode), 20);
  for (const char* words :
       {"7 records did not fit", "nothing tells jobs apart", "jobs differ in the kernels", "50% longer than the job",
        "no manager was there", "without marks", "modes that were not measured"})
    EXPECT_THAT(list, Contains(HasSubstr(words)));
}

}  // namespace
}  // namespace samcl::profile
