// Images of every kind and of several formats: through kernels, rectangles, maps and host memory.
#include <CL/cl.h>

#include <algorithm>
#include <array>
#include <random>

#include "tests/programs/opencl_fixture.h"

namespace cases {
namespace {

using Bytes = std::vector<cl_uchar>;
using Sampler = Handle<cl_sampler, clReleaseSampler>;

struct Kind {
  friend void PrintTo(const Kind& kind, std::ostream* to) { *to << kind.name; }
  const char* name;
  cl_mem_object_type type;
  const char* type_name;
  const char* coordinates;     // of the work-item
  const char* neighbour;       // the next one along the row
  std::array<size_t, 3> size;  // width; rows or layers of a 1D array; slices or layers of a 2D array
};
constexpr Kind kKinds[] = {
    {"1d", CL_MEM_OBJECT_IMAGE1D, "image1d_t", "x", "min(x + 1, w - 1)", {301, 1, 1}},
    {"1d_array",
     CL_MEM_OBJECT_IMAGE1D_ARRAY,
     "image1d_array_t",
     "(int2)(x, y)",
     "(int2)(min(x + 1, w - 1), y)",
     {37, 9, 1}},
    {"2d", CL_MEM_OBJECT_IMAGE2D, "image2d_t", "(int2)(x, y)", "(int2)(min(x + 1, w - 1), y)", {53, 22, 1}},
    {"2d_array",
     CL_MEM_OBJECT_IMAGE2D_ARRAY,
     "image2d_array_t",
     "(int4)(x, y, z, 0)",
     "(int4)(min(x + 1, w - 1), y, z, 0)",
     {19, 7, 5}},
    {"3d", CL_MEM_OBJECT_IMAGE3D, "image3d_t", "(int4)(x, y, z, 0)", "(int4)(min(x + 1, w - 1), y, z, 0)", {17, 6, 4}},
};
struct Format {
  friend void PrintTo(const Format& format, std::ostream* to) { *to << format.name; }
  const char* name;
  cl_image_format format;
  size_t pixel;
};
constexpr Format kFormats[] = {{"rgba8", {CL_RGBA, CL_UNSIGNED_INT8}, 4},
                               {"r16", {CL_R, CL_UNSIGNED_INT16}, 2},
                               {"rgba32", {CL_RGBA, CL_UNSIGNED_INT32}, 16}};

class ImageKinds : public OpenCl, public ::testing::WithParamInterface<std::tuple<Kind, Format>> {
 protected:
  void SetUp() override {
    if (!has_images()) GTEST_SKIP() << "the device has no images";
    const auto& formats = supported();
    const bool has = std::any_of(formats.begin(), formats.end(), [&](const cl_image_format& each) {
      return std::memcmp(&each, &format().format, sizeof each) == 0;
    });
    if (!has) GTEST_SKIP() << "the device does not have the format";
    if (kind().type == CL_MEM_OBJECT_IMAGE3D && !bench::has_extension(device(), "cl_khr_3d_image_writes"))
      GTEST_SKIP() << "the device does not write 3D images";
  }
  const Kind& kind() const { return std::get<0>(GetParam()); }
  const Format& format() const { return std::get<1>(GetParam()); }
  size_t width() const { return kind().size[0]; }
  size_t rows() const { return kind().size[1]; }
  size_t slices() const { return kind().size[2]; }
  size_t pixel() const { return format().pixel; }
  size_t bytes() const { return width() * rows() * slices() * pixel(); }
  size_t at(size_t x, size_t y, size_t z) const { return ((z * rows() + y) * width() + x) * pixel(); }

  std::vector<cl_image_format> supported() const {
    cl_uint count = 0;
    check(clGetSupportedImageFormats(context(), CL_MEM_READ_WRITE, kind().type, 0, nullptr, &count));
    std::vector<cl_image_format> formats(count);
    check(clGetSupportedImageFormats(context(), CL_MEM_READ_WRITE, kind().type, count, formats.data(), nullptr));
    return formats;
  }

