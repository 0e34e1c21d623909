#include "benchmarks/harness/output.h"

#include <gmock/gmock.h>

namespace samcl::bench {
namespace {

using ::testing::HasSubstr;

constexpr char kLine[] =
    R"({"program":"VectorAdd","size":"1000","passed":true,"checksum":"0x00aa","jobs":10,"median":{)"
    R"("upload":{"device_ms":2.0,"host_ms":9},"kernel":{"device_ms":6.0,"host_ms":9},)"
    R"("download":{"device_ms":1.0,"host_ms":9},"total":{"device_ms":9.5,"host_ms":12.0}}})";

// Two devices, four jobs: 1 ms of upload on demand and 0.5 ms of merging per job, on each.
constexpr char kReport[] =
    R"({"wall_ns":1,"kernels":[{"name":"k","launches":4,"split_launches":4,"devices":2,"slices":0,"why_not_more":"",)"
    R"("launch_ns":1,"merge_ns":4000000,"uploaded_bytes":1,"downloaded_bytes":1,"copied_bytes":0,)"
    R"("upload_ns":8000000,"download_ns":0}],)"
    R"("devices":[{"index":0,"uploaded_bytes":4000,"downloaded_bytes":400},{"index":1,"uploaded_bytes":8000,)"
    R"("downloaded_bytes":800}]})";

process::Ending ended(const std::string& out, int exit_code = 0, const std::string& err = "") {
  process::Ending ending;
  ending.exit_code = exit_code;
  ending.out = out;
  ending.err = err;
  return ending;
}

Execution on(unsigned devices) {
  Execution run;
  run.devices = devices;
  return run;
}

TEST(Output, BareTimesAreTheProgramsOwnAndWhatIsLeftIsRest) {
  const Execution run = read_output(on(kBare), ended(std::string("PASS\n") + kLine + "\n"), "", 4);
  EXPECT_EQ(run.outcome, Outcome::pass);
  EXPECT_EQ(run.size, "1000");
  EXPECT_EQ(run.checksum, "0x00aa");
  EXPECT_EQ(run.total_ms, 12.0);
  EXPECT_EQ(run.phases_ms, (std::array<double, kPhases>{2, 6, 1, 0, 3}));
}

TEST(Output, UnderSamclTheReportAddsMergingAndUploadsOnDemand) {
  const Execution run = read_output(on(2), ended(kLine), kReport, 4);
  EXPECT_EQ(run.phases_ms, (std::array<double, kPhases>{3, 5.5, 1, 0.5, 2}));
  EXPECT_EQ(run.uploaded_bytes, 3000);
  EXPECT_EQ(run.downloaded_bytes, 300);
  EXPECT_EQ(run.devices_used, 2u);
}

TEST(Output, FewerDevicesThanGivenHaveTheirReason) {
  std::string report = kReport;
  report.replace(report.find("\"devices\":2"), 11, "\"devices\":1");
  report.replace(report.find("\"why_not_more\":\"\""), 17, "\"why_not_more\":\"uses global atomics\"");
  const Execution run = read_output(on(2), ended(kLine), report, 4);
  EXPECT_EQ(run.devices_used, 1u);
  EXPECT_EQ(run.why_not_more, "uses global atomics");
}

TEST(Output, AWrongResultIsAFailWithWhatIsWrong) {
  std::string line = kLine;
  line.replace(line.find("\"passed\":true"), 13, "\"passed\":false,\"wrong\":\"element 7\"");
  const Execution run = read_output(on(2), ended(line, 1), kReport, 4);
  EXPECT_EQ(run.outcome, Outcome::fail);
  EXPECT_EQ(run.detail, "element 7");
}

TEST(Output, OneThatGaveUpSaysWhy) {
  const Execution run = read_output(on(2), ended("FAIL\n", 1, "warning\nVectorAdd: CL_OUT_OF_RESOURCES\n"), "", 4);
  EXPECT_EQ(run.outcome, Outcome::error);
  EXPECT_THAT(run.detail, HasSubstr("exit code 1"));
  EXPECT_THAT(run.detail, HasSubstr("VectorAdd: CL_OUT_OF_RESOURCES"));
}

TEST(Output, ACrashAfterTheResultIsACrash) {
  process::Ending ending = ended(kLine);
  ending.exit_code = -1;
  ending.signal = 11;
  const Execution run = read_output(on(2), ending, kReport, 4);
  EXPECT_EQ(run.outcome, Outcome::crash);
  EXPECT_THAT(run.detail, HasSubstr("signal 11"));
}

TEST(Output, AHangIsATimeout) {
  process::Ending ending = ended("");
  ending.timed_out = true;
  ending.signal = 9;
  EXPECT_EQ(read_output(on(2), ending, "", 4).outcome, Outcome::timeout);
}

TEST(Output, AReportThatIsCutOffIsAnError) {
  const Execution run = read_output(on(2), ended(kLine), R"({"kernels":[)", 4);
  EXPECT_EQ(run.outcome, Outcome::error);
  EXPECT_THAT(run.detail, HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace samcl::bench
