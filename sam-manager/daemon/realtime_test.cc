#include "sam-manager/daemon/realtime.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"

namespace samcl::daemon {
namespace {

TEST(RealTimeShare, IsWhatTheKernelSays) {
  const TemporaryFolder folder;
  const auto says = [&](const std::string& runtime) {
    EXPECT_TRUE(write_file(folder.file("sched_rt_runtime_us"), runtime));
    EXPECT_TRUE(write_file(folder.file("sched_rt_period_us"), "1000000\n"));
    return realtime_share(std::filesystem::path(folder.file("any")).parent_path());
  };
  const auto usual = says("950000\n");
  ASSERT_TRUE(usual);
  EXPECT_EQ(usual->runtime_ns, 950'000'000u);
  EXPECT_EQ(usual->period_ns, 1'000'000'000u);
  EXPECT_FALSE(says("-1\n")) << "it keeps them from nothing";
  EXPECT_FALSE(says("1000000\n"));
  EXPECT_TRUE(says("0\n")) << "they get nothing";
  EXPECT_FALSE(realtime_share("/no/such/folder"));
}

}  // namespace
}  // namespace samcl::daemon