  cl_image_desc description() const {
    cl_image_desc d{};
    d.image_type = kind().type;
    d.image_width = width();
    if (kind().type == CL_MEM_OBJECT_IMAGE1D_ARRAY) {
      d.image_array_size = rows();
    } else {
      d.image_height = rows();
      d.image_depth = d.image_array_size = slices();
    }
    return d;
  }
  Buffer image(cl_mem_flags flags, void* host = nullptr, size_t row_pitch = 0, size_t slice_pitch = 0) const {
    cl_image_desc d = description();
    d.image_row_pitch = row_pitch;
    d.image_slice_pitch = slice_pitch;
    cl_int status = CL_SUCCESS;
    Buffer made(clCreateImage(context(), flags, &format().format, &d, host, &status));
    check(status);
    return made;
  }
  static Bytes random_bytes(size_t count, unsigned seed) {
    std::mt19937 random(seed);
    Bytes bytes(count);
    for (cl_uchar& each : bytes) each = static_cast<cl_uchar>(random());
    return bytes;
  }
  Bytes contents_of(const Buffer& image) const {
    const size_t origin[3] = {};
    Bytes found(bytes());
    check(clEnqueueReadImage(queue(), image.get(), CL_TRUE, origin, kind().size.data(), 0, 0, found.data(), 0, nullptr,
                             nullptr));
    return found;
  }
  // The source with the kind's own type and coordinates for IMAGE, AT and NEXT.
  BuiltKernel kernel_of(const std::string& body) const {
    const std::string source = std::string("#define IMAGE ") + kind().type_name + "\n#define AT " + kind().coordinates +
                               "\n#define NEXT " + kind().neighbour + "\n" + body;
    return kernel(source);
  }
  Range everything() const { return {{width(), rows(), slices()}}; }
  // is_fresh: nothing was written to the image before.
  void scatter_pixels(bool is_fresh);
  // At pitches of the program's own.
  void write_and_read_part(const std::array<size_t, 3>& origin, const std::array<size_t, 3>& region);
};

TEST_P(ImageKinds, KernelsReadNeighboursAndWriteTheirOwn) {
  const auto k = kernel_of(R"(
    __constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    __kernel void k(__read_only IMAGE from, __write_only IMAGE to) {
      const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), w = get_image_width(from);
      write_imageui(to, AT, read_imageui(from, nearest, NEXT));
    })");
  Bytes before = random_bytes(bytes(), 1);
  const Buffer from = image(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, before.data()), to = image(CL_MEM_WRITE_ONLY);
  set_arguments(k, from, to);
  launch(k, everything());
  const Bytes after = contents_of(to);
  for (size_t z = 0; z < slices(); ++z)
    for (size_t y = 0; y < rows(); ++y)
      for (size_t x = 0; x < width(); ++x)
        ASSERT_EQ(std::memcmp(&after[at(x, y, z)], &before[at(std::min(x + 1, width() - 1), y, z)], pixel()), 0)
            << x << ", " << y << ", " << z;
  EXPECT_EQ(contents_of(from), before);
}

// Where each work-item writes only a table tells; many pixels stay as they were, if they have been written at all.
void ImageKinds::scatter_pixels(bool is_fresh) {
  const auto k = kernel_of(R"(
    __kernel void k(__write_only IMAGE image, __global const int4* places, int count) {
      const int i = get_global_id(0);
      if (i >= count) return;
      const int x = places[i].x, y = places[i].y, z = places[i].z;
      write_imageui(image, AT, (uint4)(i + 1, 2, 3, 4));
    })");
  Bytes expected = random_bytes(bytes(), 2);
  std::vector<bool> is_known(bytes(), !is_fresh);
  const Buffer i =
      is_fresh ? image(CL_MEM_READ_WRITE) : image(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, expected.data());
  std::vector<std::array<cl_int, 4>> places;
  for (size_t z = 0; z < slices(); ++z)
    for (size_t y = 0; y < rows(); ++y)
      for (size_t x = 0; x < width(); ++x)
        if ((x * 7 + y * 3 + z) % 3 == 0)
          places.push_back({static_cast<cl_int>(x), static_cast<cl_int>(y), static_cast<cl_int>(z), 0});
  std::shuffle(places.begin(), places.end(), std::mt19937(3));
  for (size_t n = 0; n < places.size(); ++n) {
    const size_t first =
        at(static_cast<size_t>(places[n][0]), static_cast<size_t>(places[n][1]), static_cast<size_t>(places[n][2]));
    std::fill_n(is_known.begin() + static_cast<ptrdiff_t>(first), pixel(), true);
    cl_uchar* to = &expected[first];
    const cl_uint values[4] = {static_cast<cl_uint>(n + 1), 2, 3, 4};
    if (pixel() == 16) std::memcpy(to, values, 16);
    if (pixel() == 2) to[0] = static_cast<cl_uchar>(values[0]), to[1] = static_cast<cl_uchar>(values[0] >> 8);
    if (pixel() == 4)
      for (int c = 0; c < 4; ++c) to[c] = static_cast<cl_uchar>(std::min(values[c], 255u));
  }
  const Buffer table = buffer(places);
  set_arguments(k, i, table, static_cast<cl_int>(places.size()));
  launch(k, {{(places.size() + 15) / 16 * 16}, {16}});
  const Bytes found = contents_of(i);
  for (size_t b = 0; b < bytes(); ++b) {
    if (!is_known[b]) continue;
    ASSERT_EQ(found[b], expected[b]) << "byte " << b;
  }
}

TEST_P(ImageKinds, ScatteredPixelsLeaveTheOthers) { scatter_pixels(false); }
TEST_P(ImageKinds, ScatteredPixelsOfAFreshImageAreThere) { scatter_pixels(true); }

void ImageKinds::write_and_read_part(const std::array<size_t, 3>& origin, const std::array<size_t, 3>& region) {
  Bytes expected = random_bytes(bytes(), 4);
  const Buffer i = image(CL_MEM_READ_WRITE);  // where devices compute in memory of their own, it goes there
  const size_t begin[3] = {};
  ASSERT_OK(clEnqueueWriteImage(queue(), i.get(), CL_TRUE, begin, kind().size.data(), 0, 0, expected.data(), 0, nullptr,
                                nullptr));
  // Each layer of a 1D array is a slice; some drivers look at the row's pitch.
  const bool layers_are_rows = kind().type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  const size_t row_pitch = (width() + 2) * pixel(), slice_pitch = row_pitch * (region[1] + 2);
  Bytes mine = random_bytes(slice_pitch * region[2], 5);
  ASSERT_OK(clEnqueueWriteImage(queue(), i.get(), CL_TRUE, origin.data(), region.data(), row_pitch,
                                layers_are_rows ? row_pitch
                                : region[2] > 1 ? slice_pitch
                                                : 0,
                                mine.data(), 0, nullptr, nullptr));
  for (size_t z = 0; z < region[2]; ++z)
    for (size_t y = 0; y < region[1]; ++y)
      std::memcpy(&expected[at(origin[0], origin[1] + y, origin[2] + z)], &mine[z * slice_pitch + y * row_pitch],
                  region[0] * pixel());
  EXPECT_EQ(contents_of(i), expected);

  Bytes back(mine.size(), 0), wanted(mine.size(), 0);
  ASSERT_OK(clEnqueueReadImage(queue(), i.get(), CL_TRUE, origin.data(), region.data(), row_pitch,
                               layers_are_rows ? row_pitch
                               : region[2] > 1 ? slice_pitch
                                               : 0,
                               back.data(), 0, nullptr, nullptr));
  for (size_t z = 0; z < region[2]; ++z)
    for (size_t y = 0; y < region[1]; ++y)
      std::memcpy(&wanted[z * slice_pitch + y * row_pitch], &mine[z * slice_pitch + y * row_pitch],
                  region[0] * pixel());
  EXPECT_EQ(back, wanted);
}

TEST_P(ImageKinds, PartsAreWrittenAndReadAtTheProgramsPitches) {
  const size_t y = rows() / 2, z = slices() / 2;
  write_and_read_part({3, y, z},
                      {width() - 5, std::max<size_t>(1, rows() - y - 1), std::max<size_t>(1, slices() - z - 1)});
}

TEST_P(ImageKinds, ARowOfEachSliceIsWrittenAndRead) {
  write_and_read_part({3, rows() / 2, 0}, {width() - 5, 1, slices()});
}

TEST_P(ImageKinds, MapsShowAPartAndTakeChanges) {
  Bytes expected = random_bytes(bytes(), 6);
  const Buffer i = image(CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, expected.data());
  const size_t origin[] = {1, rows() / 2, slices() / 2}, region[] = {width() - 2, 1, 1};
  size_t row_pitch = 0, slice_pitch = 0;
  cl_int status = CL_SUCCESS;
  auto* mapped =
      static_cast<cl_uchar*>(clEnqueueMapImage(queue(), i.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin, region,
                                               &row_pitch, &slice_pitch, 0, nullptr, nullptr, &status));
  ASSERT_OK(status);
  cl_uchar* mine = &expected[at(origin[0], origin[1], origin[2])];
  EXPECT_EQ(std::memcmp(mapped, mine, region[0] * pixel()), 0);
  const Bytes change = random_bytes(region[0] * pixel(), 7);
  std::copy(change.begin(), change.end(), mapped);
  std::copy(change.begin(), change.end(), mine);
  unmap(i, mapped);
  EXPECT_EQ(contents_of(i), expected);
}

TEST_P(ImageKinds, HostMemoryMayHaveGapsBetweenItsRows) {
  const bool layers_are_rows = kind().type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  const size_t row_pitch = (width() + 3) * pixel(), slice_pitch = row_pitch * rows();
  Bytes host = random_bytes(slice_pitch * slices(), 8), expected(bytes());
  for (size_t z = 0; z < slices(); ++z)
    for (size_t y = 0; y < rows(); ++y)
      std::memcpy(&expected[at(0, y, z)], &host[z * slice_pitch + y * row_pitch], width() * pixel());
  if (kind().type == CL_MEM_OBJECT_IMAGE1D) return;  // one row
  for (const cl_mem_flags flag : {CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR}) {
    const Buffer i = image(CL_MEM_READ_WRITE | flag, host.data(), row_pitch,
                           layers_are_rows ? row_pitch
                           : slices() > 1  ? slice_pitch
                                           : 0);
    EXPECT_EQ(contents_of(i), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ImageKinds,
                         ::testing::Combine(::testing::ValuesIn(kKinds), ::testing::ValuesIn(kFormats)),
                         [](const auto& info) {
                           return std::string("_") + std::get<0>(info.param).name + "_" + std::get<1>(info.param).name;
                         });

class ImageBuffers : public OpenCl {
 protected:
  static constexpr size_t kCount = 1000;
  void SetUp() override {
    if (!has_images()) GTEST_SKIP() << "the device has no images";
  }
  Buffer image_of(const Buffer& buffer, size_t count) const {
    const cl_image_format format{CL_R, CL_UNSIGNED_INT32};
    cl_image_desc description{};
    description.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
    description.image_width = count;
    description.mem_object = buffer.get();
    cl_int status = CL_SUCCESS;
    Buffer made(clCreateImage(context(), CL_MEM_READ_WRITE, &format, &description, nullptr, &status));
    check(status);
    return made;
  }
};

// What a kernel stores in the buffer the next one sees in the image, and the other way round.
TEST_F(ImageBuffers, ShowTheBuffersBytes) {
  const Program program = build(R"(
    __kernel void fill(__global uint* x) { x[get_global_id(0)] = 3 * get_global_id(0) + get_group_id(0); }
    __kernel void turn(__read_only image1d_buffer_t from, __global uint* to, int n) {
      const int i = get_global_id(0);
      to[i] = read_imageui(from, n - 1 - i).x;
    })");
  const Kernel fill = bench::make_kernel(program, "fill"), turn = bench::make_kernel(program, "turn");
  const Buffer x = buffer_of(4 * kCount), y = buffer_of(4 * kCount), seen = image_of(x, kCount);
  set_arguments(fill, x);
  launch(fill, {{kCount}, {10}});
  set_arguments(turn, seen, y, static_cast<cl_int>(kCount));
  launch(turn, {{kCount}, {10}});
  const auto values = read<cl_uint>(y, kCount);
  for (size_t i = 0; i < kCount; ++i) ASSERT_EQ(values[i], 3 * (kCount - 1 - i) + (kCount - 1 - i) / 10) << i;

  cl_mem behind = nullptr;
  ASSERT_OK(clGetImageInfo(seen.get(), CL_IMAGE_BUFFER, sizeof behind, &behind, nullptr));
  EXPECT_EQ(behind, x.get());
}

class ImageObjects : public OpenCl {
 protected:
  void SetUp() override {
    if (!has_images()) GTEST_SKIP() << "the device has no images";
  }
  static constexpr size_t kWidth = 16, kHeight = 8;
  Buffer image(cl_mem_flags flags, void* host = nullptr) const {
    const cl_image_format format{CL_RGBA, CL_UNORM_INT8};
    cl_int status = CL_SUCCESS;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    Buffer made(clCreateImage2D(context(), flags, &format, kWidth, kHeight, 0, host, &status));
#pragma GCC diagnostic pop
    check(status);
    return made;
  }
  template <typename T>
  T memory_info(const Buffer& object, cl_mem_info name) const {
    T value{};
    check(clGetMemObjectInfo(object.get(), name, sizeof value, &value, nullptr));
    return value;
  }
};

TEST_F(ImageObjects, AnswerLikeMemoryObjects) {
  const Buffer i = image(CL_MEM_READ_ONLY);
  EXPECT_EQ(memory_info<cl_mem_object_type>(i, CL_MEM_TYPE), cl_mem_object_type{CL_MEM_OBJECT_IMAGE2D});
  EXPECT_EQ(memory_info<cl_mem_flags>(i, CL_MEM_FLAGS), cl_mem_flags{CL_MEM_READ_ONLY});
  EXPECT_EQ(memory_info<cl_context>(i, CL_MEM_CONTEXT), context());
  EXPECT_EQ(memory_info<cl_uint>(i, CL_MEM_REFERENCE_COUNT), 1u);
  EXPECT_GE(memory_info<size_t>(i, CL_MEM_SIZE), 4 * kWidth * kHeight);
  EXPECT_EQ(memory_info<cl_mem>(i, CL_MEM_ASSOCIATED_MEMOBJECT), nullptr);
}

TEST_F(ImageObjects, OnTheProgramsMemoryMapToItsAddress) {
  alignas(64) static cl_uchar host[kHeight][kWidth][4];
  for (size_t y = 0; y < kHeight; ++y)
    for (size_t x = 0; x < kWidth; ++x) host[y][x][0] = static_cast<cl_uchar>(16 * y + x);
  const Buffer i = image(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, host);
  const auto k = kernel(R"(__kernel void k(__write_only image2d_t i) {
    write_imagef(i, (int2)(get_global_id(0), get_global_id(1)), (float4)(1.0f, 0.0f, 0.0f, get_group_id(1)));
  })");
  set_arguments(k, i);
  launch(k, {{kWidth, kHeight - 2}, {8, 1}});
  const size_t origin[] = {0, 0, 0}, region[] = {kWidth, kHeight, 1};
  size_t pitch = 0;
  cl_int status = CL_SUCCESS;
  void* mapped = clEnqueueMapImage(queue(), i.get(), CL_TRUE, CL_MAP_READ, origin, region, &pitch, nullptr, 0, nullptr,
                                   nullptr, &status);
  ASSERT_OK(status);
  EXPECT_EQ(mapped, static_cast<void*>(host));
  EXPECT_EQ(pitch, 4 * kWidth);
  for (size_t y = 0; y < kHeight; ++y) {
    EXPECT_EQ(host[y][3][0], y < kHeight - 2 ? 255 : 16 * y + 3);
    if (y < kHeight - 2) {
      EXPECT_EQ(host[y][3][3], y == 0 ? 0 : 255);
    }
  }
  unmap(i, mapped);
  ASSERT_OK(clFinish(queue()));
}

TEST_F(ImageObjects, AreReadAtNormalizedCoordinates) {
  const auto k = kernel(R"(__kernel void k(__read_only image2d_t i, sampler_t s, __global float4* out) {
    const int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
    out[y * w + x] = read_imagef(i, s, (float2)((w - 1 - x + 0.5f) / w, (y + 0.5f) / h));
  })");
  std::vector<cl_uchar> pixels(4 * kWidth * kHeight);
  for (size_t n = 0; n < pixels.size(); ++n)
    pixels[n] = static_cast<cl_uchar>(n % 2 == 0 ? 255 * (n / 8 % 2) : n % 3 ? 0 : 255);
  const Buffer i = image(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, pixels.data()),
               out = buffer_of(16 * kWidth * kHeight);
  cl_int status = CL_SUCCESS;
  const Sampler sampler(clCreateSampler(context(), CL_TRUE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &status));
  ASSERT_OK(status);
  set_arguments(k, i);
  ASSERT_OK(clSetKernelArg(k.get(), 1, sizeof(cl_sampler), sampler.address()));
  ASSERT_OK(clSetKernelArg(k.get(), 2, sizeof(cl_mem), out.address()));
  launch(k, {{kWidth, kHeight}, {4, 2}});
  const auto values = read<cl_float>(out, 4 * kWidth * kHeight);
  for (size_t y = 0; y < kHeight; ++y)
    for (size_t x = 0; x < kWidth; ++x)
      for (size_t c = 0; c < 4; ++c)
        ASSERT_EQ(values[4 * (y * kWidth + x) + c], pixels[4 * (y * kWidth + kWidth - 1 - x) + c] / 255.0f);
}

// Threads beyond the image's edges do nothing.
TEST_F(ImageObjects, MayBeSmallerThanTheRange) {
  const auto k = kernel(R"(__kernel void k(__write_only image2d_t i) {
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    if (any(at >= get_image_dim(i))) return;
    write_imagef(i, at, (float4)(at.x % 2, at.y % 2, 1.0f, 0.0f));
  })");
  const Buffer i = image(CL_MEM_WRITE_ONLY);
  set_arguments(k, i);
  launch(k, {{kWidth + 8, kHeight + 8}, {8, 8}});
  const size_t origin[] = {0, 0, 0}, region[] = {kWidth, kHeight, 1};
  std::vector<cl_uchar> pixels(4 * kWidth * kHeight);
  ASSERT_OK(clEnqueueReadImage(queue(), i.get(), CL_TRUE, origin, region, 0, 0, pixels.data(), 0, nullptr, nullptr));
  for (size_t y = 0; y < kHeight; ++y)
    for (size_t x = 0; x < kWidth; ++x) {
      ASSERT_EQ(pixels[4 * (y * kWidth + x)], x % 2 * 255);
      ASSERT_EQ(pixels[4 * (y * kWidth + x) + 1], y % 2 * 255);
    }
}

