#include "libsamcl/program/known_binaries.h"

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
      for (const auto& entry : fs::directory_iterator(folder()))
        if (!entry.path().filename().string().starts_with('.')) found.push_back(entry.path());
    return found;
  }

  const Binary binary{0x7f, 'E', 'L', 'F', 0, '\n', 0xff, 0};
};

// What clBuildProgram made of a source.
BinaryOrigin built(const std::string& source, const std::string& options, std::vector<IncludedFile> includes = {}) {
  return {std::make_shared<BuildSpecification>(BuildSpecification{.options = options, .source = source}),
          std::move(includes)};
}

TEST_F(KnownBinaries, OriginIsWhatWasRemembered) {
  const BinaryOrigin cases[] = {
      built("__kernel void k() {}", "-DA=1 -cl-fast-relaxed-math"),
      built("__kernel void k() {}", ""),
      built("", ""),
      built("9\nstarts with a number", "7\n"),
      built(std::string("with\0nul\n", 9), "-D B=\"x y\""),
      built("not UTF-8: \xe9", "\xe9", {{"/a/b.h", "7 1.2"}, {"c \xe9.h", "absent"}}),
  };
  Binary name = binary;
  for (const BinaryOrigin& origin : cases) {
    name.push_back(1);
    remember_binary(name, origin);
    const auto found = origin_of(name);
    ASSERT_TRUE(found) << origin.specification->source;
    EXPECT_EQ(found->specification->function, BuildSpecification::Function::build);
    EXPECT_EQ(found->specification->source, origin.specification->source);
    EXPECT_EQ(found->specification->options, origin.specification->options);
    ASSERT_EQ(found->includes.size(), origin.includes.size());
    for (size_t i = 0; i < found->includes.size(); ++i) {
      EXPECT_EQ(found->includes[i].path, origin.includes[i].path);
      EXPECT_EQ(found->includes[i].stamp, origin.includes[i].stamp);
    }
  }
}

TEST_F(KnownBinaries, LinkedProgramsAreRememberedWithAllTheyWereLinkedFrom) {
  const auto object =
      std::make_shared<BuildSpecification>(BuildSpecification{.function = BuildSpecification::Function::compile,
                                                              .options = "-w",
                                                              .source = "#include <h>",
                                                              .headers = {{"h", "x"}}});
  const auto library = std::make_shared<BuildSpecification>(BuildSpecification{
      .function = BuildSpecification::Function::link, .options = "-create-library", .inputs = {object}});
  remember_binary(binary, {std::make_shared<BuildSpecification>(BuildSpecification{
                               .function = BuildSpecification::Function::link, .inputs = {library, object}}),
                           {}});
  const auto found = origin_of(binary);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->specification->is_executable());
  ASSERT_EQ(found->specification->inputs.size(), 2u);
  EXPECT_FALSE(found->specification->inputs[0]->is_executable());
  ASSERT_EQ(found->specification->inputs[0]->inputs.size(), 1u);
  for (const BuildSpecification* each :
       {found->specification->inputs[0]->inputs[0].get(), found->specification->inputs[1].get()}) {
    EXPECT_EQ(each->function, BuildSpecification::Function::compile);
    EXPECT_EQ(each->options, "-w");
    EXPECT_EQ(each->source, "#include <h>");
    EXPECT_EQ(each->headers, object->headers);
    EXPECT_FALSE(each->is_executable());
  }
}

TEST_F(KnownBinaries, UnknownBinaryHasNoOrigin) {
  EXPECT_FALSE(origin_of(binary));
  remember_binary(binary, built("source", "options"));
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
  remember_binary(binary, built("first", "-DA"));
  remember_binary(binary, built("second", "-DB"));
  EXPECT_EQ(origin_of(binary)->specification->source, "first");
}

TEST_F(KnownBinaries, DirectoryThatCannotBeWrittenIsNoMemory) {
  std::ofstream(folder()) << "a file where the directory should be";
  remember_binary(binary, built("source", ""));
  EXPECT_FALSE(origin_of(binary));
}

TEST_F(KnownBinaries, SpoiltFilesAreIgnoredAndReplaced) {
  remember_binary(binary, built("source", "options"));
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
  remember_binary(binary, built("source", "options"));
  EXPECT_TRUE(origin_of(binary));
}

TEST_F(KnownBinaries, EntriesOfAnotherFormAreNoOrigin) {
  remember_binary(binary, built("source", ""));
  const fs::path file = files().front();
  std::string whole;
  {
    std::ifstream in(file, std::ios::binary);
    whole.assign(std::istreambuf_iterator<char>(in), {});
  }
  const size_t answer = whole.find("mspecification");  // a string of thirteen bytes in CBOR
  ASSERT_NE(answer, std::string::npos);
  for (size_t at = answer; at < whole.size(); ++at) {
    std::string spoilt = whole;
    spoilt[at] = static_cast<char>(0xff);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << spoilt;
    origin_of(binary);  // another origin at worst
  }
  std::string other = whole;
  other[answer + 1] = 'R';
  std::ofstream(file, std::ios::binary | std::ios::trunc) << other;
  EXPECT_FALSE(origin_of(binary));
}

}  // namespace
}  // namespace samcl
