#include "benchmarks/host/sizes.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

namespace bench {
namespace {

struct SizesTest : testing::Test {
  void parse(const std::string& line) { app.parse(line); }

  CLI::App app;
  Sizes sizes{app};
  unsigned rows = 0, columns = 0;
  void SetUp() override {
    sizes.add("--rows", rows, {.usual = 1000, .small = 10, .least = 1, .most = 2000}, "Rows");
    sizes.add("--columns", columns, {.usual = 500, .small = 5, .least = 1, .most = 2000}, "Columns");
  }
};

TEST_F(SizesTest, AreTheUsualOnesByDefault) {
  parse("");
  EXPECT_EQ(rows, 1000u);
  EXPECT_EQ(columns, 500u);
}

TEST_F(SizesTest, AreSmallWhereTheCommandLineDoesNotSayOtherwise) {
  parse("--columns 1000");
  sizes.choose_small();
  EXPECT_EQ(rows, 10u);
  EXPECT_EQ(columns, 1000u);
}

TEST_F(SizesTest, AreWithinTheirRange) {
  EXPECT_THROW(parse("--rows 0"), CLI::ValidationError);
  EXPECT_THROW(parse("--rows 2001"), CLI::ValidationError);
}

}  // namespace
}  // namespace bench
