// NDRanges: every work-item built-in for every work-item, in one to three dimensions, with offsets, with and
// without a local size, odd sizes and single groups.
#include <CL/cl_ext.h>

#include <map>
#include <set>

#include "tests/programs/opencl_fixture.h"

namespace cases {
namespace {

// What one work-item says of itself; the kernel below writes 32 ulongs per work-item in this order.
struct WorkItem {
  cl_ulong work_dim;
  cl_ulong global_id[4], local_id[4], group_id[4], global_size[4], local_size[4], num_groups[4], offset[4];
  cl_ulong padding[3];
};
static_assert(sizeof(WorkItem) == 32 * sizeof(cl_ulong));

// Dimensions beyond the NDRange's are asked, too.
constexpr char kTellAll[] = R"(
  __kernel void k(__global ulong* out) {
    size_t row = get_global_id(1) - get_global_offset(1);
    size_t plane = get_global_id(2) - get_global_offset(2);
    size_t i = get_global_id(0) - get_global_offset(0) + get_global_size(0) * (row + get_global_size(1) * plane);
    __global ulong* o = out + 32 * i;
    o[0] = get_work_dim();
    for (uint d = 0; d < 3; ++d) {
      o[1 + d] = get_global_id(d);
      o[5 + d] = get_local_id(d);
      o[9 + d] = get_group_id(d);
      o[13 + d] = get_global_size(d);
      o[17 + d] = get_local_size(d);
      o[21 + d] = get_num_groups(d);
      o[25 + d] = get_global_offset(d);
    }
    for (uint d = 29; d < 32; ++d) o[d] = 0;
  })";

std::string name_of(const Range& range) {
  std::string name = "global";
  auto append = [&](const std::vector<size_t>& sizes) {
    for (size_t size : sizes) name += "_" + std::to_string(size);
  };
  append(range.global);
  if (!range.local.empty()) name += "_local";
  append(range.local);
  if (!range.offset.empty()) name += "_offset";
  append(range.offset);
  return name;
}

class Ndranges : public OpenCl {
 protected:
  std::vector<WorkItem> tell_all(const Range& range, const char* source = kTellAll) {
    size_t items = 1;
    for (size_t size : range.global) items *= size;
    const Buffer out = buffer(std::vector<WorkItem>(items, WorkItem{}));
    const auto k = kernel(source);
    set_arguments(k, out);
    launch(k, range);
    return read<WorkItem>(out, items);
  }
};

class BuiltIns : public Ndranges, public ::testing::WithParamInterface<Range> {};

TEST_P(BuiltIns, SayWhatTheStandardSays) {
  const Range& range = GetParam();
  const std::vector<WorkItem> items = tell_all(range);
  const size_t dimensions = range.global.size();
  // With a NULL local size any choice of the implementation is right, but it must be the same everywhere.
  const cl_ulong* local = items[0].local_size;
  size_t index = 0;
  const size_t depth = dimensions > 2 ? range.global[2] : 1, height = dimensions > 1 ? range.global[1] : 1;
  for (size_t z = 0; z < depth; ++z)
    for (size_t y = 0; y < height; ++y)
      for (size_t x = 0; x < range.global[0]; ++x, ++index) {
        const WorkItem& item = items[index];
        const size_t position[] = {x, y, z};
        ASSERT_EQ(item.work_dim, dimensions);
        for (size_t d = 0; d < 3; ++d) {
          SCOPED_TRACE("work-item " + std::to_string(index) + ", dimension " + std::to_string(d));
          const bool used = d < dimensions;
          const size_t offset = used && !range.offset.empty() ? range.offset[d] : 0;
          const size_t at = used ? position[d] : 0;
          const size_t size = used ? range.global[d] : 1;
          const size_t group = !used ? 1 : range.local.empty() ? local[d] : range.local[d];
          ASSERT_GT(group, 0u);
          ASSERT_EQ(size % group, 0u);
          ASSERT_EQ(item.global_id[d], offset + at);
          ASSERT_EQ(item.local_id[d], at % group);
          ASSERT_EQ(item.group_id[d], at / group);
          ASSERT_EQ(item.global_size[d], size);
          ASSERT_EQ(item.local_size[d], group);
          ASSERT_EQ(item.num_groups[d], size / group);
          ASSERT_EQ(item.offset[d], offset);
        }
      }
}

INSTANTIATE_TEST_SUITE_P(Ndranges, BuiltIns,
                         ::testing::Values(Range{{64}, {8}}, Range{{1}, {1}}, Range{{1}}, Range{{7}, {7}},
                                           Range{{13}, {1}}, Range{{97}}, Range{{1000}}, Range{{60}, {5}, {17}},
                                           Range{{101}, {}, {3}}, Range{{16, 12}, {4, 3}}, Range{{16, 12}},
                                           Range{{3, 17}}, Range{{1, 31}, {1, 1}}, Range{{31, 1}, {31, 1}},
                                           Range{{12, 10}, {3, 5}, {100, 7}}, Range{{8, 6, 4}, {2, 3, 2}},
                                           Range{{5, 7, 3}}, Range{{1, 1, 9}, {1, 1, 3}},
                                           Range{{6, 6, 6}, {6, 1, 1}, {1, 2, 3}}, Range{{9, 5, 2}, {}, {0, 0, 50}},
                                           Range{{2, 2, 2}, {2, 2, 2}}),
                         [](const auto& tested) { return name_of(tested.param); });

// The same through helper functions that take the dimension as a variable and are called from others.
TEST_F(Ndranges, HelpersWithAVariableDimensionSeeTheWholeRange) {
  const auto k = kernel(R"(
    size_t position(uint d) { return get_group_id(d) * get_local_size(d) + get_local_id(d); }
    size_t linear(uint dimensions) {
      size_t at = 0;
      for (int d = (int)dimensions - 1; d >= 0; --d) at = at * get_global_size(d) + position(d);
      return at;
    }
    __kernel void k(__global int* out) {
      size_t groups = 1;
      for (uint d = 0; d < get_work_dim(); ++d) groups *= get_num_groups(d);
      out[linear(get_work_dim())] = (int)(1000 * groups + linear(get_work_dim()));
    })");
  const Buffer out = buffer(std::vector<cl_int>(24, -1));
  set_arguments(k, out);
  launch(k, {{6, 4}, {2, 2}});
  EXPECT_EQ(read<cl_int>(out, 24), counting<cl_int>(24, 6000));
}

TEST_F(Ndranges, BuiltInsBehindMacros) {
  const auto k = kernel(R"(
    #define GROUP(d) get_group_id(d)
    #define CALL(f, d) f(d)
    #define WHERE GROUP(0) * 100 + CALL(get_num, 0)
    #define get_num get_num_groups
    __kernel void k(__global int* out) { out[get_global_id(0)] = WHERE; })");
  const Buffer out = buffer_of(12 * 4);
  set_arguments(k, out);
  launch(k, {{12}, {3}});
  EXPECT_EQ(read<cl_int>(out, 12), (std::vector<cl_int>{4, 4, 4, 104, 104, 104, 204, 204, 204, 304, 304, 304}));
}

TEST_F(Ndranges, GroupsShareLocalMemory) {
  const auto k = kernel(R"(
    __kernel void k(__global const int* in, __global int* sums, __local int* part) {
      size_t l = get_local_id(0);
      part[l] = in[get_global_id(0)];
      barrier(CLK_LOCAL_MEM_FENCE);
      if (l == 0) {
        int sum = 0;
        for (size_t i = 0; i < get_local_size(0); ++i) sum += part[i];
        sums[get_group_id(0)] = sum;
      }
    })");
  const Buffer in = buffer(counting<cl_int>(60)), sums = buffer(std::vector<cl_int>(6, -1));
  set_arguments(k, in, sums, LocalMemory{10 * sizeof(cl_int)});
  launch(k, {{60}, {10}});
  EXPECT_EQ(read<cl_int>(sums, 6), (std::vector<cl_int>{45, 145, 245, 345, 445, 545}));
}

// Every other group writes nothing; the last one has the most to do.
TEST_F(Ndranges, UnevenGroups) {
  const auto k = kernel(R"(
    __kernel void k(__global int* out) {
      if (get_group_id(0) & 1) return;
      int sum = 0;
      for (size_t i = 0; i < get_group_id(0) * 10; ++i) sum += 1;
      out[get_global_id(0)] = sum;
    })");
  const Buffer out = buffer(std::vector<cl_int>(14, -1));
  set_arguments(k, out);
  launch(k, {{14}, {2}});
  EXPECT_EQ(read<cl_int>(out, 14), (std::vector<cl_int>{0, 0, -1, -1, 20, 20, -1, -1, 40, 40, -1, -1, 60, 60}));
}

TEST_F(Ndranges, GridStrideLoopCoversAll) {
  const auto k = kernel(R"(
    __kernel void k(__global int* x, int n) {
      for (int i = get_global_id(0); i < n; i += get_global_size(0)) x[i] += i;
    })");
  const Buffer x = buffer(std::vector<cl_int>(1001, 1));
  set_arguments(k, x, cl_int{1001});
  launch(k, {{24}, {4}});
  EXPECT_EQ(read<cl_int>(x, 1001), counting<cl_int>(1001, 1));
}

TEST_F(Ndranges, RequiredWorkGroupSizeIsUsedAndEnforced) {
  const auto k = kernel(R"(
    __kernel __attribute__((reqd_work_group_size(4, 2, 1))) void k(__global int* out) {
      out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = get_local_size(0) * 10 + get_local_size(1);
    })");
  const Buffer out = buffer_of(16 * 4);
  set_arguments(k, out);
  launch(k, {{8, 2}, {4, 2}});
  EXPECT_EQ(read<cl_int>(out, 16), std::vector<cl_int>(16, 42));
  const size_t global[] = {8, 2}, wrong[] = {2, 2};
  EXPECT_STATUS(clEnqueueNDRangeKernel(queue(), k.get(), 2, nullptr, global, nullptr, 0, nullptr, nullptr),
                CL_INVALID_WORK_GROUP_SIZE);
  EXPECT_STATUS(clEnqueueNDRangeKernel(queue(), k.get(), 2, nullptr, global, wrong, 0, nullptr, nullptr),
                CL_INVALID_WORK_GROUP_SIZE);
}

// Since OpenCL 2.1.
TEST_F(Ndranges, NothingIsLaunchedWithoutAGlobalSize) {
  const auto k = kernel("__kernel void k(__global int* x) { x[get_global_id(0)] = 1; }");
  const Buffer x = buffer(std::vector<cl_int>(4, 0));
  set_arguments(k, x);
  const size_t nothing = 0;
  cl_event event = nullptr;
  ASSERT_OK(clEnqueueNDRangeKernel(queue(), k.get(), 1, nullptr, nullptr, nullptr, 0, nullptr, &event));
  Event null_size(event);
  ASSERT_OK(clEnqueueNDRangeKernel(queue(), k.get(), 1, nullptr, &nothing, nullptr, 0, nullptr, &event));
  Event zero_size(event);
  ASSERT_OK(clFinish(queue()));
  EXPECT_EQ(status_of(null_size), CL_COMPLETE);
  EXPECT_EQ(status_of(zero_size), CL_COMPLETE);
  EXPECT_EQ(read<cl_int>(x, 4), std::vector<cl_int>(4, 0));
}

TEST_F(Ndranges, TaskIsOneWorkItem) {
  const auto k = kernel("__kernel void k(__global int* x) { x[0] += get_global_size(0) + get_num_groups(0) * 10; }");
  const Buffer x = buffer(std::vector<cl_int>{100});
  set_arguments(k, x);
  ASSERT_OK(clEnqueueTask(queue(), k.get(), 0, nullptr, nullptr));
  EXPECT_EQ(read<cl_int>(x, 1)[0], 111);
}

TEST_F(Ndranges, ArgumentsChangedBetweenLaunchesWithoutFinish) {
  const auto k = kernel("__kernel void k(__global int* x, int at, int value) { x[at] = value; }");
  const Buffer x = buffer(std::vector<cl_int>(100, 0));
  for (cl_int i = 0; i < 100; ++i) {
    set_arguments(k, x, i, i * i);
    launch(k, {{1}});
  }
  std::vector<cl_int> expected(100);
  for (cl_int i = 0; i < 100; ++i) expected[static_cast<size_t>(i)] = i * i;
  EXPECT_EQ(read<cl_int>(x, 100), expected);
}

TEST_F(Ndranges, BufferArgumentsChangedBehindAGate) {
  const auto k = kernel("__kernel void k(__global int* x, int value) { x[get_global_id(0)] = value; }");
  const Buffer x = buffer(std::vector<cl_int>(8, 0)), y = buffer(std::vector<cl_int>(8, 0));
  const Event gate = user_event();
  set_arguments(k, x, cl_int{1});
  launch(k, {{8}}, {gate.get()});
  set_arguments(k, y, cl_int{2});
  launch(k, {{8}}, {gate.get()});
  set_arguments(k, y, cl_int{3});
  ASSERT_OK(clSetUserEventStatus(gate.get(), CL_COMPLETE));
  ASSERT_OK(clFinish(queue()));
  EXPECT_EQ(read<cl_int>(x, 8), std::vector<cl_int>(8, 1));
  EXPECT_EQ(read<cl_int>(y, 8), std::vector<cl_int>(8, 2));
}

TEST_F(Ndranges, SuggestedLocalSizeIsThatOfLaunches) {
  const auto suggest =
      reinterpret_cast<clGetKernelSuggestedLocalWorkSizeKHR_fn>(clGetExtensionFunctionAddressForPlatform(
          device_info<cl_platform_id>(CL_DEVICE_PLATFORM), "clGetKernelSuggestedLocalWorkSizeKHR"));
  if (!suggest) GTEST_SKIP() << "the driver suggests no local sizes";
  const size_t count = 64;
  const Buffer sizes = buffer_of(count * sizeof(cl_int));
  const auto k = kernel("__kernel void k(__global int* sizes) { sizes[get_global_id(0)] = get_local_size(0); }");
  set_arguments(k, sizes);
  size_t suggested[3] = {};  // PoCL 8 writes three whatever the dimensions
  ASSERT_OK(suggest(queue(), k.get(), 1, nullptr, &count, suggested));
  ASSERT_OK(clEnqueueNDRangeKernel(queue(), k.get(), 1, nullptr, &count, nullptr, 0, nullptr, nullptr));
  EXPECT_EQ(read<cl_int>(sizes, count), std::vector<cl_int>(count, static_cast<cl_int>(suggested[0])));
}

}  // namespace
}  // namespace cases