// The C++ binding of OpenCL 1.2 leaves them as they lie on the stack.
TEST_F(ImageObjects, FieldsThatDoNotConcernTheirKindAreNotLookedAt) {
  const cl_image_format rgba{CL_RGBA, CL_UNSIGNED_INT8};
  cl_image_desc d{};
  d.image_type = CL_MEM_OBJECT_IMAGE2D;
  d.image_width = d.image_height = 4;
  d.image_slice_pitch = 12345;
  d.image_depth = d.image_array_size = 67;
  std::vector<cl_uint> pixels = counting<cl_uint>(16, 100), back(16);
  for (const cl_mem_flags flags :
       {cl_mem_flags{CL_MEM_READ_WRITE}, cl_mem_flags{CL_MEM_COPY_HOST_PTR}, cl_mem_flags{CL_MEM_USE_HOST_PTR}}) {
    SCOPED_TRACE(flags);
    cl_int status = CL_SUCCESS;
    const Buffer image(
        clCreateImage(context(), flags, &rgba, &d, flags == CL_MEM_READ_WRITE ? nullptr : pixels.data(), &status));
    ASSERT_OK(status);
    const size_t origin[3] = {}, region[3] = {4, 4, 1};
    if (flags == CL_MEM_READ_WRITE) {
      ASSERT_OK(
          clEnqueueWriteImage(queue(), image.get(), CL_TRUE, origin, region, 0, 0, pixels.data(), 0, nullptr, nullptr));
    }
    ASSERT_OK(
        clEnqueueReadImage(queue(), image.get(), CL_TRUE, origin, region, 0, 0, back.data(), 0, nullptr, nullptr));
    EXPECT_EQ(back, pixels);
  }
}

