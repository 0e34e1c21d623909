// What kernels write: every width, few elements, equal values, bit patterns; merging must not mix bytes.
#include "tests/programs/opencl_fixture.h"

namespace cases {
namespace {

class Stores : public OpenCl {
 protected:
  // Runs the kernel on one buffer with these contents and returns what is in it then.
  template <typename T>
  std::vector<T> run(const char* source, std::vector<T> contents, const Range& range) {
    const auto k = kernel(source);
    const Buffer x = buffer(contents);
    set_arguments(k, x);
    launch(k, range);
    return read<T>(x, contents.size());
  }
};

TEST_F(Stores, BytesOfOneWordByDifferentWorkItems) {
  EXPECT_EQ(run<cl_uint>("__kernel void k(__global uchar* x) { size_t i = get_global_id(0); x[i] = (uchar)(i & 3); }",
                         std::vector<cl_uint>(50, 0xffffffff), {{200}, {1}}),
            std::vector<cl_uint>(50, 0x03020100));
}

TEST_F(Stores, OddBytesOnly) {
  EXPECT_EQ(run<cl_uchar>("__kernel void k(__global uchar* x) { x[2 * get_global_id(0) + 1] = 9; }",
                          std::vector<cl_uchar>{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {{5}, {1}}),
            (std::vector<cl_uchar>{1, 9, 1, 9, 1, 9, 1, 9, 1, 9}));
}

TEST_F(Stores, SeveralWidthsIntoOneBuffer) {
  std::vector<cl_uchar> expected(64 * 16, 255);
  for (size_t item = 0; item < 64; ++item) {
    cl_uchar* at = expected.data() + 16 * item;
    const auto value = static_cast<cl_uchar>(item);
    at[0] = value;
    const cl_ushort half = static_cast<cl_ushort>(value * 257);
    std::memcpy(at + 2, &half, 2);
    const cl_uint word = value * 0x01010101u;
    std::memcpy(at + 4, &word, 4);
    const cl_ulong big = ~cl_ulong{value};
    std::memcpy(at + 8, &big, 8);
  }
  EXPECT_EQ(run<cl_uchar>(R"(
    __kernel void k(__global uchar* x) {
      size_t i = get_global_id(0);
      __global uchar* at = x + 16 * i;
      at[0] = (uchar)i;
      *(__global ushort*)(at + 2) = (ushort)(i * 257);
      *(__global uint*)(at + 4) = (uint)i * 0x01010101u;
      *(__global ulong*)(at + 8) = ~(ulong)i;
    })",
                          std::vector<cl_uchar>(64 * 16, 255), {{64}, {4}}),
            expected);
}

TEST_F(Stores, Vstore3LeavesNoGapAndNoExtra) {
  EXPECT_EQ(
      run<cl_int>("__kernel void k(__global int* x) { int i = get_global_id(0); vstore3((int3)(i, -i, 7), i, x); }",
                  std::vector<cl_int>(14, 50), {{4}, {1}}),
      (std::vector<cl_int>{0, 0, 7, 1, -1, 7, 2, -2, 7, 3, -3, 7, 50, 50}));
}

// 5 bytes per item, starting at odd addresses.
TEST_F(Stores, UnalignedVectorStores) {
  std::vector<cl_uchar> expected(101, 200);
  for (size_t i = 0; i < 20; ++i)
    for (size_t j = 0; j < 4; ++j) expected[5 * i + 1 + j] = static_cast<cl_uchar>(10 * i + j);
  EXPECT_EQ(run<cl_uchar>(R"(__kernel void k(__global uchar* x) {
                               int i = get_global_id(0);
                               vstore4((uchar4)(10 * i, 10 * i + 1, 10 * i + 2, 10 * i + 3), 0, x + 5 * i + 1); })",
                          std::vector<cl_uchar>(101, 200), {{20}, {2}}),
            expected);
}

