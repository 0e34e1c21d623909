// Images: written and read by kernels, with and without a sampler, and by the host.
#include <array>

#include "tests/programs/opencl_fixture.h"

namespace cases {
namespace {

using Pixel = std::array<cl_uchar, 4>;
using Sampler = Handle<cl_sampler, clReleaseSampler>;

class Images : public OpenCl {
 protected:
  static constexpr size_t kWidth = 24, kHeight = 10;

  void SetUp() override {
    if (!has_images()) GTEST_SKIP() << "the device has no images";
  }
  Buffer image(cl_mem_flags flags, const std::vector<Pixel>& pixels = {}, size_t width = kWidth,
               size_t height = kHeight) {
    cl_image_format format{CL_RGBA, CL_UNSIGNED_INT8};
    cl_image_desc description{};
    description.image_type = CL_MEM_OBJECT_IMAGE2D;
    description.image_width = width;
    description.image_height = height;
    cl_int status = CL_SUCCESS;
    auto copy = pixels;
    Buffer made(clCreateImage(context(), flags | (pixels.empty() ? 0 : CL_MEM_COPY_HOST_PTR), &format, &description,
                              pixels.empty() ? nullptr : copy.data(), &status));
    check(status);
    return made;
  }
  std::vector<Pixel> pixels_of(const Buffer& image) {
    const size_t origin[] = {0, 0, 0}, region[] = {kWidth, kHeight, 1};
    std::vector<Pixel> pixels(kWidth * kHeight);
    check(clEnqueueReadImage(queue(), image.get(), CL_TRUE, origin, region, 0, 0, pixels.data(), 0, nullptr, nullptr));
    return pixels;
  }
  // Pixel (x, y) is (x, y, x + y, 255).
  static std::vector<Pixel> ramp() {
    std::vector<Pixel> pixels;
    for (size_t y = 0; y < kHeight; ++y)
      for (size_t x = 0; x < kWidth; ++x)
        pixels.push_back({static_cast<cl_uchar>(x), static_cast<cl_uchar>(y), static_cast<cl_uchar>(x + y), 255});
    return pixels;
  }
};

TEST_F(Images, HostReadsWhatItWrote) {
  const Buffer i = image(CL_MEM_READ_WRITE);
  const size_t origin[] = {0, 0, 0}, region[] = {kWidth, kHeight, 1};
  const std::vector<Pixel> pixels = ramp();
  ASSERT_OK(clEnqueueWriteImage(queue(), i.get(), CL_TRUE, origin, region, 0, 0, pixels.data(), 0, nullptr, nullptr));
  EXPECT_EQ(pixels_of(i), pixels);
}

// Long transfers go in pieces; the program's rows have gaps.
TEST_F(Images, LargerThanAnyPiece) {
  constexpr size_t kWide = 1201, kHigh = 1100, kPitch = kWide * 4 + 12;
  const Buffer from = image(CL_MEM_READ_ONLY, {}, kWide, kHigh), to = image(CL_MEM_WRITE_ONLY, {}, kWide, kHigh);
  const auto k = kernel(R"(__kernel void k(__read_only image2d_t from, __write_only image2d_t to) {
                             const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
                             int2 at = (int2)(get_global_id(0), get_global_id(1));
                             write_imageui(to, at, read_imageui(from, s, at) ^ (uint4)(1, 2, 4, 8)); })");
  set_arguments(k, from, to);
  std::vector<cl_uchar> pixels(kPitch * kHigh), found(kPitch * kHigh, 7), expected = found;
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<cl_uchar>(i * 5 + i / 253);
  for (size_t y = 0; y < kHigh; ++y) {
    for (size_t x = 0; x < kWide * 4; ++x)
      expected[y * kPitch + x] = static_cast<cl_uchar>(pixels[y * kPitch + x] ^ (1 << x % 4));
  }
  const size_t origin[] = {0, 0, 0}, region[] = {kWide, kHigh, 1};
  ASSERT_OK(clEnqueueWriteImage(queue(), from.get(), CL_FALSE, origin, region, kPitch, 0, pixels.data(), 0, nullptr,
                                nullptr));
  launch(k, {{kWide, kHigh}, {}});
  ASSERT_OK(
      clEnqueueReadImage(queue(), to.get(), CL_TRUE, origin, region, kPitch, 0, found.data(), 0, nullptr, nullptr));
  EXPECT_TRUE(found == expected);
}

TEST_F(Images, WrittenByAKernel) {
  const auto k = kernel(R"(__kernel void k(__write_only image2d_t image) {
                             int x = get_global_id(0), y = get_global_id(1);
                             write_imageui(image, (int2)(x, y), (uint4)(x, y, x + y, 255)); })");
  const Buffer i = image(CL_MEM_WRITE_ONLY);
  set_arguments(k, i);
  launch(k, {{kWidth, kHeight}, {4, 2}});
  EXPECT_EQ(pixels_of(i), ramp());
}

