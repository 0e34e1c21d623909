#include "tools/sam-report/timeline.h"

#include <gmock/gmock.h>

namespace samcl::report {
namespace {

using ::testing::SizeIs;

constexpr char kBegin[] = R"([
{"ph":"M","name":"thread_name","pid":1,"tid":9,"ts":0.000,"args":{"name":"device 0: up"}},
{"ph":"M","name":"thread_sort_index","pid":1,"tid":9,"ts":0.000,"args":{"sort_index":2}},
{"ph":"M","name":"thread_name","pid":1,"tid":8,"ts":0.000,"args":{"name":"device 0: compute"}},
{"ph":"M","name":"thread_sort_index","pid":1,"tid":8,"ts":0.000,"args":{"sort_index":1}},
{"ph":"M","name":"thread_name","pid":1,"tid":1,"ts":0.000,"args":{"name":"calls of app"}},
{"ph":"X","name":"clFinish","pid":1,"tid":1,"ts":1.000,"dur":900.000,"cat":"call"},
)";

std::string slice(int row, const char* name, int begin_us, int length_us, const char* category = "operation") {
  return std::string("{\"ph\":\"X\",\"name\":\"") + name + "\",\"pid\":1,\"tid\":" + std::to_string(row) +
         ",\"ts\":" + std::to_string(begin_us) + ".000,\"dur\":" + std::to_string(length_us) + ".000,\"cat\":\"" +
         category + "\",\"args\":{\"bytes\":10}},\n";
}

TEST(Timeline, HasTheRowsThatWorkedInTheirOrder) {
  const auto timeline = timeline_of(kBegin + slice(9, "upload", 100, 50) + slice(8, "smooth", 150, 100), 1000);
  ASSERT_TRUE(timeline) << timeline.error().message;
  ASSERT_THAT(timeline->rows, SizeIs(2)) << "the program's calls are no work";
  EXPECT_EQ(timeline->rows[0].name, "device 0: compute");
  EXPECT_EQ(timeline->rows[1].name, "device 0: up");
  EXPECT_EQ(timeline->length, 150'000);
  EXPECT_EQ(timeline->rows[0].blocks[0].begin, 50'000);
  EXPECT_EQ(timeline->rows[0].blocks[0].end, 150'000);
  EXPECT_EQ(timeline->rows[0].busy, 100'000);
}

TEST(Timeline, WhatIsInsideAnOperationIsNotDrawn) {
  const auto timeline =
      timeline_of(kBegin + slice(8, "kernel", 160, 80, "resource") + slice(8, "smooth", 150, 100), 1000);
  ASSERT_TRUE(timeline);
  EXPECT_THAT(timeline->rows[0].blocks, SizeIs(1));
}

TEST(Timeline, WhatTheEyeCannotPartIsOneBlock) {
  std::string trace = kBegin + slice(8, "first", 0, 1);
  for (int i = 0; i < 100; ++i) trace += slice(8, i == 50 ? "longer" : "short", 5000 + 10 * i, i == 50 ? 8 : 2);
  trace += slice(8, "last", 99'990, 10);
  const auto timeline = timeline_of(trace, 100);
  ASSERT_TRUE(timeline);
  ASSERT_THAT(timeline->rows[0].blocks, SizeIs(3));
  const Block& middle = timeline->rows[0].blocks[1];
  EXPECT_EQ(middle.count, 100u);
  EXPECT_EQ(middle.name, "longer");
  EXPECT_EQ(middle.bytes, 1000u);
  EXPECT_EQ(middle.busy, 99 * 2'000 + 8'000);
}

TEST(Timeline, LongOnesBesideEachOtherStayApart) {
  const auto timeline = timeline_of(kBegin + slice(8, "a", 0, 500) + slice(8, "b", 500, 500), 100);
  ASSERT_TRUE(timeline);
  EXPECT_THAT(timeline->rows[0].blocks, SizeIs(2));
}

TEST(Timeline, SaysWhatIsNoTrace) {
  EXPECT_FALSE(timeline_of("{}", 100));
  EXPECT_FALSE(timeline_of("[\n{\"ph\":\"X\"},\n", 100)) << "no name";
  const auto empty = timeline_of("[\n]\n", 100);
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->length, 0);
}

}  // namespace
}  // namespace samcl::report
