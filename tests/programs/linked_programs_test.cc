// Programs that are compiled in pieces and linked: headers, objects, libraries, their options, binaries, errors.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "tests/programs/program_fixture.h"

namespace cases {
namespace {

using Values = std::vector<cl_int>;

// Of header files; gone with the case.
struct Folder {
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  void write(const char* name, const char* text) const { std::ofstream(path / name) << text; }

  const std::filesystem::path path = testing::TempDir() + "linked_programs." + std::to_string(getpid());
};

class LinkedPrograms : public ProgramCase {
 protected:
  using Headers = std::map<std::string, std::string>;

  cl_int compile_status(const Program& program, const std::string& options = "", const Headers& headers = {}) const {
    std::vector<Program> kept;
    std::vector<cl_program> programs;
    std::vector<const char*> names;
    for (const auto& [name, text] : headers) {
      kept.push_back(create({text.c_str()}));
      programs.push_back(kept.back().get());
      names.push_back(name.c_str());
    }
    const cl_device_id target = device();
    return clCompileProgram(program.get(), 1, &target, options.c_str(), static_cast<cl_uint>(programs.size()),
                            programs.empty() ? nullptr : programs.data(), names.empty() ? nullptr : names.data(),
                            nullptr, nullptr);
  }
  Program compile(const std::string& source, const std::string& options = "", const Headers& headers = {}) const {
    Program program = create({source.c_str()});
    check(compile_status(program, options, headers));
    return program;
  }
  Program try_link(const std::vector<const Program*>& inputs, const char* options, cl_int& status) const {
    std::vector<cl_program> raw;
    for (const Program* input : inputs) raw.push_back(input->get());
    const cl_device_id target = device();
    return Program(clLinkProgram(context(), 1, &target, options, static_cast<cl_uint>(raw.size()), raw.data(), nullptr,
                                 nullptr, &status));
  }
  Program link(const std::vector<const Program*>& inputs, const char* options = "") const {
    cl_int status = CL_SUCCESS;
    Program program = try_link(inputs, options, status);
    check(status);
    return program;
  }
  // What kernel `name` writes into eight ints, one per work-item, in groups of two.
  Values run(const Program& program, const char* name = "k", std::vector<size_t> offset = {}) const {
    const Kernel kernel = bench::make_kernel(program, name);
    const Buffer x = buffer(Values(8 + (offset.empty() ? 0 : offset[0]), -1));
    set_arguments(kernel, x);
    launch(kernel, {{8}, {2}, offset});
    return read<cl_int>(x, 8, offset.empty() ? 0 : offset[0]);
  }
  cl_program_binary_type type_of(const Program& program) const {
    return build_info<cl_program_binary_type>(program, CL_PROGRAM_BINARY_TYPE);
  }
};

constexpr char kGroupPlusOne[] = "int where(int more) { return (int)get_group_id(0) + more; }";
constexpr char kWhere[] = "int where(int more);\n__kernel void k(__global int* x) { x[get_global_id(0)] = where(1); }";
const Values kGroupsPlusOne = {1, 1, 2, 2, 3, 3, 4, 4};

TEST_F(LinkedPrograms, FunctionOfAnotherObjectKnowsItsGroup) {
  const Program helper = compile(kGroupPlusOne), main = compile(kWhere);
  EXPECT_EQ(run(link({&helper, &main})), kGroupsPlusOne);
}

TEST_F(LinkedPrograms, QueriesOfTheNdrangeGoThroughManyObjects) {
  const Program a = compile(
      "int b(int depth); int a(int depth) { return depth == 0 ? (int)(get_global_offset(0) * 10000 + "
      "get_global_size(0) * 1000 + get_num_groups(0) * 100 + get_local_id(0)) : b(depth - 1); }");
  const Program b = compile("int c(int depth); int b(int depth) { return 10 * c(depth); }");
  const Program c = compile("int c(int depth) { return depth + (int)get_group_id(0); }");
  const Program main =
      compile("int a(int depth); __kernel void k(__global int* x) { x[get_global_id(0)] = a(0) + a(1); }");
  EXPECT_EQ(run(link({&main, &a, &b, &c}), "k", {3}), (Values{38400, 38401, 38410, 38411, 38420, 38421, 38430, 38431}));
}

TEST_F(LinkedPrograms, StaticFunctionsTypesMacrosAndOptionsOfOneNameStayApart) {
  const Program a = compile(
      "struct s { int v, w; };\nstatic int f(struct s s) { return s.v + 10 * s.w + 100 * (int)get_group_id(0); }\n"
      "__kernel void NAME(__global int* x) { struct s s = {1, N}; x[get_global_id(0)] = f(s); }",
      "-DNAME=a -DN=2");
  const Program b = compile(
      "struct s { char v; };\nstatic int f(struct s s) { return s.v; }\n"
      "__kernel void NAME(__global int* x) { struct s s = {N}; x[get_global_id(0)] = f(s); }",
      "-D NAME=b -D N=5");
  const Program linked = link({&a, &b});
  EXPECT_EQ(run(linked, "a"), (Values{21, 21, 121, 121, 221, 221, 321, 321}));
  EXPECT_EQ(run(linked, "b"), Values(8, 5));
}

TEST_F(LinkedPrograms, ConstantsAndKernelsOfAnotherObject) {
  const Program other = compile(
      "__constant int table[4] = {3, 1, 4, 1};\n"
      "__kernel void inner(__global int* x, int more) { x[get_global_id(0)] += more + 10 * (int)get_group_id(0); }");
  const Program main = compile(
      "extern __constant int table[4];\n__kernel void inner(__global int* x, int more);\n"
      "__kernel void k(__global int* x) { x[get_global_id(0)] = table[get_group_id(0)]; inner(x, 100); }");
  const Program linked = link({&other, &main});
  EXPECT_EQ(run(linked), (Values{103, 103, 111, 111, 124, 124, 131, 131}));
}

TEST_F(LinkedPrograms, HeadersIncludeHeadersAndComeBeforeFiles) {
  const Folder folder;
  folder.write("two.h", "#error the given one comes first\n");
  folder.write("file.h", "#define FILE 100\n");
  const Program helper = compile(kGroupPlusOne);
  const Program main = compile(
      "#include <all.h>\n#include \"two.h\"\n#include \"file.h\"\n"
      "__kernel void k(__global int* x) { x[get_global_id(0)] = TWO + FILE; }",
      "-I " + folder.path.string(),
      {{"all.h", "#include \"deep/er/one.h\"\n#include <two.h>\n"},
       {"deep/er/one.h", "#include \"beside.h\"\n#define ONE (1 + BESIDE)\n"},
       {"deep/er/beside.h", "#define BESIDE 0\n"},
       {"two.h", "#ifndef TWO\n#define TWO where(ONE)\nint where(int);\n#endif\n"}});
  EXPECT_EQ(run(link({&helper, &main})), (Values{101, 101, 102, 102, 103, 103, 104, 104}));
}

TEST_F(LinkedPrograms, FileChangedAfterTheCompilationIsNotTheObjects) {
  const Folder folder;
  folder.write("number.h", "#define N 1\n");
  const Program object = compile(
      "#include \"number.h\"\n__kernel void k(__global int* x) { x[get_global_id(0)] = N + (int)get_group_id(0); }",
      "-I" + folder.path.string());
  folder.write("number.h", "#define N 2\n");
  EXPECT_EQ(run(link({&object})), kGroupsPlusOne);
}

TEST_F(LinkedPrograms, OneObjectInSeveralLinks) {
  Program first, second, third;
  {
    const Program main = compile(kWhere), plus = compile(kGroupPlusOne);
    const Program constant = compile("int where(int more) { return N * more; }", "-DN=7");
    first = link({&main, &plus});
    second = link({&main, &constant});
    ASSERT_OK(compile_status(constant, "-DN=8"));
    third = link({&constant, &main});
  }
  EXPECT_EQ(run(second), Values(8, 7));
  EXPECT_EQ(run(first), kGroupsPlusOne);
  EXPECT_EQ(run(third), Values(8, 8));
}

TEST_F(LinkedPrograms, LibrariesAreLinkedLikeObjects) {
  const Program where = compile(kGroupPlusOne);
  const Program seven = compile("int where(int); int seven(void) { return where(7); }");
  const Program library = link({&where, &seven}, "-create-library -enable-link-options");
  EXPECT_EQ(type_of(library), CL_PROGRAM_BINARY_TYPE_LIBRARY);
  const Program main = compile(
      "int where(int); int seven(void);\n"
      "__kernel void k(__global int* x) { x[get_global_id(0)] = 10 * seven() + where(1); }");
  const Program linked = link({&library, &main});
  EXPECT_EQ(type_of(linked), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
  EXPECT_EQ(run(linked), (Values{71, 71, 82, 82, 93, 93, 104, 104}));
}

TEST_F(LinkedPrograms, KernelsAndArgumentsAreTheProgramsOwn) {
  const Program helper = compile(kGroupPlusOne), main = compile(kWhere);
  EXPECT_EQ(type_of(helper), CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
  const Program other = compile("__kernel void two(__global int* x, int y) { x[get_group_id(0)] = y; }");
  const Program linked = link({&helper, &main, &other});
  size_t count = 0;
  ASSERT_OK(clGetProgramInfo(linked.get(), CL_PROGRAM_NUM_KERNELS, sizeof count, &count, nullptr));
  EXPECT_EQ(count, 2u);
  cl_uint arguments = 0;
  ASSERT_OK(clGetKernelInfo(bench::make_kernel(linked, "k").get(), CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments,
                            nullptr));
  EXPECT_EQ(arguments, 1u);
  const Kernel two = bench::make_kernel(linked, "two");
  ASSERT_OK(clGetKernelInfo(two.get(), CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, nullptr));
  EXPECT_EQ(arguments, 2u);
  const cl_int value = 1;
  EXPECT_STATUS(clSetKernelArg(two.get(), 2, sizeof value, &value), CL_INVALID_ARG_INDEX);
}

TEST_F(LinkedPrograms, BinariesTakeThePlaceOfWhatTheyWereReadFrom) {
  const Program object = from_binary_of(compile(kGroupPlusOne));
  EXPECT_EQ(type_of(object), CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
  const Program library = from_binary_of(link({&object}, "-create-library"));
  EXPECT_EQ(type_of(library), CL_PROGRAM_BINARY_TYPE_LIBRARY);
  const Program main = compile("#include \"w.h\"\n__kernel void k(__global int* x) { x[get_global_id(0)] = where(1); }",
                               "", {{"w.h", "int where(int);\n"}});
  const Program linked = link({&library, &main});
  EXPECT_EQ(run(linked), kGroupsPlusOne);
  const Program again = from_binary_of(linked);
  const cl_device_id target = device();
  ASSERT_OK(clBuildProgram(again.get(), 1, &target, "", nullptr, nullptr));
  EXPECT_EQ(run(again), kGroupsPlusOne);
}

TEST_F(LinkedPrograms, CallbacksNameTheProgram) {
  ProgramTold compiled, linked;
  const Program object =
      create({"__kernel void k(__global int* x) { x[get_global_id(0)] = 1 + (int)get_group_id(0); }"});
  ASSERT_OK(clCompileProgram(object.get(), 0, nullptr, nullptr, 0, nullptr, nullptr, ProgramTold::call, &compiled));
  EXPECT_EQ(compiled.wait(), object.get());
  const cl_program input = object.get();
  cl_int status = CL_SUCCESS;
  const Program program(clLinkProgram(context(), 0, nullptr, nullptr, 1, &input, ProgramTold::call, &linked, &status));
  ASSERT_OK(status);
  EXPECT_EQ(linked.wait(), program.get());
  EXPECT_EQ(run(program), kGroupsPlusOne);
}

TEST_F(LinkedPrograms, Errors) {
  const Program object = compile(kGroupPlusOne), other = compile("int where(int more) { return more; }");
  const Program main = compile(kWhere), source = create({kGroupPlusOne});
  const Program built = build("__kernel void k(__global int* x) { x[0] = 1; }");
  cl_int status = CL_SUCCESS;
  try_link({&main}, "", status);  // where() is nowhere defined
  EXPECT_STATUS(status, CL_LINK_PROGRAM_FAILURE);
  try_link({&main, &object, &other}, "", status);  // and here twice
  EXPECT_STATUS(status, CL_LINK_PROGRAM_FAILURE);
  try_link({&source}, "", status);
  EXPECT_STATUS(status, CL_INVALID_OPERATION);
  try_link({&built}, "", status);
  EXPECT_STATUS(status, CL_INVALID_OPERATION);
  try_link({&object}, "-there-is-no-such-option", status);
  EXPECT_STATUS(status, CL_INVALID_LINKER_OPTIONS);
  try_link({}, "", status);
  EXPECT_STATUS(status, CL_INVALID_VALUE);
  const cl_program input = object.get();
  EXPECT_EQ(clLinkProgram(context(), 0, nullptr, nullptr, 1, &input, nullptr, &status, &status), nullptr);
  EXPECT_STATUS(status, CL_INVALID_VALUE);
  EXPECT_STATUS(compile_status(source, "-there-is-no-such-option"), CL_INVALID_COMPILER_OPTIONS);
}

}  // namespace
}  // namespace cases
