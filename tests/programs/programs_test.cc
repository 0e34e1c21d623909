// Program objects that are built at once: sources, options, logs, binaries.
#include <set>

#include "tests/programs/program_fixture.h"

namespace cases {
namespace {

class Programs : public ProgramCase {
 protected:
  std::string log_of(const Program& program) {
    size_t size = 0;
    check(clGetProgramBuildInfo(program.get(), device(), CL_PROGRAM_BUILD_LOG, 0, nullptr, &size));
    std::string log(size, '\0');
    check(clGetProgramBuildInfo(program.get(), device(), CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr));
    return log;
  }
  // What kernel `name` of a built program writes into one int.
  cl_int result_of(const Program& program, const char* name = "k") {
    const Kernel k = bench::make_kernel(program, name);
    const Buffer x = buffer(std::vector<cl_int>{-1});
    set_arguments(k, x);
    launch(k, {{1}});
    return read<cl_int>(x, 1)[0];
  }
};

constexpr char kSeven[] = "__kernel void k(__global int* x) { x[get_group_id(0)] = 7; }";

TEST_F(Programs, SourceOfManyKilobytes) {
  std::string source;
  for (int i = 0; source.size() < 60000; ++i)
    source += "// line " + std::to_string(i) + " of a long comment that makes the source long\n" + "int f" +
              std::to_string(i) + "(int x) { return x + " + std::to_string(i) + "; }\n";
  source += "__kernel void k(__global int* x) { x[get_group_id(0)] = f3(f4(0)); }";
  EXPECT_EQ(result_of(build(source)), 7);
}

TEST_F(Programs, SourceAsSeveralStrings) {
  const Program program = create({"__kernel void k(__glo", "bal int* x) { x[get_gr", "oup_id(0)] = 7; }"});
  ASSERT_OK(build_status(program));
  EXPECT_EQ(result_of(program), 7);
}

TEST_F(Programs, SourceAsSeveralStringsWithLengths) {
  // A length of 0 means: up to the terminating zero.
  const size_t lengths[] = {15, 0, 6};
  const Program program =
      create({"__kernel void kGARBAGE", "(__global int* x) { x[get_group_id(0)]", " = 7;}}}}}"}, lengths);
  ASSERT_OK(build_status(program));
  EXPECT_EQ(result_of(program), 7);
}

TEST_F(Programs, SourceInfoIsTheProgramsOwn) {
  const Program program = create({"__kernel void k(__global int* x)", " { x[get_group_id(0)] = 7; }"});
  ASSERT_OK(build_status(program));
  size_t size = 0;
  ASSERT_OK(clGetProgramInfo(program.get(), CL_PROGRAM_SOURCE, 0, nullptr, &size));
  std::string source(size, '\0');
  ASSERT_OK(clGetProgramInfo(program.get(), CL_PROGRAM_SOURCE, size, source.data(), nullptr));
  source.pop_back();
  EXPECT_EQ(source, kSeven);
}

TEST_F(Programs, KernelNamesAndNumber) {
  const Program program =
      build("__kernel void a(void) {} __kernel void b(__global int* x) { x[get_group_id(0)] = 1; }");
  size_t count = 0, size = 0;
  ASSERT_OK(clGetProgramInfo(program.get(), CL_PROGRAM_NUM_KERNELS, sizeof count, &count, nullptr));
  ASSERT_OK(clGetProgramInfo(program.get(), CL_PROGRAM_KERNEL_NAMES, 0, nullptr, &size));
  std::string names(size, '\0');
  ASSERT_OK(clGetProgramInfo(program.get(), CL_PROGRAM_KERNEL_NAMES, size, names.data(), nullptr));
  names.pop_back();
  EXPECT_EQ(count, 2u);
  EXPECT_TRUE(names == "a;b" || names == "b;a") << names;
}

TEST_F(Programs, InfoNamesContextAndDevices) {
  const Program program = build(kSeven);
  cl_context its_context = nullptr;
  cl_uint devices = 0;
  cl_device_id its_device = nullptr;
  ASSERT_OK(clGetProgramInfo(program.get(), CL_PROGRAM_CONTEXT, sizeof its_context, &its_context, nullptr));
  ASSERT_OK(clGetProgramInfo(program.get(), CL_PROGRAM_NUM_DEVICES, sizeof devices, &devices, nullptr));
  ASSERT_OK(clGetProgramInfo(program.get(), CL_PROGRAM_DEVICES, sizeof its_device, &its_device, nullptr));
  EXPECT_EQ(its_context, context());
  EXPECT_EQ(devices, 1u);
  EXPECT_EQ(its_device, device());
}

TEST_F(Programs, BinariesHaveOnePlaceForEachDevice) {
  const Program program = build(kSeven);
  size_t places = 0, bytes = 0;
  ASSERT_OK(clGetProgramInfo(program.get(), CL_PROGRAM_BINARIES, 0, nullptr, &places));
  EXPECT_EQ(places, sizeof(unsigned char*));
  ASSERT_OK(clGetProgramInfo(program.get(), CL_PROGRAM_BINARY_SIZES, 0, nullptr, &places));
  EXPECT_EQ(places, sizeof bytes);
  ASSERT_OK(clGetProgramInfo(program.get(), CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr));
  std::vector<unsigned char> binary(bytes, 0xcd);
  unsigned char* place = binary.data();
  ASSERT_OK(clGetProgramInfo(program.get(), CL_PROGRAM_BINARIES, sizeof place, &place, nullptr));
  EXPECT_NE(binary, std::vector<unsigned char>(bytes, 0xcd));
}

TEST_F(Programs, KernelsOfAProgramAllAtOnce) {
  const Program program = build(
      "__kernel void a(__global int* x) { x[get_group_id(0)] = 1; }"
      "__kernel void b(__global int* x) { x[get_group_id(0)] = 2; }");
  cl_uint count = 0;
  ASSERT_OK(clCreateKernelsInProgram(program.get(), 0, nullptr, &count));
  ASSERT_EQ(count, 2u);
  cl_kernel kernels[2] = {};
  ASSERT_OK(clCreateKernelsInProgram(program.get(), 2, kernels, nullptr));
  std::set<cl_int> results;
  for (cl_kernel raw : kernels) {
    const Kernel k(raw);
    const Buffer x = buffer_of(4);
    set_arguments(k, x);
    launch(k, {{1}});
    results.insert(read<cl_int>(x, 1)[0]);
  }
  EXPECT_EQ(results, (std::set<cl_int>{1, 2}));
}

TEST_F(Programs, BuildFailureNamesTheErrorInTheLog) {
  const Program program = create({"__kernel void k(__global int* x) { x[0] = undeclared_name; }"});
  EXPECT_STATUS(build_status(program), CL_BUILD_PROGRAM_FAILURE);
  EXPECT_EQ(state_of(program), CL_BUILD_ERROR);
  EXPECT_NE(log_of(program).find("undeclared_name"), std::string::npos) << log_of(program);
  cl_int status = CL_SUCCESS;
  EXPECT_EQ(clCreateKernel(program.get(), "k", &status), nullptr);
  EXPECT_STATUS(status, CL_INVALID_PROGRAM_EXECUTABLE);
}

TEST_F(Programs, MissingBraceFailsToBuild) {
  const Program program = create({"__kernel void k(__global int* x) { x[0] = get_group_id(0);"});
  EXPECT_STATUS(build_status(program), CL_BUILD_PROGRAM_FAILURE);
}

TEST_F(Programs, ErrorDirectiveFailsToBuildWithItsText) {
  const Program program = create({"#ifndef WANTED\n#error define WANTED first\n#endif\n", kSeven});
  EXPECT_STATUS(build_status(program), CL_BUILD_PROGRAM_FAILURE);
  EXPECT_NE(log_of(program).find("define WANTED first"), std::string::npos);
  EXPECT_OK(build_status(program, "-DWANTED"));
  EXPECT_EQ(result_of(program), 7);
}

TEST_F(Programs, OptionsDefine) {
  const Program program =
      create({"__kernel void k(__global int* x) { x[get_group_id(0)] = A + B * (int)sizeof(TYPE); }"});
  ASSERT_OK(build_status(program, "-DA=3 -D B=2 -D TYPE=short -cl-mad-enable -w"));
  EXPECT_EQ(result_of(program), 7);
}

TEST_F(Programs, OfAnOlderStandardAskForMacros) {
  const Program program =
      create({"#if defined(NO_SUCH_MACRO) || __OPENCL_C_VERSION__ != 120\n"
              "#define VALUE 1\n#else\n#define VALUE 7\n#endif\n"
              "__kernel void k(__global int* x) { x[get_global_id(0)] = VALUE; }"});
  ASSERT_OK(build_status(program, "-cl-std=CL1.2"));
  const Kernel k = bench::make_kernel(program, "k");
  const Buffer x = buffer(std::vector<cl_int>(64));
  set_arguments(k, x);
  launch(k, {{64}, {1}});
  EXPECT_EQ(read<cl_int>(x, 64), std::vector<cl_int>(64, 7));
}

TEST_F(Programs, OptionsAreTold) {
  const Program program = create({kSeven});
  ASSERT_OK(build_status(program, "-DA=3 -cl-mad-enable"));
  char options[64] = {};
  ASSERT_OK(clGetProgramBuildInfo(program.get(), device(), CL_PROGRAM_BUILD_OPTIONS, sizeof options, options, nullptr));
  EXPECT_STREQ(options, "-DA=3 -cl-mad-enable");
}

TEST_F(Programs, UnknownOptionIsRefused) {
  const Program program = create({kSeven});
  EXPECT_STATUS(build_status(program, "-there-is-no-such-option"), CL_INVALID_BUILD_OPTIONS);
}

TEST_F(Programs, BuiltTwiceTheLastBuildCounts) {
  const Program program = create({"__kernel void k(__global int* x) { x[get_group_id(0)] = VALUE; }"});
  ASSERT_OK(build_status(program, "-DVALUE=1"));
  EXPECT_EQ(result_of(program), 1);
  ASSERT_OK(build_status(program, "-DVALUE=2"));
  EXPECT_EQ(result_of(program), 2);
}

TEST_F(Programs, NotRebuiltWhileItHasKernels) {
  const Program program = build(kSeven);
  const Kernel k = bench::make_kernel(program, "k");
  EXPECT_STATUS(build_status(program), CL_INVALID_OPERATION);
}

TEST_F(Programs, RebuiltAsSoonAsItsKernelsHaveRunAndAreReleased) {
  const Program program = create({"__kernel void k(__global int* x) { x[get_global_id(0)] = VALUE; }"});
  constexpr size_t kItems = 4096;
  const Buffer x = buffer(std::vector<cl_int>(kItems, 0));
  cl_int status = CL_SUCCESS;
  const Queue plain(clCreateCommandQueue(context(), device(), 0, &status));  // the fixture's asks for times
  ASSERT_OK(status);
  for (int round = 0; round < 30; ++round) {
    const cl_int value = round % 2;
    ASSERT_OK(build_status(program, value ? "-DVALUE=1" : "-DVALUE=0"));
    {
      const Kernel k = bench::make_kernel(program, "k");
      set_arguments(k, x);
      for (int i = 0; i < 20; ++i)
        ASSERT_OK(clEnqueueNDRangeKernel(plain.get(), k.get(), 1, nullptr, &kItems, nullptr, 0, nullptr, nullptr));
      ASSERT_OK(clFinish(plain.get()));
    }
  }
  EXPECT_EQ(read<cl_int>(x, kItems), std::vector<cl_int>(kItems, 1));
}

TEST_F(Programs, BuildWithoutADeviceList) {
  const Program program = create({kSeven});
  ASSERT_OK(clBuildProgram(program.get(), 0, nullptr, nullptr, nullptr, nullptr));
  EXPECT_EQ(result_of(program), 7);
}

TEST_F(Programs, BuildWithACallback) {
  ProgramTold told;
  const Program program = create({kSeven});
  ASSERT_OK(clBuildProgram(program.get(), 0, nullptr, nullptr, ProgramTold::call, &told));
  EXPECT_EQ(told.wait(), program.get());
  EXPECT_EQ(state_of(program), CL_BUILD_SUCCESS);
  EXPECT_EQ(result_of(program), 7);
}

TEST_F(Programs, CallbackIsCalledForAFailedBuildToo) {
  ProgramTold told;
  const Program program = create({"this is no OpenCL C"});
  clBuildProgram(program.get(), 0, nullptr, nullptr, ProgramTold::call, &told);
  EXPECT_EQ(told.wait(), program.get());
  EXPECT_EQ(state_of(program), CL_BUILD_ERROR);
}

TEST_F(Programs, NotBuiltYetHasNoKernels) {
  const Program program = create({kSeven});
  EXPECT_EQ(state_of(program), CL_BUILD_NONE);
  cl_int status = CL_SUCCESS;
  EXPECT_EQ(clCreateKernel(program.get(), "k", &status), nullptr);
  EXPECT_STATUS(status, CL_INVALID_PROGRAM_EXECUTABLE);
}

TEST_F(Programs, UnknownKernelName) {
  const Program program = build(kSeven);
  cl_int status = CL_SUCCESS;
  EXPECT_EQ(clCreateKernel(program.get(), "no_such_kernel", &status), nullptr);
  EXPECT_STATUS(status, CL_INVALID_KERNEL_NAME);
  EXPECT_EQ(clCreateKernel(program.get(), nullptr, &status), nullptr);
  EXPECT_STATUS(status, CL_INVALID_VALUE);
}

TEST_F(Programs, BinaryMakesTheSameProgram) {
  const Program program = build(R"(__kernel void k(__global int* x) {
                                     x[get_global_id(0)] = 10 * get_group_id(0) + get_num_groups(0); })");
  const Program again = from_binary_of(program);
  ASSERT_OK(build_status(again));
  const Kernel k = bench::make_kernel(again, "k");
  const Buffer x = buffer(std::vector<cl_int>(8, -1));
  set_arguments(k, x);
  launch(k, {{8}, {2}});
  EXPECT_EQ(read<cl_int>(x, 8), (std::vector<cl_int>{4, 4, 14, 14, 24, 24, 34, 34}));
}

TEST_F(Programs, GarbageIsNoBinary) {
  const unsigned char garbage[] = "certainly no binary of any device";
  const unsigned char* start = garbage;
  const size_t size = sizeof garbage;
  const cl_device_id target = device();
  cl_int status = CL_SUCCESS, of_binary = CL_SUCCESS;
  const Program program(clCreateProgramWithBinary(context(), 1, &target, &size, &start, &of_binary, &status));
  EXPECT_STATUS(status, CL_INVALID_BINARY);
}

// Also those behind the first: the same device may be named twice, if only for the driver to refuse it.
TEST_F(Programs, EveryBinaryOfAListMustBeThere) {
  const unsigned char some[] = "some bytes";
  const unsigned char *missing[] = {some, nullptr}, *there[] = {some, some};
  const size_t sizes[] = {sizeof some, sizeof some}, empty[] = {sizeof some, 0};
  const cl_device_id twice[] = {device(), device()};
  cl_int status = CL_SUCCESS;
  EXPECT_EQ(clCreateProgramWithBinary(context(), 2, twice, sizes, missing, nullptr, &status), nullptr);
  EXPECT_STATUS(status, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateProgramWithBinary(context(), 2, twice, empty, there, nullptr, &status), nullptr);
  EXPECT_STATUS(status, CL_INVALID_VALUE);
}

TEST_F(Programs, CompileFailureHasItsOwnCode) {
  const Program program = create({"int f(void) { return undeclared_name; }"});
  const cl_device_id target = device();
  EXPECT_STATUS(clCompileProgram(program.get(), 1, &target, nullptr, 0, nullptr, nullptr, nullptr, nullptr),
                CL_COMPILE_PROGRAM_FAILURE);
  EXPECT_NE(log_of(program).find("undeclared_name"), std::string::npos);
}

TEST_F(Programs, ManyProgramsFromOneSource) {
  for (int i = 0; i < 10; ++i) EXPECT_EQ(result_of(build(kSeven)), 7);
}

TEST_F(Programs, CreationErrors) {
  cl_int status = CL_SUCCESS;
  const char* none = nullptr;
  EXPECT_EQ(clCreateProgramWithSource(context(), 0, &none, nullptr, &status), nullptr);
  EXPECT_STATUS(status, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateProgramWithSource(context(), 1, &none, nullptr, &status), nullptr);
  EXPECT_STATUS(status, CL_INVALID_VALUE);
  EXPECT_EQ(clCreateProgramWithSource(nullptr, 1, &none, nullptr, &status), nullptr);
  EXPECT_STATUS(status, CL_INVALID_CONTEXT);
}

TEST_F(Programs, UnloadingTheCompilerHarmsNothing) {
  cl_platform_id platform = nullptr;
  ASSERT_OK(clGetDeviceInfo(device(), CL_DEVICE_PLATFORM, sizeof platform, &platform, nullptr));
  EXPECT_OK(clUnloadPlatformCompiler(platform));
  EXPECT_EQ(result_of(build(kSeven)), 7);
}

}  // namespace
}  // namespace cases
