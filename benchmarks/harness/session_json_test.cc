#include "benchmarks/harness/session_json.h"

#include <gmock/gmock.h>

namespace samcl::bench {
namespace {

using ::testing::HasSubstr;

Session example() {
  Session session;
  session.command = "compare";
  session.options = {{"repeat", "5"}};
  session.machine.date = "2026-11-21T12:00:00Z";
  session.machine.processors = 2;
  session.machine.devices = {{"basic", "PoCL", "3.1", 1, 1 << 30}};
  session.machine.environment = {{"SAMCL_SPLIT", "always"}};
  Execution run;
  run.program = "VectorAdd";
  run.devices = 2;
  run.round = 3;
  run.outcome = Outcome::timeout;
  run.detail = "killed";
  run.total_ms = 1.0 / 3;
  run.phases_ms = {1, 2, 3, 4, 5};
  run.why_not_more = "uses printf";
  session.runs = {run};
  return session;
}

TEST(SessionJson, ComesBackAsItWas) {
  const std::string text = format_session(example());
  const auto session = parse_session(text);
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ(format_session(*session), text);
  EXPECT_EQ(session->runs[0].total_ms, 1.0 / 3);
  EXPECT_EQ(session->runs[0].outcome, Outcome::timeout);
  EXPECT_EQ(session->machine.devices[0].memory_bytes, 1u << 30);
}

TEST(SessionJson, WhatIsNoSessionIsAnError) {
  for (const char* text : {"", "[1]", "{}", R"({"format":"sam-bench 0"})"}) EXPECT_FALSE(parse_session(text)) << text;
  EXPECT_THAT(parse_session("{}").error().message, HasSubstr("expected \"format\": \"sam-bench 1\""));
}

TEST(SessionJson, AMissingFieldIsNamed) {
  std::string text = format_session(example());
  text.replace(text.find("total_ms"), 8, "total_xs");
  EXPECT_THAT(parse_session(text).error().message, HasSubstr("total_ms"));
}

TEST(SessionJson, AnUnknownOutcomeIsAnError) {
  std::string text = format_session(example());
  text.replace(text.find("TIMEOUT"), 7, "TIRED");
  EXPECT_THAT(parse_session(text).error().message, HasSubstr("\"TIRED\" is no outcome"));
}

}  // namespace
}  // namespace samcl::bench
