#include "sam-manager/scheduler/reservations.h"

#include <gmock/gmock.h>

namespace samcl::scheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr ClientId kLiar = 7, kOther = 8;
constexpr ResourceId kGpu = 0, kLink = 1, kSecondGpu = 2;

struct ReservationsTest : ::testing::Test {
  Reservations reservations;
  // 10 on each GPU, 4 on each link, and 100 in all; a job is released at 1000.
  void SetUp() override {
    reservations.set(kLiar, {{10, 4}, 100});
    reservations.release_job(kLiar, 1000, 1000);
  }
};

TEST_F(ReservationsTest, AJobMayHaveWhatWasPromised) {
  reservations.note(kGpu, kLiar, 1000);
  EXPECT_EQ(reservations.next_ns(), 1011u);
  EXPECT_THAT(reservations.exceeded(1010), IsEmpty());
  reservations.note(kGpu, 0, 1010);
  reservations.note(kLink, kLiar, 1020);
  reservations.note(kLink, kOther, 1024);
  EXPECT_THAT(reservations.exceeded(1050), IsEmpty());
  EXPECT_EQ(reservations.next_ns(), UINT64_MAX) << "others are not limited";
}

TEST_F(ReservationsTest, WhatIsMoreIsToldOnce) {
  reservations.note(kGpu, kLiar, 1000);
  EXPECT_THAT(reservations.exceeded(1011), ElementsAre(kLiar));
  EXPECT_THAT(reservations.exceeded(1050), IsEmpty());
  EXPECT_EQ(reservations.next_ns(), UINT64_MAX);
}

TEST_F(ReservationsTest, ManyShortSectionsAddUp) {
  for (uint64_t now = 1000; now < 1050; now += 5) {
    reservations.note(kGpu, kLiar, now);
    reservations.note(kGpu, kOther, now + 2);  // and in between somebody else has it
  }
  reservations.note(kGpu, kLiar, 1050);
  EXPECT_THAT(reservations.exceeded(1051), ElementsAre(kLiar)) << "ten times 2 are more than 10";
}

TEST_F(ReservationsTest, AJobAsksAsOftenAsWasPromised) {
  reservations.set(kLiar, {{10, 4}, 100, {2, 1}});
  reservations.release_job(kLiar, 1100, 1100);
  EXPECT_FALSE(reservations.ask(kLiar, kGpu, 1101));
  EXPECT_FALSE(reservations.ask(kLiar, kSecondGpu, 1101));
  EXPECT_FALSE(reservations.ask(kLiar, kLink, 1102));
  EXPECT_FALSE(reservations.ask(kLiar, kGpu, 1103)) << "each GPU twice";
  EXPECT_TRUE(reservations.ask(kLiar, kGpu, 1104));
  EXPECT_FALSE(reservations.ask(kLiar, kLink, 1105)) << "told once for a job";
  reservations.release_job(kLiar, 1200, 1110);
  EXPECT_FALSE(reservations.ask(kLiar, kLink, 1199)) << "still the same job";
  EXPECT_FALSE(reservations.ask(kLiar, kLink, 1200)) << "the next one";
  EXPECT_TRUE(reservations.ask(kLiar, kLink, 1201));
}

TEST_F(ReservationsTest, WhereNoNumberIsPromisedAnyIsRight) {
  for (int n = 0; n < 100; ++n) EXPECT_FALSE(reservations.ask(kLiar, kGpu, 1001));
  EXPECT_FALSE(reservations.ask(kOther, kGpu, 1001));
}

TEST_F(ReservationsTest, LookingOftenChangesNothing) {
  for (uint64_t now = 1000; now <= 1010; ++now) {
    reservations.note(kGpu, kLiar, now);
    EXPECT_THAT(reservations.exceeded(now), IsEmpty());
    EXPECT_EQ(reservations.next_ns(), 1011u);
  }
  reservations.note(kGpu, kLiar, 1012);
  EXPECT_EQ(reservations.next_ns(), 1012u);
  EXPECT_THAT(reservations.exceeded(1012), ElementsAre(kLiar));
}

TEST_F(ReservationsTest, EachDeviceCountsByItself) {
  reservations.note(kGpu, kLiar, 1000);
  reservations.note(kSecondGpu, kLiar, 1000);
  EXPECT_THAT(reservations.exceeded(1010), IsEmpty());
}

TEST_F(ReservationsTest, WhatNobodyWaitsForDoesNotCount) {
  reservations.note(kGpu, kLiar, 1000);
  reservations.note(kGpu, 0, 1005);  // it goes on, alone
  reservations.note(kGpu, kLiar, 1040);
  EXPECT_EQ(reservations.next_ns(), 1046u);
}

TEST_F(ReservationsTest, AfterItsBoundAJobHasNothing) {
  reservations.note(kGpu, kLiar, 1095);
  EXPECT_EQ(reservations.next_ns(), 1101u);
  EXPECT_THAT(reservations.exceeded(1101), ElementsAre(kLiar));
}

