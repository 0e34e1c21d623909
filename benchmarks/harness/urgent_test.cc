#include "benchmarks/harness/urgent.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace samcl::bench {
namespace {

using ::testing::HasSubstr;

// 200 jobs of 2 ms, of which the last ones, or the last three, take longer.
std::vector<double> jobs(double last_three, double longest) {
  std::vector<double> responses(200, 2);
  responses[0] = longest;
  responses[50] = responses[100] = responses[150] = last_three;
  return responses;
}

UrgentSession session() {
  UrgentSession session{"VectorAdd", {}, {}, 8, {}};
  session.settings.slice_us = 500;
  session.rows = {{false, 0, jobs(2, 2), ""},  {false, 7, jobs(40, 90), ""}, {true, 0, jobs(2, 3), ""},
                  {true, 1, jobs(2.6, 5), ""}, {true, 7, jobs(2.7, 5), ""},  {true, 8, {}, "it did not pass"}};
  return session;
}

TEST(Urgent, IsComparedWithTheSameWayAlone) {
  const UrgentSession given = session();
  EXPECT_EQ(given.alone(given.rows[1]), &given.rows[0]);
  EXPECT_EQ(given.alone(given.rows[4]), &given.rows[2]);
}

TEST(Urgent, TargetIsATwentiethAndOneSlice) {
  const UrgentSession given = session();
  EXPECT_TRUE(given.is_within_target(given.rows[3])) << "2.6 ms of 2.1 and 0.5";
  EXPECT_FALSE(given.is_within_target(given.rows[4]));
  EXPECT_FALSE(given.is_within_target(given.rows[5])) << "there is nothing";
}

TEST(Urgent, NothingIsWithinATargetThatNobodyKnows) {
  UrgentSession given = session();
  given.rows.erase(given.rows.begin() + 2);
  EXPECT_FALSE(given.is_within_target(given.rows[2]));
}

TEST(Urgent, TableTellsBothWaysAndWhatFailed) {
  const std::string text = urgent_text(session());
  EXPECT_THAT(text, HasSubstr("a job of 1048576 elements every 8 ms"));
  EXPECT_THAT(text, ::testing::ContainsRegex("none +7 +200 +2 ms +40 ms +90 ms +1 +20 +-\n"));
  EXPECT_THAT(text, ::testing::ContainsRegex("samcl +1 +200 +2 ms +2.6 ms +5 ms +1 +1.3 +yes\n"));
  EXPECT_THAT(text, ::testing::ContainsRegex("samcl +7 .* no\n"));
  EXPECT_THAT(text, HasSubstr("failed: it did not pass"));
}

TEST(Urgent, JsonHasEveryJob) {
  const auto json = nlohmann::json::parse(urgent_json(session()));
  EXPECT_EQ(json["rows"][1]["p99_ms"], 40);
  EXPECT_EQ(json["rows"][1]["longest_ms"], 90);
  EXPECT_EQ(json["rows"][3]["within_target"], true);
  EXPECT_EQ(json["rows"][3]["responses_ms"].size(), 200u);
  EXPECT_EQ(json["rows"][5]["failure"], "it did not pass");
}

}  // namespace
}  // namespace samcl::bench
