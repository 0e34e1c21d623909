#include "tools/sam-profile/jobs.h"

#include <gmock/gmock.h>

#include <random>

#include "tools/sam-profile/commands_test.h"

namespace samcl::profile {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// 'U', 'D': transfers of 10 ns; other letters: kernels of 10 ns; '.': nothing for 100 ns; between commands 1
// ns.
Trace trace_of(const std::string& script) {
  Trace trace;
  Time now = 1000;
  for (const char c : script) {
    if (c == '.') {
      now += 100;
      continue;
    }
    trace.commands.push_back(c == 'U'   ? transfer(kWrite, now, now + 10)
                             : c == 'D' ? transfer(kRead, now, now + 10)
                                        : launch(std::string(1, c), now, now + 10));
    now += 11;
  }
  return trace;
}

std::string repeated(const std::string& script, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += script;
  return all;
}

// Each job's commands as letters.
std::vector<std::string> letters(const Segmentation& segmentation) {
  std::vector<std::string> jobs;
  for (const Job& job : segmentation.jobs) {
    std::string text;
    for (const Command& command : job.commands)
      text += command.type == kWrite ? "U" : command.type == kRead ? "D" : command.kernel;
    jobs.push_back(text);
  }
  return jobs;
}

TEST(Jobs, MarksSayWhereTheyBeginAndEnd) {
  Trace trace = trace_of("UUKD.UKD");  // U at 1000, jobs' commands from 1011 and from 1144
  trace.marks = {{true, 1005}, {false, 1100}, {true, 1110}, {false, 1200}, {true, 1300}};
  const Segmentation segmentation = split_into_jobs(trace, std::nullopt);
  EXPECT_EQ(segmentation.how, Boundaries::marks);
  EXPECT_THAT(letters(segmentation), ElementsAre("UKD", "UKD")) << "a job that does not end is none";
  EXPECT_EQ(segmentation.jobs[0].begin, 1005);
  EXPECT_EQ(segmentation.jobs[0].end, 1100);
  EXPECT_EQ(segmentation.outside, 1u);
}

TEST(Jobs, AMarkedJobMayHaveNoCommand) {
  Trace trace = trace_of("UKD");
  trace.marks = {{true, 10}, {false, 20}, {true, 500}, {false, 2000}};
  EXPECT_THAT(letters(split_into_jobs(trace, std::nullopt)), ElementsAre("", "UKD"));
}

TEST(Jobs, ARepeatedPatternIsAJob) {
  const Segmentation segmentation = split_into_jobs(trace_of("F" + repeated(".UKLD", 5)), std::nullopt);
  EXPECT_EQ(segmentation.how, Boundaries::pattern);
  EXPECT_THAT(letters(segmentation), ElementsAre("UKLD", "UKLD", "UKLD", "UKLD", "UKLD"));
  EXPECT_EQ(segmentation.outside, 1u);
  EXPECT_THAT(segmentation.words, HasSubstr("4 commands come 5 times"));
  EXPECT_EQ(segmentation.jobs[0].end - segmentation.jobs[0].begin, 43);
}

TEST(Jobs, APatternBeginsWhereTheProgramPauses) {
  // To the pattern alone "DUK" would do as well.
  const Segmentation segmentation = split_into_jobs(trace_of("D" + repeated(".UKD", 6)), std::nullopt);
  EXPECT_THAT(letters(segmentation), AllOf(SizeIs(6), Each("UKD")));
}

TEST(Jobs, LoopsInsideAJobAreNotJobs) {
  const std::string job = ".U" + repeated("KL", 20) + "D";
  const Segmentation segmentation = split_into_jobs(trace_of(repeated(job, 4)), std::nullopt);
  EXPECT_EQ(segmentation.how, Boundaries::pattern);
  EXPECT_THAT(letters(segmentation), AllOf(SizeIs(4), Each(job.substr(1))));
}

TEST(Jobs, WherePatternsDifferPausesTell) {
  const Segmentation segmentation = split_into_jobs(trace_of("UKD.UKKKD.UKKD.UKKKKKD.UKKKKD"), std::nullopt);
  EXPECT_EQ(segmentation.how, Boundaries::gaps);
  EXPECT_THAT(letters(segmentation), ElementsAre("UKD", "UKKKD", "UKKD", "UKKKKKD", "UKKKKD"));
  EXPECT_EQ(segmentation.outside, 0u);
}

TEST(Jobs, WithoutMarksPatternOrPausesThereIsOne) {
  const Segmentation segmentation = split_into_jobs(trace_of("UKLMND"), std::nullopt);
  EXPECT_EQ(segmentation.how, Boundaries::none);
  EXPECT_THAT(letters(segmentation), ElementsAre("UKLMND"));
}

TEST(Jobs, AnExpectedNumberDecides) {
  const Trace trace = trace_of(repeated(".UKD", 6));
  EXPECT_THAT(letters(split_into_jobs(trace, 3)), AllOf(SizeIs(3), Each("UKDUKD")));
  EXPECT_THAT(letters(split_into_jobs(trace, 2)), AllOf(SizeIs(2), Each("UKDUKDUKD")));
  EXPECT_THAT(letters(split_into_jobs(trace, 1)), AllOf(SizeIs(1), Each(repeated("UKD", 6))));
  const Segmentation pauses = split_into_jobs(trace_of("UKD..UKKKD.KD..UKKD"), 3);
  EXPECT_EQ(pauses.how, Boundaries::gaps);
  EXPECT_THAT(letters(pauses), ElementsAre("UKD", "UKKKDKD", "UKKD"));
}

TEST(Jobs, NothingIsNoJob) {
  EXPECT_THAT(split_into_jobs(Trace{}, std::nullopt).jobs, SizeIs(0));
  EXPECT_THAT(split_into_jobs(Trace{}, 5).jobs, SizeIs(0));
}

TEST(Repetition, IsTheLongestWithTheShortestPeriod) {
  const Repetition found = find_repetition({9, 1, 2, 1, 2, 1, 2, 1, 7}, std::nullopt);
  EXPECT_EQ(found.begin, 1u);
  EXPECT_EQ(found.period, 2u);
  EXPECT_EQ(found.length, 7u);
}

TEST(Repetition, TwiceIsChanceUnlessExpected) {
  EXPECT_EQ(find_repetition({1, 2, 3, 1, 2, 3}, std::nullopt).period, 0u);
  EXPECT_EQ(find_repetition({1, 2, 3, 1, 2, 3}, 2).period, 3u);
}

TEST(Repetition, AnyRandomJobIsFoundAgain) {
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    const size_t period = 1 + random() % 30, repeats = 3 + random() % 20, before = random() % 5;
    std::vector<unsigned> job(period), all;
    // A symbol that comes once per job: no shorter repetition is as long.
    for (size_t i = 0; i < period; ++i) job[i] = i == 0 ? 100 : static_cast<unsigned>(random() % 3);
    for (size_t i = 0; i < before; ++i) all.push_back(200 + static_cast<unsigned>(i));
    for (size_t i = 0; i < repeats; ++i) all.insert(all.end(), job.begin(), job.end());
    const Repetition found = find_repetition(all, std::nullopt);
    ASSERT_EQ(found.period, period) << "seed " << seed << ", round " << round;
    ASSERT_EQ(found.begin, before) << "seed " << seed << ", round " << round;
    ASSERT_EQ(found.length, period * repeats) << "seed " << seed << ", round " << round;
  }
}

}  // namespace
}  // namespace samcl::profile
