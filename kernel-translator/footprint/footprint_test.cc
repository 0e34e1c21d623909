// From OpenCL C to the bytes that a launch reads and writes: sam-translate's footprints, evaluated as
// libsamcl does.
#include "contract/footprint/footprint.h"

#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

#include "contract/footprint/part_conflict.h"
#include "kernel-translator/client/translation.h"

namespace samcl {
namespace {

// One argument of a launch: a buffer of so many bytes, or a number.
struct Given {
  uint64_t buffer_bytes = 0;
  std::vector<std::byte> value;
};
Given buffer(uint64_t bytes) { return {bytes, {}}; }
template <typename T>
Given number(T value) {
  Given given;
  given.value.resize(sizeof value);
  std::memcpy(given.value.data(), &value, sizeof value);
  return given;
}

std::string text(const ByteSet& set) {
  if (set.whole) return "whole";
  if (set.ranges.empty()) return "none";
  std::vector<StridedRange> ranges = set.ranges;
  std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.start < b.start; });
  std::ostringstream out;
  for (const StridedRange& range : ranges) {
    if (&range != &ranges[0]) out << " ";
    out << range.start << "-" << range.start + range.length;
    if (range.count > 1) out << " every " << range.stride << " x" << range.count;
  }
  return out.str();
}

// A kernel's footprints for one NDRange; `first` and `count` are work-groups along the last dimension.
class Case {
 public:
  Case(const std::string& source, Ndrange ndrange, std::vector<Given> given, const std::string& options = "",
       uint32_t address_bits = 64)
      : ndrange_(ndrange), given_(std::move(given)) {
    DeviceFacts device;
    device.opencl_c_version = "OpenCL C 2.0";
    device.address_bits = address_bits;
    const auto translation = translate(source, options, device, {.program = SAM_TRANSLATE, .cache_directory = ""});
    EXPECT_TRUE(translation) << source;
    if (!translation) return;
    const auto parsed = Footprint::parse(translation->kernels.at(0).footprint);
    EXPECT_TRUE(parsed) << parsed.error().message;
    if (parsed) footprint_ = *parsed;
  }

  ArgumentFootprint argument(size_t index, uint64_t first, uint64_t count) const {
    return argument(index, ndrange_.dimensions - 1, first, count);
  }
  ArgumentFootprint argument(size_t index, unsigned dimension, uint64_t first, uint64_t count) const {
    GroupBox box{{0, 0, 0}, ndrange_.groups()};
    box.first[dimension] = first;
    box.count[dimension] = count;
    std::vector<ArgumentValue> values;
    for (const Given& given : given_) values.push_back({given.value, given.buffer_bytes});
    return footprint_.evaluate({ndrange_, values}, box).at(index);
  }

 private:
  Ndrange ndrange_;
  std::vector<Given> given_;
  Footprint footprint_;
};

Ndrange line(uint64_t items, uint64_t local) { return {1, {0, 0, 0}, {items, 1, 1}, {local, 1, 1}}; }
Ndrange plane(uint64_t x, uint64_t y, uint64_t local_x, uint64_t local_y) {
  return {2, {0, 0, 0}, {x, y, 1}, {local_x, local_y, 1}};
}

