#include "libsamcl/device/locked_memory.h"

#include <gtest/gtest.h>

#include <array>

namespace samcl {
namespace {

std::array<std::byte, 100> memory;

TEST(LockedMemory, HoldsWhatLiesInABlock) {
  LockedMemory locked;
  EXPECT_FALSE(locked.holds(memory.data(), {0, 1}));
  locked.add(memory.data() + 10, 20);
  EXPECT_TRUE(locked.holds(memory.data() + 10, {0, 20}));
  EXPECT_TRUE(locked.holds(memory.data(), {29, 30}));
  EXPECT_FALSE(locked.holds(memory.data() + 10, {0, 21}));
  EXPECT_FALSE(locked.holds(memory.data() + 9, {0, 5}));
  EXPECT_FALSE(locked.holds(memory.data(), {29, 31}));
  EXPECT_FALSE(locked.holds(memory.data(), {30, 31}));
  locked.remove(memory.data() + 10, 20);
  EXPECT_FALSE(locked.holds(memory.data() + 10, {0, 20}));
}

TEST(LockedMemory, ForgetsOneOfTwoThatBeginTogether) {
  LockedMemory locked;
  locked.add(memory.data(), 50);
  locked.add(memory.data(), 10);
  EXPECT_TRUE(locked.holds(memory.data(), {0, 50}));
  locked.remove(memory.data(), 50);
  EXPECT_TRUE(locked.holds(memory.data(), {0, 10}));
  EXPECT_FALSE(locked.holds(memory.data(), {0, 50}));
}

TEST(LockedMemory, KeepsBlocksSideBySideApart) {
  LockedMemory locked;
  locked.add(memory.data(), 50);
  locked.add(memory.data() + 50, 50);
  EXPECT_TRUE(locked.holds(memory.data(), {50, 100}));
  EXPECT_FALSE(locked.holds(memory.data(), {40, 60}));
}

}  // namespace
}  // namespace samcl
