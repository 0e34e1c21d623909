#include "contract/footprint/reach.h"

#include <gtest/gtest.h>

#include <vector>

#include "contract/footprint/footprint.h"
#include "contract/footprint/symbolic_footprint.h"

namespace samcl {
namespace {

const char memory_of_a = 0, memory_of_b = 0;
const std::vector<ReachPlace> kPlaces = {{&memory_of_a, 0}, {&memory_of_b, 0}};

bool are_apart(const std::vector<Reach>& a, const std::vector<Reach>& b, uint64_t launches,
               const std::vector<ReachPlace>& places = kPlaces) {
  return launches_are_apart({a, places, launches}, {b, places, launches});
}

// Of a plane of `high` - `low` bytes each launch.
Reach planes(bool writes, int64_t low, int64_t high, int64_t step, uint64_t launches) {
  const int64_t last = step * static_cast<int64_t>(launches - 1);
  return {.argument = 0,
          .writes = writes,
          .low = low,
          .high = high,
          .step = step,
          .all_low = low + std::min<int64_t>(last, 0),
          .all_high = high + std::max<int64_t>(last, 0)};
}

TEST(Reach, OfPlanesOneAfterTheOther) {
  const auto written = planes(true, 100, 200, 100, 50);
  EXPECT_TRUE(are_apart({written}, {written}, 50));
  EXPECT_TRUE(are_apart({planes(true, 100, 200, -100, 50)}, {planes(true, 100, 200, -100, 50)}, 50));
  const auto too_wide = planes(true, 100, 201, 100, 50);
  EXPECT_FALSE(are_apart({too_wide}, {too_wide}, 50));
  const auto same = planes(true, 100, 200, 0, 50);
  EXPECT_FALSE(are_apart({same}, {same}, 50));
  const auto read = planes(false, 100, 200, 0, 50);
  EXPECT_TRUE(are_apart({read}, {read}, 50)) << "nobody writes";
}

TEST(Reach, OfAStencilInPlaceMeetsItsNeighbours) {
  const auto written = planes(true, 100, 200, 100, 50), read = planes(false, 0, 300, 100, 50);
  EXPECT_FALSE(are_apart({written, read}, {written, read}, 50));
  const auto own = planes(false, 100, 200, 100, 50);
  EXPECT_TRUE(are_apart({written, own}, {written, own}, 50));
}

TEST(Reach, OfOtherMemoryIsApart) {
  const auto written = planes(true, 100, 200, 100, 50);
  auto read = planes(false, 0, 300, 100, 50);
  read.argument = 1;
  EXPECT_TRUE(are_apart({written, read}, {written, read}, 50));
  EXPECT_FALSE(are_apart({written, read}, {written, read}, 50, {{&memory_of_a, 0}, {&memory_of_a, 0}}));
  EXPECT_TRUE(are_apart({written, read}, {written, read}, 50, {{&memory_of_a, 0}, {&memory_of_a, 5100}}))
      << "5100 bytes on is behind all that is written";
  read.is_anywhere = true;
  EXPECT_FALSE(are_apart({written, read}, {written, read}, 50, {{&memory_of_a, 0}, {&memory_of_a, 5100}}));
}

// Column by column of a matrix whose rows have 400 bytes.
TEST(Reach, OfColumns) {
  Reach column = planes(true, 0, 4, 4, 100);
  column.lattice = 400;
  column.all_high = 40'000;
  EXPECT_TRUE(are_apart({column}, {column}, 100));
  EXPECT_FALSE(are_apart({column}, {column}, 101)) << "the first column of the next row";
  Reach row_below = column;
  row_below.writes = false;
  row_below.low = 400;
  row_below.high = 404;
  EXPECT_TRUE(are_apart({column}, {row_below}, 100)) << "of the same column";
  row_below.low += 4;
  row_below.high += 4;
  EXPECT_FALSE(are_apart({column}, {row_below}, 100)) << "of the next column";
}

TEST(Reach, OfDifferentStepsMayMeet) {
  const auto slow = planes(true, 0, 10, 10, 50), fast = planes(false, 0, 10, 20, 50);
  EXPECT_FALSE(are_apart({slow}, {fast}, 50));
  auto far = planes(false, 10'000, 10'010, 20, 50);
  EXPECT_TRUE(are_apart({slow}, {far}, 50));
}

// One of them counts from another number than the other.
TEST(Reach, TellsWhichLaunchesMeet) {
  const std::vector<Reach> a = {planes(true, 100, 200, 100, 50)}, later = {planes(false, 400, 500, 100, 50)};
  const auto distance = [&](const std::vector<Reach>& one, const std::vector<Reach>& other) {
    return distance_of_meeting({one, kPlaces, 50}, {other, kPlaces, 50});
  };
  EXPECT_EQ(distance(a, later), -3);
  EXPECT_EQ(distance(later, a), 3);
  EXPECT_FALSE(launches_are_apart({a, kPlaces, 50}, {later, kPlaces, 50}));
  EXPECT_TRUE(launches_are_apart({a, kPlaces, 50}, {later, kPlaces, 50}, -3));
  EXPECT_EQ(distance({planes(true, 1000, 1100, -100, 8)}, {planes(false, 700, 800, -100, 8)}), -3);
  EXPECT_EQ(distance(a, {planes(false, 420, 520, 100, 50)}), std::nullopt) << "of two at a time";
  EXPECT_EQ(distance(a, {planes(false, 420, 480, 100, 50)}), -3) << "a part of one";
  EXPECT_NE(distance(a, {planes(false, 90'000, 90'100, 100, 50)}), std::nullopt) << "none";
}

// a[z * n * n + y * n + x], where x and y are global ids: planes of n * n words, and a column of them where y counts
// the launches.
TEST(Reach, IsFoundOfAFormulaWithTheArgumentStillInPlace) {
  using footprint::Op;
  footprint::SymbolicFootprint symbolic;
  symbolic.regions.resize(1);
  symbolic.nodes = {{.op = Op::global_id, .a = 0},         {.op = Op::global_id, .a = 1},
                    {.op = Op::argument, .a = 1, .b = 0},  {.op = Op::constant, .value = 400},  // bytes of a row
                    {.op = Op::constant, .value = 40'000},                                      // of a plane
                    {.op = Op::constant, .value = 4},      {.op = Op::multiply, .a = 0, .b = 5},
                    {.op = Op::multiply, .a = 1, .b = 3},  {.op = Op::multiply, .a = 2, .b = 4},
                    {.op = Op::multiply, .a = 2, .b = 3},  {.op = Op::multiply, .a = 1, .b = 4},
                    {.op = Op::add, .a = 6, .b = 7},       {.op = Op::add, .a = 11, .b = 8},
                    {.op = Op::add, .a = 6, .b = 10},      {.op = Op::add, .a = 13, .b = 9}};
  footprint::Access access;
  access.offset = 12;
  access.width = 4;
  access.writes = true;
  const auto reaches = [&](uint64_t launches, uint64_t columns) {
    symbolic.accesses = {access};
    const Footprint footprint = Footprint::parse(to_text(symbolic)).value();
    const int64_t first = 3;
    const ArgumentValue arguments[] = {{{}, 4'000'000}, {std::as_bytes(std::span(&first, 1)), 0}};
    const int64_t steps[] = {0, 1};
    return footprint.reaches({{3, {}, {columns, 100, launches}, {columns, 1, 1}}, arguments, steps});
  };
  EXPECT_EQ(reaches(50, 100), (std::vector<Reach>{{.argument = 0,
                                                   .writes = true,
                                                   .low = 120'000,
                                                   .high = 160'000,
                                                   .step = 40'000,
                                                   .all_low = 120'000,
                                                   .all_high = 120'000 + 50 * 40'000}}));
  EXPECT_TRUE(are_apart(reaches(50, 100), reaches(50, 100), 50));
  EXPECT_FALSE(are_apart(reaches(50, 101), reaches(50, 101), 50)) << "more columns than a row has";
  access.offset = 14;
  EXPECT_TRUE(are_apart(reaches(100, 100), reaches(100, 100), 100));
  EXPECT_FALSE(are_apart(reaches(101, 100), reaches(101, 100), 101)) << "the next plane";
}

}  // namespace
}  // namespace samcl
