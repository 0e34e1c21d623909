#include "tools/sam-profile/profile.h"

#include <gmock/gmock.h>

#include "analysis/rta/response_time.h"
#include "tools/sam-profile/commands_test.h"

namespace samcl::profile {
namespace {

using analysis::Resource;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A job that uploads for 10, computes for `kernel` and downloads for 20, with 5 of host time before each.
Job job_of(Time begin, Time kernel, const std::string& name = "k") {
  Time now = begin;
  Job job{begin, begin, {}};
  const auto next = [&](Time length) {
    const Time start = now + 5;
    now = start + length;
    return std::pair{start, now};
  };
  const auto [write_begin, write_end] = next(10);
  job.commands.push_back(transfer(kWrite, write_begin, write_end));
  const auto [kernel_begin, kernel_end] = next(kernel);
  job.commands.push_back(launch(name, kernel_begin, kernel_end));
  const auto [read_begin, read_end] = next(20);
  job.commands.push_back(transfer(kRead, read_begin, read_end));
  job.end = now;
  return job;
}

Measurement measurement(unsigned gpus, std::vector<Job> jobs) {
  Measurement measured;
  measured.gpus = gpus;
  measured.segmentation.how = Boundaries::pattern;
  measured.segmentation.jobs = std::move(jobs);
  measured.managed = true;
  return measured;
}

Profile profile_of(const std::vector<Measurement>& measurements, size_t warmup = 0) {
  return make_profile(measurements, warmup).value();
}

TEST(Samples, OfTimes) {
  const Samples samples = samples_of({4, 1, 10, 2});
  EXPECT_EQ(samples.count, 4u);
  EXPECT_EQ(samples.worst, 10);
  EXPECT_EQ(samples.mean, 4);
  EXPECT_EQ(samples.median, 2);
  EXPECT_EQ(samples.best, 1);
}

TEST(MakeProfile, StagesAreInTheJobsOrderWithTheTimesOfEveryMode) {
  const Profile profile = profile_of(
      {measurement(2, {job_of(0, 60), job_of(1000, 50)}), measurement(1, {job_of(0, 100), job_of(1000, 120)})});
  std::vector<Resource> resources;
  for (const StageProfile& stage : profile.stages) resources.push_back(stage.resource);
  EXPECT_THAT(resources,
              ElementsAre(Resource::cpu, Resource::link, Resource::cpu, Resource::gpu, Resource::cpu, Resource::link));
  const StageProfile& kernel = profile.stages[3];
  EXPECT_EQ(kernel.what, "k");
  EXPECT_EQ(kernel.by_mode.at(1).worst, 120);
  EXPECT_EQ(kernel.by_mode.at(1).best, 100);
  EXPECT_EQ(kernel.by_mode.at(2).worst, 60);
  EXPECT_EQ(profile.modes[0].gpus, 1u);
  EXPECT_EQ(profile.modes[0].length.worst, 165);
  EXPECT_TRUE(profile.modes[0].same_launches);
}

// Two uploads with the host at work between them, and a kernel.
Job two_uploads(Time pause) {
  Job job{0, 100, {}};
  job.commands = {transfer(kWrite, 0, 10), transfer(kWrite, 10 + pause, 20 + pause), launch("k", 60, 100)};
  return job;
}

TEST(MakeTask, RequestsAndTheHostsTimeBetweenThemAreTheMostSeen) {
  const Profile profile = profile_of(
      {measurement(1, {two_uploads(10), two_uploads(30)}), measurement(3, {two_uploads(0), two_uploads(20)})});
  TaskParameters parameters;
  parameters.name = "t";
  parameters.margin_percent = 50;
  const auto task = make_task(profile, parameters);
  ASSERT_TRUE(task) << task.error().message;
  const analysis::Stage& uploads = task->set.tasks[0].stages[0];
  EXPECT_EQ(uploads.resource, Resource::link);
  EXPECT_EQ(uploads.requests, 2);
  EXPECT_THAT(uploads.between, ElementsAre(45, 45, 30)) << "on two GPUs nobody measured";
  EXPECT_THAT(uploads.worst, ElementsAre(30, 30, 30));
}

TEST(MakeTask, TransfersTakeLongerByTheFactorThatOtherLinksMakeThem) {
  const Profile profile = profile_of({measurement(1, {job_of(0, 100)})});
  TaskParameters parameters;
  parameters.name = "t";
  parameters.margin_percent = 0;
  const auto idle = make_task(profile, parameters);
  parameters.links = 135;
  const auto factor = make_task(profile, parameters);
  ASSERT_TRUE(idle && factor);
  EXPECT_EQ(idle->set.tasks[0].links, analysis::kIdleLinks);
  EXPECT_EQ(factor->set.tasks[0].links, 135);
  const auto& before = idle->set.tasks[0].stages;
  const auto& after = factor->set.tasks[0].stages;
  ASSERT_EQ(before.size(), after.size());
  std::vector<Time> transfers;
  for (size_t i = 0; i < before.size(); ++i)
    if (before[i].resource == Resource::link)
      transfers.push_back(after[i].worst[0]);
    else
      EXPECT_EQ(after[i].worst, before[i].worst);
  EXPECT_THAT(transfers, ElementsAre(14, 27)) << "10 and 20 before";
}

TEST(MakeProfile, WarmUpIsLeftOut) {
  const Profile profile = profile_of({measurement(1, {job_of(0, 9000), job_of(10000, 100)})}, 1);
  EXPECT_EQ(profile.modes[0].jobs, 1u);
  EXPECT_EQ(profile.stages[3].by_mode.at(1).worst, 100);
}

TEST(MakeProfile, NoJobLeftIsAnError) {
  const auto profile = make_profile({measurement(1, {job_of(0, 1)})}, 1);
  ASSERT_FALSE(profile);
  EXPECT_THAT(profile.error().message, HasSubstr("1 jobs were seen, and 1 of them are warm-up"));
}

TEST(MakeProfile, WhereJobsDifferTheLongestSeriesHasTheWorstOfAllAtEachPlace) {
  // The second job launches l after k: 30 each; the first k alone: 100.
  Job two = job_of(1000, 30);
  two.commands.insert(two.commands.begin() + 2, launch("l", 1055, 1085));
  two.commands[3] = transfer(kRead, 1090, 1110);
  two.end = 1110;
  const Profile profile = profile_of({measurement(1, {job_of(0, 100), two})});
  EXPECT_FALSE(profile.modes[0].same_launches);
  std::vector<std::string> kernels;
  std::vector<Time> worst, best;
  for (const StageProfile& stage : profile.stages) {
    if (stage.resource != Resource::gpu) continue;
    kernels.push_back(stage.what);
    worst.push_back(stage.by_mode.at(1).worst);
    best.push_back(stage.by_mode.at(1).best);
  }
  EXPECT_THAT(kernels, ElementsAre("k", "l"));
  EXPECT_THAT(worst, ElementsAre(100, 30));
  EXPECT_THAT(best, ElementsAre(30, 0)) << "the first job does without l";
  // Of each job every part is at some place: none needs more than the task.
  Time all = 0;
  for (const StageProfile& stage : profile.stages) all += stage.by_mode.at(1).worst;
  EXPECT_GE(all, profile.modes[0].length.worst);
}

TEST(MakeTask, TheAnalysisTakesIt) {
  const Profile profile = profile_of({measurement(1, {job_of(0, 100)}), measurement(2, {job_of(0, 60)})});
  const auto task = make_task(
      profile, {.name = "vision", .period = 1000, .deadline = 400, .priority = 7, .margin_percent = 20, .cpus = 4});
  ASSERT_TRUE(task) << task.error().message;
  const auto parsed = analysis::parse_task_set(analysis::format_task_set(*task));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->set.tasks[0].name, "vision");
  EXPECT_EQ(parsed->set.tasks[0].priority, 7);
  EXPECT_EQ(parsed->modes[0], 2) << "the fastest";
  const auto bounds = analysis::analyse(parsed->set, parsed->modes, analysis::Form::safe);
  EXPECT_TRUE(bounds.schedulable);
}

// No job is longest everywhere: 10 + 200 + 20, and 90 + 100 + 20, each with 15 of the host's.
TEST(MakeTask, StagesTakeTogetherWhatTheyTookInOneJob) {
  Job long_upload = job_of(0, 100);
  for (size_t i = 0; i < long_upload.commands.size(); ++i) {
    Command& command = long_upload.commands[i];
    if (i > 0) command.queued += 80;
    command.ended += 80;
    for (Span& span : command.spans) {
      if (i > 0) span.begin += 80;
      span.end += 80;
    }
  }
  long_upload.end += 80;
  const Profile profile = profile_of({measurement(1, {job_of(0, 200), long_upload})});
  EXPECT_EQ(profile.modes[0].work, 10 + 200 + 20 + 15);
  TaskParameters parameters{.name = "t", .margin_percent = 10};
  EXPECT_THAT(make_task(profile, parameters)->set.tasks[0].work, ElementsAre(270)) << "269.5";
  parameters.links = 200;
  EXPECT_THAT(make_task(profile, parameters)->set.tasks[0].work, ElementsAre(270 + 99 + 22)) << "transfers take twice";
}

TEST(MakeTask, TimesHaveTheirMarginRoundedToTheSafeSide) {
  const auto task = make_task(profile_of({measurement(1, {job_of(0, 101)})}), {.name = "t", .margin_percent = 10});
  const analysis::Stage& kernel = task->set.tasks[0].stages[3];
  EXPECT_THAT(kernel.worst, ElementsAre(112)) << "111.1";
  EXPECT_THAT(kernel.best, ElementsAre(91)) << "91.8";
  EXPECT_THAT(kernel.section, IsEmpty()) << "not cut";
}

// Of a job whose kernel takes 100 or 60 ms, in slices of these times.
std::vector<Time> sections_with_slices(Time in_mode_1, Time in_mode_2) {
  constexpr Time kMs = 1'000'000;
  Job sliced = job_of(0, 100 * kMs), longer = job_of(0, 60 * kMs);
  sliced.commands[1].spans = {gpu(0, sliced.commands[1].queued, sliced.commands[1].ended, 20, in_mode_1)};
  longer.commands[1].spans = {gpu(0, longer.commands[1].queued, longer.commands[1].ended, 10, in_mode_2)};
  const auto task =
      make_task(profile_of({measurement(1, {sliced}), measurement(2, {longer})}), {.name = "t", .margin_percent = 50});
  return task->set.tasks[0].stages[3].section;
}

TEST(MakeTask, SectionsAreTheLongestOfEachMode) {
  EXPECT_THAT(sections_with_slices(6'000'000, 8'000'000), ElementsAre(18'000'000, 24'000'000))
      << "two slices, and half";
}

TEST(MakeTask, SectionsAreNoShorterThanWhatMayBeInFlight) {
  EXPECT_THAT(sections_with_slices(60'000, 80'000), ElementsAre(1'000'000, 1'000'000));
  const auto task = make_task(profile_of({measurement(1, {job_of(0, 100)})}), {.name = "t", .margin_percent = 0});
  EXPECT_THAT(task->set.tasks[0].stages[3].section, IsEmpty()) << "all of it may be in flight";
}

TEST(MakeTask, CpuTimeHasItsMarginAndIsToldOnlyWhereAllOfItIsKnown) {
  Job known = job_of(0, 100), silent = job_of(1000, 100);
  for (Command& command : known.commands)
    for (Span& span : command.spans) span.host = span.longest_piece_cpu = 10;
  const auto gpu_stage = [](const std::vector<Job>& jobs) {
    return make_task(profile_of({measurement(1, jobs)}), {.name = "t", .margin_percent = 20})->set.tasks[0].stages[3];
  };
  EXPECT_THAT(gpu_stage({known}).host, ElementsAre(12));
  EXPECT_THAT(gpu_stage({known, silent}).host, ::testing::IsEmpty());
}

TEST(MakeTask, MergingIsAStageOfItsOwnInItsThreads) {
  const auto merged = [](unsigned devices) {
    Job job{0, 300, {{kKernel, "k", 0, 200, {}}}};
    for (unsigned device = 0; device < devices; ++device) {
      job.commands[0].spans.push_back(gpu(device, 0, 100));
      if (devices > 1) job.commands[0].spans.push_back(merging(device, 110, 200));
    }
    return job;
  };
  const Profile profile = profile_of({measurement(1, {merged(1)}), measurement(2, {merged(2)})});
  const auto task = make_task(profile, {.name = "t", .margin_percent = 0});
  ASSERT_TRUE(task) << task.error().message;
  const auto& stages = task->set.tasks[0].stages;
  ASSERT_THAT(stages, SizeIs(4));
  EXPECT_THAT(stages[1].worst, ElementsAre(200, 1)) << "the host's own";
  EXPECT_EQ(profile.stages[2].what, "merging");
  EXPECT_EQ(stages[2].resource, Resource::cpu);
  EXPECT_THAT(stages[2].worst, ElementsAre(1, 100));
  EXPECT_THAT(stages[2].threads, ElementsAre(1, 2));
  EXPECT_THAT(stages[3].worst, ElementsAre(1, 100)) << "the host's own, after merging";
  EXPECT_THAT(stages[3].threads, ::testing::IsEmpty());
}

TEST(MakeTask, ModesThatWereNotMeasuredHaveTheWorseOfTheirNeighbours) {
  const Profile profile =
      profile_of({measurement(1, {job_of(0, 100)}), measurement(2, {job_of(0, 60)}), measurement(4, {job_of(0, 70)})});
  const auto task = make_task(profile, {.name = "t", .margin_percent = 0});
  EXPECT_THAT(task->set.tasks[0].stages[3].worst, ElementsAre(100, 60, 70, 70));
  EXPECT_THAT(task->set.tasks[0].stages[3].best, ElementsAre(100, 60, 60, 70));
  EXPECT_EQ(task->set.platform.gpus, 4);
}

TEST(MakeTask, WithoutAPeriodItIsTwiceTheLongest) {
  const auto task = make_task(profile_of({measurement(1, {job_of(0, 100)})}), {.name = "t", .margin_percent = 0});
  EXPECT_EQ(task->set.tasks[0].period, 2 * 145);
  EXPECT_EQ(task->set.tasks[0].deadline, 2 * 145);
}

TEST(MakeTask, WhatTheAnalysisWouldRefuseIsAnError) {
  const auto task =
      make_task(profile_of({measurement(1, {job_of(0, 100)})}), {.name = "t", .period = 10, .deadline = 20});
  ASSERT_FALSE(task);
  EXPECT_THAT(task.error().message, HasSubstr("deadline"));
}

}  // namespace
}  // namespace samcl::profile
