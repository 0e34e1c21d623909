// Tasks with profiles, as the administrator registers them: what sam-ctl says, and what running programs are
// told.
#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "sam-manager/tests/testbed.h"
#include "tests/support/run_program.h"

namespace samcl {
namespace {

using testing::Daemon;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Outcome;

struct AdmissionTest : ::testing::Test {
  Daemon daemon;
  const std::string folder =
      std::filesystem::temp_directory_path() / ("samcl-admission." + std::to_string(getpid()) + "." +
                                                ::testing::UnitTest::GetInstance()->current_test_info()->name());

  void SetUp() override {
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/m.toml") << "handovers = '0us'\noverrun = 'end'\nlog_level = 'warn'\n";
    ASSERT_TRUE(daemon.start({"--config", folder + "/m.toml"}));
  }
  ~AdmissionTest() override { std::filesystem::remove_all(folder); }

  // A profile of one GPU stage in slices of 1 ms, its times in modes 1 and 2.
  std::string profile(const std::string& one, const std::string& two, const std::string& period) const {
    const std::string file = folder + "/" + one + "-" + two + ".json";
    std::ofstream(file) << R"({"platform": {"cpus": 2, "gpus": 2}, "tasks": [{"name": "any", "period": ")" << period
                        << R"(", "stages": [{"resource": "GPU", "section": "1ms", "host": 0, "worst": [")" << one
                        << R"(", ")" << two << R"("]}]}]})";
    return file;
  }

  Outcome ctl(std::vector<std::string> words) const {
    words.insert(words.begin(), {SAM_CTL, "--instance", daemon.instance()});
    return testing::run_program(words, {});
  }

  Outcome register_task(const std::string& name, int priority, const std::string& file,
                        const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"register", name, "--priority", std::to_string(priority), "--profile", file};
    words.insert(words.end(), more.begin(), more.end());
    return ctl(words);
  }

  nlohmann::json plan() const { return nlohmann::json::parse(ctl({"analyze", "--json"}).out); }
};

TEST_F(AdmissionTest, RegisteringShowsEveryBoundAndWhatTheNewcomerChanged) {
  const auto client = daemon.connect();  // now there are two devices
  ASSERT_TRUE(client);
  const Outcome first = register_task("camera", 9, profile("15ms", "8ms", "12ms"));
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("camera"));
  EXPECT_THAT(first.out, HasSubstr("new"));
  EXPECT_THAT(first.out, HasSubstr("guaranteed"));
  const Outcome second = register_task("radar", 5, profile("30ms", "16ms", "100ms"));
  EXPECT_EQ(second.exit_code, 0) << second.err;
  EXPECT_THAT(second.out, HasSubstr("the same"));
  const auto tasks = plan()["tasks"];
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ(tasks[0]["name"], "camera");
  EXPECT_EQ(tasks[0]["mode"], 2);
  EXPECT_THAT(tasks[0]["devices"].get<std::vector<std::string>>(), ::testing::UnorderedElementsAre("a", "b"));
}

TEST_F(AdmissionTest, RunningProgramsAreToldTheirModeAndDevices) {
  const auto camera = daemon.connect("camera");
  const auto radar = testing::start_taker(daemon, "radar");
  ASSERT_TRUE(camera && radar);
  EXPECT_EQ(camera->assignment().gpus, 0u);
  ASSERT_EQ(register_task("camera", 9, profile("8ms", "7ms", "12ms")).exit_code, 0);
  EXPECT_EQ(camera->assignment().gpus, 2u);
  ASSERT_EQ(register_task("radar", 5, profile("9ms", "8ms", "14ms")).exit_code, 0);
  EXPECT_EQ(camera->assignment().gpus, 1u) << "both meet their deadlines only apart";
  std::map<std::string, nlohmann::json> devices;
  const nlohmann::json status = daemon.status();
  for (const auto& program : status["programs"]) devices[program["task"]] = program["devices"];
  EXPECT_EQ(devices["camera"].size(), 1u);
  EXPECT_EQ(devices["radar"].size(), 1u);
  EXPECT_NE(devices["camera"], devices["radar"]);
  ASSERT_EQ(ctl({"unregister", "radar"}).exit_code, 0);
  EXPECT_EQ(camera->assignment().gpus, 2u);
}

TEST_F(AdmissionTest, StatusShowsTheLongestJobBesideItsBound) {
  const auto camera = daemon.connect("camera");
  ASSERT_TRUE(camera);
  ASSERT_EQ(register_task("camera", 9, profile("8ms", "7ms", "12ms")).exit_code, 0);
  for (const uint64_t ms : {3, 7, 5}) camera->job_ended(ms * 1'000'000);
  const std::string status = ctl({"status"}).out;
  EXPECT_THAT(status, HasSubstr("JOBS  LONGEST  BOUND"));
  EXPECT_THAT(status, HasSubstr("3     7 ms     8.999999 ms"));
}

