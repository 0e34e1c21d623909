#include "tools/sam-profile/trace.h"

#include <gmock/gmock.h>

namespace samcl::profile {
namespace {

Span using_cpu(Time begin, Time end, Time thread_cpu, Time process_cpu) {
  Span span;
  span.begin = begin;
  span.end = end;
  span.thread_cpu = thread_cpu;
  span.process_cpu = process_cpu;
  return span;
}

TEST(CpuTime, IsTheProcessesWhereNothingElseLasts) {
  Span first = using_cpu(0, 100, 10, 30), second = using_cpu(100, 200, 5, 5);
  attribute_cpu_time({&second, &first});
  EXPECT_EQ(first.host, 30);
  EXPECT_EQ(second.host, 5);
}

TEST(CpuTime, IsLessByWhatOthersSurelyUsedMeanwhile) {
  // The other used 90 of its 100, 50 of them besides at most: 40 here.
  Span own = using_cpu(0, 100, 100, 170), other = using_cpu(50, 150, 90, 160);
  attribute_cpu_time({&own, &other});
  EXPECT_EQ(own.host, 130);
  EXPECT_EQ(other.host, 160 - 50);
}

TEST(CpuTime, IsNoLessThanTheThreads) {
  Span own = using_cpu(0, 100, 80, 90), other = using_cpu(0, 100, 60, 90), silent;
  silent.end = 100;
  attribute_cpu_time({&own, &other, &silent});
  EXPECT_EQ(own.host, 80);
  EXPECT_EQ(other.host, 60);
  EXPECT_EQ(silent.host, kNotTold);
}

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr char kTrace[] = R"([
{"ph":"M","name":"process_name","pid":1,"tid":0,"ts":0.000,"args":{"name":"app","format":"samcl-trace 2"}},
{"ph":"M","name":"process_labels","pid":1,"tid":0,"ts":0.000,"args":{"labels":"managed","managed":true}},
{"ph":"b","name":"job","pid":1,"tid":0,"ts":0.005,"cat":"job","id":1},
{"ph":"e","name":"smooth","pid":1,"tid":0,"ts":0.060,"cat":"command","id":2,"args":{"type":4592,"queued":30,"submitted":31,"started":32,"status":0,"kernel":"smooth"}},
{"ph":"e","name":"write buffer","pid":1,"tid":0,"ts":0.020,"cat":"command","id":1,"args":{"type":4596,"queued":10,"submitted":11,"started":12,"status":0}},
{"ph":"e","name":"smooth","pid":1,"tid":0,"ts":0.080,"cat":"command","id":3,"args":{"type":4592,"queued":70,"submitted":71,"started":72,"status":-5,"kernel":"smooth"}},
{"ph":"X","name":"upload","pid":1,"tid":9,"ts":0.012,"dur":0.008,"cat":"resource","args":{"activity":"upload","device":0,"command":1,"bytes":4096,"pieces":1,"longest_piece":8}},
{"ph":"X","name":"merge","pid":1,"tid":9,"ts":0.050,"dur":0.010,"cat":"resource","args":{"activity":"merge","device":0,"command":2,"bytes":0,"pieces":1,"longest_piece":10}},
{"ph":"X","name":"smooth","pid":1,"tid":9,"ts":0.034,"dur":0.020,"cat":"operation","args":{"command":2,"bytes":0}},
{"ph":"X","name":"kernel","pid":1,"tid":9,"ts":0.035,"dur":0.015,"cat":"operation,resource","args":{"activity":"kernel","device":1,"command":2,"bytes":0,"pieces":3,"longest_piece":6}},
{"ph":"X","name":"upload","pid":1,"tid":9,"ts":0.032,"dur":0.003,"cat":"resource","args":{"activity":"upload","device":1,"command":2,"bytes":64,"pieces":1,"longest_piece":3}},
{"ph":"e","name":"job","pid":1,"tid":0,"ts":0.090,"cat":"job","id":1},
{"ph":"M","name":"process_sort_index","pid":1,"tid":0,"ts":0.000,"args":{"sort_index":0,"dropped":3}}
]
)";

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
  EXPECT_EQ(trace->commands[1].spans[0].kind, SpanKind::link);
  EXPECT_EQ(trace->commands[1].spans[1].kind, SpanKind::gpu);
  EXPECT_EQ(trace->commands[1].spans[1].pieces, 3u);
  EXPECT_EQ(trace->commands[1].spans[1].longest_piece, 6);
  EXPECT_EQ(trace->commands[1].spans[2].kind, SpanKind::host);
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
  EXPECT_THAT(error_of("samcl-trace 2", "samcl-trace 9"), HasSubstr("expected its format, \"samcl-trace 2\""));
  EXPECT_THAT(error_of("\"queued\"", "\"enqueued\""), HasSubstr("queued"));
  EXPECT_THAT(error_of("\"merge\",\"device\"", "\"rest\",\"device\""), HasSubstr("\"rest\" is no activity"));
}

TEST(Trace, AKilledProgramsTraceIsReadToItsEnd) {
  const std::string text = kTrace;
  const auto trace = parse_trace(text.substr(0, text.find("{\"ph\":\"X\",\"name\":\"merge\"") + 20));
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_THAT(trace->commands, SizeIs(2));
  EXPECT_THAT(trace->commands[0].spans, SizeIs(1));
}

}  // namespace
}  // namespace samcl::profile
