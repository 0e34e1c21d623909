#include "sam-manager/daemon/rights.h"

#include <gmock/gmock.h>

namespace samcl::daemon {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uid_t kDaemon = 7, kAlice = 1000, kBob = 1001;
constexpr gid_t kVideo = 44, kLab = 50;

TEST(Rights, RootAndTheDaemonsUserMayDoEverything) {
  for (const uid_t user : {uid_t{0}, kDaemon}) {
    const Rights rights = rights_of(user, {}, kDaemon, {});
    EXPECT_TRUE(rights.may_use);
    EXPECT_TRUE(rights.may_administrate);
    EXPECT_EQ(rights.programs, UINT_MAX);
  }
}

TEST(Rights, OthersMayDoNothingUnlessAllowed) {
  const Rights rights = rights_of(kAlice, {kVideo}, kDaemon, {});
  EXPECT_FALSE(rights.may_use);
  EXPECT_FALSE(rights.may_administrate);
}

TEST(Rights, AreTheSumOfAllThatIncludesOne) {
  AccessRules access;
  access.allow.push_back({{{kAlice}, {}}, {"a"}, 10});
  access.allow.push_back({{{}, {kVideo}}, {"b"}, 30});
  access.allow.push_back({{{}, {kLab}}, {}, 20});
  const Rights one = rights_of(kAlice, {}, kDaemon, access);
  EXPECT_THAT(one.devices, ElementsAre("a"));
  EXPECT_EQ(one.highest_priority, 10);
  const Rights two = rights_of(kAlice, {kVideo}, kDaemon, access);
  EXPECT_THAT(two.devices, ElementsAre("a", "b"));
  EXPECT_EQ(two.highest_priority, 30);
  EXPECT_THAT(rights_of(kAlice, {kLab}, kDaemon, access).devices, IsEmpty()) << "all";
  EXPECT_FALSE(rights_of(kBob, {}, kDaemon, access).may_use);
}

TEST(Rights, AdministratorsNeedNotBeUsers) {
  AccessRules access;
  access.administrators.groups = {kLab};
  const Rights rights = rights_of(kBob, {kLab}, kDaemon, access);
  EXPECT_TRUE(rights.may_administrate);
  EXPECT_FALSE(rights.may_use);
  EXPECT_EQ(rights.programs, 64u);
}

TEST(Rights, DevicesAreThoseNamed) {
  EXPECT_TRUE(may_use_device({}, "a"));
  EXPECT_TRUE(may_use_device({"a"}, "a"));
  EXPECT_FALSE(may_use_device({"a"}, "b"));
}

}  // namespace
}  // namespace samcl::daemon
