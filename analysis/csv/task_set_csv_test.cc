#include "analysis/csv/task_set_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/json/testing/replaced.h"
#include "analysis/sim/testing/random_set.h"

namespace samcl::analysis {
namespace {

using testing::HasSubstr;

const char* const kTwoTasks =
    "# cpus=4 pci=1 gpus=2\n"
    "task,period,deadline,priority,mode,resource,section,worst_1,worst_2\n"
    "\"a, \"\"first\"\"\",40ms,35ms,,2,CPU,,1500000,1500000\n"
    ",,,,,GPU,500us,9ms,5ms\n"
    "b,100ms,,,,PCI,,2ms,5ms\n";

std::string error_of(const std::string& text) {
  const auto document = parse_task_set_csv(text);
  return document ? "none" : document.error().message;
}

TEST(TaskSetCsv, IsReadLineByLine) {
  const auto document = parse_task_set_csv(kTwoTasks);
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ(document->modes, (Modes{2, 1}));
  const auto& tasks = document->set.tasks;
  EXPECT_EQ(tasks.at(0).name, "a, \"first\"");
  EXPECT_EQ(tasks.at(0).deadline, 35'000'000);
  EXPECT_EQ(tasks.at(0).stages.at(1).worst, (std::vector<Time>{9'000'000, 5'000'000}));
  EXPECT_EQ(tasks.at(0).stages.at(1).section, (std::vector<Time>{500'000, 500'000}));
  EXPECT_EQ(tasks.at(1).deadline, 100'000'000);
}

TEST(TaskSetCsv, WhatIsWrittenIsReadBack) {
  Random random(11);
  for (int round = 0; round < 50; ++round) {
    const Shape shape{
        .tasks = 5, .stages = 4, .elements = 3, .period = 100, .requests = 1 + round % 5, .threads = 1 + round % 3};
    const SmallSet small = random_set(shape, random);
    const TaskSetDocument document{small.set, small.modes};
    const auto again = parse_task_set_csv(format_task_set_csv(document));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(format_task_set(*again), format_task_set(document));
  }
}

TEST(TaskSetCsv, BoundDevicesAreReadAndWritten) {
  const char* const bound =
      "# cpus=1 gpus=2 bound=1\n"
      "task,period,deadline,priority,mode,resource,section,worst_1,worst_2,devices\n"
      "a,10,,,2,GPU,,2,1,1 0\n";
  const auto document = parse_task_set_csv(bound);
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ(document->set.platform.links, 2);
  EXPECT_EQ(document->set.tasks.at(0).devices, (std::vector<int>{1, 0}));
  const auto again = parse_task_set_csv(format_task_set_csv(*document));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(format_task_set(*again), format_task_set(*document));
  for (const auto& [bad, named] : {std::pair{"1,0", "1,0"}, {"1 ", ""}, {"one", "one"}, {"1  0", ""}})
    EXPECT_THAT(error_of(replaced(bound, "1 0\n", std::string("\"") + bad + "\"\n")),
                HasSubstr(std::string("line 3, devices: \"") + named + "\", expected a whole number"));
}

TEST(TaskSetCsv, HowTransfersWereTimedIsReadAndWritten) {
  for (const auto& [cell, links] : {std::pair{"busy", 100}, {"135", 135}, {"", 0}}) {
    const auto document =
        parse_task_set_csv(std::string("# cpus=1 gpus=2\ntask,period,links,resource,worst\na,10,") + cell + ",PCI,2\n");
    ASSERT_TRUE(document) << document.error().message;
    EXPECT_EQ(document->set.tasks.at(0).links, links);
    EXPECT_EQ(parse_task_set_csv(format_task_set_csv(*document))->set.tasks.at(0).links, links);
  }
}

TEST(TaskSetCsv, WhatIsEnforcedAndWhatStagesTakeTogetherIsReadAndWritten) {
  const char* const set =
      "# cpus=1 gpus=2 bound=1\n"
      "task,period,late,late_lease,early,work_1,work_2,resource,worst_1,worst_2\n"
      "a,10ms,1us,2us,3us,5ms,4ms,GPU,4ms,3ms\n"
      "a,,,,,,,CPU,1ms,1ms\n"
      "b,10ms,,,,2ms,2ms,CPU,2ms,2ms\n";
  const auto document = parse_task_set_csv(set);
  ASSERT_TRUE(document) << document.error().message;
  const Task& task = document->set.tasks.at(0);
  EXPECT_EQ(task.late, 1000);
  EXPECT_EQ(task.late_lease, 2000);
  EXPECT_EQ(task.early, 3000);
  EXPECT_EQ(task.work, (std::vector<Time>{5'000'000, 4'000'000}));
  const auto again = parse_task_set_csv(format_task_set_csv(*document));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(format_task_set(*again), format_task_set(*document));
  EXPECT_THAT(error_of(replaced(set, "4ms,GPU", "three,GPU")), HasSubstr("line 3, work_2: \"three\", expected a time"));
}

TEST(TaskSetCsv, AllFieldsAreReadAndWritten) {
  const char* const partitioned =
      "# cpus=2 gpus=1\n"
      "task,cpu,period,jitter,busy_waits,gpu_priority,resource,worst,host_1\n"
      "a,1,10us,2us,true,7,GPU,5us,1us\n";
  EXPECT_THAT(error_of(partitioned), HasSubstr("expected none for this analysis"));
  const auto document = parse_task_set_csv(partitioned, Model::partitioned);
  ASSERT_TRUE(document) << document.error().message;
  const Task& task = document->set.tasks.at(0);
  EXPECT_EQ(task.cpu, 1);
  EXPECT_EQ(task.gpu_priority, 7);
  EXPECT_TRUE(task.busy_waits);
  EXPECT_EQ(task.stages.at(0).host, std::vector<Time>{1000});
  const auto again = parse_task_set_csv(format_task_set_csv(*document), Model::partitioned);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(format_task_set(*again), format_task_set(*document));
}

TEST(TaskSetCsv, ErrorsNameLineAndColumn) {
  EXPECT_THAT(error_of(""), HasSubstr("line 1: \"\", expected the platform"));
  EXPECT_THAT(error_of(replaced(kTwoTasks, "gpus=2", "gpus=0")), HasSubstr("line 1, gpus: 0, expected 1 to 64"));
  EXPECT_THAT(error_of(replaced(kTwoTasks, ",worst_2", "")),
              HasSubstr("line 3, worst: 1 times, expected one for each of the 2 modes"));
  EXPECT_THAT(error_of(replaced(replaced(kTwoTasks, "worst_2", "worst_2,colour"), "9ms,5ms", "9ms,5ms,red")),
              HasSubstr("line 3, colour: unknown, expected one of name, period"));
  EXPECT_THAT(error_of(replaced(kTwoTasks, "period", "time")), HasSubstr("line 3, period: missing"));
  EXPECT_THAT(error_of(replaced(kTwoTasks, "9ms", "9 parsecs")),
              HasSubstr("line 4, worst_1: \"9 parsecs\", expected a time such as 40ms"));
  EXPECT_THAT(error_of(replaced(kTwoTasks, ",,,,,GPU", ",,,,,DMA")),
              HasSubstr("line 4, resource: \"DMA\", expected \"CPU\", \"PCI\" or \"GPU\""));
  EXPECT_THAT(error_of(replaced(kTwoTasks, "\"\"\",40ms", "\"\",40ms")), HasSubstr("expected a closing quote"));
  EXPECT_THAT(error_of(replaced(replaced(kTwoTasks, "worst_2", "worst_2,requests"), "9ms,5ms", "9ms,5ms,some")),
              HasSubstr("line 4, requests: \"some\", expected a whole number"));
  EXPECT_THAT(error_of(replaced(kTwoTasks, "35ms", "45ms")), HasSubstr("deadline: 45000000 ns, expected 1 to"));
}

}  // namespace
}  // namespace samcl::analysis
