// Programs that keep addresses in memory: what one launch stores, later ones follow and compare. OpenCL promises it for
// memory that stays where it is, as it does on every driver.
#include "tests/programs/opencl_fixture.h"

namespace cases {
namespace {

class Addresses : public OpenCl {};

constexpr size_t kCount = 256;

TEST_F(Addresses, StoredAsIntegersAreThoseOfLaterLaunches) {
  const Buffer p = buffer(counting<cl_int>(kCount)), u = buffer_of(kCount * sizeof(cl_ulong));
  const Buffer same = buffer(std::vector<cl_int>(kCount, -1));
  const std::string source =
      "__kernel void keep(__global ulong* u, __global int* p) { int g = get_global_id(0); u[g] = (ulong)(p + g); }\n"
      "__kernel void compare(__global ulong* u, __global int* p, __global int* same) {"
      " int g = get_global_id(0), other = get_global_size(0) - 1 - g; same[g] = u[other] == (ulong)(p + other); }";
  const auto keep = kernel(source, "keep"), compare = kernel(source, "compare");
  set_arguments(keep, u, p);
  launch(keep, {{kCount}, {4}});
  set_arguments(compare, u, p, same);
  launch(compare, {{kCount}, {4}});
  EXPECT_EQ(read<cl_int>(same, kCount), std::vector<cl_int>(kCount, 1));
}

struct Node {
  cl_ulong next;
  cl_int value, unused;
};

// What the host writes to a list later is found by following it.
TEST_F(Addresses, OfAListLeadThroughIt) {
  const std::string source =
      "typedef struct node { __global struct node* next; int value, unused; } node;\n"
      "__kernel void chain(__global node* all, int n) { int g = get_global_id(0);"
      " all[g].next = g + 1 < n ? all + g + 1 : 0; all[g].value = g; all[g].unused = 0; }\n"
      "__kernel void walk(__global node* all, __global int* sums) { int g = get_global_id(0), sum = 0;"
      " for (__global node* at = all + g; at; at = at->next) sum += at->value; sums[g] = sum; }";
  const auto chain = kernel(source, "chain"), walk = kernel(source, "walk");
  const Buffer all = buffer_of(kCount * sizeof(Node)), sums = buffer(std::vector<cl_int>(kCount, 0));
  set_arguments(chain, all, static_cast<cl_int>(kCount));
  launch(chain, {{kCount}, {4}});
  std::vector<Node> nodes = read<Node>(all, kCount);
  std::vector<cl_int> expected(kCount);
  for (size_t i = kCount; i-- > 0;) {
    ASSERT_EQ(nodes[i].value, static_cast<cl_int>(i));
    nodes[i].value = static_cast<cl_int>(3 * i);
    expected[i] = nodes[i].value + (i + 1 < kCount ? expected[i + 1] : 0);
  }
  ASSERT_OK(
      clEnqueueWriteBuffer(queue(), all.get(), CL_TRUE, 0, kCount * sizeof(Node), nodes.data(), 0, nullptr, nullptr));
  set_arguments(walk, all, sums);
  launch(walk, {{kCount}, {4}});
  EXPECT_EQ(read<cl_int>(sums, kCount), expected);
}

}  // namespace
}  // namespace cases
