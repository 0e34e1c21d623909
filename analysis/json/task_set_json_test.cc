#include "analysis/json/task_set_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/json/testing/replaced.h"
#include "base/duration.h"

namespace samcl::analysis {
namespace {

using testing::HasSubstr;

const char* const kCamera = R"({
  "platform": {"cpus": 4, "pci": 1, "gpus": 2},
  "tasks": [
    {"name": "camera", "period": "40ms", "deadline": 35000000, "priority": 3, "mode": 2,
     "stages": [{"resource": "CPU", "worst": "1.5ms"},
                {"resource": "PCI", "worst": [2000000, 5000000], "best": 7, "section": "500us"},
                {"resource": "GPU", "worst": ["9ms", "5ms"]}]}
  ]
})";

std::string error_of(const std::string& text) {
  const auto document = parse_task_set(text);
  return document ? "none" : document.error().message;
}

TEST(TaskSetJson, IsReadInNanoseconds) {
  const auto document = parse_task_set(kCamera);
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ(document->modes, Modes{2});
  EXPECT_EQ(document->set.platform.gpus, 2);
  const Task& camera = document->set.tasks.at(0);
  EXPECT_EQ(camera.period, 40'000'000);
  EXPECT_EQ(camera.deadline, 35'000'000);
  EXPECT_EQ(camera.priority, 3);
  EXPECT_EQ(camera.stages.at(0).worst, (std::vector<Time>{1'500'000, 1'500'000}));
  EXPECT_EQ(camera.stages.at(1).worst, (std::vector<Time>{2'000'000, 5'000'000}));
  EXPECT_EQ(camera.stages.at(1).best, (std::vector<Time>{7, 7}));
  EXPECT_EQ(camera.stages.at(1).section, (std::vector<Time>{500'000, 500'000}));
  EXPECT_EQ(camera.stages.at(2).worst, (std::vector<Time>{9'000'000, 5'000'000}));
}

TEST(TaskSetJson, WhatIsWrittenIsReadBack) {
  const std::string text = format_task_set(*parse_task_set(kCamera));
  const auto again = parse_task_set(text);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(format_task_set(*again), text);
}

TEST(TaskSetJson, RequestsAndWhatIsBetweenThemAreReadAndWritten) {
  const std::string text =
      replaced(kCamera, "\"section\": \"500us\"", "\"section\": \"500us\", \"requests\": 3, \"between\": [\"1us\", 2]");
  const auto document = parse_task_set(text);
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ(document->set.tasks.at(0).stages.at(1).requests, 3);
  EXPECT_EQ(document->set.tasks.at(0).stages.at(1).between, (std::vector<Time>{1000, 2}));
  const auto again = parse_task_set(format_task_set(*document));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(format_task_set(*again), format_task_set(*document));
  EXPECT_THAT(error_of(replaced(text, "\"requests\": 3", "\"requests\": \"often\"")),
              HasSubstr("/tasks/0/stages/1/requests: \"often\", expected"));
}

TEST(TaskSetJson, DeadlineIsThePeriodAndModeOneIfNotGiven) {
  const auto document = parse_task_set(replaced(replaced(kCamera, "\"deadline\": 35000000,", ""), "\"mode\": 2,", ""));
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ(document->set.tasks.at(0).deadline, 40'000'000);
  EXPECT_EQ(document->modes, Modes{1});
}

TEST(TaskSetJson, ErrorsNamePlaceAndExpectation) {
  EXPECT_THAT(error_of("{\n\"tasks\" 3}"), HasSubstr("line 2"));
  EXPECT_THAT(error_of("[]"), HasSubstr("expected an object"));
  EXPECT_THAT(error_of(replaced(kCamera, "\"period\"", "\"perod\"")), HasSubstr("/tasks/0/period: missing"));
  EXPECT_THAT(error_of(replaced(kCamera, "\"mode\"", "\"mood\"")), HasSubstr("/tasks/0/mood: unknown"));
  EXPECT_THAT(error_of(replaced(kCamera, "\"40ms\"", "\"40\"")), HasSubstr("/tasks/0/period: \"40\", expected"));
  EXPECT_THAT(error_of(replaced(kCamera, "\"40ms\"", "2.5")), HasSubstr("/tasks/0/period: 2.5, expected whole"));
  EXPECT_THAT(error_of(replaced(kCamera, "\"CPU\"", "\"DMA\"")),
              HasSubstr("/tasks/0/stages/0/resource: \"DMA\", expected \"CPU\", \"PCI\" or \"GPU\""));
  EXPECT_THAT(error_of(replaced(kCamera, "[2000000, 5000000]", "[1]")),
              HasSubstr("/tasks/0/stages/1/worst: 1 times, expected one for each of the 2 modes"));
  EXPECT_THAT(error_of(replaced(kCamera, "35000000", "99999999999999999999")), HasSubstr("/tasks/0/deadline"));
  EXPECT_THAT(error_of(replaced(kCamera, "\"gpus\": 2", "\"gpus\": 1000000000")), HasSubstr("/platform/gpus"));
}

