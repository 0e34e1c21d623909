#include "libsamcl/merge/diff.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace samcl {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_of(std::initializer_list<int> values) {
  Bytes result;
  for (int value : values) result.push_back(static_cast<std::byte>(value));
  return result;
}

TEST(MergeChanges, TakesWhatEachDeviceChanged) {
  Bytes contents = bytes_of({1, 2, 3, 4}), a = bytes_of({9, 2, 3, 4}), b = bytes_of({1, 2, 3, 8});
  const std::byte* outputs[] = {a.data(), b.data()};
  EXPECT_EQ(merge_changes(contents.data(), outputs, 2, 4, 1), 0b11u);
  EXPECT_EQ(contents, bytes_of({9, 2, 3, 8}));
}

TEST(MergeChanges, ReportsDevicesThatChangedNothing) {
  Bytes contents = bytes_of({1, 2}), a = contents, b = bytes_of({1, 7});
  const std::byte* outputs[] = {a.data(), b.data()};
  EXPECT_EQ(merge_changes(contents.data(), outputs, 2, 2, 1), 0b10u);
}

// Both devices stored a whole 16-bit element; a byte-wise merge would make up a value nobody stored.
TEST(MergeChanges, NeverMixesBytesOfTwoStores) {
  Bytes contents = bytes_of({0, 0}), a = bytes_of({1, 0}), b = bytes_of({0, 2});
  const std::byte* outputs[] = {a.data(), b.data()};
  merge_changes(contents.data(), outputs, 2, 2, 2);
  EXPECT_EQ(contents, b);
}

// Device 1's unchanged element equals the old contents, not what device 0 made of them.
TEST(MergeChanges, ComparesWithTheContentsBeforeAnyDevice) {
  Bytes contents = bytes_of({5, 5}), a = bytes_of({6, 6}), b = bytes_of({5, 7});
  const std::byte* outputs[] = {a.data(), b.data()};
  merge_changes(contents.data(), outputs, 2, 2, 1);
  EXPECT_EQ(contents, bytes_of({6, 7}));
}

class MergeWidths : public testing::TestWithParam<unsigned> {};

TEST_P(MergeWidths, DisjointWritesOfRandomElementsAllArrive) {
  const unsigned width = GetParam();
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 20; ++round) {
    const unsigned devices = 1 + random() % 4;
    const size_t elements = random() % 3000;
    Bytes contents(elements * width);
    for (auto& byte : contents) byte = static_cast<std::byte>(random());
    Bytes expected = contents;
    std::vector<Bytes> outputs(devices, contents);
    uint32_t changed = 0;
    for (size_t element = 0; element < elements; ++element) {
      unsigned writer = random() % (devices + 1);
      if (writer == devices) continue;
      Bytes value(width);
      for (auto& byte : value) byte = static_cast<std::byte>(random());
      if (std::memcmp(value.data(), &expected[element * width], width) != 0) changed |= 1u << writer;
      std::memcpy(&outputs[writer][element * width], value.data(), width);
      std::memcpy(&expected[element * width], value.data(), width);
    }
    std::vector<const std::byte*> pointers;
    for (const Bytes& output : outputs) pointers.push_back(output.data());
    EXPECT_EQ(merge_changes(contents.data(), pointers.data(), devices, contents.size(), width), changed);
    EXPECT_EQ(contents, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(All, MergeWidths, testing::Values(1, 2, 4, 8, 16));

}  // namespace
}  // namespace samcl
