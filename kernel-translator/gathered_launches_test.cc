// Launches one after the other against one launch of the kernel's variant that gathers them, on one device of the
// installed driver: both must write the same bytes.
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "kernel-translator/client/translation.h"
#include "kernel-translator/test_device.h"

namespace samcl {
namespace {

using GlobalSizes = std::array<size_t, 2>;

struct Integer {
  uint64_t first, step;
};

struct Case {
  const char* name;
  const char* source;  // of a kernel "k"; buffers hold kWords numbers, local memory kLocalBytes
  cl_uint dimensions;
  GlobalSizes global, local;
  std::vector<Integer> integers;  // its own, in their order
  size_t launches;
};

constexpr size_t kWords = 1 << 14, kLocalBytes = 1024;
constexpr uint64_t minus(uint64_t value) { return 0 - value; }

const Case kCases[] = {
    {"int",
     R"(kernel void k(global ulong* p, int z) { p[z * 64 + get_global_id(0)] += z * 1000 + get_global_id(0); })",
     1,
     {64, 1},
     {16, 1},
     {{3, 1}},
     8},
    {"local_memory_in_two_dimensions",
     R"(
kernel __attribute__((reqd_work_group_size(8, 4, 1))) void k(global ulong* p, const uint z, const int rounds);
kernel __attribute__((reqd_work_group_size(8, 4, 1))) void k(global ulong* p, const uint z, const int rounds)
{
  local ulong tile[32];
  uint at = get_local_id(1) * 8 + get_local_id(0);
  for (int i = 0; i < rounds; ++i) {
    tile[at] = z * 100 + i + at;
    barrier(CLK_LOCAL_MEM_FENCE);
    p[z * 256 + get_global_id(1) * get_global_size(0) + get_global_id(0)] += tile[31 - at] * (i + 1)
      + get_group_id(0) * 10000 + get_group_id(1) * 100000 + get_num_groups(1) + get_local_size(2) + get_local_id(2);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
})",
     2,
     {32, 8},
     {8, 4},
     {{0, 2}, {1, 1}},
     5},
    {"char_that_wraps",
     R"(kernel void k(global ulong* p, char z) { p[(z + 128) * 8 + get_global_id(0)] = z * 3 + 1; })",
     1,
     {8, 1},
     {4, 1},
     {{125, 1}},
     6},
    {"shorts_that_fall",
     R"(
typedef ushort plane;
kernel void k(global ulong* p, short s, plane u) { p[(s + 16) * 64 + get_global_id(0)] = u * 7 + s + get_group_id(0); })",
     1,
     {64, 1},
     {32, 1},
     {{9, minus(3)}, {1, minus(1)}},
     7},
    {"longs",
     R"(
kernel void k(global ulong* p, long z, ulong w) { p[((z >> 33) & 31) * 32 + get_global_id(0)] = z ^ w; })",
     1,
     {32, 1},
     {8, 1},
     {{minus(1), minus(uint64_t{1} << 33)}, {uint64_t{1} << 63, uint64_t{1} << 62}},
     9},
    {"parameters_that_are_variables",
     R"(
kernel void k(global ulong* p, int z, local ulong* l, uchar n)
{
  uchar* counted = &n;
  l[get_local_id(0)] = z++;
  while (--*counted > 3) z += 2;
  barrier(CLK_LOCAL_MEM_FENCE);
  p[(z & 63) * 32 + get_global_id(0)] = l[(get_local_id(0) + 1) % get_local_size(0)] * 256 + n + z;
})",
     1,
     {32, 1},
     {16, 1},
     {{1, 3}, {20, 255}},
     6},
    {"an_argument_that_stays",
     R"(kernel void k(global ulong* p, int width, int z) { p[z * width + get_global_id(0)] = width + z; })",
     1,
     {16, 1},
     {16, 1},
     {{16, 0}, {2, 5}},
     10},
};

class GatheredLaunches : public DeviceTest<Case> {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    const auto translation =
        translate(GetParam().source, "", facts_of(device_), {.program = SAM_TRANSLATE, .cache_directory = ""});
    ASSERT_TRUE(translation) << translation.error().message;
    kernel_ = *translation->find("k");
    ASSERT_EQ(kernel_.gathers_by.size(), GetParam().integers.size());
    gathered_ = translation->sources[0].gathered.value();
  }

  // Sets the arguments that the program itself has; integers as they are for a launch.
  void set_arguments(cl_kernel kernel, cl_mem buffer, size_t launch) const {
    size_t integer = 0;
    for (cl_uint i = 0; i < kernel_.arguments.size(); ++i) {
      const KernelArgument& argument = kernel_.arguments[i];
      cl_int status = CL_SUCCESS;
      if (argument.kind == ArgumentKind::value) {
        const Integer& given = GetParam().integers.at(integer++);
        const uint64_t value = given.first + launch * given.step;
        status = clSetKernelArg(kernel, i, argument.size, &value);  // its lowest bytes
      } else if (argument.kind == ArgumentKind::local_memory) {
        status = clSetKernelArg(kernel, i, kLocalBytes, nullptr);
      } else {
        status = clSetKernelArg(kernel, i, sizeof buffer, &buffer);
      }
      EXPECT_EQ(status, CL_SUCCESS) << "argument " << i;
    }
  }

  static std::vector<cl_ulong> filled() { return std::vector<cl_ulong>(kWords, 5); }

  std::vector<cl_ulong> one_after_the_other(const std::string& source) {
    return run(source, "k", filled(), [&](cl_kernel kernel, cl_mem buffer) {
      for (size_t launch = 0; launch < GetParam().launches; ++launch) {
        set_arguments(kernel, buffer, launch);
        enqueue(kernel, GetParam().dimensions, nullptr, GetParam().global.data(), GetParam().local.data());
      }
    });
  }

  // The steps are larger by `too_much` than they are.
  std::vector<cl_ulong> in_one(uint64_t too_much) {
    return run(gathered_, "k", filled(), [&](cl_kernel kernel, cl_mem buffer) {
      set_arguments(kernel, buffer, 0);
      auto number = static_cast<cl_uint>(kernel_.arguments.size());
      for (const Integer& each : GetParam().integers) {
        const cl_ulong step = each.step + too_much;
        EXPECT_EQ(clSetKernelArg(kernel, number++, sizeof step, &step), CL_SUCCESS);
      }
      const Case& shape = GetParam();
      const std::array<size_t, 3> global = {shape.global[0], shape.global[1], shape.launches};
      const std::array<size_t, 3> local = {shape.local[0], shape.local[1], 1};
      enqueue(kernel, 3, nullptr, global.data(), local.data());
    });
  }

  KernelTranslation kernel_;
  std::string gathered_;
};

TEST_P(GatheredLaunches, write_the_same_bytes_as_one_after_the_other) {
  const std::vector<cl_ulong> expected = one_after_the_other(GetParam().source);
  EXPECT_EQ(in_one(0), expected);
  EXPECT_NE(in_one(1), expected) << "the bytes do not show the steps";
}

INSTANTIATE_TEST_SUITE_P(Kernels, GatheredLaunches, testing::ValuesIn(kCases),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace samcl