TEST_F(Stores, WholeVectors) {
  std::vector<cl_ulong> expected(64);
  for (cl_ulong i = 0; i < 64; ++i) expected[i] = (i / 8) * 100 + i % 8;
  EXPECT_EQ(run<cl_ulong>(R"(__kernel void k(__global ulong8* x) {
                               ulong i = get_global_id(0);
                               x[i] = (ulong8)(0, 1, 2, 3, 4, 5, 6, 7) + 100 * i; })",
                          std::vector<cl_ulong>(64, 1), {{8}, {1}}),
            expected);
}

TEST_F(Stores, Structures) {
  struct Record {
    cl_uchar tag;
    cl_uchar rest[3];
    cl_int value;
    cl_short pair[2];
    bool operator==(const Record&) const = default;
  };
  std::vector<Record> start(30, Record{1, {2, 3, 4}, 5, {6, 7}}), expected = start;
  for (cl_int i = 0; i < 30; ++i) {
    expected[static_cast<size_t>(i)].tag = static_cast<cl_uchar>(i);
    expected[static_cast<size_t>(i)].pair[1] = static_cast<cl_short>(-i);
  }
  EXPECT_EQ(run<Record>(R"(
    typedef struct { uchar tag; uchar rest[3]; int value; short pair[2]; } Record;
    __kernel void k(__global Record* x) {
      int i = get_global_id(0);
      x[i].tag = i;
      x[i].pair[1] = -i;
    })",
                        start, {{30}, {3}}),
            expected);
}

TEST_F(Stores, WholeStructuresFromAPrivateCopy) {
  struct Point {
    cl_int x, y, z;
    bool operator==(const Point&) const = default;
  };
  std::vector<Point> start(20, Point{1, 2, 3}), expected(20, Point{3, 2, 1});
  EXPECT_EQ(run<Point>(R"(
    typedef struct { int x, y, z; } Point;
    __kernel void k(__global Point* p) {
      Point own = p[get_global_id(0)];
      int x = own.x; own.x = own.z; own.z = x;
      p[get_global_id(0)] = own;
    })",
                       start, {{20}, {2}}),
            expected);
}

TEST_F(Stores, EqualValuesAreWritesToo) {
  const auto k = kernel("__kernel void k(__global int* x, int value) { x[get_global_id(0)] = value; }");
  const Buffer x = buffer(std::vector<cl_int>(64, 4));
  for (cl_int value : {4, 5, 5, 4}) {
    set_arguments(k, x, value);
    launch(k, {{64}, {2}});
    EXPECT_EQ(read<cl_int>(x, 64), std::vector<cl_int>(64, value));
  }
}

// The second launch writes back what was there before the first: the last writer must win everywhere.
TEST_F(Stores, BackToTheOldValueWithoutReadingBetween) {
  const auto k = kernel(
      "__kernel void k(__global int* x, int n) { size_t i = get_global_id(0); if (i < n) x[i] = i; else x[i] "
      "= -1; }");
  const Buffer x = buffer(std::vector<cl_int>(64, -1));
  set_arguments(k, x, cl_int{64});
  launch(k, {{64}, {2}});
  set_arguments(k, x, cl_int{10});
  launch(k, {{64}, {2}});
  std::vector<cl_int> expected(64, -1);
  std::iota(expected.begin(), expected.begin() + 10, 0);
  EXPECT_EQ(read<cl_int>(x, 64), expected);
}

TEST_F(Stores, AFewScatteredElements) {
  std::vector<cl_int> expected = counting<cl_int>(10000);
  for (size_t at : {7u, 17u, 1234u, 9999u}) expected[at] = -1;
  EXPECT_EQ(run<cl_int>(R"(__kernel void k(__global int* x) {
                             size_t i = get_global_id(0);
                             if (i == 7 || i == 17 || i == 1234 || i == 9999) x[i] = -1; })",
                        counting<cl_int>(10000), {{10000}, {10}}),
            expected);
}