const char* const kBound = R"({
  "platform": {"cpus": 1, "gpus": 2, "bound": true},
  "tasks": [{"name": "a", "period": 10, "mode": 2, "devices": [1, 0],
             "stages": [{"resource": "GPU", "worst": [2, 1]}]}]
})";

TEST(TaskSetJson, BoundDevicesAreReadAndWritten) {
  const auto document = parse_task_set(kBound);
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_TRUE(document->set.platform.bound);
  EXPECT_EQ(document->set.platform.links, 2);
  EXPECT_EQ(document->set.tasks.at(0).devices, (std::vector<int>{1, 0}));
  const std::string text = format_task_set(*document);
  EXPECT_EQ(format_task_set(*parse_task_set(text)), text);
}

TEST(TaskSetJson, BoundDevicesThatMakeNoSenseAreNamed) {
  EXPECT_THAT(error_of(replaced(kBound, "[1, 0]", "[]")),
              HasSubstr("/tasks/0/devices: [], expected a list of at least one GPU, from 0"));
  EXPECT_THAT(error_of(replaced(kBound, "[1, 0]", "[1, \"x\"]")), HasSubstr("/tasks/0/devices/1: \"x\""));
  EXPECT_THAT(error_of(replaced(kBound, "[1, 0]", "[1]")),
              HasSubstr("mode: 2, expected 1 to 1, the most GPUs that it can use"));
  EXPECT_THAT(error_of(replaced(kBound, "true", "1")), HasSubstr("/platform/bound: 1, expected true or false"));
  EXPECT_THAT(error_of(replaced(kBound, "\"bound\"", "\"pci\": 1, \"bound\"")),
              HasSubstr("platform, pci: 1, expected 2"));
}

TEST(TaskSetJson, NonsenseIsNamedByTaskAndField) {
  EXPECT_THAT(error_of(replaced(kCamera, "35000000", "45000000")),
              HasSubstr("task \"camera\", deadline: 45000000 ns, expected 1 to the period"));
  EXPECT_THAT(error_of(replaced(kCamera, "35000000", "-5")), HasSubstr("task \"camera\", deadline: -5 ns"));
  EXPECT_THAT(error_of(replaced(kCamera, "\"mode\": 2", "\"mode\": 3")),
              HasSubstr("task \"camera\", mode: 3, expected 1 to 2"));
  EXPECT_THAT(error_of(replaced(kCamera, "\"1.5ms\"", "0")),
              HasSubstr("task \"camera\", stage 1 (CPU), worst in mode 1: 0 ns, expected 1 to"));
  EXPECT_THAT(error_of(replaced(kCamera, "\"best\": 7", "\"best\": 3000000")),
              HasSubstr("task \"camera\", stage 2 (PCI), best in mode 1"));
}

TEST(TimeText, IsExact) {
  EXPECT_EQ(*parse_duration("40ms"), 40'000'000);
  EXPECT_EQ(*parse_duration("2.000000001 s"), 2'000'000'001);
  EXPECT_EQ(*parse_duration("0.10us"), 100);
  EXPECT_EQ(format_duration(40'000'000), "40 ms");
  EXPECT_EQ(format_duration(2'000'000'001), "2.000000001 s");
  EXPECT_EQ(format_duration(-1'050), "-1.05 us");
  EXPECT_EQ(format_duration(0), "0");
  for (const char* bad : {"", "40", "ms", "-3ms", "1..2ms", "0.5ns", "1e3ms", "9999999999999999999s", "40 minutes"})
    EXPECT_FALSE(parse_duration(bad)) << bad;
}

TEST(TaskSetJson, HowLateABudgetIsEnforcedIsReadAndWritten) {
  const auto document = parse_task_set(R"({"platform": {"cpus": 2, "gpus": 1}, "tasks": [{"name": "a", "period": "10ms",
      "late": "1.5ms", "stages": [{"resource": "CPU", "worst": "2ms"}]}]})");
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ(document->set.tasks.at(0).late, 1'500'000);
  EXPECT_EQ(parse_task_set(format_task_set(*document))->set.tasks.at(0).late, 1'500'000);
}

TEST(TaskSetJson, WhatStagesTakeTogetherIsReadAndWritten) {
  const auto document = parse_task_set(R"({"platform": {"cpus": 2, "gpus": 2}, "tasks": [{"name": "a", "period": "16ms",
      "work": ["3ms", "2.5ms"], "stages": [{"resource": "CPU", "worst": "2ms"}, {"resource": "GPU", "worst": "2ms"}]}]})");
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ(document->set.tasks.at(0).work_in(2), 2'500'000);
  EXPECT_EQ(parse_task_set(format_task_set(*document))->set.tasks.at(0).work, document->set.tasks.at(0).work);
}

