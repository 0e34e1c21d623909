#include "libsamcl/coherence/halo.h"

#include <gmock/gmock.h>

namespace samcl {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Two devices, the second of which needs some of the first one's bytes.
struct HaloTest : ::testing::Test {
  static constexpr Range kEven{90, 100}, kOdd{80, 90};
  Halo halo;
  uint64_t group = 0;

  // A launch for which this passes, unless it has before, and which writes the memory object. What it says of the next.
  std::vector<Halo::Pass> launch(const std::vector<Range>& ranges) {
    ++group;
    const bool is_there = is_foreseen && foreseen == ranges;
    if (!is_there && !ranges.empty()) halo.passes(group, 0, 1, ranges);
    is_foreseen = false;
    use(ranges);
    const auto next = halo.written(group);
    return {next.begin(), next.end()};
  }
  void use(const std::vector<Range>& ranges) {
    const std::vector<Range> own{{0, 80}};
    const std::vector<Halo::Need> needs{{0, own}, {1, ranges}};
    halo.used(group, needs);
  }
  // That happens before the next launch.
  void goes_ahead(const std::vector<Range>& ranges) {
    ++group;
    halo.passes(group, 0, 1, ranges);
    halo.foreseen(group);
    is_foreseen = true;
    foreseen = ranges;
  }
  static Halo::Pass pass(Range range) { return {0, 1, {range}}; }

  bool is_foreseen = false;
  std::vector<Range> foreseen;
};

TEST_F(HaloTest, WhatHasBeenTheSameSeveralTimesIsForeseen) {
  for (int i = 0; i < 4; ++i) EXPECT_THAT(launch({kEven}), IsEmpty()) << i;
  EXPECT_THAT(launch({kEven}), ElementsAre(pass(kEven)));
}

TEST_F(HaloTest, SoIsWhatIsTheSameEveryOtherTime) {
  for (int i = 0; i < 4; ++i) EXPECT_THAT(launch({i % 2 ? kOdd : kEven}), IsEmpty()) << i;
  EXPECT_THAT(launch({kEven}), ElementsAre(pass(kOdd)));
  EXPECT_THAT(launch({kOdd}), ElementsAre(pass(kEven)));
}

TEST_F(HaloTest, ItStaysForeseenWhenItGoesAhead) {
  for (int i = 0; i < 10; ++i) launch({i % 2 ? kOdd : kEven});
  for (int i = 0; i < 10; ++i) {
    goes_ahead({i % 2 ? kOdd : kEven});
    EXPECT_THAT(launch({i % 2 ? kOdd : kEven}), ElementsAre(pass(i % 2 ? kEven : kOdd))) << i;
  }
}

TEST_F(HaloTest, WhatWasForeseenAndNotNeededIsForeseenNoMore) {
  for (int i = 0; i < 10; ++i) launch({kEven});
  goes_ahead({kEven});
  EXPECT_THAT(launch({}), IsEmpty());
  EXPECT_FALSE(halo.is_foreseen());
}

TEST_F(HaloTest, NorWhatWasNotAllThatWasNeeded) {
  for (int i = 0; i < 10; ++i) launch({kEven});
  goes_ahead({kEven});
  EXPECT_THAT(launch({kEven, kOdd}), IsEmpty());
}

TEST_F(HaloTest, WhatNeverComesAgainIsNotForeseen) {
  for (uint64_t i = 0; i < 20; ++i) EXPECT_THAT(launch({{i, i + 1}}), IsEmpty()) << i;
}

// A launch between them that needs nothing of others changes nothing.
TEST_F(HaloTest, OthersThatUseItAreNoMatter) {
  for (int i = 0; i < 10; ++i) {
    launch({kEven});
    ++group;
    use({});
  }
  EXPECT_TRUE(halo.is_foreseen());
  goes_ahead({kEven});
  use({});
  EXPECT_THAT(launch({kEven}), ElementsAre(pass(kEven)));
}

}  // namespace
}  // namespace samcl