// Item i writes element n - 1 - i: the first device's items write the last part of the buffer.
TEST_F(Stores, Mirrored) {
  std::vector<cl_int> expected = counting<cl_int>(600);
  std::reverse(expected.begin(), expected.end());
  EXPECT_EQ(run<cl_int>("__kernel void k(__global int* x) { x[get_global_size(0) - 1 - get_global_id(0)] = "
                        "get_global_id(0); }",
                        std::vector<cl_int>(600, -1), {{600}, {6}}),
            expected);
}

// All work-items store the same value in one place: a benign race that real programs have (a "changed" flag).
TEST_F(Stores, SharedFlag) {
  const auto k = kernel(R"(__kernel void k(__global const int* x, __global int* flag) {
                             if (x[get_global_id(0)] == 77) *flag = 1; })");
  std::vector<cl_int> contents(500, 1);
  contents[3] = contents[499] = 77;
  const Buffer x = buffer(contents), flag = buffer(std::vector<cl_int>{0});
  set_arguments(k, x, flag);
  launch(k, {{500}, {5}});
  EXPECT_EQ(read<cl_int>(flag, 1)[0], 1);
}

TEST_F(Stores, NanBitPatternsSurvive) {
  const std::vector<cl_uint> patterns = {0x7fc00000, 0x7fc12345, 0xffc00001, 0x7fffffff, 0x80000000, 0x00000001};
  const auto k = kernel(R"(__kernel void k(__global const uint* bits, __global float* x) {
                             size_t i = get_global_id(0); x[i] = as_float(bits[i]); })");
  const Buffer bits = buffer(patterns), x = buffer_of(24);
  set_arguments(k, bits, x);
  launch(k, {{6}, {1}});
  EXPECT_EQ(read<cl_uint>(x, 6), patterns);
}

// NaN != NaN and -0 == 0: comparing floats instead of bytes would miss these writes.
TEST_F(Stores, FromZeroToMinusZeroAndFromNanToAnotherNan) {
  EXPECT_EQ(run<cl_uint>(R"(__kernel void k(__global uint* x) {
                              size_t i = get_global_id(0); x[i] = i & 1 ? 0x80000000u : 0x7fc00001u; })",
                         std::vector<cl_uint>{0x7fc00000, 0, 0x7fc00000, 0}, {{4}, {1}}),
            (std::vector<cl_uint>{0x7fc00001, 0x80000000, 0x7fc00001, 0x80000000}));
}

TEST_F(Stores, TwoOutputs) {
  const auto k = kernel(R"(__kernel void k(__global const int* in, __global int* twice, __global char* odd) {
                             size_t i = get_global_id(0); twice[i] = 2 * in[i]; odd[i] = in[i] & 1; })");
  const Buffer in = buffer(counting<cl_int>(99)), twice = buffer_of(396), odd = buffer_of(99);
  set_arguments(k, in, twice, odd);
  launch(k, {{99}, {3}});
  std::vector<cl_int> expected_twice(99);
  std::vector<cl_char> expected_odd(99);
  for (size_t i = 0; i < 99; ++i) {
    expected_twice[i] = static_cast<cl_int>(2 * i);
    expected_odd[i] = static_cast<cl_char>(i & 1);
  }
  EXPECT_EQ(read<cl_int>(twice, 99), expected_twice);
  EXPECT_EQ(read<cl_char>(odd, 99), expected_odd);
}

// Columns of a row-major matrix, one work-item each.
TEST_F(Stores, ColumnsOfAMatrix) {
  std::vector<cl_int> expected(24 * 10);
  for (size_t row = 0; row < 10; ++row)
    for (size_t column = 0; column < 24; ++column)
      expected[row * 24 + column] = static_cast<cl_int>(100 * column + row);
  EXPECT_EQ(run<cl_int>(R"(__kernel void k(__global int* x) {
                             int column = get_global_id(0);
                             for (int row = 0; row < 10; ++row) x[row * get_global_size(0) + column] = 100 * column + row; })",
                        std::vector<cl_int>(240, -1), {{24}, {2}}),
            expected);
}

}  // namespace
}  // namespace cases
