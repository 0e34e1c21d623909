// A program's run as people see it afterwards, from sam-run's options to the pages.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/run_program.h"
#include "tests/support/trace_check.h"
#include "tools/trace/events.h"

namespace samcl::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

struct Watched : ::testing::TestWithParam<const char*> {
  const fs::path folder = fs::path(::testing::TempDir()) / ("watched." + std::to_string(getpid()));
  const std::string trace = folder / "t.json", plan = folder / "p.dot", report = folder / "r.json";
  Watched() { fs::create_directory(folder); }
  ~Watched() override { fs::remove_all(folder); }

  // In parts, the way that GPUs take.
  Outcome run(std::vector<std::string> options, const char* direct = "off") const {
    options.insert(options.begin(), SAM_RUN);
    options.insert(options.end(), {"--", VECTOR_ADD, "--size", "500000", "--warmup", "0", "--iterations", "4"});
    return run_program(options, {{"POCL_DEVICES", GetParam()},
                                 {"SAMCL_TRANSPORT", "staged"},
                                 {"SAMCL_SPLIT", "always"},
                                 {"SAMCL_DIRECT", direct},
                                 {"SAMCL_INSTANCE", "watched." + std::to_string(getpid())}});
  }

  std::vector<std::string> rows(const std::vector<json>& events, const std::string& category) const {
    std::map<json, std::string> names;
    for (const json& event : events_of(events, 'M')) {
      if (event.at("name") == "thread_name") names[event.at("tid")] = event.at("args").at("name");
    }
    std::vector<std::string> found;
    for (const json& event : events_of(events, 'X', category))
      found.push_back(names[event.at("tid")] + "/" + std::string(event.at("name")));
    return found;
  }
};

TEST_P(Watched, ATraceHasCallsOperationsAndArrows) {
  const Outcome outcome = run({"--manager", "off", "--trace", trace});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto events = read_trace(trace);
  EXPECT_THAT(faults_of(events), IsEmpty());
  const auto operations = rows(events, "operation");
  for (const char* device : {"device 0", "device 1"}) {
    EXPECT_THAT(operations, Contains(device + std::string(": compute/vector_add")));
    EXPECT_THAT(operations, Contains(device + std::string(": up/upload")));
    EXPECT_THAT(operations, Contains(device + std::string(": down/download")));
  }
  EXPECT_THAT(rows(events, "call"), Contains("calls of VectorAdd/clEnqueueNDRangeKernel"));
  EXPECT_THAT(events_of(events, 's', "arrow"), Not(IsEmpty()));
  EXPECT_THAT(events_of(events, 'C'), Not(IsEmpty()));
}

TEST_P(Watched, OfTheDriversOwnObjectsItHasTheCalls) {
  const Outcome outcome = run({"--devices", "0", "--manager", "off", "--trace", trace}, "on");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(text_of(trace), ::testing::EndsWith("\n]\n"));
  const auto events = read_trace(trace);
  EXPECT_THAT(faults_of(events), IsEmpty());
  EXPECT_THAT(rows(events, "call"), Contains("calls of VectorAdd/clEnqueueNDRangeKernel"));
  EXPECT_THAT(rows(events, "operation"), IsEmpty());
}

TEST_P(Watched, UnderAManagerItHasSlicesAndChunks) {
  const Outcome outcome = run({"--manager", "embedded", "--trace", trace});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto events = read_trace(trace);
  EXPECT_THAT(faults_of(events), IsEmpty());
  EXPECT_THAT(rows(events, "piece"), Contains(::testing::EndsWith(": compute/slice")));
}

TEST_P(Watched, APlanIsAGraphThatGraphvizDraws) {
  const Outcome outcome = run({"--manager", "off", "--plan", plan});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string dot = text_of(plan);
  EXPECT_THAT(dot, HasSubstr("label=\"3: vector_add\";"));
  EXPECT_THAT(dot, HasSubstr("label=\"vector_add\\ndevice 1: compute"));
  if (std::string(DOT).empty()) GTEST_SKIP() << "Graphviz is not installed";
  const Outcome drawn = run_program({DOT, "-Tsvg", plan});
  EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
  EXPECT_THAT(drawn.err, IsEmpty());
  EXPECT_EQ(occurrences(drawn.out, "class=\"edge\""), occurrences(dot, " -> "));
}

TEST_P(Watched, AReportIsAPage) {
  const Outcome outcome = run({"--manager", "off", "--report=" + report, "--trace", trace});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string page = folder / "report.html";
  const Outcome made = run_program({SAM_REPORT, report, "--trace", trace, "-o", page});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const std::string html = text_of(page);
  EXPECT_THAT(html, StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(html, HasSubstr("<h1>VectorAdd</h1>"));
  EXPECT_THAT(html, HasSubstr("<td>vector_add</td><td>4</td><td>4</td><td>2</td>"));
  EXPECT_THAT(html, HasSubstr("device 1: compute"));
}

TEST_P(Watched, APageOfSomethingElseIsRefused) {
  const Outcome made = run_program({SAM_REPORT, VECTOR_ADD, "-o", folder / "report.html"});
  EXPECT_EQ(made.exit_code, 1);
  EXPECT_THAT(made.err, HasSubstr("sam-report: no report"));
  EXPECT_FALSE(fs::exists(folder / "report.html"));
  EXPECT_EQ(run_program({SAM_REPORT}).exit_code, 2);
}

INSTANTIATE_TEST_SUITE_P(Devices, Watched, ::testing::Values("basic basic", "pthread pthread"),
                         [](const auto& instance) {
                           return std::string(instance.param).substr(0, std::string(instance.param).find(' '));
                         });

}  // namespace
}  // namespace samcl::testing
