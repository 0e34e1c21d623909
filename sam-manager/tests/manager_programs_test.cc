// An OpenCL program under libsamcl and a manager, on two devices: where its work runs.
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "sam-manager/tests/testbed.h"
#include "tests/support/run_program.h"
#include "tests/support/trace_check.h"

namespace samcl {
namespace {

using testing::Daemon;
using ::testing::ElementsAre;
using testing::Outcome;

struct ProgramsTest : ::testing::Test {
  Daemon daemon;
  // Those of parameterized tests have names with a slash.
  static std::string name() {
    std::string its = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::ranges::replace(its, '/', '.');
    return its;
  }
  const std::string folder =
      std::filesystem::temp_directory_path() / ("samcl-programs." + std::to_string(getpid()) + "." + name());
  const std::string file = folder + "/report.json";
  nlohmann::json report;  // of the last program

  void SetUp() override {
    std::filesystem::create_directories(folder);
    ASSERT_TRUE(daemon.start());
  }
  ~ProgramsTest() override { std::filesystem::remove_all(folder); }

  Outcome run_managed(const std::vector<std::string>& words, const std::string& task,
                      const std::string& report_to = "") {
    return testing::run_program(words,
                                {{"LD_PRELOAD", LIBSAMCL},
                                 {"POCL_DEVICES", "basic basic"},
                                 {"SAMCL_CACHE_DIR", folder},
                                 {"SAMCL_INSTANCE", daemon.instance()},
                                 {"SAMCL_MANAGER", "required"},
                                 {"SAMCL_REPORT", report_to},
                                 {"SAMCL_TRANSPORT", "staged"},
                                 {"SAMCL_TASK", task}},
                                100);
  }

  // 0 if it ran and its memory was right.
  int run(const std::string& task, const std::string& command = "", std::vector<std::string> words = {OPENCL_TASK}) {
    if (!command.empty()) words.push_back(command);
    const Outcome outcome = run_managed(words, task, file);
    report = nlohmann::json::parse(std::ifstream(file), nullptr, false);
    if (outcome.exit_code != 0) ADD_FAILURE() << outcome.err;
    return outcome.exit_code;
  }

  // Where something was uploaded to, on the way that GPUs take.
  std::set<int> devices() const {
    std::set<int> used;
    for (const auto& device : report["devices"])
      if (device["uploaded_bytes"] > 0) used.insert(device["index"].get<int>());
    return used;
  }