TEST_F(AdmissionTest, NothingIsGuaranteedWhileAProgramOfTheTaskBuilds) {
  if (geteuid() != 0) GTEST_SKIP() << "what is guaranteed needs real-time priorities";
  {
    const auto machine = daemon.connect();  // now there are two devices
    ASSERT_TRUE(machine);
    ASSERT_EQ(register_task("camera", 9, profile("8ms", "7ms", "12ms")).exit_code, 0);
  }
  const auto is_guaranteed = [&] {
    const auto planned = plan()["tasks"][0];
    const auto listed = nlohmann::json::parse(ctl({"list", "--json"}).out)["tasks"][0];
    EXPECT_EQ(planned["guaranteed"], listed["guaranteed"]);
    EXPECT_EQ(planned["building"], listed["building"]);
    EXPECT_EQ(planned["building"].is_null(), planned["guaranteed"]) << planned;
    return planned["guaranteed"].get<bool>();
  };
  EXPECT_TRUE(is_guaranteed()) << "no job of it is there, late or not";
  const auto camera = daemon.connect("camera");
  ASSERT_TRUE(camera);
  EXPECT_FALSE(is_guaranteed());
  EXPECT_THAT(ctl({"analyze"}).out, HasSubstr("building: process " + std::to_string(getpid()) + ": no job of it was"));
  EXPECT_THAT(ctl({"list"}).out, HasSubstr("building"));
  EXPECT_THAT(ctl({"status"}).out, HasSubstr("Not promised yet: camera (" + std::to_string(getpid()) +
                                             "), since no job of it was marked yet"));
  const Outcome registered = register_task("camera", 9, profile("8ms", "7ms", "12ms"));
  EXPECT_THAT(registered.err, HasSubstr("nothing is guaranteed yet: process "));
  EXPECT_THAT(registered.out, ::testing::Not(HasSubstr("guaranteed")));
  camera->job_began();
  EXPECT_FALSE(is_guaranteed());
  camera->job_ended(1'000'000);
  EXPECT_TRUE(is_guaranteed());
  EXPECT_THAT(ctl({"list"}).out, HasSubstr("guaranteed"));
  const auto second = testing::start_taker(daemon, "camera");
  ASSERT_TRUE(second);
  EXPECT_FALSE(is_guaranteed()) << "of all its programs";
}

TEST_F(AdmissionTest, StrictRefusesWhatBreaksAGuarantee) {
  const auto client = daemon.connect();
  ASSERT_TRUE(client);
  ASSERT_EQ(
      register_task("low", 1, profile("60ms", "60ms", "200ms"), {"--devices", "0", "--deadline", "100ms"}).exit_code,
      0);
  const auto before = plan();
  const Outcome refused =
      register_task("urgent", 9, profile("50ms", "50ms", "110ms"), {"--devices", "0", "--admission", "strict"});
  EXPECT_EQ(refused.exit_code, 1);
  // 60 and 50 ms, and what others have begun.
  EXPECT_THAT(refused.err, HasSubstr("not admitted, nothing was changed: \"low\" may take "));
  EXPECT_THAT(refused.err, HasSubstr(" beyond its deadline of 100 ms"));
  EXPECT_EQ(plan(), before);
  EXPECT_THAT(ctl({"list"}).out, ::testing::Not(HasSubstr("urgent")));
  const Outcome advised = register_task("urgent", 9, profile("50ms", "50ms", "110ms"), {"--devices", "0"});
  EXPECT_EQ(advised.exit_code, 0) << advised.err;
  EXPECT_THAT(advised.out, HasSubstr("late by up to "));
}

TEST_F(AdmissionTest, BoundIsExplainedTermByTerm) {
  const auto client = daemon.connect();
  ASSERT_TRUE(client);
  ASSERT_EQ(register_task("sonar", 5, profile("30ms", "30ms", "200ms")).exit_code, 0);
  ASSERT_EQ(register_task("camera", 9, profile("8ms", "8ms", "100ms"), {"--devices", "0"}).exit_code, 0);
  const Outcome table = ctl({"analyze", "--explain", "camera"});
  EXPECT_THAT(table.out, HasSubstr("own       GPU stage 1"));
  EXPECT_THAT(table.out, HasSubstr("blocking"));
  EXPECT_THAT(table.out, HasSubstr("bound     camera"));
  const auto task = nlohmann::json::parse(ctl({"analyze", "--explain", "camera", "--json"}).out);
  int64_t sum = 0;
  for (const auto& term : task["terms"]) sum += term["ns"].get<int64_t>();
  EXPECT_EQ(sum, task["bound_ns"]);
  EXPECT_THAT(ctl({"analyze", "--explain", "nobody"}).err, HasSubstr("no task \"nobody\" with a profile"));
}

