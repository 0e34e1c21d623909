#include "libsamcl/engine/access_map.h"

#include <gmock/gmock.h>

#include <random>
#include <set>

namespace samcl::engine {
namespace {

// Whether something that has not ended writes (or, for a write, reads) a part of the range.
bool is_busy(AccessMap& map, Range range, bool write) {
  NodeList users;
  map.find_conflicts(range, write, users);
  return !users.empty();
}

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

struct AccessMapTest : ::testing::Test {
  AccessMap map;
  uint64_t groups = 0;

  NodePtr node(uint64_t group = 0) { return std::make_shared<Node>(Lane{}, HostCall{}, group ? group : ++groups); }
  NodePtr reads(Range range, uint64_t group = 0) { return recorded(range, false, group); }
  NodePtr writes(Range range, uint64_t group = 0) { return recorded(range, true, group); }
  NodePtr recorded(Range range, bool write, uint64_t group) {
    NodePtr made = node(group);
    map.record(range, write, made);
    return made;
  }
  std::set<NodePtr> before_read(Range range) { return conflicts(range, false); }
  std::set<NodePtr> before_write(Range range) { return conflicts(range, true); }
  std::set<NodePtr> conflicts(Range range, bool write) {
    NodeList found;
    map.find_conflicts(range, write, found);
    return {found.begin(), found.end()};
  }
};

TEST_F(AccessMapTest, NothingWaitsForNothing) { EXPECT_THAT(before_write({0, 100}), IsEmpty()); }

TEST_F(AccessMapTest, ReadersDoNotWaitForReaders) {
  reads({0, 100});
  EXPECT_THAT(before_read({0, 100}), IsEmpty());
}

TEST_F(AccessMapTest, ReadersWaitForTheLastWriter) {
  writes({0, 100});
  const auto last = writes({0, 100});
  EXPECT_THAT(before_read({50, 60}), UnorderedElementsAre(last));
}

TEST_F(AccessMapTest, WritersWaitForTheLastWriterAndTheReadersSince) {
  const auto writer = writes({0, 100});
  const auto reader = reads({10, 20});
  EXPECT_THAT(before_write({15, 30}), UnorderedElementsAre(writer, reader));
  EXPECT_THAT(before_write({20, 30}), UnorderedElementsAre(writer));
}

TEST_F(AccessMapTest, AWriteHidesWhatItWaitedFor) {
  writes({0, 100});
  reads({0, 100});
  const auto last = writes({0, 100});
  EXPECT_THAT(before_write({0, 100}), UnorderedElementsAre(last));
}

TEST_F(AccessMapTest, OnlyOverlappingRangesConflict) {
  const auto low = writes({0, 50});
  const auto high = writes({50, 100});
  EXPECT_THAT(before_read({0, 50}), UnorderedElementsAre(low));
  EXPECT_THAT(before_read({49, 51}), UnorderedElementsAre(low, high));
  EXPECT_THAT(before_read({100, 200}), IsEmpty());
}

TEST_F(AccessMapTest, EmptyRangesTouchNothing) {
  writes({10, 10});
  EXPECT_THAT(before_write({0, 100}), IsEmpty());
  writes({0, 100});
  EXPECT_THAT(before_write({5, 5}), IsEmpty());
}

TEST_F(AccessMapTest, OneGroupHasSeveralWritersOfARange) {
  const auto one = writes({0, 100}, 7), two = writes({0, 100}, 7);
  EXPECT_THAT(before_read({0, 1}), UnorderedElementsAre(one, two));
}

TEST_F(AccessMapTest, ReadersOfTheWritersGroupStay) {
  const auto reader = reads({0, 100}, 7);
  const auto writer = writes({0, 100}, 7);
  EXPECT_THAT(before_write({0, 100}), UnorderedElementsAre(reader, writer));
  EXPECT_THAT(before_read({0, 100}), UnorderedElementsAre(writer));
}

TEST_F(AccessMapTest, WhatHasEndedIsForgotten) {
  const auto writer = writes({0, 100});
  writer->ended = true;
  EXPECT_THAT(before_write({0, 100}), IsEmpty());
  EXPECT_FALSE(is_busy(map, {0, 100}, true));
}

TEST_F(AccessMapTest, BusyIsWhatAnAccessWouldWaitFor) {
  reads({0, 10});
  EXPECT_FALSE(is_busy(map, {0, 10}, false));
  EXPECT_TRUE(is_busy(map, {5, 6}, true));
  EXPECT_FALSE(is_busy(map, {10, 20}, true));
}

TEST_F(AccessMapTest, EndedUsersLeaveNoRunsBehind) {
  for (uint64_t i = 0; i < 20'000; ++i) writes({i * 16, i * 16 + 8})->ended = true;
  EXPECT_LT(map.size(), 3000u);
}

// Against a model that asks every byte.
TEST_F(AccessMapTest, AgreesWithAModelByteByByte) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  constexpr uint64_t kBytes = 40;
  struct Byte {
    std::set<NodePtr> writers, readers;
  };
  std::vector<Byte> model(kBytes);
  std::vector<NodePtr> alive;
  for (int i = 0; i < 3000; ++i) {
    const uint64_t begin = random() % kBytes, end = begin + random() % (kBytes + 1 - begin);
    const bool write = random() % 2;
    std::set<NodePtr> expected;
    for (uint64_t b = begin; b < end; ++b) {
      expected.insert(model[b].writers.begin(), model[b].writers.end());
      if (write) expected.insert(model[b].readers.begin(), model[b].readers.end());
    }
    std::erase_if(expected, [](const NodePtr& n) { return n->ended; });
    ASSERT_EQ(conflicts({begin, end}, write), expected) << "step " << i;
    const NodePtr made = recorded({begin, end}, write, 0);
    alive.push_back(made);
    for (uint64_t b = begin; b < end; ++b) {
      if (write)
        model[b] = {{made}, {}};
      else
        model[b].readers.insert(made);
    }
    if (random() % 3 == 0) alive[random() % alive.size()]->ended = true;
  }
}

}  // namespace
}  // namespace samcl::engine
