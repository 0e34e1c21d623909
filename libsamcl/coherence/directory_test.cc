#include "libsamcl/coherence/directory.h"

#include <gtest/gtest.h>

#include <random>

namespace samcl {
namespace {

using Piece = Directory::Piece;

TEST(Directory, NewBufferIsUndefinedAndNothingIsMissing) {
  Directory directory(100);
  EXPECT_EQ(directory.pieces({0, 100}), (std::vector<Piece>{{{0, 100}, 0}}));
  EXPECT_TRUE(directory.missing({0, 100}, 0).empty());
  EXPECT_EQ(directory.missing_bytes({0, 100}, kHost), 0u);
}

TEST(Directory, WrittenBytesAreMissingElsewhere) {
  Directory directory(100);
  directory.written({20, 40}, only(1));
  EXPECT_TRUE(directory.missing({0, 100}, 1).empty());
  EXPECT_EQ(directory.missing({0, 100}, 0), (std::vector<Piece>{{{20, 40}, only(1)}}));
  EXPECT_EQ(directory.missing({30, 35}, 0), (std::vector<Piece>{{{30, 35}, only(1)}}));
}

TEST(Directory, CopyAddsAPlaceAndKeepsUndefinedUndefined) {
  Directory directory(100);
  directory.written({20, 40}, only(1));
  directory.copied({0, 100}, kHost);
  EXPECT_EQ(directory.pieces({0, 100}),
            (std::vector<Piece>{{{0, 20}, 0}, {{20, 40}, only(1) | only(kHost)}, {{40, 100}, 0}}));
}

TEST(Directory, EqualNeighboursBecomeOnePiece) {
  Directory directory(100);
  directory.written({0, 50}, only(0));
  directory.written({50, 100}, only(0));
  EXPECT_EQ(directory.pieces({0, 100}), (std::vector<Piece>{{{0, 100}, only(0)}}));
}

TEST(Directory, UndefinedBytesCanBecomeZeros) {
  Directory directory(10);
  directory.written({2, 4}, only(0));
  directory.define_as_zeros({0, 10}, only(kZeros));
  EXPECT_EQ(directory.pieces({0, 10}),
            (std::vector<Piece>{{{0, 2}, only(kZeros)}, {{2, 4}, only(0)}, {{4, 10}, only(kZeros)}}));
}

TEST(Directory, RangesBeyondTheEndAreClipped) {
  Directory directory(10);
  directory.written({5, 500}, only(2));
  EXPECT_EQ(directory.pieces({0, 1000}), (std::vector<Piece>{{{0, 5}, 0}, {{5, 10}, only(2)}}));
  EXPECT_TRUE(directory.pieces({10, 20}).empty());
}

TEST(Directory, ForgetsAPlace) {
  Directory directory(10);
  directory.written({0, 10}, only(0) | only(kHost));
  directory.forget(kHost);
  EXPECT_EQ(directory.pieces({0, 10}), (std::vector<Piece>{{{0, 10}, only(0)}}));
}

// The same operations on one set of places per byte.
TEST(Directory, AgreesWithAByteWiseModel) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 50; ++round) {
    const uint64_t size = 1 + random() % 64;
    Directory directory(size);
    std::vector<Places> model(size, 0);
    for (int step = 0; step < 100; ++step) {
      uint64_t a = random() % (size + 1), b = random() % (size + 1);
      Range range{std::min(a, b), std::max(a, b)};
      Place place = random() % 4;
      switch (random() % 3) {
        case 0:
          directory.written(range, only(place));
          for (uint64_t i = range.begin; i < range.end; ++i) model[i] = only(place);
          break;
        case 1:
          directory.copied(range, place);
          for (uint64_t i = range.begin; i < range.end; ++i) model[i] |= model[i] ? only(place) : 0;
          break;
        default:
          directory.define_as_zeros(range, only(kZeros));
          for (uint64_t i = range.begin; i < range.end; ++i) model[i] = model[i] ? model[i] : only(kZeros);
      }
      uint64_t position = 0, missing = 0;
      Places before = ~Places{0};
      for (const Piece& piece : directory.pieces({0, size})) {
        ASSERT_EQ(piece.range.begin, position);
        ASSERT_NE(piece.valid, before) << "neighbours not joined";
        for (; position < piece.range.end; ++position) ASSERT_EQ(model[position], piece.valid);
        before = piece.valid;
      }
      ASSERT_EQ(position, size);
      for (Places places : model) missing += places != 0 && !contains(places, 2);
      ASSERT_EQ(directory.missing_bytes({0, size}, 2), missing);
    }
  }
}

}  // namespace
}  // namespace samcl
