#include "tests/differential/images/kernels.h"

namespace image_sequences {
namespace {

// How a kind of image is addressed and how large it is. Layers and what a sampler does not serve are clamped here.
std::string macros(Kind kind) {
  switch (kind) {
    case Kind::image1d:
      return R"(
#define IMAGE image1d_t
#define AT(x, y, z) (x)
#define READ(i, x, y, z) read_imageui(i, nearest, x)
#define ROWS(i) 1
#define SLICES(i) 1
)";
    case Kind::image1d_array:
      return R"(
#define IMAGE image1d_array_t
#define AT(x, y, z) (int2)(x, y)
#define READ(i, x, y, z) read_imageui(i, nearest, (int2)(x, clamp((int)(y), 0, ROWS(i) - 1)))
#define ROWS(i) (int)get_image_array_size(i)
#define SLICES(i) 1
)";
    case Kind::image2d:
      return R"(
#define IMAGE image2d_t
#define AT(x, y, z) (int2)(x, y)
#define READ(i, x, y, z) read_imageui(i, nearest, (int2)(x, y))
#define ROWS(i) get_image_height(i)
#define SLICES(i) 1
)";
    case Kind::image2d_array:
      return R"(
#define IMAGE image2d_array_t
#define AT(x, y, z) (int4)(x, y, z, 0)
#define READ(i, x, y, z) read_imageui(i, nearest, (int4)(x, y, clamp((int)(z), 0, SLICES(i) - 1), 0))
#define ROWS(i) get_image_height(i)
#define SLICES(i) (int)get_image_array_size(i)
)";
    case Kind::image3d:
      return R"(
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
#define IMAGE image3d_t
#define AT(x, y, z) (int4)(x, y, z, 0)
#define READ(i, x, y, z) read_imageui(i, nearest, (int4)(x, y, z, 0))
#define ROWS(i) get_image_height(i)
#define SLICES(i) get_image_depth(i)
)";
    default:
      return R"(
#define IMAGE image1d_buffer_t
#define READ(i, x, y, z) read_imageui(i, clamp((int)(x), 0, buffer_columns - 1))
#define COLUMNS(i) buffer_columns
#define ROWS(i) 1
#define SLICES(i) 1
)";
  }
}

// `end`: work-items from there on, which only fill up groups, do nothing. `others`: 0 if the read format has one
// channel, else all ones: PoCL 3.1 reads alpha as 0 where a format lacks it, OpenCL says 1. `most`: the largest value
// of the written format. `buffer_columns`: of a read image1d_buffer_t; PoCL 3.1 has no get_image_width() of these.
constexpr const char* kReading = R"(
__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
#define X (int)get_global_id(0)
#define Y (int)get_global_id(1)
#define Z (int)get_global_id(2)
#define KEPT(value) ((value) & (uint4)(0xffffffff, others, others, others))
#define BEYOND(end) (X >= end.x || Y >= end.y || Z >= end.z)

__kernel void gather(__global uint4* to, __read_only IMAGE from, __global const uint* table, int count, uint others,
                     int buffer_columns) {
  const int i = X, columns = COLUMNS(from), rows = ROWS(from);
  if (i >= count) return;
  const int p = table[i];
  if (p >= columns * rows * SLICES(from)) return;
  to[i] = KEPT(READ(from, p % columns, p / columns % rows, p / columns / rows));
}
__kernel void to_buffer(__global uint4* to, __read_only IMAGE from, int4 end, uint others,
                     int buffer_columns) {
  if (BEYOND(end)) return;
  to[(Z * ROWS(from) + Y) * COLUMNS(from) + X] = KEPT(READ(from, X, Y, Z));
}
)";

constexpr const char* kWriting = R"(
uint4 own_value(uint x, uint y, uint z, uint seed) {
  return (x * 7u + y * 131u + z * 1031u + seed + (uint4)(0, 3, 5, 11)) * 40503u;
}
__kernel void own(__write_only IMAGE to, int4 end, uint seed, uint most) {
  if (BEYOND(end)) return;
  write_imageui(to, AT(X, Y, Z), own_value(X, Y, Z, seed) & most);
}
__kernel void linear(__write_only IMAGE to, int count, uint seed, uint most) {
  const int i = X, columns = COLUMNS(to), rows = ROWS(to);
  if (i >= count) return;
  const int x = i % columns, y = i / columns % rows, z = i / columns / rows;
  write_imageui(to, AT(x, y, z), own_value(x, y, z, seed) & most);
}
__kernel void neighbours(__write_only IMAGE to, __read_only IMAGE from, int4 end, uint others, int4 shift,
                         uint most) {
  if (BEYOND(end)) return;
  write_imageui(to, AT(X, Y, Z), KEPT(READ(from, X + shift.x, Y + shift.y, Z + shift.z)) & most);
}
__kernel void conditional(__write_only IMAGE to, __read_only IMAGE from, int4 end, uint others, uint seed,
                          uint most) {
  if (BEYOND(end)) return;
  const uint4 value = KEPT(READ(from, X, Y, Z));
  if (((value.x + seed) & 1u) == 0) return;
  write_imageui(to, AT(X, Y, Z), (value + seed) & most);
}
__kernel void two(__write_only IMAGE to, __read_only IMAGE from, __write_only IMAGE also, int4 end, uint others,
                  uint seed, uint most, uint also_most) {
  if (BEYOND(end)) return;
  const uint4 value = KEPT(READ(from, X, Y, Z));
  write_imageui(to, AT(X, Y, Z), value & most);
  write_imageui(also, AT(X, Y, Z), (value ^ seed) & also_most);
}
__kernel void scatter(__write_only IMAGE to, __global const uint* table, int count, uint seed, uint most) {
  const int i = X, columns = COLUMNS(to), rows = ROWS(to);
  if (i >= count) return;
  const int p = table[i];
  if (p >= columns * rows * SLICES(to)) return;
  write_imageui(to, AT(p % columns, p / columns % rows, p / columns / rows), own_value(i, 0, 0, seed) & most);
}
__kernel void from_buffer(__write_only IMAGE to, __global const uint4* from, int4 end, uint most) {
  if (BEYOND(end)) return;
  write_imageui(to, AT(X, Y, Z), from[(Z * ROWS(to) + Y) * COLUMNS(to) + X] & most);
}
)";

}  // namespace

std::string kernels_source(Kind kind) {
  const bool has_width = kind != Kind::image1d_buffer;
  std::string source = macros(kind) + (has_width ? "#define COLUMNS(i) get_image_width(i)\n" : "") + kReading;
  if (may_write(kind)) source += kWriting;
  return source;
}

bool may_write(Kind kind) { return kind != Kind::image1d_buffer; }

Pixel own_value(uint32_t x, uint32_t y, uint32_t z, uint32_t seed) {
  const uint32_t sum = x * 7 + y * 131 + z * 1031 + seed;
  return {sum * 40503, (sum + 3) * 40503, (sum + 5) * 40503, (sum + 11) * 40503};
}

}  // namespace image_sequences
