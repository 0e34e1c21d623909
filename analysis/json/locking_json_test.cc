#include "analysis/json/locking_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/json/testing/replaced.h"

namespace samcl::analysis {
namespace {

using testing::HasSubstr;

const char* const kSet = R"({
  "platform": {"cpus": 2, "gpus": 1},
  "tasks": [
    {"name": "plain", "period": "30ms", "cpu": "5ms"},
    {"name": "filter", "period": 40000000, "cpu": "3ms", "gpu": "2ms", "critical_section": "4ms"}
  ]
})";

std::string error_with(const std::string& from, const std::string& to) {
  const auto set = parse_locking_set(replaced(kSet, from, to));
  return set ? "none" : set.error().message;
}

TEST(LockingJson, IsReadInNanoseconds) {
  const auto set = parse_locking_set(kSet);
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->cpus, 2);
  EXPECT_FALSE(set->tasks[0].uses_gpu());
  EXPECT_EQ(set->tasks[1].period, 40'000'000);
  EXPECT_EQ(set->tasks[1].communication(), 2'000'000);
}

TEST(LockingJson, TheCriticalSectionIsTheGpusTimeIfNotGiven) {
  std::string text = kSet;
  text.replace(text.find(", \"critical_section\": \"4ms\""), 27, "");
  EXPECT_EQ(parse_locking_set(text)->tasks[1].section, 2'000'000);
}

TEST(LockingJson, PartsAreTimesInAList) {
  std::string text = kSet;
  text.replace(text.find("\"gpu\": "), text.find(", \"critical_section\": \"4ms\"") + 27 - text.find("\"gpu\": "),
               "\"gpu\": [\"3ms\", \"2ms\"]");
  text.replace(text.find("\"cpus\": 2"), 9, "\"cpus\": 2, \"parts\": 2, \"slice\": \"10ms\"");
  const auto set = parse_locking_set(text);
  ASSERT_TRUE(set) << set.error().message;
  EXPECT_EQ(set->parts, 2);
  EXPECT_EQ(set->slice, 10'000'000);
  EXPECT_EQ(set->tasks[1].gpu_on(1), 3'000'000);
  EXPECT_EQ(set->tasks[1].section, 2'000'000);
}

TEST(LockingJson, ErrorsNamePlaceAndExpectation) {
  EXPECT_THAT(error_with("\"cpus\": 2", "\"cpus\": 2.5"), HasSubstr("/platform/cpus: 2.5, expected"));
  EXPECT_THAT(error_with("\"cpus\": 2", "\"cpus\": 1000"), HasSubstr("platform, cpus: 1000, expected 1 to 64"));
  EXPECT_THAT(error_with("\"cpu\": \"5ms\"", "\"cpo\": 5"), HasSubstr("/tasks/0/cpu: missing"));
  EXPECT_THAT(error_with("\"gpu\"", "\"gpus\""), HasSubstr("/tasks/1/gpus: unknown"));
  EXPECT_THAT(error_with("\"30ms\"", "\"30\""), HasSubstr("/tasks/0/period: \"30\", expected"));
  EXPECT_THAT(error_with("\"30ms\"", "99999999999999999999"), HasSubstr("/tasks/0/period"));
  EXPECT_THAT(error_with("\"4ms\"", "\"9ms\""), HasSubstr("task \"filter\", critical_section: 9000000 ns"));
  EXPECT_THAT(error_with("]", "], \"more\": 1"), HasSubstr("/more: unknown"));
  EXPECT_THAT(error_with("]", ""), HasSubstr("line"));
}

TEST(LockingJson, VerdictsSayWhatFails) {
  const auto set = parse_locking_set(kSet);
  locking::TaskSet crowded = *set;
  for (int n = 0; n < 12; ++n) {
    crowded.tasks.push_back(set->tasks[1]);
    crowded.tasks.back().name += std::to_string(n);
  }
  const double speed_ups[] = {2};
  const auto json = nlohmann::json::parse(format_verdicts(crowded, analyse(crowded), speed_ups));
  EXPECT_EQ(json["schedulable"], false);
  EXPECT_EQ(json["shared_resource"]["protocols"][0]["fails"],
            "e + s + b of \"filter\" is 53 ms, above its period of 40 ms");
  EXPECT_EQ(json["containers"]["fails"], "bandwidth 1.625 of GPU 1's container is above 1");
  EXPECT_TRUE(json["containers"]["tasks"][0]["tardiness"].is_null());
  EXPECT_DOUBLE_EQ(json["effective_utilisation"][0]["utilisation"], 5.0 / 30 + 13 * 9.0 / 40);
}

}  // namespace
}  // namespace samcl::analysis