TEST_F(ImageObjects, AreNoBuffers) {
  const Buffer i = image(CL_MEM_READ_WRITE), b = buffer_of(4 * kWidth * kHeight);
  const size_t origin[] = {0, 0, 0}, region[] = {kWidth, kHeight, 1}, beyond[] = {kWidth + 1, kHeight, 1};
  std::vector<cl_uchar> pixels(8 * kWidth * kHeight);
  EXPECT_STATUS(clEnqueueReadBuffer(queue(), i.get(), CL_TRUE, 0, 4, pixels.data(), 0, nullptr, nullptr),
                CL_INVALID_MEM_OBJECT);
  EXPECT_STATUS(clEnqueueReadImage(queue(), b.get(), CL_TRUE, origin, region, 0, 0, pixels.data(), 0, nullptr, nullptr),
                CL_INVALID_MEM_OBJECT);
  EXPECT_STATUS(clEnqueueReadImage(queue(), i.get(), CL_TRUE, origin, beyond, 0, 0, pixels.data(), 0, nullptr, nullptr),
                CL_INVALID_VALUE);
}

TEST_F(ImageObjects, RefuseRowsThatOverlap) {
  const Buffer i = image(CL_MEM_READ_WRITE);
  const size_t origin[] = {0, 0, 0}, region[] = {kWidth, kHeight, 1};
  std::vector<cl_uchar> pixels(4 * kWidth * kHeight);
  EXPECT_STATUS(
      clEnqueueWriteImage(queue(), i.get(), CL_TRUE, origin, region, 8, 0, pixels.data(), 0, nullptr, nullptr),
      CL_INVALID_VALUE);
}

}  // namespace
}  // namespace cases
