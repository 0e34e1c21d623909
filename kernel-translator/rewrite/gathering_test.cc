// From OpenCL C to the source in which kernels run many launches at once, and which kernels have such a variant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernel-translator/client/translation.h"

namespace samcl {
namespace {

using testing::HasSubstr;
using testing::Not;
using Numbers = std::vector<uint32_t>;

const TranslatorSettings kSettings = {.program = SAM_TRANSLATE, .cache_directory = ""};

Translation translated(const std::string& source, const std::string& options = "") {
  DeviceFacts device;
  device.opencl_c_version = "OpenCL C 1.2";
  auto translation = translate(source, options, device, kSettings);
  EXPECT_TRUE(translation) << source << "\n" << translation.error().message;
  return translation ? *std::move(translation) : Translation{{{}}, {{}}, {}};
}

std::string gathered(const std::string& source, const std::string& options = "") {
  return translated(source, options).sources[0].gathered.value_or("none");
}

// Of the first kernel.
Numbers gathers_by(const std::string& source, const std::string& options = "") {
  return translated(source, options).kernels.at(0).gathers_by;
}

// Of a kernel with this body; it has an int z, a uint y, and memory of all kinds. That it has all these is told apart
// from what its body does by Gathering.takes_the_integers_by_value.
Numbers with_body(const std::string& body, const std::string& options = "", const std::string& before = "") {
  return gathers_by(
      before + "__kernel void k(__global int* p, int z, __local int* l, __constant int* c, uint y) { " + body + " }",
      options);
}

const Numbers kNone, kBoth = {1, 4};

TEST(Gathering, takes_the_integers_by_value) {
  EXPECT_EQ(with_body("l[0] = c[0]; p[z * 64 + y + get_global_id(0)] = l[0];"), kBoth);
  EXPECT_EQ(
      gathers_by("struct s { int a; }; enum e { A, B };\n"
                 "__kernel void k(__global int* p, float f, int2 v, struct s s, enum e e, char a, uchar b, short c,"
                 " ushort d, int i, uint j, long m, ulong n) { p[i] = e; }"),
      (Numbers{5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(gathers_by("__kernel void k(__global int* p, float f) { p[0] = f; }"), kNone);
  EXPECT_EQ(gathers_by("__kernel void k(__global int* p, int z, sampler_t s) { p[z] = 1; }"), Numbers{1});
}

TEST(Gathering, makes_a_variant_whose_place_in_the_third_dimension_says_which_launch_it_is) {
  EXPECT_EQ(gathered("__kernel void k(__global int* p, int z) { p[z] = 1; }"),
            "#line 1\n__kernel void k(__global int* p, int samcl_first_z, ulong samcl_step_z) {"
            " int z = (int)(samcl_first_z + samcl_step_z * get_global_id(2)); p[z] = 1; }\n");
}

TEST(Gathering, knows_what_typedefs_mean_and_keeps_const) {
  const std::string text = gathered(
      "typedef const unsigned short fixed;\n#define PLANE fixed z, const long w\n"
      "__kernel void k(__global int* p, PLANE) { p[z] = w; }");
  EXPECT_THAT(text, HasSubstr("k(__global int* p, fixed samcl_first_z, const long samcl_first_w,"
                              " ulong samcl_step_z, ulong samcl_step_w) {"));
  EXPECT_THAT(text, HasSubstr(" const unsigned short z = (unsigned short)(samcl_first_z + samcl_step_z *"
                              " get_global_id(2));"));
  EXPECT_THAT(text, HasSubstr(" const long w = (long)(samcl_first_w + samcl_step_w * get_global_id(2));"));
}

TEST(Gathering, wraps_in_the_type_of_the_parameter) {
  const std::string text = gathered("__kernel void k(__global int* p, char a, signed char b, ushort c) { p[a] = b; }");
  EXPECT_THAT(text, HasSubstr("char a = (char)(samcl_first_a"));
  EXPECT_THAT(text, HasSubstr("signed char b = (signed char)(samcl_first_b"));
  EXPECT_THAT(text, HasSubstr("unsigned short c = (unsigned short)(samcl_first_c"));
}

TEST(Gathering, extends_declarations_wherever_they_stand_and_keeps_lines) {
  const std::string text = gathered(
      "__kernel void k(__global int*, int);\n__kernel void k(__global int* p,\n int plane);\n"
      "__kernel void k(__global int* p,\n  int z)\n{\n  p[z++] = 1;\n}");
  EXPECT_EQ(text,
            "#line 1\n__kernel void k(__global int*, int, ulong samcl_step_z);\n__kernel void k(__global int* p,\n"
            " int plane, ulong samcl_step_z);\n__kernel void k(__global int* p,\n  int samcl_first_z, ulong"
            " samcl_step_z)\n{ int z = (int)(samcl_first_z + samcl_step_z * get_global_id(2));\n  p[z++] = 1;\n}\n");
}

TEST(Gathering, leaves_other_kernels_and_functions_as_they_are) {
  const Translation translation = translated(
      "int f(int z) { return z; } __kernel void a(__global int* p, int z) { p[z] = f(z); }\n"
      "__kernel void b(__global int* p, int z) { p[get_global_id(2)] = z; } "
      "__kernel void c(__global int* p, int z) { p[z] = 2; }");
  EXPECT_EQ(translation.find("a")->gathers_by, Numbers{1});
  EXPECT_EQ(translation.find("b")->gathers_by, kNone);
  EXPECT_EQ(translation.find("c")->gathers_by, Numbers{1});
  const std::string text = translation.sources[0].gathered.value_or("none");
  EXPECT_THAT(text, HasSubstr("int f(int z) { return z; } "));
  EXPECT_THAT(text, HasSubstr("__kernel void b(__global int* p, int z) { p[get_global_id(2)] = z; }"));
  EXPECT_THAT(text, HasSubstr("__kernel void c(__global int* p, int samcl_first_z, ulong samcl_step_z)"));
}

TEST(Gathering, is_of_the_text_as_it_was_before_the_ndrange_was_rewritten) {
  const std::string kernel = "__kernel void k(__global int* p, int z) { p[get_group_id(0)] = z; }";
  const Translation translation = translated(kernel);
  EXPECT_THAT(*translation.sources[0].gathered, HasSubstr("p[get_group_id(0)] = z; }"));
  EXPECT_THAT(*translation.sources[0].gathered, Not(HasSubstr("ndrange")));
  EXPECT_THAT(*translation.sources[0].source,
              HasSubstr("__kernel void k(__global int* p, int z, struct samcl_ndrange samcl_nd) "
                        "{ p[samcl_get_group_id(0, &samcl_nd)] = z; }"));
}

TEST(Gathering, gives_a_source_that_parses_and_gathers_no_more) {
  const Translation again = translated(
      gathered("typedef uint number;\n__kernel void k(__global int* p, const number z, char c) { __local int l[4];"
               " l[c & 3] = z; barrier(CLK_LOCAL_MEM_FENCE); p[z * 64 + get_global_id(0)] = l[0]; }"));
  ASSERT_NE(again.find("k"), nullptr);
  EXPECT_EQ(again.find("k")->arguments.size(), 5u);
  EXPECT_TRUE(again.find("k")->may_slice) << again.find("k")->why_not_slice;
  EXPECT_EQ(again.find("k")->gathers_by, kNone) << "it uses the third dimension";
}

TEST(Gathering, names_nothing_as_the_source_does) {
  EXPECT_THAT(gathered("__kernel void k(__global int* p, int samcl_first_z) { p[samcl_first_z] = 1; }"),
              HasSubstr("int samcl_first_z = (int)(samcl2_first_samcl_first_z + samcl2_step_samcl_first_z *"));
}

// ---- What a kernel may ask for ----

TEST(Gathering, asks_nothing_about_the_third_dimension) {
  for (const std::string name :
       {"get_global_id", "get_group_id", "get_num_groups", "get_global_size", "get_global_offset"}) {
    EXPECT_EQ(with_body("p[z] = " + name + "(0) + " + name + "(1);"), kBoth) << name;
    EXPECT_EQ(with_body("p[z] = " + name + "(2);"), kNone) << name;
    EXPECT_EQ(with_body("p[z] = " + name + "(3);"), kNone) << name;
    EXPECT_EQ(with_body("p[z] = " + name + "(y);"), kNone) << name;
    EXPECT_EQ(with_body("p[z] = f(1);", "", "uint f(uint d) { return " + name + "(d); } "), kBoth) << name;
    EXPECT_EQ(with_body("p[z] = f(2);", "", "uint f(uint d) { return " + name + "(d); } "), kNone) << name;
  }
  EXPECT_EQ(with_body("p[z] = get_work_dim();"), kNone);
  EXPECT_EQ(with_body("p[z] = get_local_id(2) + get_local_size(y) + get_local_id(y);"), kBoth);
  EXPECT_EQ(with_body("p[z] = get_global_linear_id();", "-cl-std=CL2.0"), kNone);
  EXPECT_EQ(with_body("p[z] = get_local_linear_id() + get_enqueued_local_size(2);", "-cl-std=CL2.0"), kBoth);
}

TEST(Gathering, uses_no_sub_groups) {
  EXPECT_EQ(with_body("p[z] = work_group_reduce_add(z);", "-cl-std=CL2.0"), kBoth);
  for (const std::string use : {"sub_group_reduce_add(z)", "get_sub_group_local_id()", "get_max_sub_group_size()",
                                "get_num_sub_groups()", "get_enqueued_num_sub_groups()"})
    EXPECT_EQ(with_body("p[z] = " + use + ";", "-cl-std=CL2.0"), kNone) << use;
  EXPECT_EQ(with_body("p[z] = intel_sub_group_shuffle(z, y);"), kNone);
}

TEST(Gathering, adds_in_the_order_that_the_program_wrote) {
  const std::string body = "float s = 0; for (int i = 0; i < z; ++i) s += c[i]; p[z] = s;";
  EXPECT_EQ(with_body(body), kBoth);
  EXPECT_EQ(with_body(body, "-cl-fast-relaxed-math"), kNone);
  EXPECT_EQ(with_body("p[z] = c[z];", "-cl-fast-relaxed-math"), kBoth);
}

TEST(Gathering, does_not_print) { EXPECT_EQ(with_body("p[z] = 1; printf(\"%d\", z);"), kNone); }

TEST(Gathering, may_be_cut_into_slices) {
  EXPECT_EQ(with_body("volatile __global int* q = p; while (q[0]) ; p[z] = 1;"), kNone);
  EXPECT_EQ(with_body("f(z); p[z] = 1;", "", "void f(int x); "), kNone) << "f is not known";
}

TEST(Gathering, does_not_depend_on_addresses) { EXPECT_EQ(with_body("p[z] = (p == (__global int*)c[0]);"), kNone); }

TEST(Gathering, has_a_footprint) {
  const auto with_stores = [](int count) {
    std::string body = "int a;";
    for (int store = 0; store < count; ++store) {
      body += " a = z + " + std::to_string(store) + ";";
      for (int step = 0; step < 12; ++step) body += " a = a * (int)y + z;";
      body += " p[a] = 1;";
    }
    return with_body(body);
  };
  EXPECT_EQ(with_stores(20), kBoth);
  EXPECT_EQ(with_stores(200), kNone) << "it takes too long to evaluate";
}

TEST(Gathering, has_no_images_or_pipes) {
  EXPECT_EQ(gathers_by("__kernel void k(__global int* p, int z, read_only image2d_t i) { p[z] = 1; }"), kNone);
  EXPECT_EQ(gathers_by("__kernel void k(__global int* p, int z, read_only pipe int i) { p[z] = 1; }", "-cl-std=CL2.0"),
            kNone);
}

TEST(Gathering, needs_work_groups_that_are_flat) {
  const auto required = [](const std::string& size) {
    return gathers_by("__kernel __attribute__((reqd_work_group_size(" + size +
                      "))) void k(__global int* p, int z) { p[z] = 1; }");
  };
  EXPECT_EQ(required("8, 4, 1"), Numbers{1});
  EXPECT_EQ(required("8, 4, 2"), kNone);
}

// ---- What its text may be ----

TEST(Gathering, is_not_of_a_kernel_that_others_name) {
  const std::string kernel = "__kernel void k(__global int* p, int z) { p[z] = 1; }\n";
  EXPECT_EQ(gathers_by(kernel), Numbers{1});
  EXPECT_EQ(gathers_by(kernel + "__kernel void other(__global int* p) { k(p, 3); }"), kNone);
  EXPECT_EQ(gathers_by(kernel + "void f(__global int* p) { k(p, 3); }"), kNone);
}

TEST(Gathering, has_no_volatile_integer) {
  EXPECT_EQ(gathers_by("__kernel void k(__global int* p, volatile int z, int y) { p[y] = z; }"), kNone);
  EXPECT_EQ(gathers_by("typedef volatile int v; __kernel void k(__global int* p, v z, int y) { p[y] = z; }"), kNone);
}

TEST(Gathering, is_of_c_alone) {
  EXPECT_EQ(gathers_by("__kernel void k(__global int* p, int z) { p[z] = 1; }", "-cl-std=CLC++"), kNone);
}

TEST(Gathering, has_sixteen_integers_at_most) {
  const auto with = [](int count) {
    std::string parameters;
    for (int i = 0; i < count; ++i) parameters += ", int i" + std::to_string(i);
    return gathers_by("__kernel void k(__global int* p" + parameters + ") { p[i0] = 1; }").size();
  };
  EXPECT_EQ(with(16), 16u);
  EXPECT_EQ(with(17), 0u);
}

TEST(Gathering, finds_every_place_in_the_text) {
  EXPECT_EQ(gathers_by("__kernel void k(__global int* p, int (z)) { p[z] = 1; }"), Numbers{1});
  EXPECT_EQ(gathers_by("__kernel void k(__global int* p, int) { p[0] = 1; }"), kNone);
  EXPECT_EQ(gathers_by("__kernel void k(__global int* p, int z) <% p[z] = 1; %>"), kNone);
  EXPECT_EQ(gathers_by("__kernel void k(p, z) __global int* p; int z; { p[z] = 1; }"), kNone);
  EXPECT_EQ(gathers_by("typedef void f(__global int*, int); f k;\n"
                       "__kernel void k(__global int* p, int z) { p[z] = 1; }"),
            kNone)
      << "a declaration without parameters of its own";
}

TEST(Gathering, renames_no_other_thing) {
  EXPECT_EQ(gathers_by("__kernel void k(__global int* p, int z, __local int l[sizeof(z)]) { p[z] = 1; }"), kNone);
  EXPECT_EQ(gathers_by("struct z { int a; }; __kernel void k(__global struct z* p, int z) { p[z].a = 1; }"), kNone);
  EXPECT_EQ(gathers_by("__kernel void k(__global int* p, int z) __attribute__((enable_if(z > 0, \"\"))) { p[z] = 1; }"),
            kNone);
  EXPECT_EQ(gathers_by("__kernel void k(__global int* p, int z) { { int z = 3; p[z] = 1; } p[z] = 1; }"), Numbers{1})
      << "an inner variable hides the one as it hid the parameter";
}

TEST(Gathering, leaves_pragmas_at_the_beginning_of_a_body) {
  const auto with = [](const std::string& body) {
    return gathers_by("__kernel void k(__global float* p, int z)\n{\n" + body + "\n}");
  };
  EXPECT_EQ(with("#pragma OPENCL FP_CONTRACT OFF\n p[z] = p[z] * 2 + 1;"), kNone);
  EXPECT_EQ(with("\n\n\n\n\n\n\n\n\n\n\n\n#pragma OPENCL FP_CONTRACT OFF\n p[z] = p[z] * 2 + 1;"), kNone);
  EXPECT_EQ(with("p[z] = 0; {\n#pragma OPENCL FP_CONTRACT OFF\n p[z] = p[z] * 2 + 1; }"), Numbers{1});
}

TEST(Gathering, means_the_languages_own_words) {
  EXPECT_EQ(gathers_by("__kernel void k(__global int* p, int ulong) { p[ulong] = 1; }"), kNone);
  EXPECT_EQ(gathers_by("__kernel void k(__global int* get_global_id, int z) { get_global_id[z] = 1; }"), kNone);
  EXPECT_EQ(gathers_by("typedef unsigned long ulong; __kernel void k(__global int* p, int z) { p[z] = 1; }"),
            Numbers{1});
}

TEST(Gathering, is_built_with_options_that_leave_its_text_alone) {
  const std::string kernel = "__kernel void k(__global int* p, int z) { p[z] = VALUE; }";
  EXPECT_EQ(translated(kernel, "-DVALUE=2 -w").sources[0].options, "-DVALUE=2 -w");
  EXPECT_THAT(gathered(kernel, "-DVALUE=2 -w"), HasSubstr("p[z] = 2; }"));
  EXPECT_EQ(gathers_by("__constant int VALUE = 3; " + kernel), Numbers{1});
  EXPECT_EQ(gathers_by("__constant int VALUE = 3; " + kernel, "-DVALUE=VALUE"), kNone);
  EXPECT_EQ(gathers_by("#undef VALUE\nint f(int VALUE) { return VALUE; }\n"
                       "__kernel void k(__global int* p, int z) { p[z] = 1; }",
                       "-DVALUE=3"),
            kNone);
  EXPECT_EQ(gathers_by("#undef ulong\n__kernel void k(__global int* p, int z) { p[z] = 1; }", "-Dulong=int"), kNone);
  EXPECT_EQ(gathers_by("#undef ulongs\n__kernel void k(__global int* p, int z) { p[z] = 1; }", "-Dulongs=int"),
            Numbers{1});
}

// ---- Several sources ----

Translation linked(const std::string& first, const std::string& second) {
  const std::vector<LinkedSource> sources = {{first, "", {}}, {second, "", {}}};
  DeviceFacts device;
  device.opencl_c_version = "OpenCL C 1.2";
  auto translation = translate_linked(sources, device, kSettings);
  EXPECT_TRUE(translation) << translation.error().message;
  return translation ? *std::move(translation) : Translation{{{}, {}}, {{}}, {}};
}

const std::string kKernel = "int f(int x); __kernel void k(__global int* p, int z) { p[z] = f(get_group_id(0)); }";

TEST(GatheringOfLinkedSources, gives_each_its_text) {
  const Translation translation =
      linked(kKernel, "int f(int x) { return get_num_groups(0); } __kernel void k(__global int* p, int plane);");
  EXPECT_EQ(translation.kernels[0].gathers_by, Numbers{1});
  EXPECT_THAT(translation.sources[0].gathered.value_or("none"), HasSubstr("p[z] = f(get_group_id(0)); }"));
  EXPECT_EQ(translation.sources[1].gathered.value_or("none"),
            "#line 1\nint f(int x) { return get_num_groups(0); } __kernel void k(__global int* p, int plane,"
            " ulong samcl_step_z);\n");
}

TEST(GatheringOfLinkedSources, looks_into_all_of_them) {
  EXPECT_EQ(linked(kKernel, "int f(int x) { return x; }").kernels[0].gathers_by, Numbers{1});
  EXPECT_EQ(linked(kKernel, "int f(int x) { return get_global_id(2); }").kernels[0].gathers_by, kNone);
  EXPECT_EQ(linked(kKernel,
                   "int f(int x) { return x; } __kernel void k(__global int* p, int z);"
                   "__kernel void other(__global int* p) { k(p, 1); }")
                .kernels[0]
                .gathers_by,
            kNone);
  EXPECT_EQ(linked(kKernel, "int f(int ulong) { return ulong; }").kernels[0].gathers_by, kNone);
}

}  // namespace
}  // namespace samcl
