// Sub-buffers: views of a parent, as arguments of kernels and of transfers.
#include "tests/programs/opencl_fixture.h"

namespace cases {
namespace {

class SubBuffers : public OpenCl {
 protected:
  // Bytes at which every device lets a sub-buffer start.
  size_t alignment() const { return device_info<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8; }
  size_t ints() const { return alignment() / sizeof(cl_int); }  // the same in elements

  Buffer sub(const Buffer& parent, size_t first, size_t count, cl_mem_flags flags = 0) {
    cl_int status = CL_SUCCESS;
    const cl_buffer_region region{first * sizeof(cl_int), count * sizeof(cl_int)};
    Buffer made(clCreateSubBuffer(parent.get(), flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
    check(status);
    return made;
  }
  cl_int status_of_sub(const Buffer& parent, size_t origin, size_t size, cl_mem_flags flags = 0) {
    cl_int status = CL_SUCCESS;
    const cl_buffer_region region{origin, size};
    const Buffer made(clCreateSubBuffer(parent.get(), flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
    return status;
  }
  const char* kAdd = "__kernel void k(__global int* x, int value) { x[get_global_id(0)] += value; }";
};

TEST_F(SubBuffers, KernelOnAViewChangesTheParent) {
  const size_t n = ints();
  const Buffer parent = buffer(std::vector<cl_int>(3 * n, 1));
  const Buffer middle = sub(parent, n, n);
  const auto k = kernel(kAdd);
  set_arguments(k, middle, cl_int{5});
  launch(k, {{n}});
  std::vector<cl_int> expected(3 * n, 1);
  std::fill_n(expected.begin() + static_cast<ptrdiff_t>(n), n, 6);
  EXPECT_EQ(read<cl_int>(parent, 3 * n), expected);
}

TEST_F(SubBuffers, KernelOnTheParentShowsInTheView) {
  const size_t n = ints();
  const Buffer parent = buffer(counting<cl_int>(2 * n));
  const Buffer view = sub(parent, n, n);
  const auto k = kernel(kAdd);
  set_arguments(k, parent, cl_int{100});
  launch(k, {{2 * n}});
  EXPECT_EQ(read<cl_int>(view, n), counting<cl_int>(n, static_cast<cl_int>(100 + n)));
}

TEST_F(SubBuffers, TwoViewsOfOneParentAsArguments) {
  const size_t n = ints();
  const Buffer parent = buffer(counting<cl_int>(2 * n));
  const Buffer low = sub(parent, 0, n), high = sub(parent, n, n);
  const auto k = kernel(
      "__kernel void k(__global const int* in, __global int* out) { size_t i = get_global_id(0); out[i] = "
      "in[i] * 2; }");
  set_arguments(k, low, high);
  launch(k, {{n}});
  std::vector<cl_int> expected = counting<cl_int>(2 * n);
  for (size_t i = 0; i < n; ++i) expected[n + i] = 2 * expected[i];
  EXPECT_EQ(read<cl_int>(parent, 2 * n), expected);
}

// OpenCL leaves it undefined; every driver lets kernels do so, and programs count on it (BEAGLE passes its first matrix
// and the offsets of the others). The launches between show whether what follows knows of it.
TEST_F(SubBuffers, KernelsThatGoBeyondTheirViewChangeItsParent) {
  const size_t n = ints() * 64;
  const std::string body =
      " size_t i = get_global_id(0), n = get_global_size(0); x[to + n - 1 - i] = x[from + i] * 3; }";
  const std::string by_value = "__kernel void k(__global int* x, int from, int to) {" + body;
  const std::string by_memory =
      "__kernel void k(__global int* x, __global const int* offsets) { int from = offsets[0], to = offsets[1];" + body;
  for (const std::string& source : {by_value, by_memory}) {
    const auto from = static_cast<cl_int>(2 * n), to = static_cast<cl_int>(n);
    const Buffer parent = buffer(std::vector<cl_int>(4 * n, 1)), doubled = buffer(std::vector<cl_int>(n, 0)),
                 offsets = buffer(std::vector<cl_int>{from, to});
    const Buffer first = sub(parent, 0, n), second = sub(parent, n, n), third = sub(parent, 2 * n, n);
    const auto add = kernel(kAdd), copy = kernel(source);
    set_arguments(add, third, cl_int{5});
    launch(add, {{n}});
    set_arguments(add, second, cl_int{7});
    launch(add, {{n}});
    if (source == by_value)
      set_arguments(copy, first, from, to);
    else
      set_arguments(copy, first, offsets);
    launch(copy, {{n}});
    const auto twice = kernel(
        "__kernel void k(__global const int* x, __global int* y) { y[get_global_id(0)] = x[get_global_id(0)] * 2; }");
    set_arguments(twice, second, doubled);
    launch(twice, {{n}});
    EXPECT_EQ(read<cl_int>(doubled, n), std::vector<cl_int>(n, 36)) << source;
    EXPECT_EQ(read<cl_int>(second, n), std::vector<cl_int>(n, 18)) << source;
    EXPECT_EQ(read<cl_int>(third, n), std::vector<cl_int>(n, 6)) << source;
    EXPECT_EQ(read<cl_int>(first, n), std::vector<cl_int>(n, 1)) << source;
  }
}

TEST_F(SubBuffers, ViewsWrittenOneAfterTheOtherThenTheWholeRead) {
  const size_t n = ints();
  const Buffer parent = buffer(std::vector<cl_int>(4 * n, 0));
  const auto k = kernel(kAdd);
  for (size_t part = 0; part < 4; ++part) {
    const Buffer view = sub(parent, part * n, n);
    set_arguments(k, view, static_cast<cl_int>(part + 1));
    launch(k, {{n}});
  }
  set_arguments(k, parent, cl_int{10});
  launch(k, {{4 * n}});
  std::vector<cl_int> expected(4 * n);
  for (size_t i = 0; i < 4 * n; ++i) expected[i] = static_cast<cl_int>(11 + i / n);
  EXPECT_EQ(read<cl_int>(parent, 4 * n), expected);
}

TEST_F(SubBuffers, ReadWriteFillAndCopyThroughAView) {
  const size_t n = ints();
  const Buffer parent = buffer(counting<cl_int>(3 * n));
  const Buffer view = sub(parent, n, n), last = sub(parent, 2 * n, n);
  std::vector<cl_int> expected = counting<cl_int>(3 * n);
  EXPECT_EQ(read<cl_int>(view, 2, 1), (std::vector<cl_int>{static_cast<cl_int>(n + 1), static_cast<cl_int>(n + 2)}));

  write(view, std::vector<cl_int>{-1, -2}, 3);
  expected[n + 3] = -1;
  expected[n + 4] = -2;
  const cl_int nine = 9;
  ASSERT_OK(clEnqueueFillBuffer(queue(), view.get(), &nine, 4, 5 * 4, 2 * 4, 0, nullptr, nullptr));
  expected[n + 5] = expected[n + 6] = 9;
  ASSERT_OK(clEnqueueCopyBuffer(queue(), view.get(), last.get(), 3 * 4, 0, 4 * 4, 0, nullptr, nullptr));
  for (size_t i = 0; i < 4; ++i) expected[2 * n + i] = expected[n + 3 + i];
  EXPECT_EQ(read<cl_int>(parent, 3 * n), expected);
}

TEST_F(SubBuffers, MapOfAView) {
  const size_t n = ints();
  const Buffer parent = buffer(counting<cl_int>(2 * n));
  const Buffer view = sub(parent, n, n);
  auto* mapped = map<cl_int>(view, CL_MAP_READ | CL_MAP_WRITE, 2, 4);
  EXPECT_EQ(mapped[0], static_cast<cl_int>(n + 4));
  mapped[1] = -7;
  unmap(view, mapped);
  EXPECT_EQ(read<cl_int>(parent, 1, n + 5)[0], -7);
}

TEST_F(SubBuffers, ViewOutlivesTheProgramsHandleOfTheParent) {
  const size_t n = ints();
  Buffer view;
  {
    const Buffer parent = buffer(counting<cl_int>(2 * n));
    view = sub(parent, n, n);
  }
  const auto k = kernel(kAdd);
  set_arguments(k, view, cl_int{1});
  launch(k, {{n}});
  EXPECT_EQ(read<cl_int>(view, n), counting<cl_int>(n, static_cast<cl_int>(n + 1)));
}

// PoCL's devices take multiples of 128 bytes, NVIDIA's too, which tell 512.
TEST_F(SubBuffers, BeginWhereTheDriverTakesThem) {
  constexpr size_t kInts = 32;
  const Buffer parent = buffer(std::vector<cl_int>(4 * kInts, 1));
  const Buffer view = sub(parent, kInts, 2 * kInts);
  const auto k = kernel(kAdd);
  set_arguments(k, view, cl_int{5});
  launch(k, {{2 * kInts}});
  std::vector<cl_int> expected(4 * kInts, 1);
  std::fill_n(expected.begin() + kInts, 2 * kInts, 6);
  EXPECT_EQ(read<cl_int>(parent, 4 * kInts), expected);
}

TEST_F(SubBuffers, InfoNamesParentAndOffset) {
  const size_t n = ints();
  const Buffer parent = buffer_of(4 * alignment(), CL_MEM_READ_ONLY);
  const Buffer view = sub(parent, 2 * n, n);
  cl_mem its_parent = nullptr;
  size_t offset = 0, size = 0;
  cl_mem_flags flags = 0;
  ASSERT_OK(clGetMemObjectInfo(view.get(), CL_MEM_ASSOCIATED_MEMOBJECT, sizeof its_parent, &its_parent, nullptr));
  ASSERT_OK(clGetMemObjectInfo(view.get(), CL_MEM_OFFSET, sizeof offset, &offset, nullptr));
  ASSERT_OK(clGetMemObjectInfo(view.get(), CL_MEM_SIZE, sizeof size, &size, nullptr));
  ASSERT_OK(clGetMemObjectInfo(view.get(), CL_MEM_FLAGS, sizeof flags, &flags, nullptr));
  EXPECT_EQ(its_parent, parent.get());
  EXPECT_EQ(offset, 2 * alignment());
  EXPECT_EQ(size, alignment());
  EXPECT_EQ(flags, cl_mem_flags{CL_MEM_READ_ONLY}) << "inherited from the parent";
}

TEST_F(SubBuffers, Errors) {
  const Buffer parent = buffer_of(4 * alignment(), CL_MEM_READ_ONLY), view = sub(parent, 0, 4);
  EXPECT_STATUS(status_of_sub(parent, 4, 4), CL_MISALIGNED_SUB_BUFFER_OFFSET);
  EXPECT_STATUS(status_of_sub(parent, 0, 0), CL_INVALID_BUFFER_SIZE);
  EXPECT_STATUS(status_of_sub(parent, 3 * alignment(), alignment() + 1), CL_INVALID_VALUE);
  EXPECT_STATUS(status_of_sub(parent, 0, 4, CL_MEM_READ_WRITE), CL_INVALID_VALUE);
  EXPECT_STATUS(status_of_sub(view, 0, 4), CL_INVALID_MEM_OBJECT);
  cl_int status = CL_SUCCESS;
  const cl_buffer_region region{0, 4};
  EXPECT_EQ(clCreateSubBuffer(parent.get(), 0, 0x7777, &region, &status), nullptr);
  EXPECT_STATUS(status, CL_INVALID_VALUE);
}

}  // namespace
}  // namespace cases
