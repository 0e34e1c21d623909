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

class Pieces : public DeviceTest<Shape> {
 protected:
  // Runs the source's kernel once per piece, cut along dimension `cut` at each group in `starts`.
  std::vector<cl_ulong> run_pieces(const std::string& source, bool rewritten, cl_uint cut, std::vector<size_t> starts) {
    const Shape& shape = GetParam();
    size_t items = 1;
    for (size_t d = 0; d < 3; ++d) items *= shape.groups[d] * shape.local[d];
    starts.push_back(shape.groups[cut]);
    return run(source, "place", std::vector<cl_ulong>(items, 0), [&](cl_kernel kernel, cl_mem buffer) {
      EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), CL_SUCCESS);
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
        enqueue(kernel, shape.dimensions, offset.data(), global.data(), shape.local.data());
      }
    });
  }
};

TEST_P(Pieces, write_the_same_bytes_as_the_whole) {
  const auto translation = translate(kSource, "", facts_of(device_), {.program = SAM_TRANSLATE, .cache_directory = ""});
  ASSERT_TRUE(translation) << translation.error().message;
  ASSERT_TRUE(translation->sources[0].source);
  ASSERT_TRUE(translation->find("place")->may_split) << translation->find("place")->why_not_split;
  const std::vector<cl_ulong> whole = run_pieces(kSource, false, 0, {0});
  for (cl_uint cut = 0; cut < GetParam().dimensions; ++cut) {
    EXPECT_EQ(run_pieces(*translation->sources[0].source, true, cut, {0, 1, 3}), whole)
        << "cut along dimension " << cut;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Pieces,
                         ::testing::Values(Shape{1, {0, 0, 0}, {7, 1, 1}, {16, 1, 1}},
                                           Shape{1, {5, 0, 0}, {4, 1, 1}, {3, 1, 1}},
                                           Shape{2, {0, 9, 0}, {5, 4, 1}, {4, 2, 1}},
                                           Shape{3, {1, 2, 3}, {4, 5, 6}, {3, 2, 1}}));

}  // namespace
}  // namespace samcl
