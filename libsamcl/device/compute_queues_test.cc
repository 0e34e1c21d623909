#include "libsamcl/device/compute_queues.h"

#include <gtest/gtest.h>

#include "libsamcl/testing/fake_driver.h"

namespace samcl {
namespace {

using testing::Call;
using Use = ComputeQueues::Use;

struct ComputeQueuesTest : ::testing::Test {
  testing::FakeDriver driver{1};
  const std::shared_ptr<Context> context = driver.make_context();
  RealDevice& device = *context->devices[0];
  ComputeQueues queues;

  cl_command_queue create(bool tells_times, bool is_plain) {
    EXPECT_EQ(queues.create(device.context(), device.id, tells_times, is_plain), CL_SUCCESS);
    return queues.in_use();
  }
  // How many that a plain one is quicker with come, while nothing runs, before one is in use.
  int until_plain() {
    const cl_command_queue timed = queues.in_use();
    int count = 1;
    while (queues.next(Use::plain, true) == timed && count < 100) ++count;
    return count;
  }
};

TEST_F(ComputeQueuesTest, GoOverOnceItPaysAndNothingRuns) {
  const cl_command_queue timed = create(true, true);
  EXPECT_EQ(queues.next(Use::timed, false), timed);
  EXPECT_EQ(until_plain(), 3);
  const cl_command_queue plain = queues.in_use();
  EXPECT_NE(plain, timed);
  EXPECT_EQ(queues.next(Use::either, true), plain);
  EXPECT_EQ(queues.next(Use::timed, true), timed);
  EXPECT_EQ(queues.next(Use::either, true), timed);
  EXPECT_EQ(driver.count(Call::mark), 0);
}

TEST_F(ComputeQueuesTest, WhatRunsIsNotWaitedForButForTimes) {
  const cl_command_queue timed = create(true, true);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(queues.next(Use::plain, false), timed);
  EXPECT_EQ(driver.count(Call::finish), 0);
  EXPECT_EQ(until_plain(), 1) << "it has paid since long";
  EXPECT_EQ(driver.count(Call::finish), 1);
  EXPECT_EQ(queues.next(Use::timed, false), timed);
  EXPECT_EQ(driver.count(Call::finish), 2);
}

TEST_F(ComputeQueuesTest, WhatIsTimedKeepsTheOther) {
  const cl_command_queue timed = create(true, true);
  for (int i = 0; i < 100; ++i) {
    for (int untimed = 0; untimed < 2; ++untimed) EXPECT_EQ(queues.next(Use::plain, true), timed);
    EXPECT_EQ(queues.next(Use::timed, true), timed);
  }
  EXPECT_EQ(driver.count(Call::finish), 0);
}

// Only where a program asks for times one without an event stays where it would hold nothing up.
TEST_F(ComputeQueuesTest, WhatHasNoEventGoesOverUnlessTimesMayBeAsked) {
  const cl_command_queue timed = create(true, true);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(queues.next(Use::either, false), timed) << "something runs";
  EXPECT_NE(queues.next(Use::either, true), timed);
  EXPECT_EQ(queues.next(Use::timed, true), timed);
  queues.program_may_ask_times();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(queues.next(Use::either, true), timed);
  EXPECT_EQ(until_plain(), 3);
}

// Copies between launches, each of which finds the device busy.
TEST_F(ComputeQueuesTest, WhatIsAsQuickGoesOverForOthers) {
  const cl_command_queue timed = create(true, true);
  queues.program_may_ask_times();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(queues.next(Use::either, i == 0), timed);
    EXPECT_EQ(queues.next(Use::plain, false), timed);
  }
  EXPECT_NE(queues.next(Use::either, true), timed);
  EXPECT_NE(queues.next(Use::plain, false), timed);
  EXPECT_EQ(queues.next(Use::timed, true), timed);
  EXPECT_EQ(queues.next(Use::either, true), timed);
  EXPECT_EQ(driver.count(Call::finish), 2);
}

TEST_F(ComputeQueuesTest, WhatComesRightBehindSomethingStays) {
  EXPECT_EQ(ComputeQueues::use_for({nullptr, true, true}), Use::present);
  const cl_command_queue timed = create(true, true);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(queues.next(Use::present, true), timed);
  until_plain();
  EXPECT_NE(queues.next(Use::present, true), timed);
  EXPECT_EQ(driver.count(Call::finish), 1);
}

TEST_F(ComputeQueuesTest, OneIsUsedWhereThereIsNoOther) {
  const cl_command_queue only = create(false, true);
  for (const Use use : {Use::timed, Use::plain, Use::either}) EXPECT_EQ(queues.next(use, true), only);
}

TEST_F(ComputeQueuesTest, StayWhereTheDriverFails) {
  const cl_command_queue timed = create(true, true);
  driver.fail(Call::finish, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(until_plain(), 4) << "it is asked again with the next";
  driver.fail(Call::finish, CL_OUT_OF_RESOURCES);
  EXPECT_NE(queues.next(Use::timed, true), timed) << "then the times are not told";
}

}  // namespace
}  // namespace samcl