TEST_F(Images, ReadByAKernelWithASamplerArgument) {
  const auto k = kernel(R"(__kernel void k(__read_only image2d_t image, sampler_t sampler, __global uint4* out) {
                             int x = get_global_id(0), y = get_global_id(1);
                             out[y * get_global_size(0) + x] = read_imageui(image, sampler, (int2)(x + 1, y - 1)); })");
  cl_int status = CL_SUCCESS;
  const Sampler sampler(clCreateSampler(context(), CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &status));
  ASSERT_OK(status);
  const Buffer i = image(CL_MEM_READ_ONLY, ramp()), out = buffer_of(kWidth * kHeight * 16);
  set_arguments(k, i);
  ASSERT_OK(clSetKernelArg(k.get(), 1, sizeof(cl_sampler), sampler.address()));
  ASSERT_OK(clSetKernelArg(k.get(), 2, sizeof(cl_mem), out.address()));
  launch(k, {{kWidth, kHeight}, {4, 2}});
  const auto values = read<cl_uint>(out, kWidth * kHeight * 4);
  for (size_t y = 0; y < kHeight; ++y)
    for (size_t x = 0; x < kWidth; ++x) {
      const size_t at = 4 * (y * kWidth + x);
      ASSERT_EQ(values[at], std::min(x + 1, kWidth - 1)) << x << ", " << y;
      ASSERT_EQ(values[at + 1], y == 0 ? 0 : y - 1) << x << ", " << y;
    }
}

TEST_F(Images, FromOneKernelIntoTheNext) {
  const Program program = build(R"(
    __constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    __kernel void draw(__write_only image2d_t image) {
      int2 at = (int2)(get_global_id(0), get_global_id(1));
      write_imageui(image, at, (uint4)(at.x, at.y, get_group_id(0), 255));
    }
    __kernel void flip(__read_only image2d_t from, __write_only image2d_t to) {
      int2 at = (int2)(get_global_id(0), get_global_id(1)), size = (int2)(get_global_size(0), get_global_size(1));
      write_imageui(to, at, read_imageui(from, nearest, size - 1 - at));
    })");
  const Kernel draw = bench::make_kernel(program, "draw"), flip = bench::make_kernel(program, "flip");
  const Buffer first = image(CL_MEM_READ_WRITE), second = image(CL_MEM_READ_WRITE);
  set_arguments(draw, first);
  launch(draw, {{kWidth, kHeight}, {4, 5}});
  set_arguments(flip, first, second);
  launch(flip, {{kWidth, kHeight}, {4, 5}});
  std::vector<Pixel> expected;
  for (size_t y = kHeight; y-- > 0;)
    for (size_t x = kWidth; x-- > 0;)
      expected.push_back({static_cast<cl_uchar>(x), static_cast<cl_uchar>(y), static_cast<cl_uchar>(x / 4), 255});
  EXPECT_EQ(pixels_of(second), expected);
}