TEST_F(AdmissionTest, WhatNobodyEnforcesIsAnEstimate) {
  std::ofstream(folder + "/m.toml") << "handovers = '0us'\nlog_level = 'warn'\n";
  daemon.stop(SIGTERM);
  ASSERT_TRUE(daemon.start({"--config", folder + "/m.toml"}));
  const Outcome first = register_task("camera", 9, profile("15ms", "8ms", "12ms"));
  EXPECT_THAT(first.out, HasSubstr("estimated: a section that is too long is not ended"));
  EXPECT_FALSE(plan()["tasks"][0]["guaranteed"]);
  EXPECT_TRUE(plan()["tasks"][0]["meets_deadline"]);
}

TEST_F(AdmissionTest, NewDevicesAreANewPlan) {
  ASSERT_EQ(register_task("camera", 9, profile("8ms", "7ms", "12ms")).exit_code, 0);
  ASSERT_EQ(register_task("radar", 5, profile("9ms", "8ms", "14ms")).exit_code, 0);
  const auto client = lease::Client::connect({daemon.instance(), "", 5000, 0}, {"only"});
  ASSERT_TRUE(client);
  for (int i = 0; i < 500 && plan()["tasks"][1]["guaranteed"]; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_THAT(plan()["tasks"][1]["devices"].get<std::vector<std::string>>(), ElementsAre("only"));
  EXPECT_FALSE(plan()["tasks"][1]["guaranteed"]) << "both on one GPU";
}

TEST_F(AdmissionTest, TaskSetCanBeSavedForSamAnalyze) {
  EXPECT_THAT(ctl({"analyze", "--save", folder + "/none.json"}).err, HasSubstr("no task has a profile"));
  ASSERT_EQ(register_task("camera", 9, profile("8ms", "7ms", "12ms")).exit_code, 0);
  ASSERT_EQ(ctl({"analyze", "--save", folder + "/set.json"}).exit_code, 0);
  const auto set = nlohmann::json::parse(std::ifstream(folder + "/set.json"));
  EXPECT_EQ(set["tasks"][0]["name"], "camera");
}

TEST_F(AdmissionTest, BadProfilesAreNamed) {
  const std::string file = folder + "/bad.json";
  std::ofstream(file) << R"({"platform": {"cpus": 2, "gpus": 2}, "tasks": []})";
  EXPECT_THAT(register_task("camera", 9, file).err, HasSubstr("--profile: /tasks"));
  EXPECT_THAT(register_task("camera", 9, folder + "/missing.json").err, HasSubstr("--profile: cannot read "));
  EXPECT_EQ(register_task("camera", 9, profile("8ms", "7ms", "12ms"), {"--gpus", "1"}).exit_code, 2)
      << "the manager chooses";
  EXPECT_THAT(register_task("camera", 9, profile("8ms", "7ms", "12ms"), {"--deadline", "13ms"}).err,
              HasSubstr("deadline may not be after the period"));
  EXPECT_THAT(ctl({"list"}).out, HasSubstr("No task is registered"));
}

TEST_F(AdmissionTest, ManyChangesAtOnceAreMadeOneAfterAnother) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([this, i] {
      const std::string file = folder + "/" + std::to_string(i) + ".json";
      std::ofstream(file) << R"({"platform": {"cpus": 1, "gpus": 2}, "tasks": [{"name": "x", "period": "1s",
          "stages": [{"resource": "GPU", "worst": ["10ms", "6ms"]}, {"resource": "CPU", "worst": "5ms"}]}]})";
      EXPECT_EQ(register_task("task" + std::to_string(i), 10 + i, file).exit_code, 0);
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(plan()["tasks"].size(), 8u);
}

TEST_F(AdmissionTest, OutputThatCannotBeWrittenIsAnError) {
  const Outcome full =
      testing::run_program({"sh", "-c", SAM_CTL " --instance " + daemon.instance() + " status >/dev/full"});
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_EQ(full.err, "sam-ctl: the output cannot be written\n");
}

TEST_F(AdmissionTest, UnknownCommandIsNamed) {
  const Outcome outcome = ctl({"stat"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err, "sam-ctl: there is no command \"stat\"; sam-ctl --help names them\n");
}

}  // namespace
}  // namespace samcl
