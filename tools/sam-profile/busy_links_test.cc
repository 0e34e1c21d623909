#include "tools/sam-profile/busy_links.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace samcl::profile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(DeviceShares, FirstAreUsedAndTheOthersLeft) {
  const auto shares = share_devices("", 4, 2);
  ASSERT_TRUE(shares);
  EXPECT_EQ(shares->used, "0,1");
  EXPECT_THAT(shares->left, ElementsAre("2", "3"));
  EXPECT_EQ(share_devices("0.1,0.0", 2, 1)->used, "0.1");
  EXPECT_THAT(share_devices("", 2, 2)->left, IsEmpty());
}

TEST(DeviceShares, OneNameForSeveralIsRefused) {
  EXPECT_THAT(share_devices("H200", 2, 1).error().message,
              HasSubstr("\"H200\" stands for 2 devices: expected each to be named"));
}

TEST(BusyLinks, CommandsRunAgainAndAgainUntilTheEnd) {
  const std::string file = std::filesystem::temp_directory_path() / ("busy-links." + std::to_string(getpid()));
  {
    const BusyLinks busy({{"sh", "-c", "echo x >> " + file}}, 10);
    for (int i = 0; i < 1000 && (!std::filesystem::exists(file) || std::filesystem::file_size(file) < 6); ++i)
      usleep(10'000);
  }
  const auto size = std::filesystem::file_size(file);
  EXPECT_GE(size, 6u);
  usleep(100'000);
  EXPECT_EQ(std::filesystem::file_size(file), size) << "it ended";
  std::filesystem::remove(file);
}

TEST(BusyLinks, OneThatFailsIsTold) {
  const BusyLinks busy({{"sh", "-c", "echo no device >&2; exit 3"}}, 10);
  for (int i = 0; i < 1000 && busy.failure().empty(); ++i) usleep(10'000);
  EXPECT_EQ(busy.failure(), "ended with exit code 3\nno device\n");
}

}  // namespace
}  // namespace samcl::profile
