#include "libsamcl/coherence/rows_by_place.h"

#include <gtest/gtest.h>

#include <random>

#include "base/test_seed.h"

namespace samcl {
namespace {

constexpr uint64_t kBufferBytes = 4'096;
const Rectangle kRows{64, 16, 160, {10, 8, 5}};  // 8 rows of 10 bytes in each of 5 slices

TEST(RowsByPlace, AreOneRectangleAtOnePlace) {
  Directory directory(kBufferBytes);
  directory.written({0, kBufferBytes}, only(2));
  EXPECT_EQ(rows_by_place(directory, kRows, 1), (std::vector<RowsAt>{{0, 8, 0, 5, only(2)}}));
}

TEST(RowsByPlace, WhatLiesBetweenThemDoesNotMatter) {
  Directory directory(kBufferBytes);
  directory.written({0, kBufferBytes}, only(kZeros));
  kRows.for_each_row([&](uint64_t, Range row) { directory.written(row, only(1)); });
  EXPECT_EQ(rows_by_place(directory, kRows, 1), (std::vector<RowsAt>{{0, 8, 0, 5, only(1)}}));
}

TEST(RowsByPlace, StripsOfAllSlicesAreOneRectangleEach) {
  Directory directory(kBufferBytes);
  kRows.for_each_row([&](uint64_t index, Range row) { directory.written(row, only(index % 8 < 3 ? 0 : 1)); });
  EXPECT_EQ(rows_by_place(directory, kRows, 2), (std::vector<RowsAt>{{0, 3, 0, 5, only(0)}, {3, 5, 0, 5, only(1)}}));
  EXPECT_TRUE(rows_by_place(directory, kRows, 1).empty()) << "more than asked for";
}

TEST(RowsByPlace, SlicesOfOneDeviceAreOneRectangle) {
  Directory directory(kBufferBytes);
  kRows.for_each_row([&](uint64_t index, Range row) { directory.written(row, only(index < 16 ? 0 : 1)); });
  EXPECT_EQ(rows_by_place(directory, kRows, 2), (std::vector<RowsAt>{{0, 8, 0, 2, only(0)}, {0, 8, 2, 3, only(1)}}));
}

TEST(RowsByPlace, ARowThatLiesAtSeveralPlacesIsNotThere) {
  Directory directory(kBufferBytes);
  directory.written({0, kBufferBytes}, only(0));
  directory.written({kRows.row(9) + 5, kRows.row(9) + 10}, only(1));
  EXPECT_TRUE(rows_by_place(directory, kRows, 100).empty());
  directory.copied({kRows.row(9), kRows.row(9) + 5}, 1);
  EXPECT_EQ(rows_by_place(directory, kRows, 100).size(), 5u) << "slice 0, three parts of slice 1, the others";
}

TEST(RowsByPlace, ZerosThatNobodyHasAreNotThere) {
  Directory directory(kBufferBytes);
  directory.define_as_zeros({0, kBufferBytes}, only(kZeros));
  EXPECT_TRUE(rows_by_place(directory, kRows, 100).empty());
}

TEST(RowsByPlace, CoversEachRowOnceWhereItIsValid) {
  const TestSeed seed;
  std::mt19937_64 random(seed);
  const auto any = [&](uint64_t least, uint64_t most) { return least + random() % (most - least + 1); };
  for (int round = 0; round < 3'000; ++round) {
    const uint64_t bytes = any(1, 20), rows = any(1, 6), slices = any(1, 5), pitch = bytes + any(0, 7);
    const Rectangle all{any(0, 40), pitch, pitch * rows + any(0, 20), {bytes, rows, slices}};
    Directory directory(kBufferBytes);
    for (uint64_t writes = any(0, 12); writes > 0; --writes) {
      const uint64_t begin = any(0, 800), end = begin + any(1, 300);
      random() % 2 ? directory.written({begin, end}, only(static_cast<Place>(any(0, 2))))
                   : directory.copied({begin, end}, random() % 4 ? static_cast<Place>(any(0, 2)) : kHost);
    }
    const auto is_valid = [&](Range row, Place place) { return directory.missing_bytes(row, place) == 0; };
    const std::vector<RowsAt> parts = rows_by_place(directory, all, SIZE_MAX);
    std::vector<int> covered(rows * slices);
    for (const RowsAt& part : parts) {
      ASSERT_NE(part.valid, 0u);
      part.of(all).for_each_row([&](uint64_t, Range row) {
        for_each_place(part.valid, [&](Place place) { ASSERT_TRUE(is_valid(row, place)); });
      });
      for (uint64_t slice = part.slice; slice < part.slice + part.slices; ++slice)
        for (uint64_t row = part.row; row < part.row + part.rows; ++row) ++covered[slice * rows + row];
    }
    bool has_all = true;
    all.for_each_row([&](uint64_t, Range row) {
      bool somewhere = is_valid(row, kHost);
      for (Place place = 0; place < 3; ++place) somewhere |= is_valid(row, place);
      has_all &= somewhere;
    });
    EXPECT_EQ(!parts.empty(), has_all);
    for (const int times : covered) ASSERT_EQ(times, parts.empty() ? 0 : 1);
  }
}

}  // namespace
}  // namespace samcl