TEST(TaskSetJson, HowEarlyAJobMaySeemIsReadAndWritten) {
  const auto with = [](const std::string& fields) {
    return parse_task_set(R"({"platform": {"cpus": 2, "gpus": 1}, "tasks": [{"name": "a", "period": "16ms")" + fields +
                          R"(, "stages": [{"resource": "CPU", "worst": "2ms"}]}]})");
  };
  const auto document = with(R"(, "late": "1ms", "early": "3ms")");
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ(document->set.tasks.at(0).tolerated(), 3'000'000);
  EXPECT_EQ(parse_task_set(format_task_set(*document))->set.tasks.at(0).early, 3'000'000);
  EXPECT_EQ(with(R"(, "late": "1ms", "early": "0.5ms")")->set.tasks.at(0).tolerated(), 1'000'000) << "a sixteenth";
  EXPECT_THAT(with(R"(, "early": "3ms")").error().message,
              HasSubstr("task \"a\", early: 3000000 ns, expected none without late"));
}

TEST(TaskSetJson, HowTransfersWereTimedIsReadAndWritten) {
  const auto with = [](const std::string& links) {
    return parse_task_set(
        R"({"platform": {"cpus": 1, "gpus": 2}, "tasks": [{"name": "a", "period": "10ms", "links": )" + links +
        R"(, "stages": [{"resource": "PCI", "worst": "2ms"}]}]})");
  };
  for (const auto& [links, expected] : {std::pair{"\"idle\"", 0}, {"\"busy\"", 100}, {"100", 100}, {"135", 135}}) {
    const auto document = with(links);
    ASSERT_TRUE(document) << document.error().message;
    EXPECT_EQ(document->set.tasks.at(0).links, expected);
    EXPECT_EQ(parse_task_set(format_task_set(*document))->set.tasks.at(0).links, expected);
  }
  for (const char* bad : {"99", "0", "-1", "1.35", "true", "\"135\"", "100001"})
    EXPECT_THAT(with(bad).error().message, HasSubstr("links")) << bad;
}

TEST(TaskSetJson, ThreadsAreReadAndWritten) {
  const std::string text = R"({"platform": {"cpus": 1, "gpus": 2}, "tasks": [{"name": "a",
      "period": "10ms", "stages": [{"resource": "CPU", "worst": "2ms", "threads": [1, 2]}]}]})";
  const auto document = parse_task_set(text);
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_THAT(document->set.tasks.at(0).stages.at(0).threads, ::testing::ElementsAre(1, 2));
  const auto again = parse_task_set(format_task_set(*document));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_THAT(again->set.tasks.at(0).stages.at(0).threads, ::testing::ElementsAre(1, 2));
}

TEST(TaskSetJson, SectionsAreOneForAllModesOrOneForEach) {
  const std::string text = replaced(kCamera, "\"section\": \"500us\"", "\"section\": [\"500us\", \"1ms\"]");
  const auto document = parse_task_set(text);
  ASSERT_TRUE(document) << document.error().message;
  const Stage& stage = document->set.tasks.at(0).stages.at(1);
  EXPECT_EQ(stage.section_in(1), 500'000);
  EXPECT_EQ(stage.section_in(2), 1'000'000);
  EXPECT_EQ(parse_task_set(format_task_set(*document))->set.tasks.at(0).stages.at(1).section, stage.section);
}

TEST(TaskSetJson, CpuTimeOfSectionsIsReadAndWritten) {
  const std::string text = R"({"platform": {"cpus": 1, "gpus": 2, "bound": true}, "tasks": [{"name": "a",
      "period": "10ms", "stages": [{"resource": "GPU", "worst": "2ms", "host": ["200us", 9], "host_section": [7, 0]}]}]})";
  const auto document = parse_task_set(text);
  ASSERT_TRUE(document) << document.error().message;
  const Stage& stage = document->set.tasks.at(0).stages.at(0);
  EXPECT_THAT(stage.host, ::testing::ElementsAre(200'000, 9));
  EXPECT_THAT(stage.host_section, ::testing::ElementsAre(7, 0));
  const auto again = parse_task_set(format_task_set(*document));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->set.tasks[0].stages[0].host, stage.host);
  EXPECT_EQ(again->set.tasks[0].stages[0].host_section, stage.host_section);
}

}  // namespace
}  // namespace samcl::analysis
