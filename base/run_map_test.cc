#include "base/run_map.h"

#include <gmock/gmock.h>

#include <random>
#include <string>
#include <vector>

namespace samcl {
namespace {

using ::testing::ElementsAre;

struct Found {
  Range range;
  int value;
  bool operator==(const Found&) const = default;
};

std::vector<Found> runs(const RunMap<int>& map, Range range) {
  std::vector<Found> found;
  map.visit(range, [&](Range each, int value) { found.push_back({each, value}); });
  return found;
}

void set(RunMap<int>& map, Range range, int value) {
  map.change(range, [value](int& at) { at = value; });
}

TEST(RunMap, HasOneRunAtFirst) {
  const RunMap<int> map(7, 100);
  EXPECT_THAT(runs(map, {0, 200}), ElementsAre(Found{{0, 100}, 7}));
  EXPECT_THAT(runs(map, {20, 30}), ElementsAre(Found{{20, 30}, 7}));
}

TEST(RunMap, NeighboursThatAreAlikeAreOne) {
  RunMap<int> map(0, 100);
  set(map, {10, 20}, 1);
  set(map, {30, 40}, 1);
  EXPECT_EQ(map.size(), 5u);
  set(map, {20, 30}, 1);
  EXPECT_THAT(runs(map, {0, 100}), ElementsAre(Found{{0, 10}, 0}, Found{{10, 40}, 1}, Found{{40, 100}, 0}));
  set(map, {0, 100}, 2);
  EXPECT_EQ(map.size(), 1u);
}

TEST(RunMap, WhatLiesBehindItsEndIsNotThere) {
  RunMap<int> map(0, 100);
  set(map, {90, 200}, 1);
  set(map, {100, 300}, 2);
  set(map, {50, 50}, 3);
  EXPECT_THAT(runs(map, {0, UINT64_MAX}), ElementsAre(Found{{0, 90}, 0}, Found{{90, 100}, 1}));
}

TEST(RunMap, CopiesAreIndependent) {
  RunMap<int> map(0, 100);
  set(map, {10, 20}, 1);
  RunMap<int> copy = map;
  set(map, {0, 100}, 2);
  EXPECT_THAT(runs(copy, {5, 15}), ElementsAre(Found{{5, 10}, 0}, Found{{10, 15}, 1}));
  copy = map;
  set(map, {0, 50}, 3);
  EXPECT_THAT(runs(copy, {0, 100}), ElementsAre(Found{{0, 100}, 2}));
}

TEST(RunMap, AgreesWithAModelPositionByPosition) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  constexpr uint64_t kEnd = 60;
  RunMap<int> map(0, kEnd);
  std::vector<int> model(kEnd, 0);
  for (int i = 0; i < 5000; ++i) {
    const uint64_t begin = random() % kEnd, end = begin + random() % (kEnd + 5 - begin);
    if (random() % 2) {
      const int value = static_cast<int>(random() % 3);
      const bool adds = random() % 2;
      map.change({begin, end}, [&](int& at) { at = adds ? (at + value) % 3 : value; });
      for (uint64_t p = begin; p < std::min(end, kEnd); ++p) model[p] = adds ? (model[p] + value) % 3 : value;
    }
    std::vector<int> found;
    uint64_t next = begin;
    map.visit({begin, end}, [&](Range range, int value) {
      EXPECT_EQ(range.begin, next);
      next = range.end;
      found.insert(found.end(), range.size(), value);
    });
    const auto last = model.begin() + static_cast<long>(std::max(begin, std::min(end, kEnd)));
    ASSERT_EQ(found, std::vector<int>(model.begin() + static_cast<long>(begin), last)) << "step " << i;
    size_t different = 1;
    for (uint64_t p = 1; p < kEnd; ++p) different += model[p] != model[p - 1];
    ASSERT_EQ(map.size(), different) << "step " << i;
  }
}

}  // namespace
}  // namespace samcl