// analysis/rta/PROOF.md, "Enforced budgets", counts on it: a device has no time of its own that begins when it is first
// asked for.
TEST_F(ReservationsTest, ABoundEndsOnAllDevicesAtOnce) {
  reservations.note(kGpu, kLiar, 1000);
  reservations.note(kGpu, 0, 1010);
  reservations.note(kSecondGpu, kLiar, 1095);
  EXPECT_EQ(reservations.next_ns(), 1101u);
}

TEST_F(ReservationsTest, TheNextJobHasAllOfItAgain) {
  reservations.note(kGpu, kLiar, 1000);
  EXPECT_THAT(reservations.exceeded(1020), ElementsAre(kLiar));
  reservations.release_job(kLiar, 1200, 1200);
  reservations.note(kGpu, kLiar, 1200);
  EXPECT_EQ(reservations.next_ns(), 1211u);
  EXPECT_THAT(reservations.exceeded(1211), ElementsAre(kLiar)) << "once for each job";
}

TEST_F(ReservationsTest, AJobThatIsEarlyHasWhatIsLeftOfTheOneBeforeUntilItIsReleased) {
  reservations.note(kGpu, kLiar, 1000);
  reservations.note(kGpu, 0, 1008);
  reservations.release_job(kLiar, 1090, 1050);
  reservations.note(kGpu, kLiar, 1050);
  EXPECT_THAT(reservations.exceeded(1053), ElementsAre(kLiar));
  EXPECT_THAT(reservations.exceeded(1095), IsEmpty()) << "released 5 ago";
  EXPECT_EQ(reservations.next_ns(), 1101u);
}

TEST_F(ReservationsTest, ManyEarlyJobsAreNoReasonToForgetTheNextOne) {
  reservations.note(kGpu, kLiar, 1000);
  EXPECT_THAT(reservations.exceeded(1011), ElementsAre(kLiar));
  for (uint64_t later = 1100; later < 2000; later += 100) reservations.release_job(kLiar, later, 1020);
  reservations.note(kGpu, kLiar, 1090);
  EXPECT_THAT(reservations.exceeded(1105), IsEmpty()) << "released 5 ago";
  EXPECT_THAT(reservations.exceeded(1111), ElementsAre(kLiar));
}

TEST_F(ReservationsTest, BeforeTheFirstJobThereIsNoLimit) {
  reservations.set(kOther, {{1, 1}, 1});
  reservations.note(kGpu, kOther, 1000);
  EXPECT_THAT(reservations.exceeded(5000), IsEmpty());
}

TEST_F(ReservationsTest, JobUnderWayKeepsWhatIsMoreThanTheNextOnesHave) {
  reservations.set(kLiar, {{10, 4}, 100, {2, 2}});
  reservations.release_job(kLiar, 1100, 1100);
  reservations.set(kLiar, {{3, 6}, 20, {1, 3}});
  reservations.note(kGpu, kLiar, 1100);
  EXPECT_THAT(reservations.exceeded(1110), IsEmpty()) << "it began with 10 on each GPU";
  reservations.note(kGpu, 0, 1110);
  reservations.note(kLink, kLiar, 1150);
  EXPECT_THAT(reservations.exceeded(1156), IsEmpty()) << "and has 6 on each link now, within its 100";
  reservations.note(kLink, 0, 1156);
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(reservations.ask(kLiar, kGpu, 1157));
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(reservations.ask(kLiar, kLink, 1157));
  EXPECT_TRUE(reservations.ask(kLiar, kGpu, 1158));
  reservations.release_job(kLiar, 1200, 1200);
  reservations.note(kGpu, kLiar, 1200);
  EXPECT_EQ(reservations.next_ns(), 1204u);
  EXPECT_FALSE(reservations.ask(kLiar, kGpu, 1200));
  EXPECT_TRUE(reservations.ask(kLiar, kGpu, 1201));
}

TEST_F(ReservationsTest, JobUnderWayMayGoOnForLongerIfTheNextOnesMay) {
  reservations.set(kLiar, {{10, 4}, 300});
  reservations.note(kGpu, kLiar, 1299);
  EXPECT_THAT(reservations.exceeded(1300), IsEmpty());
  EXPECT_THAT(reservations.exceeded(1301), ElementsAre(kLiar));
}

TEST_F(ReservationsTest, JobThatBeganBeforeAnythingWasPromisedIsNotLimited) {
  reservations.set(kOther, {{1, 1}, 1, {1, 1}});
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(reservations.ask(kOther, kGpu, 1000));
}

TEST_F(ReservationsTest, WhoLeftIsForgotten) {
  reservations.note(kGpu, kLiar, 1000);
  reservations.remove(kLiar);
  EXPECT_THAT(reservations.exceeded(2000), IsEmpty());
  reservations.note(kGpu, 0, 2000);
}

}  // namespace
}  // namespace samcl::scheduler