// Of the kernel k(global int* p, uint n) with such a body, in a line of 8 work-groups of 16, p of 4096 bytes:
// what work-groups 2 and 3 do with p.
struct Found {
  std::string reads, may_write, surely_writes;
  bool operator==(const Found&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Found& found) {
  return out << "reads " << found.reads << ", may write " << found.may_write << ", surely " << found.surely_writes;
}
Found found(const std::string& body, uint32_t n = 1000) {
  const Case c("__kernel void k(__global int* p, uint n, __global const int* x) { " + body + " }", line(128, 16),
               {buffer(4096), number(n), buffer(4096)});
  const ArgumentFootprint p = c.argument(0, 2, 2);
  return {text(p.reads), text(p.may_write), text(p.surely_writes)};
}
Found writes(const std::string& may, const std::string& surely) { return {"none", may, surely}; }
Found writes(const std::string& ranges) { return {"none", ranges, ranges}; }
Found reads(const std::string& ranges) { return {ranges, "none", "none"}; }

constexpr char kGid[] = "uint i = get_global_id(0); ";

TEST(Footprint, of_one_element_for_each_work_item) {
  EXPECT_EQ(found("p[get_global_id(0)] = 1;"), writes("128-256"));
  EXPECT_EQ(found("n = p[get_global_id(0)]; p[get_global_id(0)] = n;"), (Found{"128-256", "128-256", "128-256"}));
  EXPECT_EQ(found("int i = get_global_id(0); p[i] = 1;"), writes("128-256"));
  EXPECT_EQ(found("((__global short*)p)[get_global_id(0)] = 1;"), writes("64-128"));
  EXPECT_EQ(found("p[get_global_size(0) - 1 - get_global_id(0)] = 1;"), writes("256-384"));
  EXPECT_EQ(found("p[get_group_id(0) * get_local_size(0) + get_local_id(0)] = 1;"), writes("128-256"));
}

TEST(Footprint, leaves_gaps_where_the_kernel_does) {
  EXPECT_EQ(found("p[3 * get_global_id(0)] = 1;"), writes("384-388 every 12 x32"));
  EXPECT_EQ(found("p[get_group_id(0)] = 1;"), writes("8-16"));
  EXPECT_EQ(found("p[get_group_id(0) * 32 + get_local_id(0)] = 1;"), writes("256-320 every 128 x2"));
  EXPECT_EQ(found("p[3 * get_global_id(0)] = 1; p[3 * get_global_id(0) + 2] = 1; p[3 * get_global_id(0) + 1] = 1;"),
            writes("384-768"));
}

TEST(Footprint, is_narrowed_by_guards) {
  const std::string i = kGid;
  EXPECT_EQ(found(i + "if (i < n) p[i] = 1;", 40), writes("128-160"));
  EXPECT_EQ(found(i + "if (i >= n) return; p[i] = 1;", 40), writes("128-160"));
  EXPECT_EQ(found(i + "if (!(i < n)) return; p[i] = 1;", 20), writes("none"));
  EXPECT_EQ(found(i + "if (i > 35 && i <= n) p[i] = 1;", 39), writes("144-160"));
  EXPECT_EQ(found(i + "if (i < 36 || i > n) return; p[i] = 1;", 39), writes("144-160"));
  EXPECT_EQ(found(i + "bool in = i > 35 && i <= n; if (in) p[i] = 1;", 39), writes("144-160"));
  EXPECT_EQ(found(i + "if (get_local_id(0) == 0) p[get_group_id(0)] = 1;"), writes("8-16"));
  EXPECT_EQ(found(i + "if (i == n) p[i] = 1;", 40), writes("160-164"));
  EXPECT_EQ(found(i + "p[min(i, n)] = 1;", 20), writes("80-84", "80-84"));
  EXPECT_EQ(found(i + "p[min(i, n)] = 1;", 40), writes("128-164", "none"));
  EXPECT_EQ(found(i + "n = p[clamp((int)i - 40, 0, 5)];"), reads("0-24"));
  EXPECT_EQ(found(i + "int from = (int)i - 40; if (from < 0) from = 0; n = p[from];"), reads("0-96"));
}

TEST(Footprint, with_a_condition_that_depends_on_data_is_a_possible_write_alone) {
  EXPECT_EQ(found("int i = get_global_id(0); if (x[i] > 0) p[i] = 1;"), writes("128-256", "none"));
  EXPECT_EQ(found("int i = get_global_id(0); int j = x[i]; if (j >= 2 && j < 5) p[j] = 1;"), writes("8-20", "none"));
  EXPECT_EQ(found("int i = get_global_id(0); p[x[i]] = 1;"), writes("0-4096", "none"));
  EXPECT_EQ(found("p[((__global const uchar*)x)[get_global_id(0)]] = 1;"), writes("0-1024", "none"));
  EXPECT_EQ(found("p[x[0] & 15] = 1;"), writes("0-64", "none"));
}

TEST(Footprint, is_not_fooled_by_arithmetic_that_wraps_around) {
  // The first work-item's index is 2^32 - 40 and more: far outside, or, for a signed int, before the start.
  EXPECT_EQ(found("uint i = (uint)get_global_id(0) - 40; n = p[i];"), reads("0-4096"));
  EXPECT_EQ(found("int i = (int)get_global_id(0) - 40; n = p[i];"), reads("0-96"));
  EXPECT_EQ(found("uint i = get_global_id(0); if (i >= 40) p[i - 40] = 1;"), writes("0-96"));
  // i * n is taken modulo 2^32.
  EXPECT_EQ(found("uint i = get_global_id(0); p[i * n] = 1;", 3), writes("384-388 every 12 x32"));
  EXPECT_EQ(found("uint i = get_global_id(0); p[i * n] = 1;", 0x8000001), writes("128-132"));
  EXPECT_EQ(found("uint i = get_global_id(0); p[i * n] = 1;", 0x10000001), writes("0-4096", "none"));
  EXPECT_EQ(found("uchar i = get_global_id(0); i += 220; p[i] = 1;"), writes("0-1024", "none"));
  EXPECT_EQ(found("uint i = get_global_id(0); if (i - 40 < 8) p[i] = 1;"), writes("160-192"));
  EXPECT_EQ(found("for (uint j = 5; j >= 0 && j < 6; --j) p[j] = 1;"), writes("0-4096", "none"));
}

TEST(Footprint, of_loops_covers_all_rounds) {
  EXPECT_EQ(found("for (uint j = 0; j < n; ++j) p[get_global_id(0) * n + j] = 1;", 5), writes("640-1280"));
  EXPECT_EQ(found("for (int j = n - 1; j >= 0; --j) p[get_global_id(0) * n + j] = 1;", 5), writes("640-1280"));
  EXPECT_EQ(found("for (uint j = 0; j != n; ++j) p[j] = 1;", 5), writes("0-20"));
  EXPECT_EQ(found("uint j = n; while (j--) p[j] = 1;", 5), writes("0-20"));
  EXPECT_EQ(found("int j = 0; do { p[j] = 1; } while (++j < n);", 5), writes("0-20"));
  EXPECT_EQ(found("int j = 0; do { p[j] = 1; } while (++j < get_group_id(0));", 5), writes("0-12", "none"));
  EXPECT_EQ(found("int j = 0; do { p[j] = 1; } while (++j < 5);"), writes("0-20"));
  EXPECT_EQ(found("for (uint j = get_global_id(0); j < n; j += get_global_size(0)) p[j] = 1;", 300),
            writes("128-256 every 512 x2 1152-1200"));
  EXPECT_EQ(found("for (uint j = 0; j < n; ++j) { if (x[j]) break; p[j] = 1; }", 5), writes("0-20", "none"));
  EXPECT_EQ(found("for (uint j = 0; j < n; ++j) { if (x[j]) continue; p[j] = 1; }", 5), writes("0-20", "none"));
  EXPECT_EQ(found("for (uint j = 0; j < n; ++j) if (j & 1) p[j] = 1;", 5).surely_writes, "none");
  EXPECT_EQ(found("uint j = 0; for (; j < n; ++j) if (x[j]) break; p[j] = 1;", 5), writes("0-24", "none"));
  EXPECT_EQ(found("for (uint j = 0; j < n; ++j) n = x[j]; p[get_global_id(0)] = n;"), writes("128-256"));
  EXPECT_EQ(found("for (uint j = 0; j < 3; ++j) for (uint k = j; k < 4; ++k) p[k] = 1;").may_write, "0-16");
}

TEST(Footprint, follows_pointers_that_move) {
  EXPECT_EQ(found("__global int* q = p + get_global_id(0) * 4; for (int j = 0; j < 4; ++j) *q++ = 1;"),
            writes("512-1024"));
  EXPECT_EQ(found("__global int* q = p + n; for (__global int* e = q + 5; q != e; ++q) *q = 1;", 2), writes("8-28"));
  EXPECT_EQ(found("__global int* q = get_global_id(0) < n ? p : p + 256; q[0] = 1;", 40).may_write, "0-4 1024-1028");
  EXPECT_EQ(found("p += 4; p[get_global_id(0)] = 1;"), writes("144-272"));
}

TEST(Footprint, knows_the_built_in_functions_that_touch_memory) {
  EXPECT_EQ(found("vstore4((int4)(1), get_global_id(0), p);"), writes("512-1024"));
  EXPECT_EQ(found("n = vload2(get_global_id(0), p + 1).x;"), reads("260-516"));
  EXPECT_EQ(found("vstore3((int3)(1), get_global_id(0), p);"), writes("384-768"));
  EXPECT_EQ(found("vstore_half(1.0f, get_global_id(0), (__global half*)p);"), writes("64-128"));
  EXPECT_EQ(found("atomic_add(p + get_group_id(0), 1);"), (Found{"8-16", "8-16", "none"}));
  EXPECT_EQ(found("__local int l[16]; event_t e = async_work_group_copy(p + get_group_id(0) * 16, l, 16, 0); "
                  "wait_group_events(1, &e);"),
            writes("128-256"));
  EXPECT_EQ(found("__local int l[16]; event_t e = async_work_group_copy(l, p + 4, n, 0); wait_group_events(1, &e);", 9),
            reads("16-52"));
  EXPECT_EQ(found("fract(0.5f, (__global float*)p + get_global_id(0));"), (Found{"none", "128-256", "none"}));
  EXPECT_EQ(found("frexp((float3)(n), (__global int3*)p + get_global_id(0));"), (Found{"none", "512-1024", "none"}));
  EXPECT_EQ(found("p[mul24((int)get_group_id(0), 16) + get_local_id(0)] = 1;"), writes("128-256"));
  const Case c("__kernel void k(__global int* p) { p[get_global_linear_id()] = 1; }", plane(8, 8, 4, 2), {buffer(256)},
               "-cl-std=CL2.0");
  EXPECT_EQ(text(c.argument(0, 1, 2).surely_writes), "64-192");
}

TEST(Footprint, of_atomics_of_version_2_is_what_they_do) {
  const auto of = [](const std::string& body) {
    const Case c("__kernel void k(__global atomic_int* p) { " + body + " }", line(128, 16), {buffer(4096)},
                 "-cl-std=CL2.0");
    const ArgumentFootprint p = c.argument(0, 2, 2);
    return Found{text(p.reads), text(p.may_write), text(p.surely_writes)};
  };
  EXPECT_EQ(of("atomic_fetch_add_explicit(p + get_group_id(0), 1, memory_order_relaxed, memory_scope_device);"),
            (Found{"8-16", "8-16", "none"}));
  EXPECT_EQ(of("atomic_store(p + get_global_id(0), 1);"), (Found{"none", "128-256", "none"}));
  EXPECT_EQ(of("int x = atomic_load(p + 1);"), reads("4-8"));
  EXPECT_EQ(of("int x = 0; atomic_compare_exchange_strong(p, &x, 1);"), (Found{"whole", "whole", "none"}));
}

TEST(Footprint, of_vectors_of_three_and_structures_leaves_out_padding) {
  EXPECT_EQ(found("((__global int3*)p)[get_global_id(0)] = (int3)(1);"), writes("512-1024", "512-524 every 16 x32"));
  const auto of_struct = [](const std::string& fields) {
    const Case c("struct s { " + fields +
                     " }; __kernel void k(__global struct s* p, __global const struct s* q) { "
                     "p[get_global_id(0)] = q[get_global_id(0)]; }",
                 line(32, 16), {buffer(4096), buffer(4096)});
    return text(c.argument(0, 1, 1).may_write) + ", surely " + text(c.argument(0, 1, 1).surely_writes);
  };
  EXPECT_EQ(of_struct("int a, b;"), "128-256, surely 128-256");
  EXPECT_EQ(of_struct("int a; char b;"), "128-256, surely none");
}

TEST(Footprint, takes_values_from_structures_and_vectors_given_by_value) {
  struct Extent {
    int32_t before, width;
  } extent{3, 7};
  const Case by_structure(
      "struct e { int before, width; }; __kernel void k(__global int* p, struct e e) { "
      "if (get_global_id(0) < e.width) p[get_global_id(0) + e.before] = 1; }",
      line(32, 16), {buffer(4096), number(extent)});
  EXPECT_EQ(text(by_structure.argument(0, 0, 2).surely_writes), "12-40");
  const Case by_vector(
      "__kernel void k(__global int* p, int2 e) { if (get_global_id(0) < e.y) p[get_global_id(0) + e.x] = 1; "
      "}",
      line(32, 16), {buffer(4096), number(extent)});
  EXPECT_EQ(text(by_vector.argument(0, 0, 2).surely_writes), "12-40");
}

constexpr char kImage[] =
    "__kernel void k(__global int* p, int width, int height) { int2 at = (int2)(get_global_id(0), "
    "get_global_id(1)); "
    "if (at.x < width && at.y < height) p[at.y * width + at.x] = 1; }";

TEST(Footprint, of_a_plane_cut_along_y_is_one_range_and_along_x_rows) {
  const Case c(kImage, plane(64, 32, 16, 8), {buffer(10000), number(50), number(30)});
  EXPECT_EQ(text(c.argument(0, 1, 1, 2).surely_writes), "1600-4800");
  EXPECT_EQ(text(c.argument(0, 1, 3, 1).surely_writes), "4800-6000");
  EXPECT_EQ(text(c.argument(0, 0, 1, 1).surely_writes), "64-128 every 200 x30");
  EXPECT_EQ(text(c.argument(0, 0, 3, 1).surely_writes), "192-200 every 200 x30");
  EXPECT_TRUE(disjoint(c.argument(0, 0, 0, 2).may_write, c.argument(0, 0, 2, 2).may_write));
  EXPECT_TRUE(disjoint(c.argument(0, 1, 0, 2).may_write, c.argument(0, 1, 2, 2).may_write));
  EXPECT_FALSE(disjoint(c.argument(0, 1, 0, 2).may_write, c.argument(0, 1, 1, 2).may_write));
}

TEST(Footprint, of_a_last_work_group_that_is_smaller) {
  const Case c("__kernel void k(__global int* p) { p[get_global_id(0)] = 1; }", line(40, 16), {buffer(4096)});
  EXPECT_EQ(text(c.argument(0, 1, 2).surely_writes), "64-160");
}

TEST(Footprint, counts_the_global_offset) {
  Ndrange ndrange = line(32, 16);
  ndrange.offset[0] = 5;
  const Case c(
      "__kernel void k(__global int* p) { p[get_global_id(0) - get_global_offset(0)] = 1; "
      "p[get_global_id(0) + 100] = 1; }",
      ndrange, {buffer(4096)});
  EXPECT_EQ(text(c.argument(0, 1, 1).surely_writes), "64-128 484-548");
}

TEST(Footprint, of_addresses_of_32_bits) {
  const Case c(
      "__kernel void k(__global int* p, __global int* q, uint n) { p[get_global_id(0) - 20] = 1; "
      "q[get_global_id(0) * n] = 1; }",
      line(32, 16), {buffer(4096), buffer(4096), number(0x10000000u)}, "", 32);
  EXPECT_EQ(text(c.argument(0, 1, 1).surely_writes), "0-48");
  EXPECT_EQ(text(c.argument(1, 1, 1).may_write), "whole");
}

TEST(Footprint, of_the_neighbours_on_a_ring_that_a_comparison_closes) {
  for (const char* const type : {"int", "uint", "size_t"}) {
    for (const char* const places : {"i == 0 ? n - 1 : i - 1, right = i + 1 == n ? 0 : i + 1",
                                     "i != 0 ? i - 1 : n - 1, right = i == n - 1 ? 0 : i + 1",
                                     "i > 0 ? i - 1 : n - 1, right = i < n - 1 ? i + 1 : 0"}) {
      const std::string integer = type;
      const std::string source = "__kernel void k(__global int* p, uint cells, __global int* q) { " + integer +
                                 " n = cells, i = get_global_id(0), left = " + places +
                                 "; if (i < n) q[i] = p[left] + p[right]; }";
      const Case c(source, line(128, 16), {buffer(4096), number(128), buffer(4096)});
      EXPECT_EQ(text(c.argument(0, 0, 2).reads), "0-132 508-512") << type << ' ' << places;
      EXPECT_EQ(text(c.argument(0, 2, 2).reads), "124-260") << type << ' ' << places;
      EXPECT_EQ(text(c.argument(0, 6, 2).reads), "0-4 380-512") << type << ' ' << places;
      // The last work-groups go beyond the end.
      const Case beyond(source, line(128, 16), {buffer(4096), number(120), buffer(4096)});
      EXPECT_EQ(text(beyond.argument(0, 0, 2).reads), "0-132 476-480") << type << ' ' << places;
      EXPECT_EQ(text(beyond.argument(0, 6, 2).reads), "0-4 380-480") << type << ' ' << places;
    }
  }
}

TEST(Footprint, is_clipped_to_the_buffer) {
  const Case c("__kernel void k(__global int* p) { p[get_global_id(0)] = 1; }", line(32, 16), {buffer(100)});
  EXPECT_EQ(text(c.argument(0, 1, 1).surely_writes), "64-100");
}

TEST(Footprint, of_a_pointer_into_one_of_two_arguments_is_possible_in_both) {
  const Case c(
      "__kernel void k(__global int* p, __global int* q, int n) { __global int* r = n ? p : q + 4; "
      "for (int i = 0; i < 2; ++i, r += 32) r[get_global_id(0)] = 1; }",
      line(32, 16), {buffer(1000), buffer(1000), number(1)});
  for (const size_t either : {0, 1}) {
    EXPECT_EQ(text(c.argument(either, 1, 1).may_write), "64-128 every 128 x2");
    EXPECT_EQ(text(c.argument(either, 1, 1).surely_writes), "none");
  }
}

TEST(Footprint, of_an_index_without_some_of_its_bits_is_bounded) {
  const std::string low = "uint i = get_global_id(0), low = 2 * i - (i & (n - 1)); ";
  EXPECT_EQ(found(low + "p[low] = 1;", 4).may_write, "256-496");
  EXPECT_EQ(found(low + "if ((i & 31) >= n) p[low - n] = 1;", 4).may_write, "272-480");
  EXPECT_EQ(found("uint i = get_global_id(0); p[i - (i & ~7u)] = 1;").may_write, "0-32");
}

// Neighbours on a ring are the ranges at both ends of it, and not all that lies between.
TEST(Footprint, of_neighbours_on_a_ring_is_two_ranges) {
  // Work-groups 2 and 3 of 8 are 32 to 63 of 128 work-items; the ring has n places, or 64.
  EXPECT_EQ(found("n = p[(get_global_id(0) + 1) % n];", 1000), reads("132-260"));
  EXPECT_EQ(found("n = p[(get_global_id(0) + 1) % n];", 64), reads("0-4 132-256"));
  EXPECT_EQ(found("n = p[(get_global_id(0) + n - 40) % n];", 64), reads("0-96 224-256"));
  EXPECT_EQ(found("n = p[(get_global_id(0) + 1) & 63];"), reads("0-4 132-256"));
  EXPECT_EQ(found("n = p[(get_global_id(0) - 40) & 63];"), reads("0-96 224-256"));
  EXPECT_EQ(found("uint i = get_global_id(0); n = p[i == 63 ? 0 : i + 1];"), reads("0-4 132-256"));
  EXPECT_EQ(found("uint i = get_global_id(0); n = p[i < 40 ? i + 64 : i];"), reads("160-256 384-416"));
  EXPECT_EQ(found("p[(get_global_id(0) + 1) % 64] = 1;"), writes("0-4 132-256"));
  EXPECT_EQ(found("p[(get_global_id(0) + 1) & 63] = 1;"), writes("0-4 132-256"));
  // All of the ring.
  EXPECT_EQ(found("n = p[(get_global_id(0) + 1) % n];", 20).reads, "0-80");
}

// Planes, rows and columns of a box that is a ring along each axis: rows and columns are all there anyway.
TEST(Footprint, of_neighbours_in_a_box_is_their_planes) {
  const std::string cell = "uint i = get_global_id(0), t = i % 32, a = t % 8, b = t / 8, c = i / 32; ";
  EXPECT_EQ(found(cell + "n = p[(a + 1) % 8 + ((b + 3) % 4) * 8 + ((c + 1) % 4) * 32];"), reads("256-384"));
  EXPECT_EQ(found(cell + "n = p[a + b * 8 + ((c + 3) % 4) * 32];"), reads("0-128"));
  const Case last("__kernel void k(__global int* p) {" + cell + " p[(a + 1) % 8 + b * 8 + ((c + 1) % 4) * 32] = 1; }",
                  line(128, 16), {buffer(512)});
  EXPECT_EQ(text(last.argument(0, 4, 4).may_write), "0-128 384-512");
  EXPECT_EQ(text(last.argument(0, 0, 4).may_write), "128-384");
}

// Places that are kept in an array of the work-item's own, and looked up there in a loop.
TEST(Footprint, follows_indices_through_private_arrays) {
  EXPECT_EQ(found("uint i = get_global_id(0), at[3]; at[0] = i; at[1] = i + 200; at[2] = i + 400;"
                  "for (int j = 0; j < 3; ++j) p[at[j]] = j;"),
            writes("128-256 928-1056 1728-1856"));
  EXPECT_EQ(found("uint i = get_global_id(0), at[3]; for (int j = 0; j < 3; ++j) at[j] = i + j * n;"
                  "for (int j = 0; j < 3; ++j) p[at[j]] = j;",
                  200),
            writes("128-256 928-1056 1728-1856"));
  EXPECT_EQ(found("uint i = get_global_id(0), at[4]; for (int j = 0; j < 2; ++j) for (int l = 0; l < 2; ++l)"
                  "at[2 * j + l] = i + (2 * j + l) * 100; for (int j = 1; j < 4; j += 2) p[at[j]] = j;"),
            writes("528-656 1328-1456"));
  // So many rounds that they stay a loop; and a number of them that nobody knows.
  EXPECT_EQ(found("uint i = get_global_id(0), at[99]; for (int j = 0; j < 99; ++j) at[j] = i;"
                  "for (int j = 0; j < 99; ++j) p[at[j]] = j;"),
            writes("0-4096", "none"));
  EXPECT_EQ(found("uint i = get_global_id(0), at[9]; for (int j = 0; j < 9; ++j) at[j] = i;"
                  "for (uint j = 0; j < n; ++j) p[at[j]] = j;",
                  9),
            writes("0-4096", "none"));
}

// Parboil's sad: `a` is a small number until a branch that is always taken makes it a place in the buffer.
TEST(Footprint, of_a_pointer_is_where_it_leads_into_a_buffer) {
  EXPECT_EQ(found("uint l = get_local_id(0); __global int* a = (__global int*)(ulong)(l & 1);"
                  "if (l < 100) a = p + get_global_id(0); a[8] = 1;"),
            writes("160-288"));
  EXPECT_EQ(found("__global int* a = 0; if (n) a = p + get_global_id(0); if (a) *a = x[0];").may_write, "128-256");
}

TEST(Footprint, of_control_flow_that_is_no_nest_of_loops_is_whole) {
  EXPECT_EQ(found("int i = 0; if (n) goto b; a: p[i] = 1; i++; b: p[i + 1] = 2; i++; if (i < 9) goto a;").may_write,
            "whole");
}

TEST(Footprint, of_an_index_that_grows_in_some_rounds) {
  EXPECT_EQ(found("int at = get_group_id(0) * 8; for (int i = 0; i < 8; ++i) if (x[i] > 0) p[at++] = 1;"),
            (Found{"none", "64-128", "none"}));
}

TEST(Footprint, of_a_great_many_accesses_is_whole) {
  std::string body;
  for (int i = 0; i < 300; ++i) body += "p[" + std::to_string(5 * i) + "] = 1;";
  EXPECT_EQ(found(body), writes("whole", "none"));
}

TEST(Footprint, that_is_no_footprint_is_an_error) {
  for (const char* text : {"", "x", "2", "1 0 0 0 0 0", "2 0 1 0 0 0 13 32 0 5 5",
                           "2 0 0 0 1 1 -1 -1 1 -1 0 0 7 -1 1 0 -1 0 1 0", "2 0 0 0 0 0 9", "2 0 99999999 0 0 0"})
    EXPECT_FALSE(Footprint::parse(text)) << text;
  EXPECT_TRUE(Footprint::parse("2 0 0 0 1 0 -1 -1 1 -1 0"));
}

// Of the same kernels: what work-groups 2 and 3 surely read of p.
std::string surely_reads(const std::string& body, uint32_t n = 1000) {
  const Case c("__kernel void k(__global int* p, uint n, __global int* x) { uint i = get_global_id(0); " + body + " }",
               line(128, 16), {buffer(4096), number(n), buffer(4096)});
  return text(c.argument(0, 2, 2).surely_reads);
}

TEST(SureReads, AreThoseThatNoConditionOnDataCanPrevent) {
  EXPECT_EQ(surely_reads("x[i] = p[i];"), "128-256");
  EXPECT_EQ(surely_reads("if (get_local_id(0) == 0) atomic_add(p + 1, 1);"), "4-8");
  EXPECT_EQ(surely_reads("if (x[i] > 0) atomic_add(p + 1, 1);"), "none");
  EXPECT_EQ(surely_reads("x[i] = p[0];"), "0-4");
  EXPECT_EQ(surely_reads("if (get_local_id(0) == 0) x[i] = p[0];"), "0-4");
  EXPECT_EQ(surely_reads("if (i < n) x[i] = p[i];", 40), "128-160");
  EXPECT_EQ(surely_reads("for (uint j = 0; j < n; ++j) x[i] += p[j];", 7), "0-28");
  EXPECT_EQ(surely_reads("x[i] = vload4(i, p).x;"), "512-1024");
  EXPECT_EQ(surely_reads("if (i == 0) x[i] = p[0];"), "none");
  EXPECT_EQ(surely_reads("if (x[i]) x[i] = p[0];"), "none");
  EXPECT_EQ(surely_reads("x[i] = p[x[i]];"), "none");
  EXPECT_EQ(surely_reads("for (uint j = 0; j < n && x[j]; ++j) x[i] += p[j + 1];", 7), "none");
  EXPECT_EQ(surely_reads("p[i] = 1;"), "none");
}

// Rodinia's particlefilter: work-item 0 writes u[0], and every work-group reads it.
TEST(PartConflict, IsFoundWhereTheFirstGroupWritesWhatAllRead) {
  const auto conflict = [](const std::string& body) {
    const Case c(
        "__kernel void k(__global float* u, __global float* x, int n) { __local float first;"
        " int i = get_global_id(0); " +
            body + " }",
        line(128, 16), {buffer(4096), buffer(4096), number<int32_t>(100)});
    std::vector<std::vector<ArgumentFootprint>> parts;
    for (const uint64_t begin : {0, 4}) parts.push_back({c.argument(0, begin, 4), c.argument(1, begin, 4), {}});
    return reads_what_another_writes(parts);
  };
  EXPECT_TRUE(
      conflict("if (i == 0) u[0] = 1 / (float)n; barrier(CLK_GLOBAL_MEM_FENCE);"
               " if (get_local_id(0) == 0) first = u[0]; barrier(CLK_LOCAL_MEM_FENCE); if (i < n) x[i] = first;"));
  EXPECT_TRUE(conflict("u[0] += x[i];"));
  EXPECT_FALSE(conflict("u[i] = u[i] + 1;"));
  EXPECT_FALSE(conflict("if (i == 0) u[0] = 1; if (i < 64) x[i] = u[0];"));
  EXPECT_FALSE(conflict("if (x[i] > 0) u[0] = 1; x[i] = u[0];"));
  EXPECT_FALSE(conflict("if (i == 0) u[0] = 1; if (x[i] > 0) x[i] = u[0];"));
}

}  // namespace
}  // namespace samcl
