#include "tools/trace/events.h"

#include <gmock/gmock.h>

#include <vector>

namespace samcl::trace_events {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names(std::string_view text) {
  std::vector<std::string> names;
  const auto read = for_each_event(text, [&](const json& event) { names.push_back(event.at("name")); });
  if (!read) names.push_back("error: " + read.error().message);
  return names;
}

TEST(TraceReader, ReadsWhatHasEnded) {
  EXPECT_THAT(names("[\n{\"ph\":\"M\",\"name\":\"a\"},\n{\"ph\":\"X\",\"name\":\"b\"}\n]\n"), ElementsAre("a", "b"));
}

TEST(TraceReader, ReadsWhatIsBeingWritten) {
  EXPECT_THAT(names("[\n{\"ph\":\"M\",\"name\":\"a\"},\n"), ElementsAre("a"));
}

TEST(TraceReader, LeavesOutTheLineThatAKillCutOff) {
  EXPECT_THAT(names("[\n{\"ph\":\"M\",\"name\":\"a\"},\n{\"ph\":\"X\",\"na"), ElementsAre("a"));
}

TEST(TraceReader, SaysWhatIsNoTrace) {
  EXPECT_THAT(names("hello"), ElementsAre(HasSubstr("error: no trace")));
  EXPECT_THAT(names("[\n{\"ph\":\"M\",\"name\":\"a\"},\nhello\n{\"ph\":\"M\",\"name\":\"a\"},\n"),
              ElementsAre("a", HasSubstr("line 3")));
}

TEST(TraceReader, TimesAreExact) { EXPECT_EQ(ns_of(json::parse("{\"ts\":123456789012.345}"), "ts"), 123456789012345); }

TEST(TraceReader, CategoriesAreAList) {
  const json event = {{"cat", "operation,resource"}};
  EXPECT_TRUE(has_category(event, "resource"));
  EXPECT_TRUE(has_category(event, "operation"));
  EXPECT_FALSE(has_category(event, "source"));
}

}  // namespace
}  // namespace samcl::trace_events
