// Every way in which a program may come to OpenCL leads through samcl's entry points exactly once. The programs run
// with LD_PRELOAD of a library that has samcl's entry points and driver layer and marks what passes (the marking
// runtime), and with libsamcl.so itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "libsamcl/driver/loader.h"
#include "tests/support/run_program.h"

namespace samcl::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kGuests = GUESTS;      // folder of the guest programs
const std::string kMarking = MARKING;    // libsamcl_marking.so
const std::string kSamcl = SAMCL;        // libsamcl.so
const std::string kRuntime = SANITIZER;  // the sanitizer's runtime, which must be preloaded first; or ""
const bool kSanitized = !kRuntime.empty();

std::string preload(const std::string& library) { return kSanitized ? kRuntime + ":" + library : library; }

std::string system_loader() { return driver::find_loader(driver::loader_directories(), kMarking); }

// A folder of this test, removed at its end.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("samcl_interposition_" + std::to_string(getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  fs::path operator/(const std::string& name) const { return path_ / name; }
  std::string string() const { return path_.string(); }

 private:
  fs::path path_;
};

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The system's loader as it would be without layers: it looks for them in a variable that nobody sets.
void write_loader_without_layers(const fs::path& to) {
  std::string bytes = contents(system_loader());
  const std::string variable = "OPENCL_LAYERS";
  ASSERT_GT(occurrences(bytes, variable), 0u);
  for (size_t at = bytes.find(variable); at != std::string::npos; at = bytes.find(variable)) bytes[at] = '_';
  std::ofstream(to, std::ios::binary) << bytes;
}

class EntryPoints : public ::testing::Test {
 protected:
  Outcome run(std::vector<std::string> argv, std::map<std::string, std::string> changes = {}) {
    argv[0] = kGuests + "/guest_" + argv[0];
    std::map<std::string, std::string> environment = {{"POCL_DEVICES", "basic basic"},
                                                      {"LD_PRELOAD", preload(kMarking)},
                                                      {"OPENCL_LAYERS", ""},
                                                      {"ASAN_OPTIONS", "detect_leaks=0"}};
    for (auto& [name, value] : changes) environment[name] = value;
    return run_program(argv, environment);
  }

  // `times` listings of two devices, each marked once, and kernels that ran.
  void expect_caught(const Outcome& outcome, size_t times = 1) {
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(occurrences(outcome.out, "platforms: 0 1\n"), times) << outcome.out;
    EXPECT_EQ(occurrences(outcome.out, "device: caught: basic"), 2 * times) << outcome.out;
    EXPECT_EQ(occurrences(outcome.out, "device: "), 2 * times) << outcome.out;
    EXPECT_EQ(occurrences(outcome.out, "sum: 4950\n"), times) << outcome.out << outcome.err;
  }

  Folder folder_;
};

TEST_F(EntryPoints, WithoutPreloadNothingIsMarked) {
  const Outcome outcome = run({"linked"}, {{"LD_PRELOAD", ""}});
  EXPECT_THAT(outcome.out, Not(HasSubstr("caught")));
  EXPECT_EQ(line_after(outcome.out, "sum: "), "4950") << "needs PoCL";
}

TEST_F(EntryPoints, CatchALinkedProgram) { expect_caught(run({"linked"})); }

TEST_F(EntryPoints, CatchTheFirstUseFromManyThreads) { expect_caught(run({"linked", "threads"})); }

TEST_F(EntryPoints, CatchDlopenOfTheSoname) { expect_caught(run({"dynamic", "libOpenCL.so.1", "dlsym"})); }

TEST_F(EntryPoints, CatchDlopenOfTheDevelopmentName) {
  if (run({"dynamic", "libOpenCL.so", "dlsym"}, {{"LD_PRELOAD", ""}}).exit_code != 0)
    GTEST_SKIP() << "no libOpenCL.so here (package ocl-icd-opencl-dev)";
  expect_caught(run({"dynamic", "libOpenCL.so", "dlsym"}));
}

TEST_F(EntryPoints, CatchDlvsym) { expect_caught(run({"dynamic", "libOpenCL.so.1", "dlvsym"})); }

TEST_F(EntryPoints, CatchAPathToTheLoader) { expect_caught(run({"dynamic", system_loader(), "dlsym"})); }

