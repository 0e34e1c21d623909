#include "contract/ndrange.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace samcl {
namespace {

const double kTwo[] = {1, 1};
const double kFour[] = {1, 1, 1, 1};

std::vector<Index3> items_of(const Ndrange& ndrange, const GroupBox& box) {
  std::vector<Index3> items;
  BoxLaunch launch = launch_of(ndrange, box);
  for (uint64_t z = 0; z < launch.size[2]; ++z)
    for (uint64_t y = 0; y < launch.size[1]; ++y)
      for (uint64_t x = 0; x < launch.size[0]; ++x)
        items.push_back({launch.offset[0] + x, launch.offset[1] + y, launch.offset[2] + z});
  return items;
}

TEST(Split, HalvesALineOfGroups) {
  Ndrange ndrange{1, {0, 0, 0}, {1024, 1, 1}, {64, 1, 1}};
  auto parts = split(ndrange, kTwo);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(launch_of(ndrange, parts[0].box), (BoxLaunch{{0, 0, 0}, {512, 1, 1}}));
  EXPECT_EQ(launch_of(ndrange, parts[1].box), (BoxLaunch{{512, 0, 0}, {512, 1, 1}}));
}

TEST(Split, KeepsTheProgramsOffset) {
  Ndrange ndrange{1, {100, 0, 0}, {20, 1, 1}, {5, 1, 1}};
  auto parts = split(ndrange, kTwo);
  EXPECT_EQ(launch_of(ndrange, parts[1].box), (BoxLaunch{{110, 0, 0}, {10, 1, 1}}));
}

TEST(Split, CutsRowsOfAnImage) {
  Ndrange ndrange{2, {0, 0, 0}, {1024, 768, 1}, {16, 16, 1}};
  EXPECT_EQ(best_dimension(ndrange, 2), 1u);
}

TEST(Split, CutsColumnsWhenThereAreTooFewRows) {
  Ndrange ndrange{2, {0, 0, 0}, {1024, 16, 1}, {16, 16, 1}};
  EXPECT_EQ(best_dimension(ndrange, 2), 0u);
}

TEST(Split, FewerGroupsThanDevicesLeavesDevicesOut) {
  Ndrange ndrange{1, {0, 0, 0}, {3, 1, 1}, {1, 1, 1}};
  EXPECT_EQ(split(ndrange, kFour).size(), 3u);
  Ndrange one{1, {0, 0, 0}, {64, 1, 1}, {64, 1, 1}};
  EXPECT_EQ(split(one, kFour).size(), 1u);
}

TEST(Split, ASmallerLastGroupStaysWithTheLastPart) {
  Ndrange ndrange{1, {0, 0, 0}, {100, 1, 1}, {32, 1, 1}};
  auto parts = split(ndrange, kTwo);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(launch_of(ndrange, parts[1].box), (BoxLaunch{{64, 0, 0}, {36, 1, 1}}));
}

TEST(Split, FollowsShares) {
  const double shares[] = {3, 1};
  Ndrange ndrange{1, {0, 0, 0}, {400, 1, 1}, {1, 1, 1}};
  auto parts = split(ndrange, shares);
  EXPECT_EQ(parts[0].box.count[0], 300u);
  EXPECT_EQ(parts[1].box.count[0], 100u);
}

TEST(Split, AlongAGivenDimensionLeavesTheOthersWhole) {
  Ndrange ndrange{3, {7, 0, 0}, {40, 30, 20}, {4, 3, 2}};
  for (unsigned cut = 0; cut < 3; ++cut) {
    const auto parts = split(ndrange, kTwo, cut);
    ASSERT_EQ(parts.size(), 2u);
    for (unsigned d = 0; d < 3; ++d) {
      EXPECT_EQ(parts[0].box.count[d], d == cut ? 5u : 10u);
      EXPECT_EQ(parts[1].box.first[d], d == cut ? 5u : 0u);
    }
  }
}

TEST(Split, AlongADimensionOfOneGroupIsOnePart) {
  Ndrange ndrange{2, {0, 0, 0}, {1024, 16, 1}, {16, 16, 1}};
  const auto parts = split(ndrange, kFour, 1);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].box, (GroupBox{{0, 0, 0}, {64, 1, 1}}));
}

