#include "sam-manager/daemon/log.h"

#include <gtest/gtest.h>

namespace samcl::daemon {
namespace {

TEST(Log, EscapesAreMadeVisible) {
  EXPECT_EQ(visible("a\x1b[31mb\nc\x7f"), "a\\x1b[31mb\\x0ac\\x7f");
  EXPECT_EQ(visible("käse"), "käse");
}

TEST(Log, RateHoldsInTheLongRun) {
  LineRate rate(10, 2);
  int passed = 0;
  for (int i = 0; i < 1000; ++i) passed += rate.pass(0);
  EXPECT_EQ(passed, 10) << "a burst";
  for (int i = 0; i < 100; ++i) passed += rate.pass(i);
  EXPECT_EQ(passed, 10 + 99);
  // Saved by then: a burst; and ten seconds' share.
  for (int i = 0; i < 1000; ++i) passed += rate.pass(100 + i / 100.0);
  EXPECT_NEAR(passed, 10 + 99 + 10 + 20, 2);
}

}  // namespace
}  // namespace samcl::daemon