TEST_F(Images, FillAndCopyAPart) {
  const Buffer from = image(CL_MEM_READ_WRITE, ramp()), to = image(CL_MEM_READ_WRITE, ramp());
  const cl_uint colour[] = {9, 8, 7, 6};
  const size_t origin[] = {2, 3, 0}, region[] = {5, 4, 1}, target[] = {10, 1, 0};
  ASSERT_OK(clEnqueueFillImage(queue(), from.get(), colour, origin, region, 0, nullptr, nullptr));
  ASSERT_OK(clEnqueueCopyImage(queue(), from.get(), to.get(), origin, target, region, 0, nullptr, nullptr));
  std::vector<Pixel> expected = ramp();
  for (size_t y = 1; y < 5; ++y)
    for (size_t x = 10; x < 15; ++x) expected[y * kWidth + x] = {9, 8, 7, 6};
  EXPECT_EQ(pixels_of(to), expected);
}

TEST_F(Images, ToABufferAndBack) {
  const Buffer i = image(CL_MEM_READ_WRITE, ramp()), other = image(CL_MEM_READ_WRITE),
               flat = buffer_of(kWidth * kHeight * 4);
  const size_t origin[] = {0, 0, 0}, region[] = {kWidth, kHeight, 1};
  ASSERT_OK(clEnqueueCopyImageToBuffer(queue(), i.get(), flat.get(), origin, region, 0, 0, nullptr, nullptr));
  const auto k = kernel("__kernel void k(__global uchar4* x) { x[get_global_id(0)].w = 100 + get_group_id(0); }");
  set_arguments(k, flat);
  launch(k, {{kWidth * kHeight}, {kWidth}});
  ASSERT_OK(clEnqueueCopyBufferToImage(queue(), flat.get(), other.get(), 0, origin, region, 0, nullptr, nullptr));
  std::vector<Pixel> expected = ramp();
  for (size_t at = 0; at < expected.size(); ++at) expected[at][3] = static_cast<cl_uchar>(100 + at / kWidth);
  EXPECT_EQ(pixels_of(other), expected);
}

TEST_F(Images, MapShowsRowsAtTheirPitch) {
  const Buffer i = image(CL_MEM_READ_WRITE, ramp());
  const size_t origin[] = {3, 2, 0}, region[] = {4, 2, 1};
  size_t pitch = 0;
  cl_int status = CL_SUCCESS;
  auto* mapped = static_cast<cl_uchar*>(clEnqueueMapImage(queue(), i.get(), CL_TRUE, CL_MAP_READ, origin, region,
                                                          &pitch, nullptr, 0, nullptr, nullptr, &status));
  ASSERT_OK(status);
  EXPECT_GE(pitch, 16u);
  EXPECT_EQ(mapped[0], 3);
  EXPECT_EQ(mapped[1], 2);
  EXPECT_EQ(mapped[pitch + 4], 4);
  EXPECT_EQ(mapped[pitch + 5], 3);
  unmap(i, mapped);
  ASSERT_OK(clFinish(queue()));
}

TEST_F(Images, FormatsAreListedAndInfoIsKept) {
  cl_uint count = 0;
  ASSERT_OK(clGetSupportedImageFormats(context(), CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &count));
  EXPECT_GT(count, 0u);
  const Buffer i = image(CL_MEM_READ_WRITE);
  size_t width = 0, height = 0, element = 0;
  cl_image_format format{};
  ASSERT_OK(clGetImageInfo(i.get(), CL_IMAGE_WIDTH, sizeof width, &width, nullptr));
  ASSERT_OK(clGetImageInfo(i.get(), CL_IMAGE_HEIGHT, sizeof height, &height, nullptr));
  ASSERT_OK(clGetImageInfo(i.get(), CL_IMAGE_ELEMENT_SIZE, sizeof element, &element, nullptr));
  ASSERT_OK(clGetImageInfo(i.get(), CL_IMAGE_FORMAT, sizeof format, &format, nullptr));
  EXPECT_EQ(width, kWidth);
  EXPECT_EQ(height, kHeight);
  EXPECT_EQ(element, 4u);
  EXPECT_EQ(format.image_channel_order, cl_channel_order{CL_RGBA});
}

}  // namespace
}  // namespace cases
