// Every build option of the standard. A kernel that asks for its group and one that does not must be read alike,
// whatever is done with the first: they write what their source sees.
#include "tests/programs/program_fixture.h"

namespace cases {
namespace {

class StandardOptions : public ProgramCase, public ::testing::WithParamInterface<const char*> {};

// x[first + i] = the i-th macro, -1 where it is not defined; after them the size of a constant's type.
std::string source_that_shows(const std::vector<std::string>& macros, const std::string& first) {
  std::string source = "__kernel void k(__global int* x) {\n  x += " + first + ";\n";
  for (const std::string& macro : macros)
    source += "#ifdef " + macro + "\n  *x++ = (" + macro + ");\n#else\n  *x++ = -1;\n#endif\n";
  return source + "  *x = (int)sizeof(1.0 / 3);\n}\n";
}

TEST_P(StandardOptions, ShowTheSameToEverySource) {
  const std::vector<std::string> macros = {"__OPENCL_VERSION__", "__OPENCL_C_VERSION__", "__FAST_RELAXED_MATH__",
                                           "__IMAGE_SUPPORT__", "__ENDIAN_LITTLE__", "cl_khr_fp64",
                                           "__opencl_c_generic_address_space", "DEFINED"};
  std::vector<std::vector<cl_int>> seen;
  for (const char* first : {"0", "get_group_id(0)"}) {
    const Program program = create({source_that_shows(macros, first).c_str()});
    const cl_int status = build_status(program, GetParam());
    if (status == CL_INVALID_BUILD_OPTIONS) GTEST_SKIP() << "refused by the driver";
    ASSERT_OK(status);
    const Kernel k = bench::make_kernel(program, "k");
    const Buffer x = buffer_of((macros.size() + 1) * sizeof(cl_int));
    set_arguments(k, x);
    launch(k, {{1}});
    seen.push_back(read<cl_int>(x, macros.size() + 1));
  }
  EXPECT_EQ(seen[0], seen[1]);
}

INSTANTIATE_TEST_SUITE_P(
    All, StandardOptions,
    ::testing::Values("-DDEFINED -I . -I/tmp", "-D DEFINED=7 -w", "-D \"DEFINED=1 + 2\" -Werror", "-UDEFINED", "-g",
                      "-cl-single-precision-constant -cl-opt-disable -cl-kernel-arg-info",
                      "-cl-denorms-are-zero -cl-fp32-correctly-rounded-divide-sqrt -cl-mad-enable",
                      "-cl-strict-aliasing -cl-no-signed-zeros -cl-uniform-work-group-size",
                      "-cl-unsafe-math-optimizations -cl-finite-math-only", "-cl-fast-relaxed-math",
                      "-cl-no-subgroup-ifp", "-cl-std=CL1.0", "-cl-std=CL1.1", "-cl-std=CL1.2", "-cl-std=CL2.0",
                      "-cl-std=CL3.0", "-cl-std=CLC++"));

}  // namespace
}  // namespace cases
