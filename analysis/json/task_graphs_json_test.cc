#include "analysis/json/task_graphs_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace samcl::analysis {
namespace {

using testing::HasSubstr;

std::string complaint(const std::string& text) {
  const auto tasks = parse_task_graphs(text);
  return tasks ? "" : tasks.error().message;
}

// A document of one task whose given part is another.
std::string document(const std::string& part = "", const std::string& other = "") {
  std::string text = R"({"tasks": [{"name": "T", "period": "1us", "restart": 10,
    "vertices": [{"name": "a", "execution": 10, "deadline": "20 ns"},
                 {"name": "b", "execution": 5, "deadline": 5}],
    "edges": [{"from": "a", "to": "b", "separation": 30}]}]})";
  if (!part.empty()) text.replace(text.find(part), part.size(), other);
  return text;
}

TEST(TaskGraphsJson, ReadsTimesWithAndWithoutUnits) {
  const auto tasks = parse_task_graphs(document());
  ASSERT_TRUE(tasks.has_value()) << tasks.error().message;
  EXPECT_EQ((*tasks)[0].period, 1000);
  EXPECT_EQ((*tasks)[0].restart, 10);
  EXPECT_EQ((*tasks)[0].vertices[0].deadline, 20);
  EXPECT_EQ((*tasks)[0].edges[0].to, 1);
}

TEST(TaskGraphsJson, NamesThePlaceOfWhatIsWrong) {
  EXPECT_THAT(complaint("{"), HasSubstr("no JSON: parse error at line 1"));
  EXPECT_THAT(complaint("[]"), HasSubstr("/: [], expected an object"));
  EXPECT_THAT(complaint(R"({"tasks": 3})"), HasSubstr("/tasks: 3, expected a list of tasks"));
  EXPECT_THAT(complaint(R"({"tasks": []})"), HasSubstr("expected at least one"));
  EXPECT_THAT(complaint(document("\"period\": \"1us\",", "")), HasSubstr("/tasks/0/period: missing"));
  EXPECT_THAT(complaint(document("1us", "1 year")), HasSubstr("/tasks/0/period: \"1 year\", expected a time"));
  EXPECT_THAT(complaint(document("restart", "restrat")), HasSubstr("/tasks/0/restrat: unknown"));
  EXPECT_THAT(complaint(document("\"from\": \"a\"", "\"from\": \"c\"")),
              HasSubstr("/tasks/0/edges/0/from: \"c\", expected the name of a vertex"));
  EXPECT_THAT(complaint(document("10, \"d", "1.5, \"d")), HasSubstr("/tasks/0/vertices/0/execution: 1.5"));
  EXPECT_EQ(complaint(document("30", "3")), "") << "deadlines need not be ordered";
}

}  // namespace
}  // namespace samcl::analysis
