#include "contract/footprint/part_conflict.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "base/test_seed.h"

namespace samcl {
namespace {

ByteSet set_of(std::vector<StridedRange> ranges) { return {false, std::move(ranges)}; }

ArgumentFootprint writes(StridedRange range) { return {{}, set_of({range}), set_of({range}), {}}; }
ArgumentFootprint reads(StridedRange range) { return {set_of({range}), {}, {}, set_of({range})}; }

using Parts = std::vector<std::vector<ArgumentFootprint>>;

TEST(PartConflict, IsWhereOnePartReadsWhatAnotherWrites) {
  EXPECT_TRUE(reads_what_another_writes(Parts{{writes({0, 4})}, {reads({0, 4})}}));
  EXPECT_TRUE(reads_what_another_writes(Parts{{reads({0, 4})}, {reads({8, 4})}, {writes({3, 2})}}));
  EXPECT_FALSE(reads_what_another_writes(Parts{{writes({0, 4})}, {reads({4, 4})}}));
  EXPECT_FALSE(reads_what_another_writes(Parts{{reads({0, 4})}, {reads({0, 4})}}));
  EXPECT_FALSE(reads_what_another_writes(Parts{{writes({0, 4})}, {writes({0, 4})}}));
}

TEST(PartConflict, IsNoneWithinOnePart) {
  ArgumentFootprint both = writes({0, 4});
  both.surely_reads = both.surely_writes;
  ArgumentFootprint other = writes({4, 4});
  other.surely_reads = other.surely_writes;
  EXPECT_FALSE(reads_what_another_writes(Parts{{both}, {other}}));
}

TEST(PartConflict, IsNoneWhereItIsNotCertain) {
  ArgumentFootprint may_write, may_read;
  may_write.may_write = set_of({{0, 4}});
  may_read.reads = {true, {}};
  EXPECT_FALSE(reads_what_another_writes(Parts{{may_write}, {reads({0, 4})}}));
  EXPECT_FALSE(reads_what_another_writes(Parts{{writes({0, 4})}, {may_read}}));
}

TEST(PartConflict, IsFoundBetweenArgumentsThatShareMemory) {
  const Parts parts = {{writes({0, 4}), {}}, {{}, reads({8, 4})}};
  int memory = 0, other = 0;
  EXPECT_FALSE(reads_what_another_writes(parts));
  EXPECT_FALSE(reads_what_another_writes(parts, std::vector<ArgumentPlace>{{&memory, 0}, {&memory, 0}}));
  EXPECT_TRUE(reads_what_another_writes(parts, std::vector<ArgumentPlace>{{&memory, 8}, {&memory, 0}}));
  EXPECT_TRUE(reads_what_another_writes(parts, std::vector<ArgumentPlace>{{&memory, 16}, {&memory, 8}}));
  EXPECT_FALSE(reads_what_another_writes(parts, std::vector<ArgumentPlace>{{&memory, 8}, {&other, 0}}));
  EXPECT_FALSE(reads_what_another_writes(parts, std::vector<ArgumentPlace>{{nullptr, 8}, {nullptr, 0}}));
}

TEST(PartConflict, PartsAreApartOnlyWhereNoneTouchesWhatAnotherMayWrite) {
  EXPECT_TRUE(parts_are_apart(Parts{{writes({0, 4})}, {writes({4, 4})}, {reads({8, 4})}}));
  EXPECT_TRUE(parts_are_apart(Parts{{reads({0, 4})}, {reads({0, 4})}}));
  EXPECT_FALSE(parts_are_apart(Parts{{writes({0, 4})}, {writes({3, 4})}}));
  EXPECT_FALSE(parts_are_apart(Parts{{reads({0, 4})}, {writes({3, 4})}}));
  ArgumentFootprint anywhere;
  anywhere.reads = {true, {}};
  EXPECT_FALSE(parts_are_apart(Parts{{writes({0, 4})}, {anywhere}}));
  int memory = 0;
  const Parts parts = {{writes({0, 4}), {}}, {{}, reads({8, 4})}};
  EXPECT_TRUE(parts_are_apart(parts, std::vector<ArgumentPlace>{{&memory, 0}, {&memory, 0}}));
  EXPECT_FALSE(parts_are_apart(parts, std::vector<ArgumentPlace>{{&memory, 16}, {&memory, 8}}));
  EXPECT_TRUE(parts_are_apart(parts, std::vector<ArgumentPlace>{{nullptr, 16}, {nullptr, 8}})) << "left out";
}

TEST(PartConflict, ComparesRowsByteForByte) {
  const StridedRange even{0, 4, 8, 100}, odd{4, 4, 8, 100};
  EXPECT_FALSE(surely_meet(set_of({even}), set_of({odd})));
  EXPECT_TRUE(surely_meet(set_of({even}), set_of({odd}), 4));
  EXPECT_TRUE(surely_meet(set_of({even}), set_of({odd}), 796));
  EXPECT_FALSE(surely_meet(set_of({even}), set_of({odd}), 800));
}

// Against sets of single bytes.
TEST(PartConflict, OfRandomRowsIsThatOfTheirBytes) {
  const TestSeed seed;
  std::mt19937_64 random(seed);
  const auto below = [&](uint64_t end) { return random() % end; };
  unsigned meetings = 0;
  for (int i = 0; i < 20000; ++i) {
    StridedRange range[2];
    std::set<int64_t> bytes[2];
    const int64_t shift = static_cast<int64_t>(below(60)) - 30;
    for (int k = 0; k < 2; ++k) {
      range[k] = {below(60), 1 + below(5), 0, 1 + below(6)};
      if (range[k].count > 1)
        range[k].stride =
            k == 1 && range[0].stride > range[1].length && below(2) ? range[0].stride : range[k].length + 1 + below(12);
      for (uint64_t row = 0; row < range[k].count; ++row)
        for (uint64_t byte = range[k].row(row).begin; byte < range[k].row(row).end; ++byte)
          bytes[k].insert(static_cast<int64_t>(byte) + (k == 0 ? shift : 0));
    }
    bool meet = false;
    for (const int64_t byte : bytes[0]) meet = meet || bytes[1].count(byte);
    meetings += meet;
    ASSERT_EQ(surely_meet(set_of({range[0]}), set_of({range[1]}), shift), meet) << i;
  }
  EXPECT_GT(meetings, 1000u);
}

}  // namespace
}  // namespace samcl
