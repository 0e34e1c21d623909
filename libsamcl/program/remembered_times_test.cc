#include "libsamcl/program/remembered_times.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace samcl {
namespace {

namespace fs = std::filesystem;

struct RememberedTimesOnDisk : ::testing::Test {
  // The settings are read once in a process.
  static fs::path folder() {
    static const fs::path path = [] {
      fs::path chosen = fs::temp_directory_path() / ("remembered_times_test." + std::to_string(getpid()));
      setenv("SAMCL_CACHE_DIR", chosen.c_str(), 1);
      return chosen;
    }();
    return path;
  }

  RememberedTimesOnDisk() { fs::remove_all(folder()); }
  ~RememberedTimesOnDisk() override { fs::remove_all(folder()); }

  const BuildSpecification program{.options = "-DN=4", .source = "kernel void f() {}"};
  const DeviceFacts device{
      .device_version = "OpenCL 3.0 test", .opencl_c_version = {}, .extensions = {}, .compiler = "one"};
  const RememberedTimes times{
      .parts_build_ns = 50'000'000,
      .kernels = {{"f",
                   {{{{10, 0.25}, {20, 1.5}}, {{20, {1.25, 2, 7, 64}}}, 4.5}, {80'000'000, 20'000'000}, 30'000'000}},
                  {"g", {}}},
      .promising_ns = 70'000'000,
      .rented_ns = 90'000'000,
      .gathers = 7,
      .built = 1};
};

TEST_F(RememberedTimesOnDisk, AreFoundAsTheyWereKept) {
  EXPECT_EQ(remembered_times(program, device), std::nullopt);
  remember_times(program, device, times);
  EXPECT_EQ(remembered_times(program, device), times);
}

TEST_F(RememberedTimesOnDisk, TheLastOnesCount) {
  remember_times(program, device, {.parts_build_ns = 1, .kernels = {}});
  remember_times(program, device, times);
  EXPECT_EQ(remembered_times(program, device), times);
}

TEST_F(RememberedTimesOnDisk, AreOfThatProgramAndThatKindOfDevice) {
  remember_times(program, device, times);
  BuildSpecification with_other_options = program;
  with_other_options.options = "-DN=8";
  EXPECT_EQ(remembered_times(with_other_options, device), std::nullopt);
  DeviceFacts other = device;
  other.compiler = "another";
  EXPECT_EQ(remembered_times(program, other), std::nullopt);
}

TEST_F(RememberedTimesOnDisk, AreNoneWhereTheFileHoldsSomethingElse) {
  remember_times(program, device, times);
  int found = 0;
  for (const auto& entry : fs::directory_iterator(folder())) {
    std::string text;
    {
      std::ifstream file(entry.path(), std::ios::binary);
      text.assign(std::istreambuf_iterator<char>(file), {});
    }
    const size_t at = text.find("parts_build_ns");
    if (at == std::string::npos) continue;  // no times
    ++found;
    text[at] = 'P';
    std::ofstream(entry.path(), std::ios::binary) << text;
  }
  EXPECT_EQ(found, 1);
  EXPECT_EQ(remembered_times(program, device), std::nullopt);
}

}  // namespace
}  // namespace samcl
