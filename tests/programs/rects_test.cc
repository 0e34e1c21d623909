// Rectangular reads, writes and copies in three dimensions, against plain loops.
#include <algorithm>
#include <array>
#include <functional>

#include "tests/programs/opencl_fixture.h"

namespace cases {
namespace {

using Triple = std::array<size_t, 3>;

// A box in memory: x in bytes, y in rows, z in slices; pitches in bytes.
struct Box {
  Triple origin;
  size_t row_pitch, slice_pitch;

  size_t at(size_t x, size_t y, size_t z) const {
    return (origin[2] + z) * slice_pitch + (origin[1] + y) * row_pitch + origin[0] + x;
  }
};

void copy_box(const std::vector<cl_uchar>& from, const Box& source, std::vector<cl_uchar>& to, const Box& target,
              const Triple& region) {
  for (size_t z = 0; z < region[2]; ++z)
    for (size_t y = 0; y < region[1]; ++y)
      for (size_t x = 0; x < region[0]; ++x) to[target.at(x, y, z)] = from[source.at(x, y, z)];
}

class Rects : public OpenCl {
 protected:
  // 5 slices of 8 rows of 20 bytes, and 6 slices of 10 rows of 16 bytes, both with more room than the region.
  const Box device_box_{{3, 2, 1}, 20, 160};
  const Box host_box_{{5, 1, 2}, 16, 160};
  const Triple region_{7, 5, 3};
  const std::vector<cl_uchar> device_start_ = std::vector<cl_uchar>(800, 200);
  const std::vector<cl_uchar> pattern_ = [] {
    std::vector<cl_uchar> values(960);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<cl_uchar>(i * 7 + i / 256);
    return values;
  }();