TEST_F(EntryPoints, CatchALoaderUnderAnotherName) {  // as Python wheels carry it
  const fs::path bundled = folder_ / "libOpenCL-1bd2c2d5.so.1.0.0";
  fs::copy_file(system_loader(), bundled);
  expect_caught(run({"dynamic", bundled, "dlsym"}));
}

TEST_F(EntryPoints, CatchAPluginsLocalScope) { expect_caught(run({"plugin_host", kGuests + "/libguest_plugin.so"})); }

TEST_F(EntryPoints, CatchAChildProgram) { expect_caught(run({"linked", "exec", kGuests + "/guest_linked"})); }

TEST_F(EntryPoints, MayBeMixedInOneProcess) {
  for (const char* first : {"linked", "opened"}) {
    SCOPED_TRACE(first);
    expect_caught(run({"mixed", first}), 2);
  }
}

TEST_F(EntryPoints, CatchALinkedProgramWhoseLoaderHasNoLayers) {
  write_loader_without_layers(folder_ / "libOpenCL.so.1");
  expect_caught(run({"linked"}, {{"LD_LIBRARY_PATH", folder_.string()}}));
}

TEST_F(EntryPoints, CatchDlopenWithoutLayersByADirectoryOfLinks) {
  fs::create_directories(folder_ / "links");
  for (const char* name : {"libOpenCL.so", "libOpenCL.so.1"}) fs::create_symlink(kMarking, folder_ / "links" / name);
  write_loader_without_layers(folder_ / "libOpenCL.so.1");
  const std::string path = (folder_ / "links").string() + ":" + folder_.string();
  for (const char* name : {"libOpenCL.so", "libOpenCL.so.1"}) {
    SCOPED_TRACE(name);
    expect_caught(run({"dynamic", name, "dlsym"}, {{"LD_LIBRARY_PATH", path}}));
  }
  expect_caught(run({"linked"}, {{"LD_LIBRARY_PATH", path}}));
}

TEST_F(EntryPoints, OpenAsALayerWithoutPreload) {
  expect_caught(run({"linked"}, {{"LD_PRELOAD", kRuntime}, {"OPENCL_LAYERS", kMarking}}));
}

TEST_F(EntryPoints, OpenOnceIfTheUserNamedTheLayerToo) {
  expect_caught(run({"linked"}, {{"OPENCL_LAYERS", kMarking}}));
}

TEST_F(EntryPoints, ServeADriverThatWasBoundToThem) {
  std::ofstream(folder_ / "misbound.icd") << kGuests << "/libmisbound_driver.so\n";
  for (const std::vector<std::string>& guest :
       {std::vector<std::string>{"linked"}, {"dynamic", "libOpenCL.so.1", "dlsym"}}) {
    SCOPED_TRACE(guest[0]);
    const Outcome outcome = run(guest, {{"OCL_ICD_VENDORS", folder_.string()}});
    EXPECT_EQ(line_after(outcome.out, "platforms: "), "0 1");
    EXPECT_EQ(line_after(outcome.out, "device: "), "caught: misbound device") << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("error: ")) << "the rest of its table is empty";
    EXPECT_EQ(outcome.exit_code, 0);
  }
}

TEST_F(EntryPoints, WithoutOpenCLSayWhatTheStandardSays) {
  const Outcome outcome = run({"linked"}, {{"SAMCL_OPENCL", "/nonexistent/libOpenCL.so.1"}});
  EXPECT_EQ(line_after(outcome.out, "platforms: "), "-1001 0");
  EXPECT_EQ(occurrences(outcome.err, "samcl: "), 1u) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("/nonexistent/libOpenCL.so.1"));
}

TEST_F(EntryPoints, NeverTakeThemselvesForTheLoader) {
  const Outcome outcome = run({"linked"}, {{"SAMCL_OPENCL", kMarking}});
  EXPECT_EQ(line_after(outcome.out, "platforms: "), "-1001 0");
  EXPECT_THAT(outcome.err, HasSubstr("is not an OpenCL loader"));
}

TEST_F(EntryPoints, LoadNothingIntoAProgramWithoutOpenCL) {
  if (kSanitized) GTEST_SKIP() << "system programs have no sanitizer";
  const Outcome outcome = run_program({"cat", "/proc/self/maps"}, {{"LD_PRELOAD", kSamcl}});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr("libsamcl.so"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("libOpenCL")));
  EXPECT_THAT(outcome.out, Not(HasSubstr("libstdc++")));
}

