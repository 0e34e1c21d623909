#include "libsamcl/runtime/recipe.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace samcl {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const Recipe> object(const std::string& source, int64_t begun = 0) {
  const auto recipe = begin_recipe(Recipe::Step::compile, nullptr, source);
  recipe->begun = begun;
  return recipe;
}

std::shared_ptr<const Recipe> linked(std::vector<std::shared_ptr<const Recipe>> inputs, const std::string& options = "") {
  return std::make_shared<Recipe>(
      Recipe{.step = Recipe::Step::link, .options = options, .inputs = std::move(inputs)});
}

TEST(Recipe, SourcesComeInTheOrderOfLinkingAndOnce) {
  const auto a = object("a"), b = object("b"), c = object("c");
  const auto library = linked({b, a}, "-create-library");
  EXPECT_EQ(sources_of(*linked({library, c, b})), (std::vector<const Recipe*>{b.get(), a.get(), c.get()}));
  EXPECT_EQ(sources_of(*a), std::vector<const Recipe*>{a.get()});
}

TEST(Recipe, BuiltAndLinkedProgramsAreExecutableObjectsAndLibrariesAreNot) {
  EXPECT_TRUE(Recipe{}.is_executable());
  EXPECT_FALSE(object("a")->is_executable());
  EXPECT_TRUE(linked({object("a")}, "-cl-fast-relaxed-math")->is_executable());
  EXPECT_FALSE(linked({object("a")}, " -enable-link-options  -create-library")->is_executable());
}

// A translator that finds one included file, whatever it is asked.
struct Included : ::testing::Test {
  Included() {
    fs::create_directories(folder);
    std::ofstream(folder / "translator") << "#!/bin/sh\ncat >/dev/null\n"
                                         << R"(echo '{"sources": [{"source": null, "options": ""}], "includes": [")"
                                         << (folder / "file.h").string() << R"("], "kernels": []}')" << "\n";
    chmod((folder / "translator").c_str(), 0755);
    std::ofstream(folder / "file.h") << "text";
  }
  ~Included() override { fs::remove_all(folder); }
  Result<Translation> translated(int64_t begun) const {
    return translate(*linked({object("a", begun)}), {}, {.program = folder / "translator", .cache_directory = ""});
  }

  const fs::path folder = fs::temp_directory_path() / ("recipe_test." + std::to_string(getpid()));
};

TEST_F(Included, FileOlderThanTheCompilationIsWhatWasCompiled) {
  EXPECT_TRUE(translated(time_of_day() + 1'000'000'000));
}

TEST_F(Included, FileChangedSinceTheCompilationIsNot) {
  const auto translation = translated(time_of_day() - 1'000'000'000);
  ASSERT_FALSE(translation);
  EXPECT_EQ(translation.error().message, (folder / "file.h").string() + " may have changed since it was compiled");
}

TEST_F(Included, FileIsAnotherOneInAnotherFolder) {
  const auto before = object("a", time_of_day() + 1'000'000'000);
  const fs::path here = fs::current_path();
  fs::current_path(folder);
  const auto translation = translate(*linked({before}), {}, {.program = folder / "translator", .cache_directory = ""});
  fs::current_path(here);
  EXPECT_FALSE(translation);
}

TEST_F(Included, FileThatIsGoneIsNot) {
  fs::remove(folder / "file.h");
  EXPECT_FALSE(translated(time_of_day() + 1'000'000'000));
}

}  // namespace
}  // namespace samcl
