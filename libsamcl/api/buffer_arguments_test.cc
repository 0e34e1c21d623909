#include "libsamcl/api/buffer_arguments.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>
#include <vector>

namespace samcl::api {
namespace {

using Triple = std::array<size_t, 3>;

TEST(IsRectangle, FitsIfItsLastByteDoes) {
  const Triple origin{8, 1, 0}, region{4, 3, 1};  // last row begins at 3 * 16 + 8
  EXPECT_TRUE(is_rectangle(origin.data(), region.data(), 16, 0, 60));
  EXPECT_FALSE(is_rectangle(origin.data(), region.data(), 16, 0, 59));
}

TEST(IsRectangle, RefusesNullEmptyAndPitchesThatDoNotFit) {
  const Triple origin{0, 0, 0}, region{4, 3, 2}, flat{4, 0, 2};
  EXPECT_FALSE(is_rectangle(nullptr, region.data(), 0, 0, 1000));
  EXPECT_FALSE(is_rectangle(origin.data(), nullptr, 0, 0, 1000));
  EXPECT_FALSE(is_rectangle(origin.data(), flat.data(), 0, 0, 1000));
  EXPECT_FALSE(is_rectangle(origin.data(), region.data(), 3, 0, 1000)) << "rows longer than their pitch";
  EXPECT_FALSE(is_rectangle(origin.data(), region.data(), 8, 16, 1000)) << "slices longer than their pitch";
  EXPECT_FALSE(is_rectangle(origin.data(), region.data(), 8, 25, 1000)) << "slice pitch is not whole rows";
  EXPECT_TRUE(is_rectangle(origin.data(), region.data(), 8, 32, 1000));
}

TEST(IsRectangle, RefusesWhatOverflows) {
  const size_t huge = std::numeric_limits<size_t>::max() / 2;
  const Triple origin{0, 0, 4}, region{1, 1, 1};
  EXPECT_FALSE(is_rectangle(origin.data(), region.data(), huge, huge, std::numeric_limits<uint64_t>::max()));
}

// Marks every byte of one rectangle and looks for them in the other.
bool overlap_by_bytes(const Rectangle& a, const Rectangle& b) {
  std::vector<bool> marked(std::max(a.bounds().end, b.bounds().end), false);
  a.for_each_row([&](uint64_t, Range row) {
    for (uint64_t i = row.begin; i < row.end; ++i) marked[i] = true;
  });
  bool found = false;
  b.for_each_row([&](uint64_t, Range row) {
    for (uint64_t i = row.begin; i < row.end; ++i) found |= marked[i];
  });
  return found;
}

TEST(Overlap, AgreesWithAByteWiseModelIfPitchesAreEqual) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  int overlapping = 0;
  for (int round = 0; round < 20000; ++round) {
    const Triple region{1 + random() % 4, 1 + random() % 3, 1 + random() % 3};
    const size_t row_pitch = region[0] + random() % 6;
    const size_t slice_pitch = row_pitch * (region[1] + random() % 3);
    const auto any = [&] {
      const Triple origin{random() % 8, random() % 4, random() % 4};
      return Rectangle::of(origin.data(), region.data(), row_pitch, slice_pitch);
    };
    const Rectangle a = any(), b = any();
    ASSERT_EQ(overlap(a, b), overlap_by_bytes(a, b))
        << "offsets " << a.offset << ", " << b.offset << "; region " << region[0] << "x" << region[1] << "x"
        << region[2] << "; pitches " << row_pitch << ", " << slice_pitch;
    overlapping += overlap(a, b);
  }
  EXPECT_GT(overlapping, 100);
}

TEST(Overlap, RowsBetweenRowsDoNot) {
  const Triple first{0, 0, 0}, between{16, 0, 0}, region{16, 4, 1};
  EXPECT_FALSE(
      overlap(Rectangle::of(first.data(), region.data(), 32, 0), Rectangle::of(between.data(), region.data(), 32, 0)));
}

}  // namespace
}  // namespace samcl::api
