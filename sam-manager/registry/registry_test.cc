#include "sam-manager/registry/registry.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace samcl::registry {
namespace {

using ::testing::HasSubstr;
using ::testing::IsNull;

struct RegistryTest : ::testing::Test {
  std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                 ("samcl-registry." + std::to_string(getpid()) + "." +
                                  ::testing::UnitTest::GetInstance()->current_test_info()->name());
  std::string file = folder / "new" / "tasks.json";
  ~RegistryTest() override { std::filesystem::remove_all(folder); }
};

TEST_F(RegistryTest, TasksOutliveTheDaemon) {
  auto first = Registry::open(file);
  ASSERT_TRUE(first);
  const std::string profile = R"({"platform":{"gpus":1},"tasks":[]})";
  ASSERT_TRUE(first->put({"camera", 30, 40'000'000, 35'000'000, 2, "/usr/bin/camera", {"0", "pocl:1"}, profile}));
  ASSERT_TRUE(first->put({"radar", 10, 80'000'000, 80'000'000, 0, "", {}}));
  ASSERT_TRUE(first->remove("radar"));
  const auto second = Registry::open(file);
  ASSERT_TRUE(second) << second.error().message;
  ASSERT_EQ(second->tasks().size(), 1u);
  const Task& task = second->tasks().at("camera");
  EXPECT_EQ(to_json(task),
            to_json({"camera", 30, 40'000'000, 35'000'000, 2, "/usr/bin/camera", {"0", "pocl:1"}, profile}));
  EXPECT_EQ(task.profile, profile);
}

TEST_F(RegistryTest, FilesOfEarlierReleasesHaveNoDevices) {
  std::filesystem::create_directories(folder);
  const std::string early = folder / "early.json";
  std::ofstream(early) << R"({"format": 1, "tasks": [{"name": "a", "priority": 1, "period_ns": 2,
                                                      "deadline_ns": 2, "gpus": 1, "match": ""}]})";
  const auto opened = Registry::open(early);
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_TRUE(opened->tasks().at("a").devices.empty());
}

TEST_F(RegistryTest, FindsByNameOrByExecutable) {
  auto registry = Registry::open("");
  ASSERT_TRUE(registry->put({"a", 1, 1, 1, 0, "/usr/bin/camera", {}}));
  ASSERT_TRUE(registry->put({"b", 2, 1, 1, 0, "radar", {}}));
  EXPECT_EQ(registry->find("b", "/usr/bin/camera")->name, "b") << "what a program asks for comes first";
  EXPECT_EQ(registry->find("", "/usr/bin/camera")->name, "a");
  EXPECT_EQ(registry->find("", "/anywhere/radar")->name, "b");
  EXPECT_THAT(registry->find("", "/opt/bin/camera"), IsNull());
  EXPECT_THAT(registry->find("unknown", "/usr/bin/camera"), IsNull());
  EXPECT_THAT(registry->find("", ""), IsNull());
}

TEST_F(RegistryTest, RemovingWhatIsNotThereIsAnError) {
  EXPECT_THAT(Registry::open("")->remove("x").error().message, HasSubstr("no task \"x\" is registered"));
}

TEST_F(RegistryTest, SpoiledFileIsNamedAndKept) {
  std::filesystem::create_directories(folder);
  const std::string spoiled = folder / "spoiled.json";
  std::ofstream(spoiled) << "{\"format\": 1, \"tasks\": [{}]}";
  const auto opened = Registry::open(spoiled);
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr(spoiled));
  EXPECT_TRUE(std::filesystem::exists(spoiled));
}

TEST_F(RegistryTest, NothingChangesIfTheFileCannotBeWritten) {
  auto registry = Registry::open("/proc/samcl/tasks.json");
  ASSERT_TRUE(registry);
  EXPECT_THAT(registry->put({"a", 1, 1, 1, 0, "", {}}).error().message, HasSubstr("cannot write"));
  EXPECT_TRUE(registry->tasks().empty());
}

}  // namespace
}  // namespace samcl::registry