  cl_int write_rect(const Buffer& x, const Box& device, const Box& host, const Triple& region, const cl_uchar* data) {
    return clEnqueueWriteBufferRect(queue(), x.get(), CL_TRUE, device.origin.data(), host.origin.data(), region.data(),
                                    device.row_pitch, device.slice_pitch, host.row_pitch, host.slice_pitch, data, 0,
                                    nullptr, nullptr);
  }
  cl_int copy_rect(const Buffer& from, const Buffer& to, const Box& source, const Box& target, const Triple& region) {
    return clEnqueueCopyBufferRect(queue(), from.get(), to.get(), source.origin.data(), target.origin.data(),
                                   region.data(), source.row_pitch, source.slice_pitch, target.row_pitch,
                                   target.slice_pitch, 0, nullptr, nullptr);
  }
};

TEST_F(Rects, WriteTouchesTheBoxOnly) {
  const Buffer x = buffer(device_start_);
  ASSERT_OK(write_rect(x, device_box_, host_box_, region_, pattern_.data()));
  std::vector<cl_uchar> expected = device_start_;
  copy_box(pattern_, host_box_, expected, device_box_, region_);
  EXPECT_EQ(read<cl_uchar>(x, 800), expected);
}

TEST_F(Rects, ReadTouchesTheBoxInHostMemoryOnly) {
  std::vector<cl_uchar> contents(pattern_.begin(), pattern_.begin() + 800), host(960, 1), expected(960, 1);
  const Buffer x = buffer(contents);
  ASSERT_OK(clEnqueueReadBufferRect(queue(), x.get(), CL_TRUE, device_box_.origin.data(), host_box_.origin.data(),
                                    region_.data(), device_box_.row_pitch, device_box_.slice_pitch, host_box_.row_pitch,
                                    host_box_.slice_pitch, host.data(), 0, nullptr, nullptr));
  copy_box(contents, device_box_, expected, host_box_, region_);
  EXPECT_EQ(host, expected);
}

TEST_F(Rects, CopyBetweenBuffers) {
  const Buffer from = buffer(pattern_), to = buffer(device_start_);
  ASSERT_OK(copy_rect(from, to, host_box_, device_box_, region_));
  std::vector<cl_uchar> expected = device_start_;
  copy_box(pattern_, host_box_, expected, device_box_, region_);
  EXPECT_EQ(read<cl_uchar>(to, 800), expected);
  EXPECT_EQ(read<cl_uchar>(from, 960), pattern_);
}

// Long transfers go in pieces, which end within slices here.
TEST_F(Rects, LargerThanAnyPiece) {
  const Triple region{3001, 700, 3};
  const Box device{{5, 3, 1}, 3010, size_t{3010} * 710}, host{{1, 0, 0}, 3040, size_t{3040} * 701};
  std::vector<cl_uchar> expected(device.slice_pitch * 5, 9), data(host.slice_pitch * 4);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<cl_uchar>(i * 7 + i / 251);
  const Buffer x = buffer(expected);
  const auto k = kernel("__kernel void k(__global uchar* x) { x[get_global_id(0)] += 3; }");
  set_arguments(k, x);
  ASSERT_OK(write_rect(x, device, host, region, data.data()));
  launch(k, {{expected.size()}, {}});
  copy_box(data, host, expected, device, region);
  for (cl_uchar& each : expected) each = static_cast<cl_uchar>(each + 3);
  std::vector<cl_uchar> found(data.size(), 1), box(data.size(), 1);
  ASSERT_OK(clEnqueueReadBufferRect(queue(), x.get(), CL_TRUE, device.origin.data(), host.origin.data(), region.data(),
                                    device.row_pitch, device.slice_pitch, host.row_pitch, host.slice_pitch,
                                    found.data(), 0, nullptr, nullptr));
  copy_box(expected, device, box, host, region);
  EXPECT_TRUE(found == box);
  EXPECT_TRUE(read<cl_uchar>(x, expected.size()) == expected);
}

// Each work-item goes through all planes, so that a part of the launch has a strip of rows in each of them: halos,
// zeros and what is read back are many ranges.
struct PaddedGrids : Rects, ::testing::WithParamInterface<Triple> {};

TEST_P(PaddedGrids, AreSteppedInStripsOfEachPlane) {
  const size_t nx = GetParam()[0], ny = GetParam()[1], nz = GetParam()[2];
  const size_t row = nx + 2, plane = row * (ny + 2), all = plane * (nz + 2);
  const Box device{{4, 1, 1}, 4 * row, 4 * plane}, host{{0, 0, 0}, 4 * nx, 4 * nx * ny};
  const Triple region{4 * nx, ny, nz};
  // Where an inner point lies in the grid.
  const auto at = [&](size_t point) {
    return (point / (nx * ny) + 1) * plane + (point / nx % ny + 1) * row + point % nx + 1;
  };
  const auto k = kernel(R"(__kernel void k(__global const uint* in, __global uint* out, uint row, uint plane, uint nz) {
    for (uint z = 1; z <= nz; ++z) {
      uint i = z * plane + (get_global_id(1) + 1) * row + get_global_id(0) + 1;
      out[i] = in[i] * 3 + in[i - 1] + in[i + 1] + in[i - row] + in[i + row] + in[i - plane] + in[i + plane];
    }
  })");
  std::vector<cl_uint> start(nx * ny * nz), expected(all), next(all), found(start.size());
  for (size_t i = 0; i < start.size(); ++i) start[i] = static_cast<cl_uint>(i * 2654435761u);
  std::array<Buffer, 2> grids{buffer_of(4 * all), buffer_of(4 * all)};
  for (int round = 0; round < 3; ++round) {
    const cl_uint zero = 0;
    for (const Buffer& grid : grids)
      ASSERT_OK(clEnqueueFillBuffer(queue(), grid.get(), &zero, sizeof zero, 0, 4 * all, 0, nullptr, nullptr));
    ASSERT_OK(write_rect(grids[0], device, host, region, reinterpret_cast<const cl_uchar*>(start.data())));
    std::ranges::fill(expected, 0);
    for (size_t j = 0; j < start.size(); ++j) expected[at(j)] = start[j];
    for (int step = 0; step < 3; ++step) {
      set_arguments(k, grids[step % 2], grids[1 - step % 2], static_cast<cl_uint>(row), static_cast<cl_uint>(plane),
                    static_cast<cl_uint>(nz));
      launch(k, {{nx, ny}, {8, 2}});
      std::ranges::fill(next, 0);
      for (size_t j = 0; j < start.size(); ++j) {
        const size_t i = at(j);
        next[i] = expected[i] * 3 + expected[i - 1] + expected[i + 1] + expected[i - row] + expected[i + row] +
                  expected[i - plane] + expected[i + plane];
      }
      std::swap(expected, next);
    }
    ASSERT_OK(clEnqueueReadBufferRect(queue(), grids[1].get(), CL_TRUE, device.origin.data(), host.origin.data(),
                                      region.data(), device.row_pitch, device.slice_pitch, host.row_pitch,
                                      host.slice_pitch, found.data(), 0, nullptr, nullptr));
    for (size_t j = 0; j < start.size(); ++j) ASSERT_EQ(found[j], expected[at(j)]) << j;
    EXPECT_TRUE(read<cl_uint>(grids[1], all) == expected) << "and all around";
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, PaddedGrids,
                         ::testing::Values(Triple{16, 12, 9}, Triple{24, 40, 70}, Triple{256, 96, 48}));

TEST_F(Rects, ZeroPitchesMeanTight) {
  const Buffer x = buffer(pattern_);
  const Triple zero{0, 0, 0}, region{4, 3, 2};
  std::vector<cl_uchar> host(24);
  ASSERT_OK(clEnqueueReadBufferRect(queue(), x.get(), CL_TRUE, zero.data(), zero.data(), region.data(), 0, 0, 0, 0,
                                    host.data(), 0, nullptr, nullptr));
  EXPECT_EQ(host, std::vector<cl_uchar>(pattern_.begin(), pattern_.begin() + 24));
}

TEST_F(Rects, BetweenLaunches) {
  const auto k = kernel("__kernel void k(__global uchar* x) { x[get_global_id(0)] += 3; }");
  const Buffer x = buffer(device_start_);
  set_arguments(k, x);
  launch(k, {{800}});
  ASSERT_OK(write_rect(x, device_box_, host_box_, region_, pattern_.data()));
  launch(k, {{800}});
  std::vector<cl_uchar> expected(800, 203);
  copy_box(pattern_, host_box_, expected, device_box_, region_);
  for (cl_uchar& value : expected) value = static_cast<cl_uchar>(value + 3);
  EXPECT_EQ(read<cl_uchar>(x, 800), expected);
}

TEST_F(Rects, NonBlockingTwoColumnsOfOneMatrix) {
  const Buffer x = buffer(counting<cl_uchar>(64));  // 8 x 8
  std::vector<cl_uchar> two(8), five(8);
  const Triple origin2{2, 0, 0}, origin5{5, 0, 0}, zero{0, 0, 0}, column{1, 8, 1};
  ASSERT_OK(clEnqueueReadBufferRect(queue(), x.get(), CL_FALSE, origin2.data(), zero.data(), column.data(), 8, 0, 1, 0,
                                    two.data(), 0, nullptr, nullptr));
  ASSERT_OK(clEnqueueReadBufferRect(queue(), x.get(), CL_FALSE, origin5.data(), zero.data(), column.data(), 8, 0, 1, 0,
                                    five.data(), 0, nullptr, nullptr));
  ASSERT_OK(clFinish(queue()));
  EXPECT_EQ(two, (std::vector<cl_uchar>{2, 10, 18, 26, 34, 42, 50, 58}));
  EXPECT_EQ(five, (std::vector<cl_uchar>{5, 13, 21, 29, 37, 45, 53, 61}));
}

// The boxes interleave row by row but share no byte.
TEST_F(Rects, CopyWithinOneBufferOfBoxesSideBySide) {
  std::vector<cl_uchar> expected = counting<cl_uchar>(64);
  const Buffer x = buffer(expected);
  const Box left{{0, 0, 0}, 8, 64}, right{{4, 0, 0}, 8, 64};
  ASSERT_OK(copy_rect(x, x, left, right, {4, 8, 1}));
  copy_box(counting<cl_uchar>(64), left, expected, right, {4, 8, 1});
  EXPECT_EQ(read<cl_uchar>(x, 64), expected);
}

TEST_F(Rects, OverlappingCopyIsRefused) {
  const Buffer x = buffer(counting<cl_uchar>(64));
  const Box left{{0, 0, 0}, 8, 64}, shifted{{2, 1, 0}, 8, 64};
  EXPECT_STATUS(copy_rect(x, x, left, shifted, {4, 4, 1}), CL_MEM_COPY_OVERLAP);
  EXPECT_EQ(read<cl_uchar>(x, 64), counting<cl_uchar>(64));
}

TEST_F(Rects, BadPitchesAndRegionsAreRefused) {
  const Buffer x = buffer(device_start_);
  auto refused = [&](const Box& device, const Triple& region) {
    return write_rect(x, device, {{0, 0, 0}, 0, 0}, region, pattern_.data());
  };
  EXPECT_STATUS(refused({{0, 0, 0}, 3, 0}, {4, 2, 1}), CL_INVALID_VALUE);      // row pitch below the row
  EXPECT_STATUS(refused({{0, 0, 0}, 20, 30}, {4, 2, 2}), CL_INVALID_VALUE);    // slice pitch below two rows
  EXPECT_STATUS(refused({{0, 0, 0}, 20, 160}, {4, 0, 1}), CL_INVALID_VALUE);   // empty region
  EXPECT_STATUS(refused({{0, 0, 4}, 20, 160}, {4, 2, 2}), CL_INVALID_VALUE);   // beyond the end
  EXPECT_STATUS(refused({{17, 7, 4}, 20, 160}, {4, 1, 1}), CL_INVALID_VALUE);  // beyond by one byte
  EXPECT_OK(refused({{16, 7, 4}, 20, 160}, {4, 1, 1}));                        // up to the last byte
}

// A kernel whose places nobody knows writes all words of a buffer of which only a column was written before, by a
// rectangle: what lies between its rows differs from device to device.
class FreshRects : public Rects {
 protected:
  static constexpr size_t kWords = 512, kPitch = 128, kRounds = 20;

