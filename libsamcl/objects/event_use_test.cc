#include "libsamcl/objects/event_use.h"

#include <gtest/gtest.h>

namespace samcl {
namespace {

TEST(EventUseTest, NeedsTheDriversUntilManyCouldHaveDoneWithout) {
  EventUse use;
  for (uint32_t i = 0; i < EventUse::kNeeded; ++i) {
    EXPECT_TRUE(use.needs_drivers());
    if (i % 2 == 0)
      use.asked(true);
    else
      use.not_missed();
  }
  EXPECT_FALSE(use.needs_drivers());
}

TEST(EventUseTest, OneAskedForTooEarlyMakesItLearnAnew) {
  EventUse use;
  for (uint32_t i = 0; i + 1 < EventUse::kNeeded; ++i) use.not_missed();
  use.asked(false);
  for (uint32_t i = 0; i < EventUse::kNeeded; ++i) {
    EXPECT_TRUE(use.needs_drivers()) << "nothing was lost by it: as many as before";
    use.not_missed();
  }
  EXPECT_FALSE(use.needs_drivers());
}

TEST(EventUseTest, EachTimeThatWasTooEarlyMakesItNeedMore) {
  EventUse use;
  uint32_t needed = EventUse::kNeeded;
  for (int time = 0; time < 10; ++time) {
    for (uint32_t i = 0; i < needed; ++i) {
      EXPECT_TRUE(use.needs_drivers());
      use.not_missed();
    }
    EXPECT_FALSE(use.needs_drivers());
    use.asked(false);
    needed = std::min(4 * needed, EventUse::kMostNeeded);
  }
}

}  // namespace
}  // namespace samcl
