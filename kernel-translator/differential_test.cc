// One kernel on a whole NDRange against its rewritten form launched in pieces, on one device of the installed
// driver: both must write the same bytes.
#include <CL/cl.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "kernel-translator/client/translation.h"
#include "kernel-translator/test_device.h"

namespace samcl {
namespace {

constexpr char kSource[] = R"(
#define GROUP get_group_id
ulong sizes(uint d);
ulong sizes(uint d) { return get_global_size(d) * 1000 + get_num_groups(d) * 100 + get_global_offset(d); }
kernel void place(__global ulong* out) {
  size_t at = 0;
  for (int d = get_work_dim() - 1; d >= 0; --d) at = at * get_global_size(d) + get_global_id(d) - get_global_offset(d);
  ulong value = at;
  for (uint d = 0; d < 4; ++d)
    value = value * 31 + sizes(d) + GROUP(d) * 7 + get_local_id(d) * 3 + get_local_size(d) + get_global_id(d);
  out[at] = value;
})";

using Sizes = std::array<size_t, 3>;

struct Shape {
  cl_uint dimensions;
  Sizes offset, groups, local;
};

class Pieces : public ::testing::TestWithParam<Shape> {
 protected:
  void SetUp() override {
    device_ = any_device();
    if (!device_) GTEST_SKIP() << "no OpenCL device here";
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, nullptr);
    queue_ = clCreateCommandQueue(context_, device_, 0, nullptr);
    for (size_t d = 0; d < 3; ++d) items_ *= GetParam().groups[d] * GetParam().local[d];
  }
  void TearDown() override {
    if (queue_) clReleaseCommandQueue(queue_);
    if (context_) clReleaseContext(context_);
  }

  // Builds `source` and runs its kernel once per piece, cut along dimension `cut` at each group in `starts`.
  std::vector<cl_ulong> run(const std::string& source, bool rewritten, cl_uint cut, std::vector<size_t> starts) {
    const Shape& shape = GetParam();
    const char* text = source.c_str();
    cl_program program = clCreateProgramWithSource(context_, 1, &text, nullptr, nullptr);
    EXPECT_EQ(clBuildProgram(program, 1, &device_, "", nullptr, nullptr), CL_SUCCESS) << source;
    cl_kernel kernel = clCreateKernel(program, "place", nullptr);
    std::vector<cl_ulong> out(items_, 0);
    cl_mem buffer = clCreateBuffer(context_, CL_MEM_COPY_HOST_PTR, items_ * sizeof(cl_ulong), out.data(), nullptr);
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_SUCCESS);
    starts.push_back(shape.groups[cut]);
    for (size_t piece = 0; piece + 1 < starts.size(); ++piece) {
      Sizes offset = shape.offset, global;
      NdrangeArgument whole{};
      for (size_t d = 0; d < 3; ++d) {
        global[d] = shape.groups[d] * shape.local[d];
        whole.num_groups[d] = shape.groups[d];
        whole.global_size[d] = global[d];
        whole.global_offset[d] = shape.offset[d];
      }
      whole.group_offset[cut] = starts[piece];
      offset[cut] += starts[piece] * shape.local[cut];
      global[cut] = (starts[piece + 1] - starts[piece]) * shape.local[cut];
      if (rewritten) {
        EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof whole, &whole), CL_SUCCESS);
      }
      EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, shape.dimensions, offset.data(), global.data(),
                                       shape.local.data(), 0, nullptr, nullptr),
                CL_SUCCESS);
    }
    EXPECT_EQ(
        clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, items_ * sizeof(cl_ulong), out.data(), 0, nullptr, nullptr),
        CL_SUCCESS);
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    return out;
  }

  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  size_t items_ = 1;
};

TEST_P(Pieces, write_the_same_bytes_as_the_whole) {
  const auto translation = translate(kSource, "", facts_of(device_), {.program = SAM_TRANSLATE, .cache_directory = ""});
  ASSERT_TRUE(translation) << translation.error().message;
  ASSERT_TRUE(translation->sources[0].source);
  ASSERT_TRUE(translation->find("place")->may_split) << translation->find("place")->why_not_split;
  const std::vector<cl_ulong> whole = run(kSource, false, 0, {0});
  for (cl_uint cut = 0; cut < GetParam().dimensions; ++cut) {
    EXPECT_EQ(run(*translation->sources[0].source, true, cut, {0, 1, 3}), whole) << "cut along dimension " << cut;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Pieces,
                         ::testing::Values(Shape{1, {0, 0, 0}, {7, 1, 1}, {16, 1, 1}},
                                           Shape{1, {5, 0, 0}, {4, 1, 1}, {3, 1, 1}},
                                           Shape{2, {0, 9, 0}, {5, 4, 1}, {4, 2, 1}},
                                           Shape{3, {1, 2, 3}, {4, 5, 6}, {3, 2, 1}}));

}  // namespace
}  // namespace samcl