  void scatter_after(const std::function<void(const Buffer&)>& write_column) {
    const auto k = kernel(R"(
      __kernel void k(__global uint* to, __global const uint* places, uint value) {
        to[places[get_global_id(0)]] = value + get_global_id(0);
      })");
    for (cl_uint round = 0; round < kRounds; ++round) {
      const Buffer to = buffer_of(kWords * sizeof(cl_uint));
      std::vector<cl_uint> places(kWords), expected(kWords);
      for (cl_uint i = 0; i < kWords; ++i) {
        places[i] = (i * 37 + round) % kWords;
        expected[places[i]] = 1000 * round + i;
      }
      const Buffer table = buffer(places);
      write_column(to);
      set_arguments(k, to, table, 1000 * round);
      launch(k, {{kWords}, {8}});
      ASSERT_EQ(read<cl_uint>(to, kWords), expected) << "round " << round;
    }
  }
};

TEST_F(FreshRects, WhatLiesBetweenWrittenRowsIsUndefined) {
  scatter_after([&](const Buffer& to) {
    const Box column{{20, 0, 0}, kPitch, 0}, packed{{0, 0, 0}, 4, 0};
    ASSERT_OK(write_rect(to, column, packed, {4, 16, 1}, pattern_.data()));
  });
}

TEST_F(FreshRects, CopiesOfUndefinedRowsAre) {
  const Buffer fresh = buffer_of(kWords * sizeof(cl_uint));
  scatter_after([&](const Buffer& to) {
    const Box column{{20, 0, 0}, kPitch, 0};
    ASSERT_OK(copy_rect(fresh, to, column, column, {4, 16, 1}));
  });
}

}  // namespace
}  // namespace cases