TEST_F(EntryPoints, AppendTheLayerOnceAndKeepOthers) {
  if (kSanitized) GTEST_SKIP() << "system programs have no sanitizer";
  const Outcome outcome =
      run_program({"sh", "-c", "sh -c env"}, {{"LD_PRELOAD", kMarking}, {"OPENCL_LAYERS", "/other/layer.so"}});
  EXPECT_EQ(line_after(outcome.out, "OPENCL_LAYERS="), "/other/layer.so:" + kMarking);
}

TEST_F(EntryPoints, ShowClinfoTheSameButForTheMark) {
  if (kSanitized) GTEST_SKIP() << "system programs have no sanitizer";
  const Outcome plain = run_program({"clinfo"}, {{"POCL_DEVICES", "basic basic"}});
  if (plain.exit_code != 0) GTEST_SKIP() << "no clinfo here";
  Outcome caught = run_program({"clinfo"}, {{"POCL_DEVICES", "basic basic"}, {"LD_PRELOAD", kMarking}});
  const std::string mark = "caught: ";
  EXPECT_GT(occurrences(caught.out, mark), 0u);
  for (size_t at = caught.out.find(mark); at != std::string::npos; at = caught.out.find(mark))
    caught.out.erase(at, mark.size());
  EXPECT_EQ(caught.out, plain.out);
}

// "clFinish OPENCL_1.0" and so on: all functions that a library exports, with their versions.
std::set<std::string> exported(const std::string& library) {
  std::set<std::string> result;
  std::istringstream lines(run_program({"objdump", "-T", library}).out);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<std::string> parts{std::istream_iterator<std::string>(words), {}};
    if (parts.size() < 3 || line.find("*UND*") != std::string::npos || line.find(".text") == std::string::npos)
      continue;
    result.insert(parts.back() + " " + parts[parts.size() - 2]);
  }
  return result;
}

class Symbols : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(, Symbols, ::testing::Values(kMarking, kSamcl),
                         [](const auto& info) { return info.param == kSamcl ? "Samcl" : "Marking"; });

TEST_P(Symbols, AreThoseOfTheLoaderWithItsVersions) {
  const std::set<std::string> theirs = exported(system_loader());
  ASSERT_GT(theirs.size(), 100u) << "needs ocl-icd and objdump";
  const std::set<std::string> ours = exported(GetParam());
  for (const std::string& symbol : theirs) EXPECT_TRUE(ours.count(symbol)) << symbol;
}

TEST_P(Symbols, AreNoOthersButTheLayersAndTheApplicationInterface) {
  const std::set<std::string> theirs = exported(system_loader());
  for (const std::string& symbol : exported(GetParam())) {
    const std::string name = symbol.substr(0, symbol.find(' '));
    const bool layer = name == "clGetLayerInfo" || name == "clInitLayer" || name == "clInitLayerWithProperties" ||
                       name == "clDeinitLayer";
    EXPECT_TRUE(theirs.count(symbol) || layer || name.rfind("samcl_", 0) == 0) << symbol;
  }
}

class Samcl : public EntryPoints {
 protected:
  Outcome run(const std::vector<std::string>& argv) {
    return EntryPoints::run(argv, {{"LD_PRELOAD", preload(kSamcl)}});
  }
};

TEST_F(Samcl, ServesEveryKindOfProgram) {
  for (const std::vector<std::string>& guest : {std::vector<std::string>{"linked"},
                                                {"dynamic", "libOpenCL.so.1", "dlsym"},
                                                {"dynamic", "libOpenCL.so.1", "dlvsym"},
                                                {"plugin_host", kGuests + "/libguest_plugin.so"},
                                                {"mixed", "linked"},
                                                {"mixed", "opened"}}) {
    const Outcome outcome = run(guest);
    EXPECT_EQ(outcome.exit_code, 0) << guest[0];
    EXPECT_EQ(line_after(outcome.out, "sum: "), "4950") << guest[0] << "\n" << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, Not(HasSubstr("error: "))) << guest[0];
  }
}

}  // namespace
}  // namespace samcl::testing