  // Under a daemon whose devices have that much memory, for the task "camera".
  void reserve_64_mib_of(const std::string& memory) {
    daemon.stop(SIGTERM);
    ASSERT_TRUE(daemon.start_configured("device_memory = '" + memory + "'"));
    const auto answer = daemon.ask({{"ask", "register"},
                                    {"task",
                                     {{"name", "camera"},
                                      {"priority", 5},
                                      {"period_ns", 1'000'000'000},
                                      {"deadline_ns", 1'000'000'000},
                                      {"memory_bytes", 64 << 20}}}});
    ASSERT_TRUE(answer) << answer.error().message;
  }

  // A program of the task "camera" that is to begin a job while it builds another program (opencl_task.cc). The build
  // ends once the job has begun, or by $WHILE_BUILDING.
  Outcome begin_job_beside_a_build(const std::string& while_building) {
    std::filesystem::remove(folder + "/go");
    std::filesystem::remove(folder + "/builds");
    const std::string script = "OPENCL_LAYERS=" BUILDS_WHEN_TOLD " BUILDS_WHEN_TOLD='" + folder + "' WHILE_BUILDING='" +
                               while_building + "' exec " OPENCL_TASK;
    return run_managed({"/bin/sh", "-c", script}, "camera");
  }
  std::string set_hold(const char* hold) const {
    return testing::run_program({SAM_CTL, "--instance", daemon.instance(), "set", "camera", "--hold", hold}).err;
  }

  // Another program of ours on the devices that a program used before; nullptr if it can't connect.
  std::unique_ptr<lease::Client> rival(const std::string& task) const {
    const nlohmann::json status = daemon.status();
    std::vector<std::string> names;
    for (const auto& resource : status["resources"])
      if (resource["kind"] == "gpu") names.push_back(resource["device"]);
    auto client = lease::Client::connect({daemon.instance(), task, 5000, 0}, names);
    return client ? *std::move(client) : nullptr;
  }

  // What `sam-ctl trace` writes to t.json while `programs` run.
  template <typename Programs>
  Outcome trace(Programs programs) const {
    Outcome traced;
    std::thread tracing([&] {
      traced =
          testing::run_program({"/bin/sh", "-c",
                                std::string(SAM_CTL) + " --instance " + daemon.instance() + " trace --seconds 100 -o " +
                                    folder + "/t.json & echo $! > " + folder + "/pid; wait"},
                               {}, 110);
    });
    programs();
    pid_t pid = 0;
    std::ifstream(folder + "/pid") >> pid;
    if (pid > 0) kill(pid, SIGTERM);
    tracing.join();
    return traced;
  }

  nlohmann::json kernel(const std::string& name) const {
    for (const auto& entry : report["kernels"])
      if (entry["name"] == name) return entry;
    return {};
  }
};

TEST_F(ProgramsTest, TaskOfModeOneRunsOnTheDeviceOfItsWishAlone) {
  for (int device : {0, 1}) {
    ASSERT_EQ(daemon.register_task("camera", 5, 1, {std::to_string(device)}), "");
    ASSERT_EQ(run("camera"), 0);
    EXPECT_THAT(devices(), ElementsAre(device));
    EXPECT_EQ(kernel("in_turn")["launches"], 6);
    EXPECT_EQ(kernel("in_turn")["slices"], 0) << "it runs whole, and there";
  }
}

TEST_F(ProgramsTest, TaskOfModeOneTakesTheDeviceThatIsFree) {
  ASSERT_EQ(daemon.register_task("camera", 5, 1), "");
  ASSERT_EQ(run("camera"), 0);
  ASSERT_THAT(devices(), ElementsAre(0));
  const auto other = rival("camera");
  ASSERT_TRUE(other);
  ASSERT_EQ(run("camera"), 0);
  EXPECT_THAT(devices(), ElementsAre(1));
}

TEST_F(ProgramsTest, TaskOfModeTwoUsesBothDevicesInAnyOrder) {
  ASSERT_EQ(daemon.register_task("camera", 5, 2), "");
  ASSERT_EQ(run("camera"), 0);
  EXPECT_EQ(kernel("plain")["split_launches"], 6);
  const auto other = rival("");
  ASSERT_TRUE(other);
  ASSERT_EQ(run("camera"), 0);
  EXPECT_EQ(kernel("plain")["split_launches"], 6);
}

TEST_F(ProgramsTest, DeviceMayChangeBetweenCommands) {
  ASSERT_EQ(daemon.register_task("camera", 5, 1, {"0"}), "");
  ASSERT_EQ(run("camera", std::string(SAM_CTL) + " --instance " + daemon.instance() +
                              " register camera --priority 5 --period 1s --deadline 1s --gpus 1 --devices 1"),
            0);
  EXPECT_THAT(devices(), ElementsAre(0, 1));
}

TEST_F(ProgramsTest, ResultsAreTheSameUnderEveryPolicy) {
  ASSERT_EQ(daemon.register_task("camera", 5, 1), "");
  for (const char* policy : {"edf", "fmlp-long", "omlp", "k-exclusion", "containers", "fixed-priority"}) {
    ASSERT_TRUE(daemon.ask({{"ask", "policy"}, {"name", policy}}));
    EXPECT_EQ(run("camera"), 0) << policy;
    EXPECT_EQ(kernel("in_turn")["launches"], 6) << policy;
  }
}

// Two programs without work connect first, so that a third would be placed on device 0; the first has that for its job.
TEST_F(ProgramsTest, JobRunsOnTheGpuThatItHasToItself) {
  ASSERT_EQ(daemon.register_task("camera", 5, 1), "");
  ASSERT_EQ(run("camera"), 0);
  const auto first = rival("camera"), second = rival("camera");
  ASSERT_TRUE(first && second);
  ASSERT_EQ(run("camera"), 0);
  ASSERT_THAT(devices(), ElementsAre(0));
  ASSERT_TRUE(daemon.ask({{"ask", "policy"}, {"name", "k-exclusion"}}));
  first->job_began();
  first->await_gpu();
  ASSERT_EQ(first->assignment().devices.front(), 0u);
  ASSERT_EQ(run("camera"), 0);
  EXPECT_THAT(devices(), ::testing::Contains(1));
  EXPECT_EQ(kernel("in_turn")["launches"], 6);
}

TEST_F(ProgramsTest, MarkedJobsAreSeenInTheStatus) {
  ASSERT_EQ(daemon.register_task("camera", 5, 1), "");
  ASSERT_EQ(run("camera",
                std::string(SAM_CTL) + " --instance " + daemon.instance() + " --json status > " + folder + "/status"),
            0);
  const auto status = nlohmann::json::parse(std::ifstream(folder + "/status"));
  ASSERT_EQ(status["programs"].size(), 1u);
  EXPECT_EQ(status["programs"][0]["jobs"], 1);
  EXPECT_GT(status["programs"][0]["longest_response_ns"], 0);
}

TEST_F(ProgramsTest, AJobInWhichAProgramIsBuiltIsToldApart) {
  ASSERT_EQ(daemon.register_task("camera", 5), "");
  const auto history = [&] { return *daemon.ask({{"ask", "history"}, {"name", "camera"}}); };
  ASSERT_EQ(run("camera", "true", {OPENCL_TASK}), 0);
  const auto before = history();
  setenv("BUILD_IN_JOB", "1", 1);
  EXPECT_EQ(run("camera",
                std::string(SAM_CTL) + " --instance " + daemon.instance() + " --json status > " + folder + "/status"),
            0);
  unsetenv("BUILD_IN_JOB");
  const auto status = nlohmann::json::parse(std::ifstream(folder + "/status"));
  EXPECT_EQ(status["programs"][0]["building"], true) << status;
  const auto after = history();
  EXPECT_EQ(after["jobs"], before["jobs"].get<int>() + 1) << after;
  EXPECT_EQ(after["building"], before["building"].get<int>() + 1) << after;
  EXPECT_GT(after["longest_building_ns"], 0) << after;
}

TEST_F(ProgramsTest, AJobIsHeldUntilWhatIsBeingBuiltIsBuilt) {
  ASSERT_EQ(daemon.register_task("camera", 5), "");
  const auto building = [&] { return (*daemon.ask({{"ask", "history"}, {"name", "camera"}}))["building"].get<int>(); };
  const std::string lets_end = "touch " + folder + "/go";
  const Outcome not_held = begin_job_beside_a_build("true");
  EXPECT_EQ(not_held.exit_code, 0) << not_held.err;
  EXPECT_THAT(not_held.out, ::testing::StartsWith("began while it was built")) << "nobody asked for it";
  EXPECT_EQ(building(), 1);
  ASSERT_EQ(set_hold("60s"), "");
  const Outcome held = begin_job_beside_a_build(lets_end);
  EXPECT_EQ(held.exit_code, 0) << held.err;
  EXPECT_THAT(held.out, ::testing::StartsWith("began when it was built"));
  EXPECT_EQ(building(), 1) << "nothing was built in its job";
  ASSERT_EQ(set_hold("700ms"), "");
  const Outcome to_the_limit = begin_job_beside_a_build("true");
  EXPECT_EQ(to_the_limit.exit_code, 0) << to_the_limit.err;
  int ms = 0;
  ASSERT_EQ(std::sscanf(to_the_limit.out.c_str(), "began while it was built, after %d ms", &ms), 1);
  EXPECT_GE(ms, 700);
  EXPECT_EQ(building(), 2);
  ASSERT_EQ(set_hold("default"), "");
  EXPECT_THAT(begin_job_beside_a_build("true").out, ::testing::StartsWith("began while it was built"));
}

TEST_F(ProgramsTest, TasksAreHeldAsTheConfigurationSaysButForThoseThatSayOtherwise) {
  daemon.stop(SIGTERM);
  ASSERT_TRUE(daemon.start_configured("hold = '60s'"));
  ASSERT_EQ(daemon.register_task("camera", 5), "");
  EXPECT_THAT(begin_job_beside_a_build("touch " + folder + "/go").out,
              ::testing::StartsWith("began when it was built"));
  ASSERT_EQ(set_hold("off"), "");
  EXPECT_THAT(begin_job_beside_a_build("true").out, ::testing::StartsWith("began while it was built"));
}

TEST_F(ProgramsTest, AHeldJobBeginsWhenTheManagerEndsAndItsProgramMayEnd) {
  ASSERT_EQ(daemon.register_task("camera", 5), "");
  ASSERT_EQ(set_hold("60s"), "");
  EXPECT_EQ(begin_job_beside_a_build("kill -9 $PPID").exit_code, 128 + SIGKILL);
  EXPECT_TRUE(testing::comes_true([&] { return daemon.status()["programs"].empty(); }));
  const Outcome alone = begin_job_beside_a_build("kill -9 " + std::to_string(daemon.pid()));
  EXPECT_EQ(alone.exit_code, 0) << alone.err;
  EXPECT_THAT(alone.out, ::testing::StartsWith("began while it was built"));
  daemon.stop(SIGKILL);
}

TEST_F(ProgramsTest, ATraceOfAllProgramsShowsWhoHadTheDevices) {
  ASSERT_EQ(daemon.register_task("camera", 5, 1, {"0"}), "");
  ASSERT_EQ(daemon.register_task("radar", 6, 1, {"0"}), "");
  const Outcome traced = trace([this] {
    // In the middle there is time to find what they write to.
    EXPECT_EQ(run("camera", "sleep 0.5"), 0);
    EXPECT_EQ(run("radar", "sleep 0.5"), 0);
  });
  EXPECT_EQ(traced.exit_code, 0);
  EXPECT_THAT(traced.out, ::testing::HasSubstr("t.json: 2 programs")) << traced.err;
  const auto events = testing::read_trace(folder + "/t.json");
  EXPECT_THAT(testing::faults_of(events, true), ::testing::IsEmpty());
  std::set<std::string> holders;
  for (const auto& lease : testing::events_of(events, 'X', "lease"))
    holders.insert(lease["name"].get<std::string>().substr(0, 5) + ": " + lease["args"]["for"].get<std::string>());
  for (const char* holder : {"camer: plain", "camer: in_turn", "radar: plain", "radar: upload"})
    EXPECT_THAT(holders, ::testing::Contains(holder));
}

// Two programs that want one device all the time, traced under a policy: what they did is a schedule of the model.
// Their profiles tell of times that PoCL's devices keep on any machine, so that who had what when is what can be wrong.
struct TracedPolicyTest : ProgramsTest, ::testing::WithParamInterface<const char*> {
  // Hand-overs that were measured on a busy machine would be longer than sections are.
  void SetUp() override {
    ProgramsTest::SetUp();
    daemon.stop(SIGTERM);
    ASSERT_TRUE(daemon.start_configured(std::string("handovers = '1us'\npolicy = '") + GetParam() + "'"));
  }
  void register_profiled(const std::string& name, int priority, const char* section) {
    nlohmann::json stages;
    for (const char* resource : {"PCI", "GPU", "PCI"})
      stages.push_back(
          {{"resource", resource}, {"worst", "1000s"}, {"section", section}, {"host", 0}, {"requests", 9}});
    const auto answer = daemon.ask({{"ask", "register"},
                                    {"task",
                                     {{"name", name},
                                      {"priority", priority},
                                      {"period_ns", 1000},
                                      {"deadline_ns", 1000},
                                      {"devices", {"0"}},
                                      {"profile",
                                       {{"platform", {{"cpus", 2}, {"gpus", 1}}},
                                        {"tasks", {{{"name", name}, {"period", "1us"}, {"stages", stages}}}}}}}}});
    ASSERT_TRUE(answer) << answer.error().message;
  }
  Outcome check(const std::string& policy, const std::string& tolerance) const {
    const std::string set = folder + "/set.json";
    const Outcome saved = testing::run_program({SAM_CTL, "--instance", daemon.instance(), "analyze", "--save", set});
    EXPECT_EQ(saved.exit_code, 0) << saved.err;
    return testing::run_program(
        {SAM_ANALYZE, "check", folder + "/t.json", set, "--policy", policy, "--tolerance", tolerance, "--json"});
  }
};

TEST_P(TracedPolicyTest, WhatProgramsDidIsAScheduleOfTheModel) {
  ASSERT_NO_FATAL_FAILURE(register_profiled("camera", 5, "1000s"));
  ASSERT_NO_FATAL_FAILURE(register_profiled("radar", 6, "1000s"));
  const Outcome traced = trace([&] {
    // Once it is known what both write to. Each on a CPU of its own, if there are two: whose thread lies in the queue
    // of a CPU on which a holder of real-time priority runs may not get to run before that one has done all its jobs.
    const auto do_jobs = [&](const std::string& task, int cpu) {
      const std::string its_cpu = "taskset -cp " + std::to_string(cpu) + " $$; taskset -acp " + std::to_string(cpu);
      const std::string are_found = its_cpu + " $PPID; until [ $(ls -l /proc/$(cat '" + folder +
                                    "/pid')/fd | grep -c memfd:samcl-trace) -ge 2 ]; do sleep 0.02; done";
      const Outcome outcome = run_managed({OPENCL_TASK, are_found, "40"}, task);
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    };
    std::thread radar(do_jobs, "radar", 1);
    do_jobs("camera", 0);
    radar.join();
  });
  ASSERT_THAT(traced.out, ::testing::HasSubstr("t.json: 2 programs")) << traced.err;
  const Outcome checked = check("edf", "1ns");  // whatever the order of grants
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
  const auto told = nlohmann::json::parse(checked.out);
  EXPECT_EQ(told["jobs"], 2 * 40);
  const std::set<std::string> own_gpus = {"k-exclusion", "containers"};  // who waits for these holds nothing meanwhile
  if (!own_gpus.contains(GetParam())) {
    EXPECT_GT(told["waits"], 0) << "they were never in each other's way";
  }
  if (GetParam() == std::string("fixed-priority")) {
    EXPECT_EQ(check(GetParam(), "1s").exit_code, 0);
  }
  ASSERT_NO_FATAL_FAILURE(register_profiled("camera", 5, "1ns"));
  const auto short_sections = nlohmann::json::parse(check("edf", "1ns").out);
  ASSERT_FALSE(short_sections["violations"].empty()) << "it is these programs' trace";
  EXPECT_EQ(short_sections["violations"][0]["rule"], "section");
}

INSTANTIATE_TEST_SUITE_P(Under, TracedPolicyTest,
                         ::testing::Values("fixed-priority", "edf", "fmlp-long", "omlp", "k-exclusion", "containers"),
                         [](const auto& policy) {
                           std::string name = policy.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST_F(ProgramsTest, WhatATaskReservedIsGivenBackAndTheBytesStay) {
  ASSERT_NO_FATAL_FAILURE(reserve_64_mib_of("96MiB"));
  const std::string status = std::string(SAM_CTL) + " --instance " + daemon.instance() + " --json status > " + folder;
  const std::string camera = "SAMCL_TASK=camera SAMCL_REPORT= " OPENCL_MEMORY " 2 8 '" + status + "/during'";
  ASSERT_EQ(run("", status + "/before; " + camera, {OPENCL_MEMORY, "16", "4"}), 0);
  const auto in_status = [&](const std::string& when, const std::string& task) {
    const auto written = nlohmann::json::parse(std::ifstream(folder + "/" + when));
    for (const auto& program : written["programs"])
      if (program["task"] == task) return program;
    return nlohmann::json();
  };
  constexpr uint64_t kMiB = 1 << 20;
  EXPECT_EQ(in_status("before", "")["memory_used_bytes"], 64 * kMiB);
  EXPECT_EQ(in_status("before", "")["memory_limit_bytes"], nullptr);
  EXPECT_EQ(in_status("during", "")["memory_limit_bytes"], 32 * kMiB);
  EXPECT_LE(in_status("during", "")["memory_used_bytes"], 32 * kMiB);
  EXPECT_EQ(in_status("during", "camera")["memory_used_bytes"], 16 * kMiB);
  EXPECT_GE(report["evicted_bytes"], 16 * kMiB);
  EXPECT_LE(report["evicted_bytes"], 64 * kMiB) << "once, each";
}

// It runs while less memory is there than it uses, and needs a replica at a time.
TEST_F(ProgramsTest, AProgramRunsInLessMemoryThanItUses) {
  ASSERT_NO_FATAL_FAILURE(reserve_64_mib_of("74MiB"));
  ASSERT_EQ(run("", "", {OPENCL_TASK}), 0);  // so that devices are known
  const auto camera = rival("camera");
  ASSERT_TRUE(camera);
  // A thread of the program's gives memory back that it had before it was told of the limit: soon, not at once.
  const std::string status = std::string(SAM_CTL) + " --instance " + daemon.instance() + " --json status";
  ASSERT_EQ(run("", "sleep 1; " + status + " > " + folder + "/then", {OPENCL_MEMORY, "8", "4"}), 0);
  const auto then = nlohmann::json::parse(std::ifstream(folder + "/then"));
  for (const auto& program : then["programs"])
    EXPECT_LE(program["memory_used_bytes"], program["task"] == "" ? 10 << 20 : 0);
  EXPECT_GE(report["evicted_bytes"], 16 << 20);
}

TEST_F(ProgramsTest, ProgramOutlivesItsDaemon) {
  ASSERT_EQ(daemon.register_task("camera", 5, 1, {"1"}), "");
  ASSERT_EQ(run("camera", "kill -9 " + std::to_string(daemon.pid())), 0);
  daemon.stop(SIGKILL);
}

}  // namespace
}  // namespace samcl
