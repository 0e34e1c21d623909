// Which devices programs are given; they announce "a" and "b".
#include <gmock/gmock.h>

#include "sam-manager/tests/testbed.h"

namespace samcl {
namespace {

using testing::Child;
using testing::Daemon;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

struct DevicesTest : ::testing::Test {
  Daemon daemon;
  void SetUp() override { ASSERT_TRUE(daemon.start()); }

  // A process that stays connected and says on 'd' which device is its first.
  std::unique_ptr<Child> start(const std::string& task, uint32_t gpus = 0) {
    auto child = std::make_unique<Child>([this, task, gpus](const Child::Line& line) {
      const auto client = daemon.connect(task, gpus);
      if (!client) return 1;
      line.say('c');
      while (line.hear(60'000) == 'd') line.say(static_cast<char>('a' + client->assignment().devices.front()));
      return 0;
    });
    EXPECT_EQ(child->line().hear(), 'c');
    return child;
  }

  static char first_device(const Child& child) {
    child.line().say('d');
    return child.line().hear();
  }

  std::vector<std::string> devices_used(size_t program = 0) {
    return daemon.status()["programs"][program]["devices"].get<std::vector<std::string>>();
  }
};

TEST_F(DevicesTest, TasksOfModeOneUseDifferentDevices) {
  ASSERT_EQ(daemon.register_task("camera", 5, 1), "");
  ASSERT_EQ(daemon.register_task("radar", 5, 1), "");
  const auto camera = start("camera");
  const auto radar = start("radar");
  EXPECT_EQ(first_device(*camera), 'a');
  EXPECT_EQ(first_device(*radar), 'b');
}

TEST_F(DevicesTest, ProgramsWithoutTaskSpreadToo) {
  const auto first = start("");
  const auto second = start("");
  EXPECT_EQ(first_device(*first), 'a');
  EXPECT_EQ(first_device(*second), 'b');
  EXPECT_THAT(devices_used(), SizeIs(2)) << "they use all devices";
}

TEST_F(DevicesTest, DeviceStaysWhileTheProgramRuns) {
  ASSERT_EQ(daemon.register_task("camera", 5, 1), "");
  auto first = start("camera");
  const auto second = start("camera");
  ASSERT_EQ(first_device(*second), 'b');
  first.reset();
  ASSERT_EQ(daemon.register_task("other", 5, 1), "");
  ASSERT_EQ(daemon.register_task("camera", 9, 2), "");
  EXPECT_EQ(first_device(*second), 'b');
  EXPECT_EQ(first_device(*start("camera")), 'a') << "the one that is free again";
}

TEST_F(DevicesTest, WishOfTheAdministratorIsFollowedAtOnce) {
  ASSERT_EQ(daemon.register_task("camera", 5, 1), "");
  const auto camera = start("camera");
  ASSERT_EQ(first_device(*camera), 'a');
  ASSERT_EQ(daemon.register_task("camera", 5, 1, {"1"}), "");
  EXPECT_EQ(first_device(*camera), 'b');
  ASSERT_EQ(daemon.register_task("camera", 5, 1, {"a"}), "");
  EXPECT_EQ(first_device(*camera), 'a');
}

TEST_F(DevicesTest, WishBoundsWhatATaskUses) {
  ASSERT_EQ(daemon.register_task("camera", 5, 0, {"b"}), "");
  const auto client = daemon.connect("camera");
  ASSERT_TRUE(client);
  EXPECT_THAT(client->assignment().devices, ElementsAre(1));
  EXPECT_THAT(devices_used(), ElementsAre("b"));
}

TEST_F(DevicesTest, WishForOtherDevicesThanTheProgramHasIsNone) {
  ASSERT_EQ(daemon.register_task("camera", 5, 0, {"7", "nowhere"}), "");
  const auto client = daemon.connect("camera");
  ASSERT_TRUE(client);
  EXPECT_THAT(client->assignment().devices, ElementsAre(0, 1));
}

TEST_F(DevicesTest, MoreGpusThanWishedDevicesAreRefused) {
  EXPECT_THAT(daemon.register_task("camera", 5, 2, {"a"}), HasSubstr("may use only 1 devices"));
}

TEST_F(DevicesTest, ProgramsOwnLimitBinds) {
  ASSERT_EQ(daemon.register_task("camera", 5, 2), "");
  const auto client = daemon.connect("camera", 1);
  ASSERT_TRUE(client);
  EXPECT_EQ(client->assignment().gpus, 1u);
  EXPECT_THAT(devices_used(), ElementsAre("a"));
}

}  // namespace
}  // namespace samcl
