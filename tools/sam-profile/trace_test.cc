#include "tools/sam-profile/trace.h"

#include <gmock/gmock.h>

namespace samcl::profile {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr char kTrace[] = R"({"format": "samcl-trace 1", "process": 1, "managed": true, "dropped": 3,
"activities": ["upload", "kernel", "merge"], "names": ["", "smooth"],
"commands": {"columns": ["number", "type", "name", "queued", "submitted", "started", "ended", "status"], "rows": [
[2, 4592, 1, 30, 31, 32, 60, 0],
[1, 4596, 0, 10, 11, 12, 20, 0],
[3, 4592, 1, 70, 71, 72, 80, -5]]},
"spans": {"columns": ["command", "activity", "device", "begin", "end", "bytes", "pieces", "longest_piece"], "rows": [
[1, 0, 0, 12, 20, 4096, 1, 8],
[2, 2, 0, 50, 60, 0, 1, 10],
[2, 1, 1, 35, 50, 0, 3, 6],
[2, 0, 1, 32, 35, 64, 1, 3]]},
"marks": {"columns": ["begin", "time"], "rows": [[1, 5], [0, 90]]}})";

TEST(Trace, CommandsComeInTheProgramsOrderWithTheirSpans) {
  const auto trace = parse_trace(kTrace);
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_TRUE(trace->managed);
  EXPECT_EQ(trace->dropped, 3u);
  ASSERT_THAT(trace->commands, SizeIs(2)) << "one failed";
  EXPECT_EQ(trace->commands[0].queued, 10);
  EXPECT_EQ(trace->commands[0].kernel, "");
  EXPECT_EQ(trace->commands[1].kernel, "smooth");
  ASSERT_THAT(trace->commands[1].spans, SizeIs(3));
  EXPECT_EQ(trace->commands[1].spans[0].resource, Resource::link);
  EXPECT_EQ(trace->commands[1].spans[1].resource, Resource::gpu);
  EXPECT_EQ(trace->commands[1].spans[1].pieces, 3u);
  EXPECT_EQ(trace->commands[1].spans[1].longest_piece, 6);
  EXPECT_EQ(trace->commands[1].spans[2].resource, Resource::host);
  ASSERT_THAT(trace->marks, SizeIs(2));
  EXPECT_TRUE(trace->marks[0].begin);
}

std::string error_of(std::string from, const std::string& to) {
  std::string text = kTrace;
  text.replace(text.find(from), from.size(), to);
  const auto trace = parse_trace(text);
  return trace ? "none" : trace.error().message;
}

TEST(Trace, WhatItIsNotIsSaid) {
  EXPECT_FALSE(parse_trace(""));
  EXPECT_THAT(error_of("samcl-trace 1", "samcl-trace 9"),
              HasSubstr("expected \"format\": \"samcl-trace 1\""));
  EXPECT_THAT(error_of("\"queued\"", "\"enqueued\""), HasSubstr("no column \"queued\""));
  EXPECT_THAT(error_of("\"merge\"", "\"rest\""), HasSubstr("\"rest\" is no activity"));
  EXPECT_THAT(error_of("\"marks\"", "\"signs\""), HasSubstr("marks"));
}

}  // namespace
}  // namespace samcl::profile
