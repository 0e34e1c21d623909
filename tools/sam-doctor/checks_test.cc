#include "tools/sam-doctor/checks.h"

#include <gmock/gmock.h>
#include <sched.h>

namespace samcl::doctor {
namespace {

using ::testing::HasSubstr;

TEST(Doctor, SaysWhatIsFineInOneLineAndElseWhatToDo) {
  EXPECT_EQ(to_lines(about_devices(2u)), "OK    OpenCL devices: 2\n");
  EXPECT_THAT(to_lines(about_devices(fail("there is no OpenCL device here"))),
              ::testing::StartsWith("FIX   OpenCL devices: there is no OpenCL device here\n      install "));
}

TEST(Doctor, OneDeviceIsFineButNamed) {
  EXPECT_TRUE(about_devices(1u).fine);
  EXPECT_THAT(about_devices(1u).what, HasSubstr("nothing to split"));
}

TEST(Doctor, PartsAreThereOrNot) {
  EXPECT_EQ(to_lines(about_part("sam-translate", "/x/sam-translate", "y")), "OK    sam-translate: /x/sam-translate\n");
  EXPECT_FALSE(about_part("sam-translate", "", "y").fine);
  EXPECT_THAT(about_part("sam-translate", "", "kernels run on one device").advice, HasSubstr("run on one device"));
}

TEST(Doctor, ManagersAbsenceAndRefusalHaveTheirOwnAdvice) {
  EXPECT_TRUE(about_manager("x", {}).fine);
  EXPECT_THAT(about_manager("x", fail("no sam-managerd \"x\" runs")).advice, HasSubstr("systemctl start"));
  EXPECT_THAT(about_manager("x", fail("user 7 may not use it")).advice, HasSubstr("[access]"));
}

TEST(Doctor, RealTimeIsWhatTheKernelSays) {
  EXPECT_TRUE(about_realtime(SCHED_FIFO | SCHED_RESET_ON_FORK).fine);
  EXPECT_FALSE(about_realtime(SCHED_OTHER).fine);
  EXPECT_FALSE(about_realtime(-1).fine);
  EXPECT_TRUE(about_throttling(-1).fine);
  EXPECT_TRUE(about_throttling(950'000).fine);
  EXPECT_FALSE(about_throttling(0).fine);
  EXPECT_FALSE(about_open_files(256).fine);
  EXPECT_TRUE(about_open_files(1024).fine);
}

}  // namespace
}  // namespace samcl::doctor
