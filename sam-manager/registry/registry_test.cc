#include "sam-manager/registry/registry.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace samcl::registry {
namespace {

using ::testing::HasSubstr;
using ::testing::IsNull;

struct RegistryTest : ::testing::Test {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("samcl-registry." + std::to_string(getpid()) + "." +
                                                ::testing::UnitTest::GetInstance()->current_test_info()->name());
  std::string file = folder / "new" / "tasks.json";
  ~RegistryTest() override { std::filesystem::remove_all(folder); }
};

TEST_F(RegistryTest, TasksOutliveTheDaemon) {
  const std::string profile = R"({"platform":{"gpus":1},"tasks":[]})";
  const auto saved =
      save(file, {{"camera", {"camera", 30, 40'000'000, 35'000'000, 2, "/usr/bin/camera", {"0", "pocl:1"}, profile}}});
  ASSERT_TRUE(saved) << saved.error().message;
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
  registry->replace({{"a", {"a", 1, 1, 1, 0, "/usr/bin/camera", {}}}, {"b", {"b", 2, 1, 1, 0, "radar", {}}}});
  EXPECT_EQ(registry->find("b", "/usr/bin/camera")->name, "b") << "what a program asks for comes first";
  EXPECT_EQ(registry->find("", "/usr/bin/camera")->name, "a");
  EXPECT_EQ(registry->find("", "/anywhere/radar")->name, "b");
  EXPECT_THAT(registry->find("", "/opt/bin/camera"), IsNull());
  EXPECT_THAT(registry->find("unknown", "/usr/bin/camera"), IsNull());
  EXPECT_THAT(registry->find("", ""), IsNull());
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

TEST_F(RegistryTest, EveryFieldIsChecked) {
  const auto problem = [](const char* field, const nlohmann::json& value) {
    nlohmann::json task = to_json({"camera", 1, 2, 3, 1, "m", {"a"}});
    task[field] = value;
    const auto read = task_from_json(task);
    return read ? "none" : read.error().message;
  };
  EXPECT_EQ(problem("gpus", 1), "none");
  EXPECT_THAT(problem("period_ns", -5), HasSubstr("task \"camera\": period_ns: expected an integer, 1 to"));
  EXPECT_THAT(problem("deadline_ns", 0), HasSubstr("deadline_ns: expected an integer, 1 to"));
  EXPECT_THAT(problem("period_ns", 1.5), HasSubstr("period_ns: expected an integer"));
  EXPECT_THAT(problem("priority", uint64_t{1} << 40), HasSubstr("priority: expected an integer"));
  EXPECT_THAT(problem("gpus", 33), HasSubstr("gpus: expected an integer, 0 to 32"));
  EXPECT_THAT(problem("gpus", 2), HasSubstr("may use only 1 devices"));
  EXPECT_THAT(problem("name", ""), HasSubstr("name: expected a name"));
  EXPECT_THAT(problem("name", "a\tb"), HasSubstr("a task: name: has a control character"));
  EXPECT_THAT(problem("devices", {"a", 5}), HasSubstr("devices: name 1 is no string"));
  EXPECT_THAT(problem("profile", "text"), HasSubstr("profile: expected an object"));
}

TEST_F(RegistryTest, TaskHasAWeightOrADeadline) {
  const nlohmann::json batch = {{"name", "batch"}, {"weight", 7}};
  const auto read = task_from_json(batch);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->weight, 7u);
  EXPECT_EQ(task_from_json(to_json(*read)).value().weight, 7u);
  for (const char* field : {"priority", "period_ns", "deadline_ns", "profile"}) {
    nlohmann::json both = batch;
    both[field] = 1;
    if (std::string(field) == "profile") both[field] = nlohmann::json::object();
    EXPECT_THAT(task_from_json(both).error().message,
                HasSubstr(std::string(field) + ": a task with a weight has no deadline"));
  }
  EXPECT_THAT(task_from_json({{"name", "batch"}, {"weight", 0}}).error().message,
              HasSubstr("weight: expected an integer, 1 to 1000"));
}

TEST_F(RegistryTest, DoubtsAreNamed) {
  const Tasks tasks = {{"a", {"a", 1, 1, 1, 0, "/bin/x", {}}}};
  EXPECT_TRUE(doubts({"a", 1, 1, 1, 0, "/bin/x", {}}, tasks).empty());
  EXPECT_THAT(doubts({"b", 99, 1, 1, 0, "/bin/x", {}}, tasks),
              ::testing::ElementsAre(HasSubstr("beyond 98"), HasSubstr("task \"a\" has the match /bin/x too")));
}

TEST_F(RegistryTest, FileThatCannotBeWrittenIsAnError) {
  EXPECT_THAT(save("/proc/samcl/tasks.json", {}).error().message, HasSubstr("cannot write"));
}

TEST_F(RegistryTest, WhatIsNoFileOfTasksIsNamed) {
  std::filesystem::create_directories(folder / "new");
  EXPECT_THAT(Registry::open(folder).error().message,
              HasSubstr("cannot read the tasks in " + folder.string() + ": it is no regular file"));
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  EXPECT_THAT(Registry::open(file).error().message, HasSubstr("it is no regular file")) << "and nobody is waited for";
  std::filesystem::remove(file);
  for (const auto& [text, problem] : {std::pair{"", "it is no JSON object"},
                                      {"{\"format\": 1, \"tasks\": [", "it is no JSON object"},
                                      {"{\"format\": 2, \"tasks\": []}", "format: expected an integer, 1 to 1, not 2"},
                                      {"{\"format\": 1, \"tasks\": 5}", "tasks: expected an array"}}) {
    std::ofstream(file) << text;
    EXPECT_THAT(Registry::open(file).error().message, HasSubstr(file + " is no list of tasks (")) << text;
    EXPECT_THAT(Registry::open(file).error().message, HasSubstr(problem)) << text;
  }
}

}  // namespace
}  // namespace samcl::registry
