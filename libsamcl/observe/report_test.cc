#include "libsamcl/observe/report.h"

#include <gmock/gmock.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

namespace samcl {
namespace {

using ::testing::ElementsAre;
using ::testing::ExitedWithCode;
using ::testing::HasSubstr;

// Settings are read and kernels counted once per process, so each report is of a process of its own.
struct ReportDeathTest : ::testing::Test {
  const std::string file =
      std::filesystem::temp_directory_path() / ("samcl-report." + std::to_string(getpid()) + "." +
                                                ::testing::UnitTest::GetInstance()->current_test_info()->name());
  ~ReportDeathTest() override { std::filesystem::remove(file); }

  template <typename Work>
  nlohmann::json report_of(Work work) {
    EXPECT_EXIT(
        {
          setenv("SAMCL_REPORT", file.c_str(), 1);
          work();
          report::write();
          _exit(0);
        },
        ExitedWithCode(0), "");
    return nlohmann::json::parse(std::ifstream(file), nullptr, false);
  }
};

TEST_F(ReportDeathTest, TellsWhatWasCounted) {
  const auto json = report_of([] {
    KernelRecord& record = report::kernel("smooth");
    record.launches = 3;
    record.split_launches = 2;
    record.gathered_launches = 5;
    record.launches_beside = 6;
    record.devices = 2;
    record.slices = 40;
    record.merge_ns = 7;
    record.traffic.uploaded_bytes = 100;
    record.set_reason("its mode is one device");
    record.self_tests = 2;
    record.set_apart("another device");
    report::device(1).downloaded_bytes += 8;
  });
  ASSERT_EQ(json["kernels"].size(), 1u);
  const auto& kernel = json["kernels"][0];
  EXPECT_EQ(kernel["name"], "smooth");
  EXPECT_EQ(kernel["launches"], 3);
  EXPECT_EQ(kernel["split_launches"], 2);
  EXPECT_EQ(kernel["gathered_launches"], 5);
  EXPECT_EQ(kernel["launches_beside"], 6);
  EXPECT_EQ(kernel["devices"], 2);
  EXPECT_EQ(kernel["slices"], 40);
  EXPECT_EQ(kernel["merge_ns"], 7);
  EXPECT_EQ(kernel["uploaded_bytes"], 100);
  EXPECT_EQ(kernel["why_not_more"], "its mode is one device");
  EXPECT_EQ(kernel["self_tests"], 2);
  EXPECT_EQ(kernel["other_bytes_on"], nlohmann::json::array({"another device"}));
  ASSERT_EQ(json["devices"].size(), 1u) << "those that moved something";
  EXPECT_EQ(json["devices"][0]["index"], 1);
  EXPECT_EQ(json["devices"][0]["downloaded_bytes"], 8);
}

TEST_F(ReportDeathTest, KernelsOfOneNameAreOne) {
  const auto json = report_of([] {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([t] {
        for (int i = 0; i < 1000; ++i) ++report::kernel(i % 2 ? "odd" : "even").launches;
        report::kernel("odd").set_reason(std::to_string(t));
      });
    for (std::thread& thread : threads) thread.join();
  });
  ASSERT_EQ(json["kernels"].size(), 2u);
  EXPECT_EQ(json["kernels"][0]["launches"], 2000);
  EXPECT_EQ(json["kernels"][1]["launches"], 2000);
}

TEST_F(ReportDeathTest, ReasonIsTheLast) {
  const auto json = report_of([] {
    report::kernel("a").set_reason("first");
    report::kernel("a").set_reason("second");
  });
  EXPECT_EQ(json["kernels"][0]["why_not_more"], "second");
}

TEST_F(ReportDeathTest, DevicesBeyondTheLastCountAsTheLast) {
  const auto json = report_of([] { report::device(1000).uploaded_bytes += 1; });
  EXPECT_EQ(json["devices"][0]["index"], kMaxDevices - 1);
}

// What was counted, shown as a table at the end of the process.
template <typename Count>
[[noreturn]] void show_table(const Count& count) {
  setenv("SAMCL_REPORT", "-", 1);
  count(report::kernel("smooth"));
  report::write();
  _exit(0);
}

TEST_F(ReportDeathTest, TableShowsEachKernel) {
  const auto count = [](KernelRecord& record) {
    record.launches = 3;
    record.set_reason("uses printf");
  };
  EXPECT_EXIT(show_table(count), ExitedWithCode(0), "smooth +3 +0 .* uses printf");
}

TEST_F(ReportDeathTest, TableSaysWhichLaunchesRanTogether) {
  const auto count = [](KernelRecord& record) {
    record.launches = 30;
    record.gathered_launches = 25;
  };
  EXPECT_EXIT(show_table(count), ExitedWithCode(0), "smooth +25 launches were given to the driver together");
}

TEST_F(ReportDeathTest, TableSaysWhichLaunchesRanBesideOthers) {
  const auto count = [](KernelRecord& record) { record.launches_beside = 24; };
  EXPECT_EXIT(show_table(count), ExitedWithCode(0), "smooth +24 launches could run beside others of their queue");
}

TEST_F(ReportDeathTest, NothingIsWrittenUnlessWanted) {
  EXPECT_EXIT(
      {
        unsetenv("SAMCL_REPORT");
        const bool wanted = report::wanted();
        ++report::kernel("a").launches;
        report::write();
        _exit(wanted ? 1 : 0);
      },
      ExitedWithCode(0), "^$");
}

TEST_F(ReportDeathTest, FileThatCannotBeWrittenIsSaidNotFatal) {
  EXPECT_EXIT(
      {
        setenv("SAMCL_REPORT", "/proc/no/such/folder", 1);
        report::write();
        _exit(0);
      },
      ExitedWithCode(0), "could not be written to /proc/no/such/folder");
}

TEST_F(ReportDeathTest, TextThatIsNoUtf8DoesNotSpoilIt) {
  const auto json = report_of([] { report::kernel("a").set_reason("1:2: \xe9"); });
  ASSERT_TRUE(json.is_object());
  EXPECT_THAT(json["kernels"][0]["why_not_more"], HasSubstr("1:2: "));
}

}  // namespace
}  // namespace samcl
