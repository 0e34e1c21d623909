// sam-translate, run as libsamcl runs it, on small sources: what it rewrites and what it reports.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "kernel-translator/client/file_stamp.h"

namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

struct Run {
  int exit_status;
  std::string output;
};

Run run_tool(const std::string& source, const std::string& arguments) {
  const std::string file = testing::TempDir() + "translate_test_" + std::to_string(getpid()) + ".cl";
  std::ofstream(file) << source;
  FILE* pipe = popen((SAM_TRANSLATE " " + file + " " + arguments + " 2>/dev/null").c_str(), "r");
  Run run{-1, ""};
  if (!pipe) return run;
  char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) run.output.append(buffer, n);
  const int status = pclose(pipe);
  run.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  std::filesystem::remove(file);
  return run;
}

// The answer in JSON; an empty object where the tool failed.
json translate(const std::string& source, const std::string& options = "", const std::string& facts = "") {
  const Run run = run_tool(source, "--json " + facts + " -- " + options);
  EXPECT_EQ(run.exit_status, 0) << source;
  return run.exit_status == 0 ? json::parse(run.output) : json::object();
}

// The answer about sources that are linked, each {"source", "options", "headers"}; nullopt where the tool refused.
std::optional<json> translate_linked(const json& sources) {
  const Run run = run_tool(json{{"sources", sources}}.dump(), "--sources --json");
  if (run.exit_status != 0) return std::nullopt;
  return json::parse(run.output);
}

std::string source_of(const json& answer) {
  return answer.at("source").is_null() ? "" : answer.at("source").get<std::string>();
}

json only_kernel(const std::string& source, const std::string& options = "") {
  return translate(source, options).at("kernels").at(0);
}

TEST(Rewriting, leaves_a_source_alone_that_needs_none) {
  const json answer = translate("__kernel void k(__global int* p) { p[get_global_id(0)] = get_local_size(0); }");
  EXPECT_TRUE(answer["source"].is_null());
  EXPECT_FALSE(answer["kernels"][0]["needs_ndrange_argument"]);
}

// As where a server of a cluster runs under samcl, too.
TEST(Rewriting, rewrites_once_more_what_it_rewrote) {
  const json first = translate("__kernel void k(__global int* p) { p[get_group_id(0)] = get_num_groups(0); }");
  const json second = translate(source_of(first));
  EXPECT_TRUE(second["kernels"][0]["may_slice"]) << second;
  EXPECT_THAT(source_of(second),
              HasSubstr("k(__global int* p, struct samcl_ndrange samcl_nd, struct samcl2_ndrange samcl2_nd)"));
  EXPECT_THAT(source_of(second), HasSubstr("p[samcl_get_group_id(0, &samcl_nd, &samcl2_nd)]"));
  EXPECT_TRUE(translate(source_of(second)).contains("kernels"));  // it is a source
}

TEST(Rewriting, finds_a_builtin_inside_a_macro) {
  const json answer = translate("#define GID get_group_id(0)\n__kernel void k(__global int* p) { p[GID] = 1; }");
  EXPECT_THAT(source_of(answer), HasSubstr("__kernel void k(__global int* p, struct samcl_ndrange samcl_nd) "
                                           "{ p[samcl_get_group_id(0, &samcl_nd)] = 1; }"));
  EXPECT_TRUE(answer["kernels"][0]["needs_ndrange_argument"]);
  EXPECT_EQ(answer["kernels"][0]["affected_builtins"], json({"get_group_id"}));
}

TEST(Rewriting, goes_through_helpers_declared_before_they_are_defined) {
  const std::string text =
      source_of(translate("uint h(uint d);\n__kernel void k(__global int* p) { p[0] = h(1); }\n"
                          "uint h(uint d) { return get_num_groups(d); }"));
  EXPECT_THAT(text, HasSubstr("uint h(uint d, __private const struct samcl_ndrange* samcl_nd);"));
  EXPECT_THAT(text, HasSubstr("p[0] = h(1, &samcl_nd);"));
  EXPECT_THAT(text, HasSubstr("return samcl_get_num_groups(d, samcl_nd);"));
}

TEST(Rewriting, passes_the_argument_from_kernel_to_kernel_by_value) {
  EXPECT_THAT(source_of(translate("__kernel void a(__global int* p) { p[0] = get_global_size(0); }\n"
                                  "__kernel void b(__global int* p) { a(p); }")),
              HasSubstr("b(__global int* p, struct samcl_ndrange samcl_nd) { a(p, samcl_nd); }"));
}

TEST(Rewriting, changes_only_the_affected_of_two_kernels_on_one_line) {
  const json answer =
      translate("kernel void a(global int* p) { p[0] = get_group_id(2); } kernel void b(global int* p) { p[0] = 1; }");
  EXPECT_THAT(source_of(answer), HasSubstr("kernel void b(global int* p) { p[0] = 1; }"));
  EXPECT_TRUE(answer["kernels"][0]["needs_ndrange_argument"]);
  EXPECT_FALSE(answer["kernels"][1]["needs_ndrange_argument"]);
}

TEST(Rewriting, gives_a_kernel_without_arguments_its_first) {
  EXPECT_THAT(source_of(translate("__kernel void k(void) { __local int x[2]; x[0] = get_group_id(0); }")),
              HasSubstr("k(struct samcl_ndrange samcl_nd) {"));
  EXPECT_THAT(source_of(translate("__kernel void k() { __local int x[2]; x[0] = get_group_id(0); }")),
              HasSubstr("k(struct samcl_ndrange samcl_nd) {"));
}

TEST(Rewriting, reaches_a_builtin_inside_an_argument_of_the_headers_macro) {
  EXPECT_THAT(source_of(translate("__kernel void k(__global uint* p) { p[0] = as_uint((int)get_group_id(0)); }")),
              HasSubstr("as_uint((int)samcl_get_group_id(0, &samcl_nd))"));
}

TEST(Rewriting, changes_a_call_between_the_braces_of_a_vector_once) {
  EXPECT_THAT(source_of(translate("__kernel void k(__global int2* p) { *p = (int2)(1, get_group_id(0)); }")),
              HasSubstr("(int2)(1, samcl_get_group_id(0, &samcl_nd))"));
}

TEST(Rewriting, leaves_the_programs_own_function_of_that_name) {
  const json answer = translate(
      "__attribute__((overloadable)) int get_group_id(float x) { return (int)x; }\n"
      "__kernel void k(__global int* p) { p[0] = get_group_id(1.0f); }");
  EXPECT_TRUE(answer["source"].is_null());
}

TEST(Rewriting, serves_functions_that_no_kernel_calls) {
  EXPECT_THAT(source_of(translate("uint unused() { return get_num_groups(0); }\n"
                                  "__kernel void k(__global int* p) { p[get_group_id(0)] = 1; }")),
              HasSubstr("static inline size_t samcl_get_num_groups(uint samcl_d,"));
}

TEST(Rewriting, has_no_static_functions_before_version_1_2) {
  const std::string source = "__kernel void k(__global int* p) { p[get_group_id(0)] = popcount(3u); }";
  EXPECT_THAT(source_of(translate(source, "-cl-std=CL1.1")), Not(HasSubstr("static")));
  EXPECT_THAT(source_of(translate(source, "", "--opencl-c-version 'OpenCL C 1.0 X'")), Not(HasSubstr("static")));
  EXPECT_THAT(source_of(translate(source)), HasSubstr("static inline"));
}

TEST(Rewriting, keeps_pragmas_line_numbers_and_the_drivers_macros) {
  const std::string text = source_of(
      translate("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n\n\n\n\n\n\n\n\n\n\n\n"
                "__kernel void k(__global int* p) { barrier(CLK_LOCAL_MEM_FENCE); p[get_group_id(0)] = 1; }"));
  EXPECT_THAT(text, HasSubstr("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"));
  EXPECT_THAT(text, HasSubstr("#line 13\n__kernel"));
  EXPECT_THAT(text, HasSubstr("barrier(CLK_LOCAL_MEM_FENCE)"));
  EXPECT_THAT(text, Not(HasSubstr("program.cl")));
}

// Clang's printer leaves their macros as they are.
TEST(Rewriting, knows_the_macros_in_pragmas_about_loops) {
  const std::string text = source_of(
      translate("#define A (R - 1)\n#define UNROLLED _Pragma(\"unroll R\") for\n__kernel void k(__global int* p) {\n"
                "#pragma unroll A\n  for (int i = 0; i < R; ++i) p[get_group_id(0)] += i;\n"
                "#pragma clang loop unroll_count(R)\n  for (int i = 0; i < R; ++i) p[get_group_id(0)] += i;\n"
                "#undef A\n#define A 2\n#pragma unroll(A)\n  for (int i = 0; i < R; ++i) p[get_group_id(0)] += i;\n"
                "#pragma unroll\n  for (int i = 0; i < R; ++i) p[get_group_id(0)] += i;\n"
                "  UNROLLED (int i = 0; i < R; ++i) p[get_group_id(0)] += i;\n}",
                "-DR=4"));
  EXPECT_THAT(text, HasSubstr("#pragma unroll (4 - 1)\n"));
  EXPECT_THAT(text, HasSubstr("#pragma clang loop unroll_count(4)\n"));
  EXPECT_THAT(text, HasSubstr("#pragma unroll(2)\n"));
  EXPECT_THAT(text, HasSubstr("#pragma unroll\n"));
  EXPECT_THAT(text, HasSubstr("#pragma unroll 4\n"));
  EXPECT_THAT(text, Not(HasSubstr("samcl_kept")));
}

