// A child that answers, and every way in which one does not.
#include "analysis/cli/nunna_opencl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace samcl::analysis::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kAnswer = R"({"device": "D", "passed": true, "once": {"build_ms": 7, "set_up_ms": 8}, "median": {)"
                            R"("upload": {"device_ms": 1, "host_ms": 0}, "kernel": {"device_ms": 4, "host_ms": 0},)"
                            R"("download": {"device_ms": 2, "host_ms": 0}, "total": {"device_ms": 0, "host_ms": 9}}})";

Result<OpenClAnswer> run_script(const std::string& script, double limit_s = 20) {
  return run_opencl({"/bin/sh", "-c", script}, limit_s);
}

std::string error_of(const std::string& script, double limit_s = 20) {
  const auto answer = run_script(script, limit_s);
  return answer ? "none" : answer.error().message;
}

std::string saying(const std::string& line) { return "echo '" + line + "'"; }

TEST(OpenClProgram, IsReadFromItsLastLine) {
  const auto answer = run_script("echo PASS; echo a warning >&2; " + saying(kAnswer));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->device, "D");
  EXPECT_TRUE(answer->passed);
  EXPECT_EQ(answer->times.job, 9);
  EXPECT_EQ(answer->times.kernels, 4);
  EXPECT_EQ(answer->times.transfers, 3);
  EXPECT_EQ(answer->times.build, 7);
  EXPECT_EQ(answer->times.set_up, 8);
}

TEST(OpenClProgram, ThatComputesSomethingElseIsNoError) {
  std::string wrong = kAnswer;
  wrong.replace(wrong.find("true"), 4, "false");
  const auto answer = run_script(saying(wrong) + "; exit 1");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_FALSE(answer->passed);
}

TEST(OpenClProgram, ThatIsMissingIsNamed) {
  const auto answer = run_opencl({"/no/such/program"}, 1);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "cannot run /no/such/program: No such file or directory");
}

TEST(OpenClProgram, ThatFailsIsQuoted) {
  EXPECT_EQ(error_of("echo sizes; echo 'there is no platform 3' >&2; echo FAIL; exit 1"),
            "/bin/sh: exit code 1: there is no platform 3");
  EXPECT_EQ(error_of("echo wrong; echo FAIL; exit 1"), "/bin/sh: exit code 1: wrong");
  EXPECT_EQ(error_of("exit 3"), "/bin/sh: exit code 3, without a word");
}

TEST(OpenClProgram, ThatCrashesIsToldByItsSignal) {
  EXPECT_THAT(error_of("kill -SEGV $$"), StartsWith("/bin/sh: ended by signal 11 (Segmentation fault)"));
  EXPECT_THAT(error_of(saying(kAnswer) + "; kill -ABRT $$"), HasSubstr("ended by signal 6"));
  EXPECT_THAT(error_of(saying(kAnswer) + "; exit 1"), HasSubstr("exit code 1"));
}

TEST(OpenClProgram, ThatHangsIsKilledAtTheLimit) {
  EXPECT_EQ(error_of("echo building; exec sleep 60", 0.2),
            "/bin/sh: killed after 0.2 s, its limit; the last it said: building");
}

TEST(OpenClProgram, ThatPrintsNonsenseIsQuoted) {
  EXPECT_EQ(error_of("echo hello"), "/bin/sh: expected a last line with results as JSON, not \"hello\"");
  EXPECT_EQ(error_of("true"), "/bin/sh: expected a last line with results as JSON, not silence");
  EXPECT_THAT(error_of("echo 5"), HasSubstr("results as JSON, not \"5\""));
  EXPECT_THAT(error_of("head -c 100000 /dev/zero | tr '\\0' x"), HasSubstr("xxx...\""));
  EXPECT_THAT(error_of(saying(R"({"passed": true})")),
              AllOf(HasSubstr("its results are not understood"), HasSubstr("median")));
  std::string text = kAnswer;
  text.replace(text.find("9"), 1, "\"nine\"");
  EXPECT_THAT(error_of(saying(text)), HasSubstr("its results are not understood"));
}

}  // namespace
}  // namespace samcl::analysis::cli
