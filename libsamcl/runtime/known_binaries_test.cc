#include "libsamcl/runtime/known_binaries.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace samcl {
namespace {

namespace fs = std::filesystem;

using Binary = std::vector<unsigned char>;

struct KnownBinaries : ::testing::Test {
  // The settings are read once in a process.
  static fs::path folder() {
    static const fs::path path = [] {
      fs::path chosen = fs::temp_directory_path() / ("known_binaries_test." + std::to_string(getpid()));
      setenv("SAMCL_CACHE_DIR", chosen.c_str(), 1);
      return chosen;
    }();
    return path;
  }

  KnownBinaries() { fs::remove_all(folder()); }
  ~KnownBinaries() override { fs::remove_all(folder()); }

  static std::vector<fs::path> files() {
    std::vector<fs::path> found;
    if (fs::is_directory(folder()))
      for (const auto& entry : fs::directory_iterator(folder())) found.push_back(entry.path());
    return found;
  }

  const Binary binary{0x7f, 'E', 'L', 'F', 0, '\n', 0xff, 0};
};

TEST_F(KnownBinaries, OriginIsWhatWasRemembered) {
  const BinaryOrigin cases[] = {
      {"__kernel void k() {}", "-DA=1 -cl-fast-relaxed-math"},
      {"__kernel void k() {}", ""},
      {"", ""},
      {"9\nstarts with a number", "7\n"},
      {std::string("with\0nul\n", 9), "-D B=\"x y\""},
  };
  Binary name = binary;
  for (const BinaryOrigin& origin : cases) {
    name.push_back(1);
    remember_binary(name, origin);
    const auto found = origin_of(name);
    ASSERT_TRUE(found) << origin.source;
    EXPECT_EQ(found->source, origin.source);
    EXPECT_EQ(found->options, origin.options);
  }
}

TEST_F(KnownBinaries, UnknownBinaryHasNoOrigin) {
  EXPECT_FALSE(origin_of(binary));
  remember_binary(binary, {"source", "options"});
  Binary longer = binary, shorter = binary, other = binary;
  longer.push_back(0);
  shorter.pop_back();
  other[3] ^= 1;
  EXPECT_FALSE(origin_of(longer));
  EXPECT_FALSE(origin_of(shorter));
  EXPECT_FALSE(origin_of(other));
  EXPECT_FALSE(origin_of({}));
}

TEST_F(KnownBinaries, FirstOriginStays) {
  remember_binary(binary, {"first", "-DA"});
  remember_binary(binary, {"second", "-DB"});
  EXPECT_EQ(origin_of(binary)->source, "first");
}

TEST_F(KnownBinaries, SourceThatIncludesIsNotRemembered) {
  for (const char* source : {"#include \"x.h\"\n", "#  include <x.h>\n", "# \\\ninclude \"x.h\"\n"}) {
    remember_binary(binary, {source, ""});
    EXPECT_FALSE(origin_of(binary)) << source;
  }
  EXPECT_TRUE(files().empty());
}

TEST_F(KnownBinaries, DirectoryThatCannotBeWrittenIsNoMemory) {
  std::ofstream(folder()) << "a file where the directory should be";
  remember_binary(binary, {"source", ""});
  EXPECT_FALSE(origin_of(binary));
}

TEST_F(KnownBinaries, SpoiltFilesAreIgnoredAndReplaced) {
  remember_binary(binary, {"source", "options"});
  ASSERT_EQ(files().size(), 1u);
  const fs::path file = files().front();
  std::string whole;
  {
    std::ifstream in(file, std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(in), {});
  }
  for (size_t length = 0; length < whole.size(); ++length) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << whole.substr(0, length);
    EXPECT_FALSE(origin_of(binary)) << "cut after " << length << " bytes";
  }
  remember_binary(binary, {"source", "options"});
  EXPECT_TRUE(origin_of(binary));
}

TEST_F(KnownBinaries, LengthsThatAreTooLongAreNoOrigin) {
  remember_binary(binary, {"source", ""});
  const fs::path file = files().front();
  std::string whole;
  {
    std::ifstream in(file, std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(in), {});
  }
  const std::string answer = "8\n0\nsource";
  ASSERT_NE(whole.find(answer), std::string::npos);
  for (const std::string other : {"18446744073709551615\n", "99\n", "-1\n", "x\n", "\n", "0"}) {
    std::string spoilt = whole;
    spoilt.replace(spoilt.find(answer), answer.size(), std::to_string(other.size()) + "\n" + other);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << spoilt;
    EXPECT_FALSE(origin_of(binary)) << other;
  }
}

}  // namespace
}  // namespace samcl