TEST(GoodDimensions, BestComesFirst) {
  Ndrange ndrange{3, {0, 0, 0}, {1024, 512, 256}, {16, 16, 16}};
  EXPECT_EQ(good_dimensions(ndrange, 4), (std::vector<unsigned>{2, 1, 0}));
}

TEST(GoodDimensions, LeaveOutThoseThatBalanceWorse) {
  Ndrange few_rows{2, {0, 0, 0}, {1024, 48, 1}, {16, 16, 1}};
  EXPECT_EQ(good_dimensions(few_rows, 2), (std::vector<unsigned>{0})) << "three rows are no two halves";
  Ndrange many_rows{2, {0, 0, 0}, {1024, 16 * 33, 1}, {16, 16, 1}};
  EXPECT_EQ(good_dimensions(many_rows, 2), (std::vector<unsigned>{1, 0})) << "33 rows are, about";
  Ndrange columns{2, {0, 0, 0}, {16, 768, 1}, {16, 16, 1}};
  EXPECT_EQ(good_dimensions(columns, 2), (std::vector<unsigned>{1}));
}

TEST(GoodDimensions, AreOfTheNdrangeOnly) {
  Ndrange line{1, {0, 0, 0}, {1024, 1, 1}, {16, 1, 1}};
  EXPECT_EQ(good_dimensions(line, 2), (std::vector<unsigned>{0}));
  Ndrange point{1, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}};
  EXPECT_EQ(good_dimensions(point, 2), (std::vector<unsigned>{0}));
}

TEST(Slice, CutsInsideRowsThatAreTooLong) {
  auto slices = slice({{0, 0, 0}, {4, 2, 1}}, 2);
  ASSERT_EQ(slices.size(), 4u);
  EXPECT_EQ(slices[1], (GroupBox{{2, 0, 0}, {2, 1, 1}}));
}

TEST(Slice, EachMayHaveAnotherSize) {
  std::vector<GroupBox> left{{{0, 0, 0}, {4, 10, 1}}};
  EXPECT_EQ(cut_slice(left, 1), (GroupBox{{0, 0, 0}, {1, 1, 1}}));
  EXPECT_EQ(cut_slice(left, 20), (GroupBox{{1, 0, 0}, {3, 1, 1}})) << "the rest of its row";
  EXPECT_EQ(cut_slice(left, 20), (GroupBox{{0, 1, 0}, {4, 5, 1}}));
  EXPECT_EQ(cut_slice(left, 1000), (GroupBox{{0, 6, 0}, {4, 4, 1}}));
  EXPECT_TRUE(left.empty());
}

TEST(SplitAndSlice, CoverEveryWorkItemOnce) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    Ndrange ndrange;
    ndrange.dimensions = 1 + random() % 3;
    for (unsigned d = 0; d < ndrange.dimensions; ++d) {
      ndrange.offset[d] = random() % 5;
      ndrange.global[d] = 1 + random() % 20;
      ndrange.local[d] = 1 + random() % ndrange.global[d];
    }
    std::vector<double> shares(1 + random() % 5);
    for (double& share : shares) share = 0.1 + static_cast<double>(random() % 100);
    std::multiset<Index3> seen;
    for (const Part& part : split(ndrange, shares)) {
      ASSERT_LT(part.device, shares.size());
      for (const GroupBox& piece : slice(part.box, 1 + random() % 6))
        for (const Index3& item : items_of(ndrange, piece)) seen.insert(item);
    }
    std::multiset<Index3> all;
    for (const Index3& item : items_of(ndrange, {{0, 0, 0}, ndrange.groups()})) all.insert(item);
    ASSERT_EQ(seen, all);
  }
}

}  // namespace
}  // namespace samcl
