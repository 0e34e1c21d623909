// Every build option of the standard. A kernel that asks for its group and one that does not must be read alike,
// whatever is done with the first: they write what their source sees.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "tests/programs/program_fixture.h"

namespace cases {
namespace {

class StandardOptions : public ProgramCase, public ::testing::WithParamInterface<const char*> {};

// For each macro its value, -1 where it is not defined, and whether #if finds it above 1; after them the size of a
// constant's type.
std::string source_that_shows(const std::vector<std::string>& macros, const std::string& first) {
  std::string source = "__kernel void k(__global int* x) {\n  x += " + first + ";\n";
  for (const std::string& macro : macros)
    source += "#ifdef " + macro + "\n  *x++ = (" + macro + ") + 0;\n#else\n  *x++ = -1;\n#endif\n#if " + macro +
              " > 1\n  *x++ = 1;\n#else\n  *x++ = 0;\n#endif\n";
  return source + "  *x = (int)sizeof(1.0 / 3);\n}\n";
}

TEST_P(StandardOptions, ShowTheSameToEverySource) {
  const std::vector<std::string> macros = {
      "__OPENCL_VERSION__", "__OPENCL_C_VERSION__", "__FAST_RELAXED_MATH__", "__IMAGE_SUPPORT__", "__ENDIAN_LITTLE__",
      "cl_khr_fp64", "__opencl_c_generic_address_space", "DEFINED",
      // Of the compiler itself, its version and its target.
      "__clang_major__", "__x86_64__", "__AVX2__", "__FMA__", "__SPIR__", "__NVPTX__", "__opencl_c_images",
      "__opencl_c_atomic_order_seq_cst", "cl_khr_int64", "cl_khr_byte_addressable_store", "CL_VERSION_3_0",
      "__SIZEOF_POINTER__"};
  std::vector<std::vector<cl_int>> seen;
  for (const char* first : {"0", "0 * get_group_id(0)"}) {
    const Program program = create({source_that_shows(macros, first).c_str()});
    const cl_int status = build_status(program, GetParam());
    if (status == CL_INVALID_BUILD_OPTIONS) GTEST_SKIP() << "refused by the driver";
    ASSERT_OK(status);
    const Kernel k = bench::make_kernel(program, "k");
    const size_t shown = 2 * macros.size() + 1;
    const Buffer x = buffer_of(shown * sizeof(cl_int));
    set_arguments(k, x);
    launch(k, {{4}, {1}});
    seen.push_back(read<cl_int>(x, shown));
  }
  EXPECT_EQ(seen[0], seen[1]);
}

INSTANTIATE_TEST_SUITE_P(All, StandardOptions,
                         ::testing::Values("-DDEFINED -I . -I/tmp", "-D DEFINED=7 -w", "-D \"DEFINED=1 + 2\" -Werror",
                                           "-UDEFINED", "-g",
                                           "-cl-single-precision-constant -cl-opt-disable -cl-kernel-arg-info",
                                           "-cl-denorms-are-zero -cl-fp32-correctly-rounded-divide-sqrt -cl-mad-enable",
                                           "-cl-strict-aliasing -cl-no-signed-zeros -cl-uniform-work-group-size",
                                           "-cl-unsafe-math-optimizations -cl-finite-math-only",
                                           "-cl-fast-relaxed-math", "-cl-no-subgroup-ifp", "-cl-std=CL1.0",
                                           "-cl-std=CL1.1", "-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL3.0",
                                           "-cl-std=CLC++"));

// A folder of headers that change between builds.
class Includes : public ProgramCase {
 protected:
  Includes() {
    std::filesystem::create_directories(folder_ / "a");
    std::filesystem::create_directories(folder_ / "b");
  }
  ~Includes() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }

  void write(const char* name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    std::filesystem::last_write_time(folder_ / name, time_);
  }
  // What a program that includes value.h is made of.
  cl_int value(const std::string& options) {
    const BuiltKernel k = kernel(
        "#include \"value.h\"\n__kernel void k(__global int* x) { x[get_global_id(0)] = VALUE + 0 * get_group_id(0); }",
        "k", options);
    const Buffer x = buffer(std::vector<cl_int>(8, 0));
    set_arguments(k, x);
    launch(k, {{8}, {1}});
    const auto seen = read<cl_int>(x, 8);
    EXPECT_EQ(seen, std::vector<cl_int>(8, seen[0]));
    return seen[0];
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("opencl_cases_includes." + std::to_string(getpid()));
  const std::filesystem::path before_ = std::filesystem::current_path();
  const std::filesystem::file_time_type time_ = std::filesystem::file_time_type::clock::now();
};

TEST_F(Includes, AreThoseOfTheTimeOfTheBuild) {
  const std::string options = "-I " + folder_.string() + "/a -I " + folder_.string() + "/b";
  write("b/value.h", "#define VALUE 11\n");
  EXPECT_EQ(value(options), 11);
  write("a/value.h", "#define VALUE 22\n");
  EXPECT_EQ(value(options), 22) << "one that was not there before comes first";
  write("a/value.h", "#define VALUE 33\n");
  EXPECT_EQ(value(options), 33) << "another one of the same size and time";
  std::filesystem::remove(folder_ / "a/value.h");
  EXPECT_EQ(value(options), 11);
}

// PoCL takes that of the process's folder.
TEST_F(Includes, OfTwoFoldersAreThoseThatTheDriverTakes) {
  write("a/index.h", "#define INDEX(i) (63 - (i))\n");
  write("b/index.h", "#define INDEX(i) (i)\n");
  std::filesystem::current_path(folder_ / "a");
  const BuiltKernel k =
      kernel("#include \"index.h\"\n__kernel void k(__global int* x) { int i = get_global_id(0); x[INDEX(i)] = i; }",
             "k", "-I" + (folder_ / "b").string());
  const Buffer x = buffer(std::vector<cl_int>(64, -1));
  set_arguments(k, x);
  launch(k, {{64}, {4}});
  std::vector<cl_int> seen = read<cl_int>(x, 64);
  if (seen[0] != 0) std::reverse(seen.begin(), seen.end());
  std::vector<cl_int> ascending(64);
  std::iota(ascending.begin(), ascending.end(), 0);
  EXPECT_EQ(seen, ascending);
}

TEST_F(Includes, AreThoseOfTheFolderOfTheBuild) {
  write("a/value.h", "#define VALUE 44\n");
  write("b/value.h", "#define VALUE 55\n");
  std::filesystem::current_path(folder_ / "a");
  EXPECT_EQ(value("-I."), 44);
  std::filesystem::current_path(folder_ / "b");
  EXPECT_EQ(value("-I."), 55);
}

}  // namespace
}  // namespace cases
