#include <gtest/gtest.h>

#include <algorithm>

#include "tests/differential/sequences/generator.h"
#include "tests/differential/sequences/model.h"
#include "tests/differential/sequences/ordering.h"
#include "tests/differential/sequences/shrink.h"

namespace sequences {
namespace {

constexpr uint64_t kSeeds = 60;
constexpr Limits kSmall = {.steps = 30, .largest_buffer = 70000};

bool is_command(const Action& action) { return !action.accesses.empty(); }

TEST(Sequences, AreDeterminedByTheirSeed) {
  EXPECT_EQ(generate(7, kSmall), generate(7, kSmall));
  EXPECT_NE(generate(7, kSmall), generate(8, kSmall));
}

TEST(Sequences, AreReadAsTheyWereWritten) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Sequence made = generate(seed, kSmall);
    EXPECT_EQ(parse(text(made)), made) << "seed " << seed;
  }
}

TEST(Sequences, AWordThatIsNotUnderstoodIsNamed) {
  try {
    parse("write to=1 byte=5\n");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("'byte=5'"), std::string::npos) << error.what();
  }
}

// Whatever is left out, too: that is what lets a failing sequence be shrunk.
TEST(Ordering, CommandsThatTouchTheSameBytesWaitForEachOther) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Sequence steps = generate(seed, kSmall);
    for (size_t dropped = 0; dropped < 3; ++dropped) {
      const Ordering ordering = order(steps);
      std::vector<bool> known(ordering.actions.size());
      for (size_t j = 0; j < ordering.actions.size(); ++j) {
        const Action& later = ordering.actions[j];
        for (size_t i = 0; i < j && is_command(later); ++i)
          for (const Access& a : ordering.actions[i].accesses)
            for (const Access& b : later.accesses)
              EXPECT_TRUE(!a.conflicts(b) || known[i] || later.after[i])
                  << "seed " << seed << ": " << text(ordering, i) << "\nthen " << text(ordering, j);
        for (size_t done : later.completes) known[done] = true;
      }
      steps.erase(steps.begin() + static_cast<ptrdiff_t>(seed % steps.size()));
    }
  }
}

TEST(Ordering, AMappedRangeIsUnmappedBeforeItIsWritten) {
  const Ordering ordering =
      order(parse("create to=1 bytes=64 home=copy_host seed=1\n"
                  "map number=1 to=1 offset=16 bytes=16\n"
                  "write to=1 offset=0 bytes=16 seed=2\n"
                  "write to=1 offset=20 bytes=4 seed=3\n"));
  std::vector<StepKind> kinds;
  for (size_t i = 0; i < 5; ++i) kinds.push_back(ordering.actions[i].step.kind);
  EXPECT_EQ(kinds, (std::vector{StepKind::create, StepKind::map, StepKind::write, StepKind::unmap, StepKind::write}));
}

TEST(Ordering, AGateIsCompletedBeforeTheHostWaitsBehindIt) {
  const Ordering ordering =
      order(parse("create to=1 bytes=64 home=copy_host seed=1\n"
                  "gate number=1\n"
                  "write queue=1 to=1 bytes=8 seed=2 blocking=0 gate=1\n"
                  "read queue=2 to=1 bytes=8\n"));
  const auto index = [&](StepKind kind) {
    return std::ranges::find(ordering.actions, kind, [](const Action& a) { return a.step.kind; }) -
           ordering.actions.begin();
  };
  EXPECT_LT(index(StepKind::write), index(StepKind::complete));
  EXPECT_LT(index(StepKind::complete), index(StepKind::read));
}

TEST(Model, ShowsWhatCopiesAndLaunchesLeave) {
  const Ordering ordering =
      order(parse("create to=1 bytes=16 home=copy_host seed=1\n"
                  "fill to=1 bytes=16 pattern=4 blocking=0\n"
                  "launch kernel=in_place to=1 n=4 width=1 height=1 a=3 global=4x1x1 blocking=0\n"
                  "launch kernel=in_place to=1 n=4 width=1 height=1 a=3 global=4x1x1 blocking=0\n"
                  "read to=1 bytes=16\n"));
  const Sights sights = see(ordering);
  // i, then 3 * i + i.
  const std::vector<std::byte> expected = {std::byte{0}, {}, {}, {}, std::byte{4},  {}, {}, {},
                                           std::byte{8}, {}, {}, {}, std::byte{12}, {}, {}, {}};
  EXPECT_EQ(sights[4], expected);
  EXPECT_NE(see(ordering, 3)[4], expected) << "without the second launch";
}

TEST(Shrinking, KeepsWhatFailsAndDropsTheRest) {
  const Sequence steps = generate(3, kSmall);
  const auto fails = [](const Sequence& candidate) {
    return std::ranges::any_of(candidate,
                               [](const Step& s) { return s.kind == StepKind::launch && s.global[0] > 1; }) &&
           std::ranges::any_of(candidate, [](const Step& s) { return s.kind == StepKind::create; });
  };
  ASSERT_TRUE(fails(steps));
  const Sequence shrunk = shrink(steps, fails, 2000);
  EXPECT_TRUE(fails(shrunk));
  EXPECT_EQ(shrunk.size(), 2u) << text(shrunk);
}

}  // namespace
}  // namespace sequences
