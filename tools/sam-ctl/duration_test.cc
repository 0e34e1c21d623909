#include "tools/sam-ctl/duration.h"

#include <gtest/gtest.h>

namespace samcl::ctl {
namespace {

TEST(Duration, UnitsAreUnderstood) {
  EXPECT_EQ(*parse_duration("40ms"), 40'000'000u);
  EXPECT_EQ(*parse_duration("2.5 s"), 2'500'000'000u);
  EXPECT_EQ(*parse_duration("12.345us"), 12'345u);
  EXPECT_EQ(*parse_duration("7ns"), 7u);
}

TEST(Duration, OthersAreErrors) {
  for (const char* bad : {"", "40", "ms", "-3ms", "0ms", "40 minutes", "nan s", "1e30s", "40msx"})
    EXPECT_FALSE(parse_duration(bad)) << bad;
}

TEST(Duration, IsShownInItsBestUnit) {
  EXPECT_EQ(format_duration(40'000'000), "40 ms");
  EXPECT_EQ(format_duration(1'500'000'000), "1.5 s");
  EXPECT_EQ(format_duration(999), "999 ns");
}

}  // namespace
}  // namespace samcl::ctl
