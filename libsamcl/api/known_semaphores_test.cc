#include "libsamcl/api/known_semaphores.h"

#include <gmock/gmock.h>

#include <array>
#include <memory>

#include "libsamcl/testing/fake_driver.h"

namespace samcl::api {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct KnownSemaphoresTest : ::testing::Test {
  using Semaphore = cl_semaphore_khr;
  testing::FakeDriver driver{1};
  std::shared_ptr<Context> context = driver.make_context();
  KnownSemaphores known;
  const cl_platform_id platform = reinterpret_cast<cl_platform_id>(this);
  const std::array<Semaphore, 1> s{reinterpret_cast<Semaphore>(0x10)}, t{reinterpret_cast<Semaphore>(0x20)};

  KnownSemaphoresTest() {
    known.created(s[0], platform, true);
    known.created(t[0], platform, false);
  }
  std::shared_ptr<Event> open_event() const { return Event::make_shared(context, nullptr, CL_COMMAND_USER); }
};

TEST_F(KnownSemaphoresTest, AreKnownUntilTheLastReleaseOfTheProgram) {
  EXPECT_EQ(known.platform_of(s[0]), platform);
  known.retained(s[0]);
  known.will_be_released(s[0]);
  EXPECT_EQ(known.platform_of(s[0]), platform);
  known.will_be_released(s[0]);
  EXPECT_EQ(known.platform_of(s[0]), nullptr);
}

TEST_F(KnownSemaphoresTest, EachWaitTakesItsOwnSignal) {
  const auto first = open_event(), second = open_event();
  known.signalled(s, first);
  known.signalled(s, second);
  EXPECT_THAT(known.signals_for_next_wait(s), ElementsAre(first));
  known.waited(s);
  EXPECT_THAT(known.signals_for_next_wait(s), ElementsAre(second));
  known.waited(s);
  EXPECT_THAT(known.signals_for_next_wait(s), IsEmpty());
}

TEST_F(KnownSemaphoresTest, AWaitBeforeItsSignalTakesNoLaterOne) {
  known.waited(s);
  const auto taken = open_event(), next = open_event();
  known.signalled(s, taken);
  EXPECT_THAT(known.signals_for_next_wait(s), IsEmpty());
  known.signalled(s, next);
  EXPECT_THAT(known.signals_for_next_wait(s), ElementsAre(next));
}

TEST_F(KnownSemaphoresTest, WhatHasEndedIsNotWaitedFor) {
  const auto over = open_event(), next = open_event();
  known.signalled(s, over);
  context->graph.finish(over, CL_COMPLETE);
  EXPECT_THAT(known.signals_for_next_wait(s), IsEmpty());
  known.signalled(s, next);
  EXPECT_THAT(known.signals_for_next_wait(s), IsEmpty()) << "the next wait takes the one that has ended";
}

TEST_F(KnownSemaphoresTest, WhatASyncFileTookIsForgotten) {
  const auto taken = open_event();
  known.signalled(s, taken);
  known.replaced(s[0]);
  EXPECT_THAT(known.signals_for_next_wait(s), IsEmpty());
  const auto next = open_event();
  known.signalled(s, next);
  EXPECT_THAT(known.signals_for_next_wait(s), ElementsAre(next));
}

TEST_F(KnownSemaphoresTest, OfOthersThanBinaryOnesNothingIsTaken) {
  const auto signal = open_event();
  known.signalled(t, signal);
  EXPECT_THAT(known.signals_for_next_wait(t), IsEmpty());
}

}  // namespace
}  // namespace samcl::api
