#include "benchmarks/host/sizes.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

namespace bench {
namespace {

struct SizesTest : testing::Test {
  std::optional<int> parse(std::vector<const char*> words) {
    words.insert(words.begin(), "program");
    return sizes.parse(static_cast<int>(words.size()), words.data());
  }

  CLI::App app;
  Sizes sizes{app};
  unsigned rows = 0, columns = 0;
  void SetUp() override {
    sizes.add("--rows", rows, {.usual = 1000, .small = 10, .least = 1, .most = 2000}, "Rows");
    sizes.add("--columns", columns, {.usual = 500, .small = 5, .least = 1, .most = 2000}, "Columns");
  }
};

TEST_F(SizesTest, AreTheUsualOnesByDefault) {
  EXPECT_EQ(parse({}), std::nullopt);
  EXPECT_EQ(rows, 1000u);
  EXPECT_EQ(columns, 500u);
}

TEST_F(SizesTest, AreSmallWhereTheCommandLineDoesNotSayOtherwise) {
  EXPECT_EQ(parse({"--columns", "1000", "--small"}), std::nullopt);
  EXPECT_EQ(rows, 10u);
  EXPECT_EQ(columns, 1000u);
}

TEST_F(SizesTest, OutOfTheirRangeAreAWrongCommandLine) {
  EXPECT_EQ(parse({"--rows", "0"}), 2);
  EXPECT_EQ(parse({"--rows", "2001"}), 2);
  EXPECT_EQ(parse({"--rows", "1e3"}), 2);
}

TEST_F(SizesTest, HelpEndsTheProgramWell) { EXPECT_EQ(parse({"--help"}), 0); }

}  // namespace
}  // namespace bench
