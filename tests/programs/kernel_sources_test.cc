// Kernels spelled as programs really spell them: what a tool that reads the source must not stumble over.
#include "tests/programs/opencl_fixture.h"

namespace cases {
namespace {

class KernelSources : public OpenCl {
 protected:
  // Runs kernel `name` over `count` work-items on one int buffer of zeros and returns it.
  std::vector<cl_int> run(const std::string& source, size_t count, const char* name = "k", size_t local = 0) {
    const auto k = kernel(source, name);
    const Buffer x = buffer(std::vector<cl_int>(count, 0));
    set_arguments(k, x);
    launch(k, {{count}, local ? std::vector<size_t>{local} : std::vector<size_t>{}});
    return read<cl_int>(x, count);
  }
};

TEST_F(KernelSources, QualifiersWithoutUnderscores) {
  EXPECT_EQ(run("kernel void k(global int *x) { x[get_global_id(0)] = get_group_id(0); }", 6, "k", 2),
            (std::vector<cl_int>{0, 0, 1, 1, 2, 2}));
}

TEST_F(KernelSources, TwoOnOneLine) {
  const std::string source =
      "kernel void a(global int* x){x[get_global_id(0)]=get_num_groups(0);} "
      "kernel void b(global int* x){x[get_global_id(0)]=-(int)get_num_groups(0);}";
  EXPECT_EQ(run(source, 8, "a", 2), std::vector<cl_int>(8, 4));
  EXPECT_EQ(run(source, 8, "b", 4), std::vector<cl_int>(8, -2));
}

TEST_F(KernelSources, ReturnTypeAndNameOnLinesOfTheirOwn) {
  EXPECT_EQ(run("__kernel\nvoid\n  "
                "k\n(\n__global\nint\n*\nx\n)\n{\nx[get_global_id(0)]\n=\nget_group_id\n(\n0\n)\n;\n}",
                4, "k", 2),
            (std::vector<cl_int>{0, 0, 1, 1}));
}

TEST_F(KernelSources, WindowsLineEndsAndTabs) {
  EXPECT_EQ(run("#define N 3\r\n__kernel\tvoid k(__global int* x)\r\n{\r\n\tx[get_global_id(0)] = N;\r\n}\r\n", 4),
            std::vector<cl_int>(4, 3));
}

TEST_F(KernelSources, CommentsAndStringsThatLookLikeCode) {
  EXPECT_EQ(run("// __kernel void fake(__global int* x) { get_group_id(0); \n"
                "/* kernel void k(int) { */\n"
                "__kernel void k(__global int* x) { /* get_num_groups(0) */ x[get_global_id(0)] = 5; // } \n"
                "  if (x[0] == 6) printf(\"get_group_id(%d) { __kernel\", 0); }",
                3),
            std::vector<cl_int>(3, 5));
}

TEST_F(KernelSources, ContinuedLinesAndMacrosThatMakeKernels) {
  EXPECT_EQ(run("#define MAKE(name, value) \\\n"
                "  __kernel void name(__global int* x) { \\\n"
                "    x[get_global_id(0)] = value + (int)get_group_id(0); }\n"
                "MAKE(first, 10)\nMAKE(second, 20)\n",
                4, "second", 2),
            (std::vector<cl_int>{20, 20, 21, 21}));
}

TEST_F(KernelSources, NamesThatContainBuiltIns) {
  EXPECT_EQ(run("int my_get_group_id(int d) { return 7 + d; }\n"
                "__kernel void k(__global int* x) { int get_group_id_ = my_get_group_id(1);"
                " x[get_global_id(0)] = get_group_id_; }",
                3),
            std::vector<cl_int>(3, 8));
}

TEST_F(KernelSources, KernelCallsAnotherKernel) {
  EXPECT_EQ(run("__kernel void inner(__global int* x) { x[get_global_id(0)] += 1 + (int)get_group_id(0); }\n"
                "__kernel void k(__global int* x) { x[get_global_id(0)] = 100; inner(x); }",
                4, "k", 2),
            (std::vector<cl_int>{101, 101, 102, 102}));
}

TEST_F(KernelSources, HelperDeclaredBeforeItIsDefined) {
  EXPECT_EQ(run("int where(void);\n"
                "__kernel void k(__global int* x) { x[get_global_id(0)] = where(); }\n"
                "int where(void) { return get_group_id(0) * 10 + get_local_id(0); }",
                6, "k", 3),
            (std::vector<cl_int>{0, 1, 2, 10, 11, 12}));
}

TEST_F(KernelSources, ProgramScopeConstants) {
  EXPECT_EQ(run("__constant int table[4] = {3, 1, 4, 1};\n"
                "__kernel void k(__global int* x) { size_t i = get_global_id(0); x[i] = table[i % 4]; }",
                6),
            (std::vector<cl_int>{3, 1, 4, 1, 3, 1}));
}

TEST_F(KernelSources, ConditionalOnTheLanguageVersion) {
  EXPECT_EQ(run("#if defined(__OPENCL_VERSION__) && __OPENCL_C_VERSION__ >= 110\n"
                "__kernel void k(__global int* x) { x[get_global_id(0)] = 1; }\n"
                "#else\n#error no version\n#endif",
                2),
            std::vector<cl_int>(2, 1));
}

// A structure that a pragma packs is 5 bytes long; not understood, 8, and its second member lies elsewhere.
TEST_F(KernelSources, StructuresPackedByMacros) {
  const std::string packed =
      "typedef struct { uchar first; int second; } Packed;\n"
      "#pragma pack(pop)\n"
      "typedef struct { uchar first; int second; } Padded;\n"
      "__kernel void k(__global int* x) {\n"
      "  Packed packed; Padded padded;\n"
      "  x[get_global_id(0)] = 10000 * (int)get_group_id(0) + 1000 * (int)sizeof(Padded) + 100 * (int)sizeof(Packed)\n"
      "      + 10 * (int)((char*)&padded.second - (char*)&padded) + (int)((char*)&packed.second - (char*)&packed);\n"
      "}\n";
  for (const char* pragma :
       {"#define BYTES 1\n#pragma pack(push, BYTES)\n", "#define PUSH push, 1\n#pragma pack(PUSH)\n",
        "#define BYTES 1\n_Pragma(\"pack(push, BYTES)\")\n",
        "#define DO(x) _Pragma(#x)\n#define PACK(bytes) DO(pack(push, bytes))\nPACK(1)\n"}) {
    SCOPED_TRACE(pragma);
    EXPECT_EQ(run(pragma + packed, 4, "k", 2), (std::vector<cl_int>{8541, 8541, 18541, 18541}));
  }
}

}  // namespace
}  // namespace cases
