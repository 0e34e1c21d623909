#include "tools/sam-ctl/registration.h"

#include <gmock/gmock.h>

#include "sam-manager/planning/profile.h"

namespace samcl::ctl {
namespace {

using ::testing::HasSubstr;

std::string profile_of(int stages) {
  std::string text = R"({"platform": {"cpus": 1, "gpus": 2}, "tasks": [{"name": "camera", "period": "40ms",
      "deadline": "30ms", "stages": [)";
  for (int i = 0; i < stages; ++i)
    text += std::string(i == 0 ? "" : ", ") + R"({"resource": "GPU", "worst": ["9ms", "5ms"]})";
  return text + "]}]}";
}

Registration registration(const std::string& profile) {
  Registration camera;
  camera.name = "camera";
  camera.priority = 7;
  camera.profile = profile;
  return camera;
}

TEST(Registration, TimesComeFromTheProfileUnlessGiven) {
  Registration camera = registration(profile_of(1));
  auto task = make_task(camera);
  ASSERT_TRUE(task) << task.error().message;
  EXPECT_EQ(task->period_ns, 40'000'000u);
  EXPECT_EQ(task->deadline_ns, 30'000'000u);
  camera.period = "20ms";
  task = make_task(camera);
  ASSERT_TRUE(task) << task.error().message;
  EXPECT_EQ(task->deadline_ns, 20'000'000u) << "the profile's deadline belongs to its own period";
}

TEST(Registration, DeadlineIsThePeriodUnlessGiven) {
  Registration camera = registration("");
  camera.period = "40ms";
  ASSERT_TRUE(make_task(camera));
  EXPECT_EQ(make_task(camera)->deadline_ns, 40'000'000u);
  camera.deadline = "35ms";
  EXPECT_EQ(make_task(camera)->deadline_ns, 35'000'000u);
}

TEST(Registration, TimesAreANanosecondToADay) {
  Registration camera = registration("");
  for (const char* right : {"1ns", "86400s", "40ms"}) {
    camera.period = right;
    EXPECT_TRUE(make_task(camera)) << right;
  }
  for (const char* wrong : {"0ns", "86401s", "-1ms", "40", "soon"}) {
    camera.period = wrong;
    const auto task = make_task(camera);
    ASSERT_FALSE(task) << wrong;
    EXPECT_THAT(task.error().message, HasSubstr("--period")) << wrong;
  }
}

TEST(Registration, JobsAreHeldForAMinuteAtMost) {
  Registration camera = registration("");
  camera.period = "40ms";
  EXPECT_EQ(make_task(camera)->hold_ns, -1) << "as configured";
  camera.hold = "10s";
  EXPECT_EQ(make_task(camera)->hold_ns, 10'000'000'000);
  EXPECT_EQ(registry::task_from_json(registry::to_json(*make_task(camera)))->hold_ns, 10'000'000'000);
  camera.hold = "off";
  EXPECT_EQ(registry::task_from_json(registry::to_json(*make_task(camera)))->hold_ns, 0);
  camera.hold = "61s";
  EXPECT_EQ(make_task(camera).error().message, "--hold: \"61s\" is out of range: expected off, default, or 1ns to 60s");
  Changes changes;
  changes.hold = "default";
  EXPECT_EQ(*make_changes(changes), nlohmann::json({{"hold_ns", -1}}));
}

TEST(Registration, WeightIsInsteadOfPriorityAndTimes) {
  Registration batch;
  batch.name = "batch";
  EXPECT_EQ(make_task(batch).error().message, "--priority or --weight is needed");
  batch.weight = 3;
  const auto task = make_task(batch);
  ASSERT_TRUE(task) << task.error().message;
  EXPECT_EQ(task->weight, 3u);
  EXPECT_EQ(task->period_ns, 0u);
  batch.weight = 1001;
  EXPECT_EQ(make_task(batch).error().message, "--weight: expected 1 to 1000");
  batch.weight = 1;
  batch.period = "40ms";
  EXPECT_THAT(make_task(batch).error().message, HasSubstr("--weight is for programs without deadlines"));
}

TEST(Registration, MemoryIsReadWithItsUnit) {
  Registration camera = registration(profile_of(1));
  camera.memory = "1.5GiB";
  EXPECT_EQ(make_task(camera).value().memory_bytes, uint64_t{3} << 29);
  camera.memory = "4";
  EXPECT_THAT(make_task(camera).error().message, HasSubstr("--memory: \"4\" is no size of memory"));
}

TEST(Registration, ProfileIsThatOfTheTask) {
  const auto task = make_task(registration(profile_of(200)));
  ASSERT_TRUE(task) << task.error().message;
  const auto profile = planning::parse_profile(task->profile);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->stages.size(), 200u);
}

TEST(Registration, WhatIsWrongIsNamedByItsOption) {
  const auto message = [](const Registration& wrong) {
    const auto task = make_task(wrong);
    return task ? "none" : task.error().message;
  };
  Registration camera = registration("");
  EXPECT_EQ(message(camera), "--period is needed without --profile");
  camera.period = "40";
  EXPECT_THAT(message(camera), HasSubstr("--period: "));
  camera.period = "40ms";
  camera.devices = {"0", "0"};
  EXPECT_EQ(message(camera), "--devices: 0 is named twice");
  camera.devices = {"40"};
  EXPECT_THAT(message(camera), HasSubstr("--devices: there is no device 40"));
  camera.devices = {};
  camera.name = "bad\xff";
  EXPECT_EQ(message(camera), "NAME is no UTF-8 text");
  camera.name = "a\x1b[31m";
  EXPECT_EQ(message(camera), "NAME has a control character");
  EXPECT_THAT(message(registration("{}")), HasSubstr("--profile: /platform: missing"));
  EXPECT_THAT(message(registration(profile_of(0))), HasSubstr("--profile: task \"camera\", stages: none"));
  EXPECT_THAT(message(registration(profile_of(8000))), HasSubstr("--profile: it has too many stages"));
}

TEST(Registration, ProfileOfOneTaskServesUnderAnyName) {
  Registration radar = registration(profile_of(1));
  radar.name = "radar";
  EXPECT_TRUE(make_task(radar));
}

TEST(Registration, OnlyWhatIsGivenChanges) {
  Changes changes;
  EXPECT_THAT(make_changes(changes).error().message, HasSubstr("nothing is to change"));
  changes.priority = 5;
  EXPECT_EQ(*make_changes(changes), nlohmann::json({{"priority", 5}}));
  changes.deadline = "3ms";
  EXPECT_EQ(*make_changes(changes), nlohmann::json({{"priority", 5}, {"deadline_ns", 3'000'000}}));
  changes.period = "3";
  EXPECT_THAT(make_changes(changes).error().message, HasSubstr("--period: "));
}

TEST(Registration, MatchOfNoFileIsDoubted) {
  EXPECT_EQ(doubt_of_match("camera"), "");
  EXPECT_EQ(doubt_of_match("/bin/sh"), "");
  EXPECT_THAT(doubt_of_match("/no/such/file"), HasSubstr("there is no file /no/such/file"));
}

}  // namespace
}  // namespace samcl::ctl
