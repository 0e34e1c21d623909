// A random sequence of OpenCL commands on images as plain data: generator.h makes it, model.h computes on the host what
// it must show, and player.h plays it through the OpenCL C API. All steps come one after the other, also where they
// alternate between two queues, so that their result is determined. Steps can be deleted (a map only with its unmap).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/differential/images/pixels.h"

namespace image_sequences {

// Columns, rows, slices. The layers of a 1D array are its rows, those of a 2D array its slices, as in OpenCL's regions.
using Triple = std::array<size_t, 3>;

enum class Kind {
  buffer,
  table,  // a buffer of uints, a permutation, which no command changes: where kernels scatter to and gather from
  image1d,
  image1d_array,
  image2d,
  image2d_array,
  image3d,
  image1d_buffer,  // its pixels are the bytes of a buffer
};
inline constexpr std::array kImageKinds{Kind::image1d,       Kind::image1d_array, Kind::image2d,
                                        Kind::image2d_array, Kind::image3d,       Kind::image1d_buffer};
inline bool is_image(Kind kind) { return kind != Kind::buffer && kind != Kind::table; }
std::string_view name(Kind kind);

enum class Home { plain, copy_host, use_host };

struct Object {
  Kind kind = Kind::buffer;
  Format format = Format::rgba8;
  Triple size{1, 1, 1};  // of an image in pixels; {bytes, 1, 1} of a buffer or table
  Home home = Home::plain;
  size_t row_pitch = 0, slice_pitch = 0;  // of the host memory that an image is made from
  uint64_t seed = 0;                      // of the contents that it is made with
  unsigned buffer = 0;                    // that an image1d_buffer shows

  // Without gaps between rows, as the model keeps it.
  size_t bytes() const { return is_image(kind) ? pixels() * pixel_bytes(format) : size[0]; }
  size_t pixels() const { return size[0] * size[1] * size[2]; }
  size_t at(size_t x, size_t y, size_t z) const { return ((z * size[1] + y) * size[0] + x) * pixel_bytes(format); }
};

enum class StepKind {
  write,  // image `to`
  read,   // image `from`
  copy,   // image to image
  image_to_buffer,
  buffer_to_image,
  fill,
  map,    // image `to`, known as map `number`; no other command uses its bytes until it is unmapped
  unmap,  // changes what `access` says, then unmaps
  write_buffer,
  read_buffer,
  fill_buffer,
  launch,
  renew,  // release object `to`, whose commands may still be to run, and make it again, with contents of `seed`
  finish,
};
std::string_view name(StepKind kind);

enum class Access { read, write, read_write, invalidate };

enum class Kernel {
  own,          // each work-item its pixel of `to`
  linear,       // the same with one dimension of work-items, which divide
  neighbours,   // each its pixel of `to` from the one `shift` away in `from`, clamped to its edge
  conditional,  // the same pixel, where the one in `from` is odd
  two,          // from `from` into `to` and `also`
  scatter,      // into pixels of `to` that the table tells
  gather,       // from pixels of `from` that the table tells into buffer `to`
  to_buffer,    // every pixel of `from` into buffer `to`
  from_buffer,  // every pixel of `to` from buffer `from`
};
std::string_view name(Kernel kernel);

struct Step {
  StepKind kind = StepKind::finish;
  unsigned queue = 0;
  bool ties_by_finish = false;  // where the step before was in the other queue: clFinish(), else an event
  unsigned to = 0, from = 0, also = 0, table = 0;  // objects
  Triple origin{}, from_origin{}, region{1, 1, 1};
  size_t row_pitch = 0, slice_pitch = 0;  // of host memory
  size_t offset = 0, bytes = 0;           // of a buffer
  uint64_t seed = 0;
  bool blocking = true;
  Access access = Access::read;
  unsigned number = 0;
  Kernel kernel = Kernel::own;
  Triple local{1, 1, 1};
  std::array<int32_t, 3> shift{};
  size_t count = 0;  // entries of the table that are used, or work-items of Kernel::linear
};

struct Sequence {
  std::vector<Object> objects;
  std::vector<Step> steps;
  // Objects of the same storage have the same bytes.
  unsigned storage(unsigned object) const {
    return objects[object].kind == Kind::image1d_buffer ? objects[object].buffer : object;
  }
};

std::string text(const Step& step);          // one line
std::string text(const Sequence& sequence);  // a line per object, a line per step

// How a region lies in host memory: `row` and `slice` are the distances in bytes, `bytes` is from its start to its end.
struct HostLayout {
  size_t row, slice, bytes;
  size_t at(size_t y, size_t z) const { return z * slice + y * row; }
};
HostLayout host_layout(Format format, const Triple& region, size_t row_pitch, size_t slice_pitch);

// Whether the host changes this row of a map when it unmaps.
bool changes_row(Access access, size_t y, size_t z);

}  // namespace image_sequences
