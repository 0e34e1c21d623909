#include "base/duration.h"

#include <gtest/gtest.h>

namespace samcl {
namespace {

TEST(Duration, UnitsAreUnderstood) {
  EXPECT_EQ(*parse_duration("40ms"), 40'000'000);
  EXPECT_EQ(*parse_duration("2.000000001 s"), 2'000'000'001);
  EXPECT_EQ(*parse_duration("12.345us"), 12'345);
  EXPECT_EQ(*parse_duration("0.10us"), 100);
  EXPECT_EQ(*parse_duration("0ns"), 0);
}

TEST(Duration, OthersAreErrors) {
  for (const char* bad :
       {"", "40", "ms", "-3ms", "1..2ms", "0.5ns", "1e3ms", "40 minutes", "nan s", "40msx", "9999999999999999999ns"})
    EXPECT_FALSE(parse_duration(bad)) << bad;
}

TEST(Duration, IsShownInItsBestUnit) {
  EXPECT_EQ(format_duration(40'000'000), "40 ms");
  EXPECT_EQ(format_duration(2'000'000'001), "2.000000001 s");
  EXPECT_EQ(format_duration(999), "999 ns");
  EXPECT_EQ(format_duration(-1'500), "-1.5 us");
  EXPECT_EQ(format_duration(0), "0");
}

}  // namespace
}  // namespace samcl
