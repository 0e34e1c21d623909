#include "sam-manager/daemon/devices.h"

#include <gmock/gmock.h>

#include "sam-manager/protocol/limits.h"

namespace samcl::daemon {
namespace {

using ::testing::ElementsAre;

const auto kAllInUse = [](uint8_t) { return true; };
const auto kNoneInUse = [](uint8_t) { return false; };

std::vector<std::string> many(const std::string& prefix, size_t count) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) names.push_back(prefix + std::to_string(i));
  return names;
}

TEST(Devices, NamesKeepTheirIndices) {
  Devices devices;
  EXPECT_THAT(*devices.indices({"a", "b"}, kNoneInUse), ElementsAre(0, 1));
  EXPECT_THAT(*devices.indices({"c", "a", "c"}, kNoneInUse), ElementsAre(2, 0, 2));
}

TEST(Devices, UnusedOnesGiveTheirPlacesAway) {
  Devices devices;
  ASSERT_TRUE(devices.indices(many("old", protocol::kMaxKnownDevices), kAllInUse));
  const auto names = devices.names();
  EXPECT_FALSE(devices.indices({"new"}, kAllInUse));
  EXPECT_EQ(devices.names(), names) << "nothing changed";
  // Its own known device is not taken for its new one.
  const auto indices = devices.indices({"new", "old0", "newer"}, kNoneInUse);
  ASSERT_TRUE(indices);
  EXPECT_THAT(*indices, ElementsAre(1, 0, 2));
  EXPECT_EQ(devices.names()[1], "new");
}

}  // namespace
}  // namespace samcl::daemon