// Otherwise the driver would lay the structures out as if nothing had been said.
TEST(Rewriting, knows_the_macros_in_pragmas_about_layout_and_arithmetic) {
  const std::string text = source_of(translate(
      "#define BYTES 1\n#define HOW fast\n#pragma pack(push, BYTES)\nstruct s { char a; int b; };\n#pragma pack(pop)\n"
      "#define PACKED _Pragma(\"pack(BYTES)\") struct\nPACKED t { char a; int b; };\n#pragma pack()\n"
      "__kernel void k(__global int* p) {\n#pragma clang fp contract(HOW)\n  p[get_group_id(0)] = sizeof(struct s);\n"
      "#pragma GCC unroll BYTES\n  for (int i = 0; i < 4; ++i) p[get_group_id(0)] += sizeof(struct t);\n}"));
  EXPECT_THAT(text, HasSubstr("#pragma pack(push, 1)\n"));
  EXPECT_THAT(text, HasSubstr("#pragma pack(1)\n"));
  EXPECT_THAT(text, HasSubstr("#pragma pack()\n"));
  EXPECT_THAT(text, HasSubstr("#pragma clang fp contract(fast)\n"));
  EXPECT_THAT(text, HasSubstr("#pragma GCC unroll 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("samcl_kept")));
}

TEST(Rewriting, is_not_done_where_no_kernel_may_run_in_parts) {
  const json answer = translate("__kernel void k(volatile __global int* p) { while (!p[0]); p[get_group_id(0)] = 1; }");
  EXPECT_TRUE(answer["source"].is_null());
  EXPECT_FALSE(answer["kernels"][0]["needs_ndrange_argument"]);
}

TEST(Options, decide_branches_and_are_gone_after_preprocessing) {
  const json answer = translate(
      "#ifdef A\n__kernel void a(__global int* p) { p[get_group_id(0)] = N; }\n#else\n__kernel void b() "
      "{}\n#endif",
      "-DA -D N=42 -w -some-vendors-option");
  EXPECT_EQ(answer["kernels"][0]["name"], "a");
  EXPECT_THAT(source_of(answer), HasSubstr("= 42;"));
  EXPECT_EQ(answer["options"], "-w -some-vendors-option");
}

TEST(Options, are_taken_word_by_word) {
  const std::string source = "__kernel void k(__global int* p) { p[get_group_id(0)] = X; }";
  EXPECT_THAT(source_of(translate(source, "'-DX=1 + 2'")), HasSubstr("= 1 + 2;"));
  EXPECT_EQ(translate("__kernel void k() {}", "'-DX=\"a b\"'")["options"], R"("-DX=\"a b\"")");
}

TEST(Options, stay_as_they_are_with_the_original_source) {
  EXPECT_EQ(translate("__kernel void k() {}", "-D N=42 -w")["options"], "-D N=42 -w");
}

TEST(Device, decides_which_extensions_a_source_sees) {
  const std::string source = "#ifdef cl_khr_fp64\n__kernel void with() {}\n#else\n__kernel void without() {}\n#endif";
  EXPECT_EQ(translate(source, "", "--extensions 'cl_khr_fp64 cl_vendor_x'")["kernels"][0]["name"], "with");
  EXPECT_EQ(translate(source, "", "--extensions cl_khr_fp16")["kernels"][0]["name"], "without");
}

TEST(Splitting, is_refused_for_atomics_on_global_memory_but_slicing_is_not) {
  const json kernel =
      only_kernel("__kernel void k(__global int* n, __global int* p) { p[get_global_id(0)] = atomic_inc(n); }");
  EXPECT_FALSE(kernel["may_split"]);
  EXPECT_EQ(kernel["why_not_split"], "uses atomics on global memory");
  EXPECT_TRUE(kernel["may_slice"]);
  EXPECT_EQ(kernel["arguments"][0]["store_width"], 4);
  EXPECT_EQ(kernel["arguments"][0]["accumulates"], "");
}

// What a kernel with such a body accumulates in its first argument; "refused" if it may not be split.
std::string accumulates(const std::string& body, const std::string& options = "") {
  const std::string source =
      "__kernel void k(__global int* p, __global uint* u, __global const int* n) { " + body + " }";
  const json kernel = translate(source, options, "--extensions cl_khr_int64_base_atomics")["kernels"][0];
  return kernel["may_split"] ? kernel["arguments"][0]["accumulates"].get<std::string>() : "refused";
}

TEST(Splitting, is_allowed_for_atomics_of_one_kind_whose_results_nobody_uses) {
  EXPECT_EQ(accumulates("atomic_inc(p + n[0]); if (n[1]) atomic_sub(p, 3); atomic_add(p + 7, n[2]);"), "add");
  EXPECT_EQ(accumulates("atomic_or(p, 1 << get_global_id(0));"), "or");
  EXPECT_EQ(accumulates("atomic_and(p, n[0]);"), "and");
  EXPECT_EQ(accumulates("atomic_xor(p, n[0]);"), "xor");
  EXPECT_EQ(accumulates("atomic_min(p, n[0]);"), "min_signed");
  EXPECT_EQ(accumulates("atomic_max((__global uint*)p, 5u);"), "max_unsigned");
  EXPECT_EQ(accumulates("atom_add((__global long*)p, 5L);"), "add");
  EXPECT_EQ(
      accumulates("atomic_fetch_add_explicit((__global atomic_int*)p, 2, memory_order_relaxed);", "-cl-std=CL2.0"),
      "add");
  EXPECT_EQ(accumulates("__local int f; f = 0; int old = atomic_inc(&f); atomic_add(p, old);"), "add");
}

TEST(Splitting, is_refused_for_atomics_that_do_more_than_accumulate) {
  EXPECT_EQ(accumulates("atomic_inc(p); atomic_max(p, 3);"), "refused");
  EXPECT_EQ(accumulates("atomic_inc(p); atom_inc((__global long*)p);"), "refused");
  EXPECT_EQ(accumulates("atomic_inc(p); p[1] = 0;"), "refused");
  EXPECT_EQ(accumulates("atomic_inc(p); u[get_global_id(0)] = p[1];"), "refused");
  EXPECT_EQ(accumulates("u[get_global_id(0)] = atomic_inc(p);"), "refused");
  EXPECT_EQ(accumulates("atomic_xchg(p, 2);"), "refused");
  EXPECT_EQ(accumulates("atomic_inc(n[0] ? p : (__global int*)u);"), "refused");
}

// Which arguments a kernel with such a body reads otherwise than by atomic operations, and which it writes so (in
// capitals), and whether it orders memory.
std::string plainly(const std::string& body, const std::string& options = "") {
  const json kernel = only_kernel(
      "__kernel void k(volatile __global int* p, __global int* u, __global const int* n, __local int* l) {"
      " int g = get_global_id(0); " +
          body + " }",
      options);
  std::string found = kernel["orders_memory"] ? "orders " : "";
  for (const json& argument : kernel["arguments"]) {
    const auto name = argument["name"].get<std::string>();
    if (argument["loads"]) found += name;
    if (argument["stores"]) found += static_cast<char>(std::toupper(name[0]));
  }
  return found;
}

TEST(Splitting, knows_what_is_read_and_written_by_atomic_operations_alone) {
  EXPECT_EQ(plainly("if (n[g] > 3) u[atomic_inc(p)] = g;"), "Un");
  EXPECT_EQ(plainly("u[g] = atomic_cmpxchg(p, 0, 1); atomic_add(p + 1, 2); p[2] = 1;"), "PU");
  EXPECT_EQ(plainly("int o = *p; while (atomic_cmpxchg(p, o, o + g) != o) o = *p;"), "p");
  EXPECT_EQ(plainly("u[g] = g; if (atomic_inc(p) == 9) u[0] = u[1] + n[0];"), "uUn");
  EXPECT_EQ(plainly("__global int* q = n[g] ? u : (__global int*)p; atomic_inc(p); *q += 1;"), "pPuUn");
  EXPECT_EQ(plainly("__global int* q = n[g] ? u : (__global int*)p; u[g] = atomic_inc(q);"), "Un");
  EXPECT_EQ(plainly("atomic_add(p, n[g]);"), "n");
}

TEST(Splitting, knows_what_orders_memory) {
  const auto of_c11 = [](const std::string& body) {
    return plainly("volatile __global atomic_int* a = (volatile __global atomic_int*)p; " + body, "-cl-std=CL2.0");
  };
  EXPECT_EQ(plainly("u[g] = atomic_inc(p); mem_fence(CLK_GLOBAL_MEM_FENCE); atomic_inc(p + 1);"), "orders U");
  EXPECT_EQ(plainly("u[g] = g; barrier(CLK_GLOBAL_MEM_FENCE); atomic_inc(p);"), "orders U");
  EXPECT_EQ(plainly("u[g] = g; barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); atomic_inc(p);"), "orders U");
  EXPECT_EQ(plainly("l[get_local_id(0)] = g; barrier(CLK_LOCAL_MEM_FENCE); u[g] = l[0]; atomic_inc(p);"), "U");
  EXPECT_EQ(of_c11("u[g] = g; work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);"), "orders U");
  EXPECT_EQ(of_c11("u[g] = atomic_fetch_add(a, 1);"), "orders U");
  EXPECT_EQ(of_c11("u[g] = atomic_fetch_add_explicit(a, 1, memory_order_relaxed);"), "U");
  EXPECT_EQ(of_c11("u[g] = atomic_fetch_add_explicit(a, 1, memory_order_acq_rel);"), "orders U");
  EXPECT_EQ(of_c11("u[g] = atomic_load_explicit(a, memory_order_relaxed, memory_scope_device);"), "U");
  EXPECT_EQ(of_c11("u[g] = atomic_load_explicit(a, memory_order_acquire);"), "orders U");
  EXPECT_EQ(of_c11("atomic_store_explicit(a, g, memory_order_relaxed);"), "");
  EXPECT_EQ(of_c11("atomic_store_explicit(a, g, memory_order_release);"), "orders ");
  EXPECT_EQ(of_c11("int e = 0; u[g] = atomic_compare_exchange_strong_explicit(a, &e, 1, memory_order_relaxed, "
                   "memory_order_relaxed);"),
            "U");
  EXPECT_EQ(of_c11("int e = 0; u[g] = atomic_compare_exchange_strong_explicit(a, &e, 1, memory_order_relaxed, "
                   "memory_order_acquire);"),
            "orders U");
  EXPECT_EQ(of_c11("int e = 0; u[g] = atomic_compare_exchange_strong(a, &e, 1);"), "orders U");
}

TEST(Splitting, is_allowed_for_atomics_on_local_memory) {
  const json kernel =
      only_kernel("__kernel void k(__global int* p, __local int* n) { atomic_add(n, 1); p[get_global_id(0)] = *n; }");
  EXPECT_TRUE(kernel["may_split"]);
  EXPECT_TRUE(kernel["depends_on_local_size"]);
}

TEST(Splitting, is_refused_for_printf_but_slicing_is_not) {
  const json kernel = only_kernel("__kernel void k() { printf(\"%d\", 1); }");
  EXPECT_EQ(kernel["why_not_split"], "uses printf (see SAMCL_SPLIT_PRINTF)");
  EXPECT_TRUE(kernel["may_print"]);
  EXPECT_FALSE(kernel["has_program_variables"]);
  EXPECT_TRUE(kernel["may_slice"]);
  const json wished = translate("__kernel void k() { printf(\"%d\", 1); }", "", "--split-printf");
  EXPECT_TRUE(wished["kernels"][0]["may_split"]);
}

TEST(Splitting, is_allowed_for_images_that_are_read_or_written) {
  const auto kernel = only_kernel(R"(
    __kernel void k(read_only image2d_t from, sampler_t s, write_only image2d_t to) {
      const int2 at = (int2)(get_global_id(0), get_global_id(1));
      if (at.x < get_image_width(to)) write_imagef(to, at, read_imagef(from, s, at));
    })");
  EXPECT_EQ(kernel["why_not_split"], "");
  EXPECT_TRUE(kernel["arguments"][0]["may_read"]);
  EXPECT_FALSE(kernel["arguments"][0]["may_write"]);
  EXPECT_TRUE(kernel["arguments"][2]["may_write"]);
  EXPECT_FALSE(kernel["arguments"][2]["may_read"]);
}

TEST(Splitting, is_refused_for_images_that_are_read_and_written) {
  const json kernel =
      only_kernel("__kernel void k(read_write image2d_t i) { write_imagef(i, (int2)(0), read_imagef(i, (int2)(1))); }",
                  "-cl-std=CL2.0");
  EXPECT_EQ(kernel["why_not_split"], "reads and writes the image i");
  EXPECT_EQ(kernel["arguments"][0]["type_name"], "image2d_t");
  EXPECT_FALSE(kernel["may_slice"]);
  EXPECT_TRUE(kernel["arguments"][0]["may_read"]);
  EXPECT_TRUE(kernel["arguments"][0]["may_write"]);
}

TEST(Splitting, is_refused_for_program_scope_variables_and_functions_from_elsewhere) {
  EXPECT_EQ(only_kernel("__global int n; __kernel void k() { n = 1; }", "-cl-std=CL2.0")["may_split"], false);
  EXPECT_EQ(only_kernel("int f(int); __kernel void k(__global int* p) { *p = f(1); }")["why_not_split"],
            "calls f, which is defined elsewhere");
}

TEST(Slicing, is_refused_where_a_kernel_may_wait_for_other_groups) {
  EXPECT_FALSE(only_kernel("__kernel void k(volatile __global int* p) { while (p[0] == 0); }")["may_slice"]);
  EXPECT_FALSE(only_kernel("__kernel void k(__global int* p) { while (atomic_cmpxchg(p, 0, 1)); }")["may_slice"]);
  EXPECT_FALSE(only_kernel("__kernel void k(__global int* p) { while (atomic_add(p, 0) < 9); }")["may_slice"]);
  EXPECT_FALSE(only_kernel("__kernel void k(__global atomic_int* p) { while (atomic_load(p) < 9); }",
                           "-cl-std=CL2.0")["may_slice"]);
  EXPECT_TRUE(only_kernel("__kernel void k(__global atomic_int* p) { if (atomic_load(p) < 9) atomic_store(p + 1, 1); }",
                          "-cl-std=CL2.0")["may_slice"]);
}

// Whether a kernel with such a body, over the buffer p and local memory f, may be split; and may be sliced.
std::pair<bool, bool> parts(const std::string& body) {
  const json kernel =
      only_kernel("__kernel void k(__global int* p, __local int* f, __global const int* n) { " + body + " }");
  return {kernel["may_split"], kernel["may_slice"]};
}
constexpr std::pair kNoParts(false, false), kSlices(false, true), kParts(true, true);

TEST(Slicing, is_refused_where_a_loop_waits_on_plain_loads_after_atomics) {
  EXPECT_EQ(parts("atomic_inc(p); while (p[0] < 9);"), kNoParts);
  EXPECT_EQ(parts("int t = atomic_inc(p); while (p[1] != t); p[2]++; atomic_inc(p + 1);"), kNoParts);
  EXPECT_EQ(parts("atomic_inc(p); int i = 0; while (p[i & 7] == 0) i++;"), kNoParts);
}

TEST(Slicing, is_refused_where_how_often_a_loop_goes_round_depends_on_an_atomic) {
  EXPECT_EQ(parts("for (;;) { if (atomic_inc(p) > 9) break; p[1] = 1; }"), kNoParts);
  EXPECT_EQ(parts("for (int done = 0; !done;) if (atomic_xchg(p, 1) == 0) { p[1]++; atomic_xchg(p, 0); done = 1; }"),
            kNoParts);
  EXPECT_EQ(parts("for (int i = 0; i < 9;) if (atomic_dec(p) < 1) i++;"), kNoParts);
  EXPECT_EQ(parts("for (int i = 0; i < *n; ++i) while (atomic_add(p, 0) < i);"), kNoParts);
  EXPECT_EQ(parts("do { if (get_local_id(0) == 0) *f = atomic_inc(p); barrier(CLK_LOCAL_MEM_FENCE); } while (*f < 9);"),
            kNoParts);
  EXPECT_EQ(parts("int x[2] = {0}; while (x[*n & 1] < 9) x[*n & 1] = atomic_inc(p);"), kNoParts);
}

TEST(Slicing, is_allowed_where_a_loop_only_counts_with_atomics) {
  EXPECT_EQ(parts("for (int i = 0; i < *n; ++i) p[atomic_inc(p) + 1] = i;"), kSlices);
  EXPECT_EQ(parts("for (int i = 0; i < *n; ++i) if (n[i] > 5 && atomic_inc(p + n[i]) == 0) p[i] = 1;"), kSlices);
  // A level of a breadth-first search: who comes first enters the node into the next one.
  EXPECT_EQ(parts("int g = get_global_id(0); for (int i = n[g]; i < n[g + 1]; ++i)"
                  " if (atomic_min(p + n[i], 7) > 7) f[atomic_inc(f) + 1] = i;"),
            kSlices);
}

// Whether the kernel of such a body may be sliced, and what else it says of exchanges.
bool tries_again(const std::string& body, const std::string& options = "") {
  const json kernel = only_kernel(
      "float f(int i) { return as_float(i); }\n"
      "__kernel void k(volatile __global int* p, __global const float* in, __global float* out, __local int* l) {"
      " int g = get_global_id(0); volatile __global int* w = p + (g & 15); float v = in[g]; " +
          body + " }",
      options);
  EXPECT_TRUE(kernel["exchanges"]) << body;
  EXPECT_FALSE(kernel["may_split"]) << body;
  EXPECT_EQ(kernel["may_slice"], kernel["splits_in_one_memory"]) << body;
  return kernel["may_slice"];
}

TEST(Slicing, is_allowed_where_loops_try_an_exchange_again) {
  EXPECT_TRUE(tries_again("int o; do { o = *w; } while (atomic_cmpxchg(w, o, as_int(f(o) + v)) != o);"));
  EXPECT_TRUE(
      tries_again("union { int i; float f; } o, n; do { o.f = *(volatile __global float*)w; n.f = o.f + v; }"
                  " while (atomic_cmpxchg(w, o.i, n.i) != o.i);"));
  EXPECT_TRUE(tries_again("int o = *w, a; do { a = o; o = atomic_cmpxchg(w, a, as_int(f(a) + v)); } while (a != o);"));
  EXPECT_TRUE(tries_again("int o = 0, a; for (;;) { a = o; o = atomic_cmpxchg(w, a, a ^ g); if (o == a) break; }"));
  EXPECT_TRUE(tries_again("int o; while (o = *w, f(o) < v && atomic_cmpxchg(w, o, as_int(v)) != o);"));
  EXPECT_TRUE(
      tries_again("int o = *w; while (f(o) < v) { int a = o; o = atomic_cmpxchg(w, a, as_int(v));"
                  " if (o == a) break; }"));
  EXPECT_TRUE(
      tries_again("for (;;) { int o = *w; if (f(o) >= v) break; if (atomic_cmpxchg(w, o, as_int(v)) == o) break; }"));
  EXPECT_TRUE(tries_again("for (bool done = false; !done;) { int o = *w; done = atomic_cmpxchg(w, o, o + g) == o; }"));
  // What is taken out is given back with what is added, until nothing was added meanwhile.
  EXPECT_TRUE(
      tries_again("volatile __global float* x = (volatile __global float*)w; float o = v;"
                  " while ((o = atomic_xchg(x, atomic_xchg(x, 0.0f) + o)) != 0.0f);"));
  // Within other loops, and what comes of it.
  EXPECT_TRUE(
      tries_again("for (int i = 0; i < 9; ++i) { int o; do { o = p[i]; for (int j = 0; j < g; ++j) v += j; }"
                  " while (atomic_cmpxchg(p + i, o, as_int(f(o) + v)) != o); out[i] = o; }"));
  // Once, where nothing is tried again.
  EXPECT_TRUE(tries_again("if (atomic_cmpxchg(w, 0, 1) == 0) out[g] = 1;"));
}

TEST(Slicing, is_allowed_where_loops_try_an_exchange_of_c11_again) {
  const std::string begin = "volatile __global atomic_int* a = (volatile __global atomic_int*)p + (g & 15); ";
  const auto of_c11 = [&](const std::string& body) { return tries_again(begin + body, "-cl-std=CL2.0"); };
  EXPECT_TRUE(of_c11("int e = atomic_load(a); while (!atomic_compare_exchange_weak(a, &e, as_int(f(e) + v)));"));
  EXPECT_TRUE(
      of_c11("int e, d; do { e = atomic_load_explicit(a, memory_order_relaxed); d = as_int(f(e) + v); } while ("
             "!atomic_compare_exchange_strong_explicit(a, &e, d, memory_order_relaxed, memory_order_relaxed));"));
  EXPECT_FALSE(of_c11("int e; do { e = 0; } while (!atomic_compare_exchange_strong(a, &e, 1)); atomic_store(a, 0);"));
  EXPECT_FALSE(of_c11("int e = 0; while (!atomic_compare_exchange_strong(a, &e, 1)) { if (e) e = 0; }"));
  EXPECT_FALSE(of_c11("int e = 0; while (!atomic_compare_exchange_strong(a, &e, 1) || e);"));
  EXPECT_FALSE(
      of_c11("int e = 0; __private int* q = g ? &e : &g; while (!atomic_compare_exchange_strong(a, &e, 1)) *q = 0;"));
  EXPECT_FALSE(
      of_c11("while (atomic_load(a) < 9) atomic_fetch_xor(a, 0);"
             " int e = 0; atomic_compare_exchange_strong(a, &e, 1);"));
  EXPECT_FALSE(
      tries_again("volatile __global atomic_flag* a = (volatile __global atomic_flag*)w;"
                  " while (atomic_flag_test_and_set(a)); atomic_flag_clear(a);",
                  "-cl-std=CL2.0"));
}

TEST(Slicing, is_refused_where_a_loop_that_exchanges_waits_nevertheless) {
  EXPECT_FALSE(tries_again("while (atomic_cmpxchg(w, 0, 1) != 0); out[0] += v; atomic_xchg(w, 0);"));
  EXPECT_FALSE(tries_again("while (atomic_xchg(w, 1)); out[0] += v; atomic_xchg(w, 0);"));
  EXPECT_FALSE(tries_again("while (atomic_xchg(w, 1) != 0 || atomic_xchg(w, 0) != 1);"));
  EXPECT_FALSE(tries_again("int o; do { o = *w; } while (atomic_cmpxchg(w, o, 1) != o || o == 1); atomic_xchg(w, 0);"));
  EXPECT_FALSE(tries_again("int o; do { o = *w; } while (o != 0 || atomic_cmpxchg(w, o, 1) != o); atomic_xchg(w, 0);"));
  // It succeeds and goes on nevertheless, or compares with what it has not found.
  EXPECT_FALSE(tries_again("int o = 0, a; do { a = o; o = atomic_cmpxchg(w, a, a); } while (o < 9);"));
  EXPECT_FALSE(tries_again("int o; do { o = *w; } while (atomic_cmpxchg(w, o & 1, 2) != (o & 1));"));
  EXPECT_FALSE(tries_again("int o; do { o = p[16]; } while (atomic_cmpxchg(w, o, 2) != o);"));
  EXPECT_FALSE(tries_again("int o = 0, a; do { a = o; o = atomic_cmpxchg(p + (a & 3), a, a + 1); } while (a != o);"));
  // Something between may have changed the word.
  EXPECT_FALSE(tries_again("int o; do { o = *w; p[g & 7] = 1; } while (atomic_cmpxchg(w, o, o + g) != o);"));
  EXPECT_FALSE(tries_again("int o; do { o = *w; atomic_inc(w); } while (atomic_cmpxchg(w, o, o + g) != o);"));
  EXPECT_FALSE(
      tries_again("int o; do { o = *w; *(volatile __global char*)w = 1; } while (atomic_cmpxchg(w, o, o + g) != o);"));
  // A loop inside waits.
  EXPECT_FALSE(tries_again("int o; do { o = *w; while (p[16] == 0); } while (atomic_cmpxchg(w, o, o + g) != o);"));
  // What was exchanged decides whether an outer loop goes on.
  EXPECT_FALSE(tries_again("int o; do { do { o = *w; } while (atomic_cmpxchg(w, o, o | 1) != o); } while (o & 1);"));
}

TEST(Slicing, is_refused_where_what_a_loop_waits_for_comes_through_local_or_private_memory) {
  EXPECT_EQ(parts("do { if (get_local_id(0) == 0) *f = p[0]; barrier(CLK_GLOBAL_MEM_FENCE); } while (!*f); p[0] = 2;"),
            kNoParts);
  EXPECT_EQ(parts("do { event_t e = async_work_group_copy(f, p, 1, 0); wait_group_events(1, &e); } while (!*f); "
                  "p[1] = 1;"),
            kNoParts);
  EXPECT_EQ(parts("int x[4] = {0}; while (!x[p[9] & 3]) x[p[8] & 3] = p[0]; p[1] = 1;"), kNoParts);
}

TEST(Slicing, is_refused_where_a_loop_reads_one_place_of_a_written_buffer_until_it_changes) {
  EXPECT_EQ(parts("if (get_global_id(0) == 0) p[0] = 1; else while (p[0] == 0);"), kNoParts);
  EXPECT_EQ(parts("int done = 0; p[5] = 1; while (!done) { if (p[0]) done = 1; }"), kNoParts);
  EXPECT_EQ(parts("while (vload2(0, p).x == 0); p[4] = 1;"), kNoParts);
}

TEST(Slicing, is_allowed_where_loops_read_what_no_one_writes_or_walk_through_memory) {
  EXPECT_EQ(parts("for (int i = 0; i < *n; ++i) p[get_global_id(0)] += i;"), kParts);
  EXPECT_EQ(parts("for (int i = 0; i < *n; ++i) atomic_inc(p + n[i]);"), kParts);
  EXPECT_EQ(parts("for (int i = 0; i < *n; ++i) { atomic_inc(p + n[i]); atomic_max(p, i); }"), kSlices);
  EXPECT_EQ(parts("int i = get_global_id(0) * 9; while (p[i]) ++i; p[i] = 1;"), kParts);
  // What private memory holds comes from memory that is only read, although the loop writes, too.
  EXPECT_EQ(parts("int t[4]; for (int i = 0; i < 4; ++i) t[i] = n[i];"
                  " for (int i = 0; t[i & 3] < 9; ++i) { t[i & 3] = n[i]; vstore2((int2)(i), 0, p); }"),
            kParts);
}

TEST(Slicing, is_allowed_for_counted_loops_that_store_where_they_compare) {
  const std::string g = "int g = get_global_id(0); ";
  EXPECT_EQ(parts(g + "for (int i = 0; i < *n; i++) if (p[g] > n[1]) p[g] = n[1];"), kParts);
  // A search tree, a level in each round, with barriers (Rodinia's b+tree).
  EXPECT_EQ(parts("int b = get_group_id(0), t = get_local_id(0); for (int i = 0; i < *n; i++) {"
                  " if (n[t] <= p[b] && n[t + 1] > p[b]) p[b + 100] = n[t]; barrier(CLK_LOCAL_MEM_FENCE);"
                  " if (t == 0) p[b] = p[b + 100]; barrier(CLK_LOCAL_MEM_FENCE); }"),
            kParts);
  EXPECT_EQ(parts(g + "int s = 0; for (int i = 0; i < *n; i++) { if (p[g]) s++; else s += 2; } p[g] = s;"), kParts);
  EXPECT_EQ(parts(g + "for (int i = 0; i < *n; i++) { int j = 0; while (j < n[i]) { if (p[g]) p[g] += j; ++j; } }"),
            kParts);
}

TEST(Slicing, is_refused_where_the_rounds_of_a_loop_depend_on_what_is_stored) {
  EXPECT_EQ(parts("for (int i = 0; i < *n;) if (p[0]) { p[1] = 1; i++; }"), kNoParts);
  EXPECT_EQ(parts("for (int i = 0;;) { if (p[0]) { if (i > 7) break; } p[1] = i; i++; }"), kNoParts);
  EXPECT_EQ(parts("for (int i = 0; i < *n;) { i += p[0] ? 1 : 0; p[1] = 1; }"), kNoParts);
  EXPECT_EQ(parts("for (int i = 0; i < *n;) { int j = 0; while (j < 4 && p[0]) ++j; i += j; p[1] = 1; }"), kNoParts);
  EXPECT_EQ(parts("int i = 0; do { switch (p[0]) { case 0: break; case 1: i = 2; break; default: i = 1; } p[1] = 1; } "
                  "while (i < 2);"),
            kNoParts);
  EXPECT_EQ(parts("for (int i = 0; i < 9;) { if (p[0]) { p[1] = 1; if (p[2]) { i++; continue; } } }"), kNoParts);
}

// What the study of one kernel dies of is no matter of the others.
TEST(Apart, kernels_on_which_the_study_fails_are_whole_and_the_others_as_ever) {
  const std::string source =
      "__kernel void a(__global int* p, int z) { p[get_group_id(0)] = z; }\n"
      "__kernel void b(__global int* p, int z) { p[get_group_id(0)] = z; }\n";
  const json usual = translate(source);
  EXPECT_EQ(translate(source, "", "--apart 20000"), usual);
  for (const std::string way : {"crash", "hang"}) {
    setenv("SAM_TRANSLATE_FAILS_ON", (way + ":a").c_str(), 1);
    if (way == "crash") {
      EXPECT_NE(run_tool(source, "--json").exit_status, 0);
    }
    const json answer = translate(source, "", "--apart 2000");
    unsetenv("SAM_TRANSLATE_FAILS_ON");
    EXPECT_EQ(answer["kernels"][0]["why_not_slice"], "the translator fails on it");
    EXPECT_EQ(answer["kernels"][0]["arguments"][0]["may_write"], true);
    EXPECT_EQ(answer["kernels"][1], usual["kernels"][1]);
    EXPECT_THAT(source_of(answer), HasSubstr("samcl_get_group_id"));
    EXPECT_EQ(answer["kernels"][0]["gathers_by"], json::array());
    EXPECT_EQ(answer["kernels"][1]["gathers_by"], json({1}));
    EXPECT_THAT(answer["gathered"].get<std::string>(), HasSubstr("void a(__global int* p, int z) {"));
    EXPECT_THAT(answer["gathered"].get<std::string>(), HasSubstr("void b(__global int* p, int samcl_first_z, "));
  }
}

TEST(Apart, sources_that_nest_deep_do_not_end_the_translator) {
  std::string sum = "p[0]";
  for (int i = 1; i < 3000; ++i) sum += " + p[" + std::to_string(i) + "]";
  EXPECT_TRUE(only_kernel("__kernel void k(__global const int* p, __global int* q) { q[get_global_id(0)] = " + sum +
                          "; }")["may_split"]);
  std::string walk;
  for (int i = 0; i < 3000; ++i) walk += "if (n[" + std::to_string(i) + "]) p += n[" + std::to_string(i) + "];\n";
  EXPECT_TRUE(only_kernel("__kernel void k(__global int* p, __global const int* n) { " + walk +
                          " p[get_global_id(0)] = 1; }")["may_split"]);
}

TEST(Volatile, memory_is_no_reason_to_stay_whole_but_where_parts_may_touch_what_others_write) {
  const auto kernel = [](const std::string& body) {
    return only_kernel(
        "__kernel void k(volatile __global int* p, volatile __global const int* q) { int i = get_global_id(0); " +
        body + " }");
  };
  const json written = kernel("p[i] = p[i] + q[i];");
  EXPECT_FALSE(written["may_split"]);
  EXPECT_TRUE(written["may_split_disjoint"]);
  EXPECT_TRUE(written["may_slice"]);
  EXPECT_EQ(written["why_not_split"], "writes volatile global memory");
  const json read = kernel("((__global int*)q)[i] = 0; if (q[i]) return;");
  EXPECT_TRUE(read["may_split_disjoint"]);
  const json only_read =
      only_kernel("__kernel void k(__global int* p, volatile __global const int* q) { p[get_global_id(0)] = q[0]; }");
  EXPECT_TRUE(only_read["may_split"]);
  EXPECT_FALSE(only_read["may_split_disjoint"]);
  // Whoever changes what a loop waits for.
  EXPECT_FALSE(kernel("while (q[0] == 0);")["may_slice"]);
  EXPECT_FALSE(kernel("while (p[0] == 0); p[i] = 1;")["may_split_disjoint"]);
  const json atomics = kernel("p[i] = atomic_inc(p + 1);");
  EXPECT_FALSE(atomics["may_split_disjoint"]);
}

// Why the kernel of such a body must run whole on one and the same device; "": it need not.
std::string address_use(const std::string& body, const std::string& more = "") {
  const json kernel =
      only_kernel("typedef struct node { __global struct node* next; int value; } node; " + more +
                      "__kernel void k(__global ulong* u, __global int* p, __global int* q, __global node* nodes, "
                      "__global int* __global* pointers, __local int* l, int n) { int g = get_global_id(0); " +
                      body + " }",
                  "-cl-std=CL2.0");
  EXPECT_EQ(kernel["depends_on_addresses"], !kernel["may_slice"]) << body;
  return kernel["why_not_slice"];
}

TEST(Addresses, that_are_stored_compared_or_computed_with_keep_a_kernel_whole) {
  const std::string stores = "stores addresses in memory", compares = "compares addresses of different memory objects",
                    computes = "computes with addresses as numbers",
                    follows = "follows a pointer kept in global memory";
  EXPECT_EQ(address_use("u[g] = (ulong)(p + g);"), stores);
  EXPECT_EQ(address_use("u[g] = (ulong)p - n;"), stores);
  EXPECT_EQ(address_use("pointers[g] = p + g;"), stores);
  EXPECT_EQ(address_use("nodes[g].next = nodes + n;"), stores);
  EXPECT_EQ(address_use("node x; x.next = nodes + n; x.value = n; nodes[g] = x;"), stores);
  EXPECT_EQ(address_use("*(__global int* __global*)(u + g) = p;"), stores);
  EXPECT_EQ(address_use("vstore2((ulong2)((ulong)p, 1), g, u);"), computes);
  EXPECT_EQ(address_use("p[g] = ((uint)(ulong)p) * 2654435761u;"), computes);
  EXPECT_EQ(address_use("p[g] = (int)(((ulong)q >> 4) & 15);"), computes);
  EXPECT_EQ(address_use("p[((ulong)q >> 4) % 64] = 1;"), computes);
  EXPECT_EQ(address_use("if (((ulong)p & 15) == 0) p[g] = 1;"), computes);
  EXPECT_EQ(address_use("p[g] = p < q;"), compares);
  EXPECT_EQ(address_use("if (p + g == q) p[g] = 1;"), compares);
  EXPECT_EQ(address_use("p[g] = (ulong)p == u[g];"), computes);
  EXPECT_EQ(address_use("p[g] = (int)(p - q);"), computes);
  EXPECT_EQ(address_use("union { __global int* a; ulong b; } x; x.a = p; u[g] = x.b;").empty(), false);
  EXPECT_EQ(address_use("__global int* a[2]; a[n & 1] = p; u[g] = ((ulong*)a)[n & 1];"), computes);
  EXPECT_EQ(address_use("__global int* __local a[2]; a[n & 1] = p; pointers[g] = a[g & 1];"), stores);
}

TEST(Addresses, that_are_loaded_and_followed_keep_a_kernel_whole) {
  const std::string follows = "follows a pointer kept in global memory";
  EXPECT_EQ(address_use("p[g] = *pointers[g];"), follows);
  EXPECT_EQ(address_use("p[g] = nodes[g].next->value;"), follows);
  EXPECT_EQ(address_use("p[g] = *(__global int*)u[g];"), follows);
  EXPECT_EQ(address_use("__global node* at = nodes; while (at) { at->value = 1; at = at->next; }"), follows);
  EXPECT_EQ(address_use("*pointers[0] = 1;"), follows);
}

TEST(Addresses, that_are_numbers_keep_a_kernel_whole_unless_no_object_can_have_them) {
  const std::string makes = "makes an address of a number";
  EXPECT_EQ(address_use("__global int* a = p; if (n) a = (__global int*)(ulong)n; a[g] = 1;"), makes);
  EXPECT_EQ(address_use("__global int* a = p; if (n) a = (__global int*)(ulong)(n & 8191); a[g] = 1;"), makes);
  EXPECT_EQ(address_use("p[g] = *(__global int*)(u[g] + 4);"), makes);
  EXPECT_EQ(address_use("__global int* a = (__global int*)(ulong)(n & 1); if (n < 9) a = p; a[g] = 1;"), "");
  EXPECT_EQ(address_use("__global int* a = 0; if (n < 9) a = p; a[g] = 1;"), "");
}

TEST(Addresses, that_are_only_followed_or_compared_within_one_buffer_are_no_reason) {
  EXPECT_EQ(address_use("for (__global int* a = p; a < p + n; ++a) *a = 1;"), "");
  EXPECT_EQ(address_use("__global int* a = p + g; q[g] = (int)(a - p);"), "");
  EXPECT_EQ(address_use("if (p) p[g] = 1; if (q != 0) q[g] = 2;"), "");
  EXPECT_EQ(address_use("*(__global int*)((ulong)p + 4 * g) = 1;"), "");
  EXPECT_EQ(address_use("__global int* a[2] = {p, q}; a[n & 1][g] = a[(n + 1) & 1][g];"), "");
  EXPECT_EQ(address_use("(n ? p : q)[g] = 1;"), "");
  EXPECT_EQ(address_use("nodes[g].value = nodes[g].next == 0;"), "");
  EXPECT_EQ(address_use("event_t e = async_work_group_copy(l, p, 4, 0); wait_group_events(1, &e); q[g] = l[0];"), "");
  EXPECT_EQ(address_use("int e; float f = frexp((float)n, &e); q[g] = e + (int)f;"), "");
}

// The width reported for the first argument of a kernel with the given parameters and body.
json width(const std::string& parameters, const std::string& body) {
  return only_kernel("__kernel void k(" + parameters + ") { size_t i = get_global_id(0); " + body + " }")
      .at("arguments")
      .at(0)
      .at("store_width");
}

// A compiler that may order them takes another order in the rewritten kernel, where it knows less of the loop's bounds.
TEST(Sums, whose_order_is_the_compilers_keep_a_kernel_whole_that_asks_for_sizes) {
  const auto why = [](const std::string& step, const std::string& type, const std::string& options) {
    const std::string source = "__kernel void k(__global float* o, __global const " + type + "* in, int n) {\n  " +
                               type + " s = 0;\n  for (int i = get_global_id(0); i < n; i += " + step +
                               ") s += in[i];\n  o[get_global_id(0)] = s;\n}";
    return translate(source, options)["kernels"][0]["why_not_slice"].get<std::string>();
  };
  EXPECT_THAT(why("get_global_size(0)", "float", "-cl-fast-relaxed-math"), HasSubstr("adds in an order"));
  EXPECT_THAT(why("get_num_groups(0)", "float", "-cl-unsafe-math-optimizations"), HasSubstr("adds in an order"));
  EXPECT_EQ(why("get_global_size(0)", "float", "-cl-mad-enable -cl-finite-math-only"), "");
  EXPECT_EQ(why("get_global_size(0)", "int", "-cl-fast-relaxed-math"), "");
  EXPECT_EQ(why("64", "float", "-cl-fast-relaxed-math"), "");
}

TEST(StoreWidth, is_that_of_the_narrowest_store) {
  EXPECT_EQ(width("__global int* p", "p[i] = 1;"), 4);
  EXPECT_EQ(width("__global int* p", "p[i] = 1; ((__global char*)p)[3] = 2;"), 1);
  EXPECT_EQ(width("__global float4* p", "p[i] = (float4)(1, 2, 3, i);"), 16);
  EXPECT_EQ(width("__global float4* p", "p[i].y = 1;"), 4);
  EXPECT_EQ(width("__global short* p", "vstore3((short3)(1), i, p);"), 2);
  EXPECT_EQ(width("__global double* p", "p[i] = 1;"), 8);
  EXPECT_EQ(width("__global float* p, float x", "p[i] = fract(x, p + 1);"), 4);
  EXPECT_EQ(width("__global int* p", "int x = p[i];"), 0);
  EXPECT_EQ(width("__global short* p, __local short* q", "async_work_group_copy(p, q, 4, 0);"), 2);
}

TEST(StoreWidth, of_a_structure_is_what_divides_its_size_and_alignment) {
  EXPECT_EQ(only_kernel("struct s { int a, b, c; }; __kernel void k(__global struct s* p, __global struct s* q) "
                        "{ p[get_global_id(0)] = q[0]; }")["arguments"][0]["store_width"],
            4);
}

TEST(Memory, a_pointer_chosen_at_run_time_counts_for_all_it_may_be) {
  const json kernel = only_kernel(
      "void set(__global int* x) { *x = 1; }\n"
      "__kernel void k(__global int* a, __global int* b, __global int* c, int n) { set(n ? a : b); *a = *c; "
      "}");
  EXPECT_TRUE(kernel["arguments"][0]["may_write"]);
  EXPECT_TRUE(kernel["arguments"][1]["may_write"]);
  EXPECT_FALSE(kernel["arguments"][2]["may_write"]);
  EXPECT_TRUE(kernel["arguments"][2]["may_read"]);
  EXPECT_EQ(kernel["arguments"][3]["kind"], "value");
}

TEST(Memory, recursion_counts_as_every_access) {
  const json kernel = only_kernel(
      "void f(__global int* x, int n) { if (n) f(x, n - 1); else *x = 1; }\n"
      "__kernel void k(__global int* a, __global int* b) { f(a, *b); }");
  EXPECT_EQ(kernel["why_not_slice"], "is recursive, or too large to be studied");
  EXPECT_TRUE(kernel["arguments"][0]["may_write"]);
  EXPECT_TRUE(kernel["arguments"][1]["may_write"]);
}

TEST(LocalSize, matters_to_group_functions_and_local_memory_alone) {
  EXPECT_FALSE(only_kernel("__kernel void k(__global int* p) { p[get_global_id(0)] = 1; }")["depends_on_local_size"]);
  EXPECT_TRUE(only_kernel("__kernel void k(__global int* p) { p[get_local_id(0)] = 1; }")["depends_on_local_size"]);
  EXPECT_TRUE(
      only_kernel("__kernel void k(__global int* p) { __local int x; x = 1; *p = x; }")["depends_on_local_size"]);
}

TEST(Kernel, reports_its_required_work_group_size) {
  EXPECT_EQ(
      only_kernel("__kernel __attribute__((reqd_work_group_size(8, 4, 1))) void k() {}")["required_work_group_size"],
      json({8, 4, 1}));
}

TEST(Linking, passes_the_place_through_functions_of_other_sources) {
  const json answer = *translate_linked({{{"source",
                                           "int there(int x); int back(int x) { return x; }\n"
                                           "__kernel void k(__global int* p) { p[there(1)] = 1; }"}},
                                         {{"source",
                                           "int back(int x);\n"
                                           "int there(int x) { return back(x) + get_group_id(0); }"}}});
  EXPECT_THAT(source_of(answer["sources"][0]),
              HasSubstr("int there(int x, __private const struct samcl_ndrange* samcl_nd);"));
  EXPECT_THAT(source_of(answer["sources"][0]), HasSubstr("p[there(1, &samcl_nd)] = 1;"));
  EXPECT_THAT(source_of(answer["sources"][0]), HasSubstr("int back(int x) {"));
  EXPECT_THAT(source_of(answer["sources"][1]), HasSubstr("return back(x) + samcl_get_group_id(0, samcl_nd);"));
  EXPECT_TRUE(answer["kernels"][0]["may_split"]);
  EXPECT_EQ(answer["kernels"][0]["affected_builtins"], json({"get_group_id"}));
}

TEST(Linking, leaves_sources_alone_that_need_no_change) {
  const json answer = *translate_linked({{{"source", "int two(void) { return 2; }"}, {"options", {"-DX=1", "-w"}}},
                                         {{"source",
                                           "int two(void); __kernel void k(__global int* p) "
                                           "{ p[get_group_id(0)] = two() * X; }"},
                                          {"options", {"-DX=2", "-w"}}}});
  EXPECT_TRUE(answer["sources"][0]["source"].is_null());
  EXPECT_EQ(answer["sources"][0]["options"], "-DX=1 -w");
  EXPECT_THAT(source_of(answer["sources"][1]), HasSubstr("two() * 2"));
  EXPECT_EQ(answer["sources"][1]["options"], "-w");
}

TEST(Linking, keeps_static_functions_of_one_name_apart) {
  const json answer = *translate_linked(
      {{{"source", "static int f(void) { return get_num_groups(0); } __kernel void a(__global int* p) { *p = f(); }"}},
       {{"source", "static int f(void) { return 1; } __kernel void b(__global int* p) { *p = f(); }"}}});
  EXPECT_TRUE(answer["kernels"][0]["needs_ndrange_argument"]);
  EXPECT_FALSE(answer["kernels"][1]["needs_ndrange_argument"]);
  EXPECT_TRUE(answer["sources"][1]["source"].is_null());
}

TEST(Linking, studies_what_a_kernel_reaches_in_other_sources) {
  const json answer =
      *translate_linked({{{"source", "void count(__global int* n); __kernel void k(__global int* p) { count(p); }"}},
                         {{"source", "void count(__global int* n) { n[1] = atomic_inc(n); }"}}});
  EXPECT_EQ(answer["kernels"][0]["why_not_split"], "uses atomics on global memory");
  EXPECT_TRUE(answer["kernels"][0]["may_slice"]);
}

TEST(Linking, resolves_constants_of_other_sources) {
  const json answer = *translate_linked(
      {{{"source", "__constant int stride = 3;"}},
       {{"source",
         "extern __constant int stride; __kernel void k(__global int* p) { p[get_global_id(0) * stride] = 1; }"}}});
  EXPECT_TRUE(answer["kernels"][0]["may_split"]);
}

TEST(Linking, forbids_parts_for_a_program_with_variables_in_any_source) {
  const json answer = *translate_linked({{{"source", "__global int n;"}, {"options", json::array({"-cl-std=CL2.0"})}},
                                         {{"source", "__kernel void k(__global int* p) { *p = 1; }"}}});
  EXPECT_EQ(answer["kernels"][0]["why_not_slice"], "its program has the global variable n");
  EXPECT_TRUE(answer["kernels"][0]["has_program_variables"]);
}

TEST(Linking, finds_given_headers_by_their_names_and_from_each_other) {
  const json answer = *translate_linked(json::array(
      {{{"source",
         "#include <a/b.h>\n#include \"a/b.h\"\n__kernel void k(__global int* p) { p[get_group_id(0)] = B + C + D; }"},
        {"headers",
         {{"a/b.h", "#define B 1\n#include \"c.h\"\n"},
          {"a/c.h", "#define C 20\n#include \"d.h\"\n"},
          {"c.h", "#error another one\n"},
          {"d.h", "#define D 300\n"}}}}}));
  EXPECT_THAT(source_of(answer["sources"][0]), HasSubstr("= 1 + 20 + 300;"));
  EXPECT_EQ(answer["includes"], json::object());
}

TEST(Linking, needs_functions_apart_before_version_1_2) {
  const json source = {{"source", "__kernel void K(__global int* p) { p[get_group_id(0)] = 1; }"},
                       {"options", {"-cl-std=CL1.1", "-DK=a"}}};
  json other = source;
  other["options"] = {"-cl-std=CL1.1", "-DK=b"};
  const json answer = *translate_linked({source, other});
  EXPECT_THAT(source_of(answer["sources"][0]), HasSubstr("samcl_get_group_id_0(0, &samcl_nd)"));
  EXPECT_THAT(source_of(answer["sources"][1]), HasSubstr("samcl_get_group_id_1(0, &samcl_nd)"));
}

TEST(Linking, is_refused_where_it_is_not_certain_what_it_does) {
  const json kernel = {{"source", "int f(int); __kernel void k(__global int* p) { *p = f(1) + clamp(1, 0, 2); }"}};
  const auto with = [&](const char* source) { return translate_linked({kernel, {{"source", source}}}); };
  EXPECT_TRUE(with("int f(int x) { return x; }"));
  EXPECT_FALSE(with("int f(uint x) { return x; }"));
  EXPECT_FALSE(with("int f(int x) { return x; } __kernel void k(__global int* p) {}"));
  EXPECT_FALSE(
      with("int f(int x) { return x; } int __attribute__((overloadable)) clamp(int a, int b, int c) { return a; }"));
  EXPECT_FALSE(
      translate_linked({{{"source", "inline int g(void) { return 1; }"}}, {{"source", "int g(void) { return 2; }"}}}));
  EXPECT_FALSE(translate_linked({{{"source", "__constant int c = 1;"}}, {{"source", "__constant int c = 2;"}}}));
}

TEST(Linking, takes_inline_functions_for_their_own_sources) {
  const json answer = *translate_linked(
      {{{"source", "inline int f(void) { return get_group_id(0); } __kernel void a(__global int* p) { *p = f(); }"}},
       {{"source", "inline int f(void) { return 1; } __kernel void b(__global int* p) { *p = f(); }"}},
       {{"source", "int f(void); __kernel void c(__global int* p) { *p = f(); }"}}});
  EXPECT_TRUE(answer["kernels"][0]["needs_ndrange_argument"]);
  EXPECT_FALSE(answer["kernels"][1]["needs_ndrange_argument"]);
  EXPECT_EQ(answer["kernels"][2]["why_not_slice"], "calls f, which is defined elsewhere");
}

TEST(Failure, is_told_by_the_exit_status) {
  EXPECT_EQ(run_tool("__kernel void k( {", "--json").exit_status, 1);
  EXPECT_EQ(run_tool("#error no\n", "--json").exit_status, 1);
  EXPECT_EQ(run_tool("__kernel void k() {}", "--no-such-option").exit_status, 2);
  EXPECT_EQ(run_tool("__kernel void k() {}", "--address-bits 16").exit_status, 2);
  EXPECT_EQ(run_tool("__kernel void k() {}", "/no/second/file --json").exit_status, 2);
  EXPECT_EQ(run_tool("__kernel void k() {}", "/dev/null").exit_status, 2);
  for (const char* list : {"{", "{}", R"({"sources": []})", R"({"sources": [{"source": 1}]})",
                           R"({"sources": [{"source": "", "headers": {"../a.h": ""}}]})"})
    EXPECT_EQ(run_tool(list, "--sources --json").exit_status, 2) << list;
}

// ---- Macros of the driver's own header ----

TEST(HeaderMacros, are_known_to_be_defined_and_left_to_the_driver) {
  const std::string text =
      source_of(translate("#ifndef M_PI\n#define M_PI 3.0f\n#endif\n#ifdef CLK_LOCAL_MEM_FENCE\n"
                          "__kernel void k(__global float* p) { p[get_group_id(0)] = M_PI; }\n#endif"));
  EXPECT_THAT(text, HasSubstr("= M_PI; }"));
}

TEST(HeaderMacros, give_the_limits_that_the_standard_fixes) {
  EXPECT_EQ(only_kernel("#if CHAR_BIT == 8 && INT_MAX == 0x7fffffff && UINT_MAX > INT_MAX\n"
                        "__kernel void k(__global int* p) { p[0] = 1; }\n#endif")["name"],
            "k");
}

// Answers of the device's compiler to the names that the source asks about, as often as it asks for more.
json translate_with_answers(const std::string& source, const json& answers, std::set<std::string>* asked = nullptr,
                            const json& options = json::array()) {
  json macros = json::object();
  for (int round = 0; round < 10; ++round) {
    const auto answer = translate_linked({{{"source", source}, {"options", options}, {"macros", macros}}});
    if (!answer || !answer->contains("questions")) return answer.value_or(json());
    for (const std::string name : (*answer)["questions"][0]["names"]) {
      if (asked) asked->insert(name);
      macros[name] = answers.value(name, json());
    }
  }
  return "asks without end";
}

std::set<std::string> asked_by(const std::string& source, const json& options = json::array()) {
  std::set<std::string> asked;
  translate_with_answers(source + "\n__kernel void k(__global int* p) { p[0] = 1; }", json::object(), &asked, options);
  return asked;
}

TEST(Macros, of_the_devices_compiler_decide_what_is_read) {
  const std::string source =
      "#if __OPENCL_C_VERSION__ >= 200 && defined(__AVX2__)\n#define N 1\n#else\n#define N 2\n#endif\n"
      "__kernel void k(__global int* p) { p[get_group_id(0)] = N + __clang_major__; }";
  const json newer = {{"__OPENCL_C_VERSION__", "300"}, {"__AVX2__", "1"}, {"__clang_major__", "15"}};
  EXPECT_THAT(source_of(translate_with_answers(source, newer)["sources"][0]), HasSubstr("= 1 + 15;"));
  const json older = {{"__OPENCL_C_VERSION__", "120"}, {"__AVX2__", "1"}, {"__clang_major__", "(7)"}};
  EXPECT_THAT(source_of(translate_with_answers(source, older)["sources"][0]), HasSubstr("= 2 + (7);"));
}

TEST(Macros, are_asked_about_wherever_a_source_tests_them) {
  using Names = std::set<std::string>;
  EXPECT_EQ(asked_by(""), Names{});
  EXPECT_EQ(asked_by("#define A 1\n#ifdef A\n#endif\n#if A == 1 && defined A\n#endif"), Names{});
  EXPECT_EQ(asked_by("#ifdef A\n#endif", {"-DA=1"}), Names{});
  EXPECT_EQ(asked_by("#ifndef A\n#endif", {"-U", "A"}), Names{});
  EXPECT_EQ(asked_by("#ifdef A\n#endif\n#ifndef B\n#endif\n#if defined(C) || !defined D\n#endif"),
            (Names{"A", "B", "C", "D"}));
  EXPECT_EQ(asked_by("#if 0\n#elifdef A\n#elif B\n#elifndef C\n#endif"), (Names{"A", "B", "C"}));
  EXPECT_EQ(asked_by("#if A > 1\n#endif"), Names{"A"});
  EXPECT_EQ(asked_by("#define HAS(x) __opencl_c_##x\n#if HAS(images)\n#endif"), Names{"__opencl_c_images"});
  EXPECT_EQ(asked_by("#define HAS(x) defined(__opencl_c_##x)\n#if HAS(images)\n#endif"), Names{"__opencl_c_images"});
  EXPECT_EQ(asked_by("#define WIDE __SIZEOF_LONG__\nint n[WIDE];"), Names{"__SIZEOF_LONG__"});
  EXPECT_EQ(asked_by("#ifdef M_PI\n#endif\n#if CLK_LOCAL_MEM_FENCE\n#endif"), (Names{"M_PI", "CLK_LOCAL_MEM_FENCE"}));
  EXPECT_EQ(asked_by("#undef A\n#define A\n#ifdef A\n#endif\nint f(float x) { return x > M_PI; }"), Names{});
}

TEST(Macros, are_asked_about_in_the_branches_that_the_answers_choose) {
  std::set<std::string> asked;
  translate_with_answers("#ifdef A\n#ifdef B\n#endif\n#endif\n__kernel void k() {}", {{"A", ""}}, &asked);
  EXPECT_EQ(asked, (std::set<std::string>{"A", "B"}));
}

TEST(Macros, that_the_devices_compiler_evaluates_are_asked_with_their_operand) {
  const std::string source =
      "#if defined(__has_builtin) && __has_builtin(__builtin_assume)\n#define N 1\n#else\n#define N 2\n#endif\n"
      "__kernel void k(__global int* p) { p[get_group_id(0)] = N; }";
  std::set<std::string> asked;
  const json has = {{"__has_builtin", "__has_builtin"}, {"__has_builtin(__builtin_assume)", "1"}};
  EXPECT_THAT(source_of(translate_with_answers(source, has, &asked)["sources"][0]), HasSubstr("= 1;"));
  EXPECT_EQ(asked, (std::set<std::string>{"__has_builtin", "__has_builtin(__builtin_assume)"}));
  const json has_not = {{"__has_builtin", "__has_builtin"}, {"__has_builtin(__builtin_assume)", "0"}};
  EXPECT_THAT(source_of(translate_with_answers(source, has_not)["sources"][0]), HasSubstr("= 2;"));
  for (const std::string name : {"__has_feature", "__has_extension", "__has_attribute"})
    EXPECT_TRUE(asked_by("#if " + name + "(f)\n#endif").count(name + "(f)")) << name;
  // Its own definition counts, and an option's.
  EXPECT_EQ(asked_by("#undef __has_builtin\n#define __has_builtin(x) 0\n#if __has_builtin(f)\n#endif"),
            (std::set<std::string>{}));
  EXPECT_EQ(asked_by("#if __has_builtin(f)\n#endif", {"-D__has_builtin(x)=1"}), (std::set<std::string>{}));
}

TEST(Macros, that_only_a_compiler_can_evaluate_keep_a_source_whole) {
  const std::string kernel = "\n__kernel void k(__global int* p) { p[get_group_id(0)] = 1; }";
  EXPECT_TRUE(translate_with_answers("#if __has_builtin(__builtin_trap)\n#endif" + kernel, json::object()).is_null());
  EXPECT_FALSE(translate_with_answers("#if defined(__has_builtin)\n#endif" + kernel, json::object()).is_null());
  EXPECT_FALSE(
      translate_with_answers("#ifdef A\n#if __has_builtin(__builtin_trap)\n#endif\n#endif" + kernel, json::object())
          .is_null());
  EXPECT_TRUE(translate_with_answers("int n[__COUNTER__ + 1];" + kernel, json::object()).is_null());
}

// Clang takes C99's operator _Pragma for a macro.
TEST(Macros, do_not_count_operators_that_every_compiler_has) {
  const std::string source =
      "#define PRAGMA(x) _Pragma(#x)\n__kernel void k(__global int* p) {\n"
      "  PRAGMA(unroll N) for (int i = 0; i < N; ++i) p[get_group_id(0)] += i + __LINE__;\n}";
  EXPECT_EQ(asked_by(source), std::set<std::string>{});
  EXPECT_THAT(source_of(translate_with_answers("#define N 3\n" + source, json::object())["sources"][0]),
              HasSubstr("#pragma unroll 3\n"));
}

TEST(Macros, that_tell_the_place_are_left_to_the_driver) {
  EXPECT_THAT(
      source_of(translate_with_answers("__kernel void k(__global char* p) { p[get_group_id(0)] = __FILE__[0]; }",
                                       json::object())["sources"][0]),
      HasSubstr("= __FILE__[0];"));
}

// By path, relative to the test's own folder.
struct Includes : testing::Test {
  Includes() { std::filesystem::create_directories(folder / "b"); }
  ~Includes() override { std::filesystem::remove_all(folder); }
  std::map<std::string, std::string> of(const std::string& source, const std::string& options) const {
    const json found = translate(source + "\n__kernel void k() {}", options)["includes"];
    std::map<std::string, std::string> result;
    for (const auto& [path, stamp] : found.items())
      if (path.starts_with(folder.string() + "/")) result[path.substr(folder.string().size() + 1)] = stamp;
    return result;
  }
  const std::filesystem::path folder = testing::TempDir() + "translate_test_includes_" + std::to_string(getpid());
};

TEST_F(Includes, are_told_with_their_contents_and_where_they_were_missed) {
  std::ofstream(folder / "b/h.h") << "int x;";
  const auto found = of("#include \"h.h\"", "-I" + folder.string() + "/none -I" + folder.string() + "/b");
  EXPECT_EQ(found.at("b/h.h"), samcl::stamp_of_bytes("int x;"));
  EXPECT_EQ(found.at("none"), "absent");
  std::filesystem::create_directory(folder / "none");
  EXPECT_EQ(of("#include \"h.h\"", "-I" + folder.string() + "/none -I" + folder.string() + "/b").at("none/h.h"),
            "absent");
}

TEST_F(Includes, are_looked_for_in_the_folder_of_the_process_too) {
  const std::string source = "#include \"h.h\"\n__kernel void k(__global int* p) { p[get_group_id(0)] = VALUE; }";
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder);
  std::ofstream("h.h") << "#define VALUE 11";
  EXPECT_THAT(source_of(translate(source)), HasSubstr("= 11; }"));
  EXPECT_THAT(source_of(translate(source, "-Ib")), HasSubstr("= 11; }"));
  std::ofstream("b/h.h") << "#define VALUE 22";
  EXPECT_EQ(run_tool(source, "--json -- -Ib").exit_status, 1) << "which of them a driver takes is its own choice";
  std::ofstream("b/h.h") << "#define VALUE 11";
  EXPECT_THAT(source_of(translate(source, "-Ib")), HasSubstr("= 11; }")) << "they are the same";
  std::filesystem::current_path(before);
}

TEST(HeaderMacros, may_be_defined_anew) {
  const std::string text = source_of(
      translate("#define M_PI 3.0f\n__kernel void k(__global float* p) { p[get_group_id(0)] = M_PI; }", "-Werror"));
  EXPECT_THAT(text, HasSubstr("= 3.0f; }"));
}

// ---- What drivers take and Clang does not ----

TEST(Generosity, takes_double_literals_beside_vectors_of_float) {
  const json answer = translate("__kernel void k(__global float4* p) { p[get_group_id(0)] = p[0] * 2.0; }");
  EXPECT_THAT(source_of(answer), HasSubstr("p[0] * 2.0;"));  // the text stays the program's
}

TEST(Generosity, ends_where_an_integer_depends_on_the_precision_of_a_literal) {
  const std::string kernel = "__kernel void k(__global float4* p) { p[INDEX] = p[0] * 2.0; }";
  EXPECT_EQ(run_tool("#define INDEX (int)(0.29 * 100)\n" + kernel, "--json").exit_status, 1);
  EXPECT_EQ(run_tool("#define INDEX (0.1 == 0.1f)\n" + kernel, "--json").exit_status, 1);
  EXPECT_EQ(run_tool("#define INDEX (0.1 * 10 == 1.0)\n" + kernel, "--json").exit_status, 1);
  EXPECT_EQ(run_tool("#define INDEX as_int((float)(0.1 * 3))\n" + kernel, "--json").exit_status, 1);
  EXPECT_EQ(run_tool("#define INDEX (int)2.0\n" + kernel, "--json").exit_status, 0);
}

TEST(Generosity, folds_no_integers_of_literals_that_meet_only_by_inlining) {
  EXPECT_EQ(only_kernel("int tenths(float x) { return (int)(x * 10.0); }\n"
                        "__kernel void k(__global float4* p) { p[tenths(0.29f)] = p[0] * 2.0; }")["footprint_text"][1],
            "p: writes 16 bytes at (? * 16)");
}

TEST(Generosity, knows_the_builtins_of_vendors_unless_the_program_has_its_own) {
  EXPECT_TRUE(
      only_kernel("__kernel void k(__global uint* p) { uint i = get_global_id(0); "
                  "p[i] = amd_bitalign(p[i], 1u, 7u) + arm_dot((uchar4)(1), (uchar4)(2)); }")["may_split"]);
  EXPECT_TRUE(
      only_kernel("uint amd_bitalign(uint a, uint b, uint c) { return a >> c | b; }\n"
                  "__kernel void k(__global uint* p) { uint i = get_global_id(0); "
                  "p[i] = amd_bitalign(p[i], 1u, 7u); }")["may_split"]);
  EXPECT_TRUE(
      only_kernel("__kernel void k(__global float* p) { uint i = get_global_id(0); "
                  "p[i] = intel_sub_group_shuffle_xor(p[i], 1); }")["depends_on_local_size"]);
}

TEST(Generosity, reads_a_source_of_version_2_that_was_built_without_saying_so) {
  const json answer = translate(
      "int first(int* p) { return p[0]; }\n"
      "__kernel void k(__global int* p) { p[get_global_linear_id()] = first(p); }");
  EXPECT_EQ(answer["language"], "CL2.0");
  EXPECT_EQ(run_tool("int first(int* p) { return p[0]; }\n"
                     "__kernel void k(__global int* p) { p[0] = first(p); }",
                     "--json -- -cl-std=CL1.2")
                .exit_status,
            1);
}

TEST(Generosity, passes_assembly_that_only_computes) {
  const auto with = [](const std::string& assembly) {
    return only_kernel("__kernel void k(__global uint* p) { uint i = get_global_id(0), r; " + assembly +
                       " p[i] = r; }");
  };
  EXPECT_TRUE(with(R"(asm("prmt.b32 %0, %1, %2, 0x0123;" : "=r"(r) : "r"(i), "r"(p[i]));)")["may_split"]);
  EXPECT_TRUE(with(R"(asm volatile("{ .reg .u32 t; add.cc.u32 t, %1, 1;\n\t addc.u32 %0, t, -2; }"
                      : "=r"(r) : "r"(i));)")["may_split"]);
  EXPECT_TRUE(with(R"(__asm__("V_ALIGNBIT_B32 %0, %1, %1, 8" : "=r"(r) : "r"(i));)")["may_split"]);
  EXPECT_FALSE(with(R"(asm("v_readlane_b32 %0, %1, 0" : "=r"(r) : "r"(i));)")["may_slice"]);
  EXPECT_FALSE(with(R"(asm("mov.u32 %0, %%ctaid.x;" : "=r"(r));)")["may_slice"]);
  EXPECT_FALSE(with(R"(asm("ld.global.u32 %0, [%1];" : "=r"(r) : "r"((ulong)p));)")["may_slice"]);
  EXPECT_FALSE(with(R"(r = 0; asm volatile("membar.gl;" ::: "memory");)")["may_slice"]);
  EXPECT_FALSE(with(R"(asm("add.u32 %0, s6, %1;" : "=r"(r) : "r"(i));)")["may_slice"]);
}

}  // namespace
