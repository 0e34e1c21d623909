#include "benchmarks/harness/catalogue.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace samcl::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A folder of shell scripts that print help.
class Folder {
 public:
  Folder() : path_(std::filesystem::path(::testing::TempDir()) / ("sam_bench_programs." + std::to_string(getpid()))) {
    std::filesystem::create_directory(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  void add(const std::string& name, const std::string& help) const {
    std::ofstream(path_ / name) << "#!/bin/sh\ncat <<'END'\n" << help << "\nEND\n";
    std::filesystem::permissions(path_ / name, std::filesystem::perms::owner_all);
  }
  std::string path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct CatalogueTest : ::testing::Test {
  CatalogueTest() {
    folder.add("Sort",
               "Sort: sorts\nOptions:\n  -h,--help  Print\n  --iterations UINT [10]  Jobs\n  --keys UINT "
               "[99]  Keys");
    folder.add("Add", "Add: adds\nOptions:\n  --iterations UINT [10]  Jobs\n  --size UINT [7]  Elements");
    folder.add("Overhead", "Overhead\n  --launches UINT  Launches");
    std::ofstream(folder.path() + "/readme.txt") << "not executable";
  }
  Folder folder;
};

TEST_F(CatalogueTest, ListsExecutablesByNameWithTheOptionsThatOnlyTheyHave) {
  const auto programs = find_programs(folder.path()).value();
  ASSERT_EQ(programs.size(), 3u);
  EXPECT_EQ(programs[0].name, "Add");
  EXPECT_THAT(programs[0].options, ElementsAre("--size UINT [7]  Elements"));
  EXPECT_THAT(programs[2].options, ElementsAre("--keys UINT [99]  Keys"));
  EXPECT_TRUE(programs[2].has_jobs);
  EXPECT_FALSE(programs[1].has_jobs) << "Overhead has no --iterations";
}

TEST_F(CatalogueTest, AllAreThoseThatRunJobs) {
  const auto chosen = choose(find_programs(folder.path()).value(), {"all"}).value();
  ASSERT_EQ(chosen.size(), 2u);
  EXPECT_EQ(chosen[0].name, "Add");
  EXPECT_EQ(chosen[1].name, "Sort");
}

TEST_F(CatalogueTest, AnUnknownNameIsAnErrorThatNamesTheOthers) {
  const auto chosen = choose(find_programs(folder.path()).value(), {"Sorts"});
  ASSERT_FALSE(chosen);
  EXPECT_EQ(chosen.error().message, "there is no program Sorts; there are: Add, Sort");
}

TEST_F(CatalogueTest, OneWithoutJobsCannotBeChosen) {
  const auto chosen = choose(find_programs(folder.path()).value(), {"Overhead"});
  ASSERT_FALSE(chosen);
  EXPECT_THAT(chosen.error().message, HasSubstr("Overhead does not run jobs"));
}

TEST(Catalogue, AFolderThatIsNotThereIsAnError) {
  const auto programs = find_programs("/no/such/folder");
  ASSERT_FALSE(programs);
  EXPECT_THAT(programs.error().message, HasSubstr("/no/such/folder: No such file or directory"));
}

}  // namespace
}  // namespace samcl::bench
