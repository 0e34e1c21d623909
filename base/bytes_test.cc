#include "base/bytes.h"

#include <gmock/gmock.h>

namespace samcl {
namespace {

TEST(Bytes, AreReadWithTheirUnits) {
  EXPECT_EQ(parse_bytes("4GiB").value(), uint64_t{4} << 30);
  EXPECT_EQ(parse_bytes("1.5 MiB").value(), 3u << 19);
  EXPECT_EQ(parse_bytes("7B").value(), 7u);
}

TEST(Bytes, WhatIsNoSizeIsNamed) {
  for (const char* text : {"", "4", "4GB", "GiB", "4 GiB of it"})
    EXPECT_THAT(parse_bytes(text).error().message,
                ::testing::HasSubstr("is no size of memory: expected a number with unit"));
  for (const char* text : {"0B", "-1GiB", "2000TiB", "nanGiB"})
    EXPECT_THAT(parse_bytes(text).error().message, ::testing::HasSubstr("out of range: expected 1B to 1024TiB"));
}

TEST(Bytes, AreShownInTheLargestUnit) {
  EXPECT_EQ(format_bytes(uint64_t{80} << 30), "80 GiB");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(0), "0 B");
}

}  // namespace
}  // namespace samcl
