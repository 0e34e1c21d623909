#include "libsamcl/program/build_specification.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace samcl {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const BuildSpecification> object(const std::string& source) {
  return std::make_shared<BuildSpecification>(
      BuildSpecification{.function = BuildSpecification::Function::compile, .source = source});
}

std::shared_ptr<const BuildSpecification> linked(std::vector<std::shared_ptr<const BuildSpecification>> inputs,
                                                 const std::string& options = "") {
  return std::make_shared<BuildSpecification>(BuildSpecification{
      .function = BuildSpecification::Function::link, .options = options, .inputs = std::move(inputs)});
}

TEST(BuildSpecification, SourcesComeInTheOrderOfLinkingAndOnce) {
  const auto a = object("a"), b = object("b"), c = object("c");
  const auto library = linked({b, a}, "-create-library");
  EXPECT_EQ(sources_of(*linked({library, c, b})), (std::vector<const BuildSpecification*>{b.get(), a.get(), c.get()}));
  EXPECT_EQ(sources_of(*a), std::vector<const BuildSpecification*>{a.get()});
}

TEST(BuildSpecification, BuiltAndLinkedProgramsAreExecutableObjectsAndLibrariesAreNot) {
  EXPECT_TRUE(BuildSpecification{}.is_executable());
  EXPECT_FALSE(object("a")->is_executable());
  EXPECT_TRUE(linked({object("a")}, "-cl-fast-relaxed-math")->is_executable());
  EXPECT_FALSE(linked({object("a")}, " -enable-link-options  -create-library")->is_executable());
}

// A translator that preprocesses everything to one text.
struct Preprocessed : ::testing::Test {
  Preprocessed() {
    fs::create_directories(folder);
    std::ofstream(settings.program)
        << "#!/bin/sh\ncat >/dev/null\ncase \"$*\" in *--preprocess*)\n"
           R"(echo '{"sources": [{"source": "text", "options": "-w", "gathered": null}], "includes": {}, "kernels": []}' ;; esac)"
        << "\n";
    chmod(settings.program.c_str(), 0755);
  }
  ~Preprocessed() override { fs::remove_all(folder); }
  std::shared_ptr<const BuildSpecification> of(const std::string& source) const {
    const auto specification = without_files({.function = BuildSpecification::Function::compile,
                                              .options = "-w -I.",
                                              .source = source,
                                              .headers = {{"a.h", "a"}}},
                                             {}, settings);
    return specification ? *specification : nullptr;
  }

  const fs::path folder = fs::temp_directory_path() / ("build_specification_test." + std::to_string(getpid()));
  TranslatorSettings settings{.program = folder / "translator", .cache_directory = ""};
};

TEST_F(Preprocessed, CompilationHasNoFilesAnyMore) {
  const auto specification = of("#include \"a.h\"\n");
  ASSERT_TRUE(specification);
  EXPECT_EQ(specification->function, BuildSpecification::Function::compile);
  EXPECT_EQ(specification->source, "text");
  EXPECT_EQ(specification->options, "-w");
  EXPECT_TRUE(specification->headers.empty());
}

TEST_F(Preprocessed, CompilationThatIncludesNothingIsLeftAlone) {
  fs::remove(settings.program);
  const auto specification = of("source");
  ASSERT_TRUE(specification);
  EXPECT_EQ(specification->source, "source");
  EXPECT_EQ(specification->options, "-w -I.");
  EXPECT_EQ(of("#include <a.h>\n"), nullptr);
}

}  // namespace
}  // namespace samcl
