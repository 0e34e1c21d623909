#include "base/pages.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace samcl {
namespace {

constexpr size_t kLarge = 2 << 20;

// Bytes of address space that this process has.
size_t address_space() {
  std::ifstream statm("/proc/self/statm");
  size_t pages = 0;
  statm >> pages;
  return pages * 4096;
}

TEST(Pages, LargeBlocksBeginAtALargePage) {
  for (const size_t bytes : {kLarge, kLarge + 1, 5 * kLarge - 4097}) {
    std::byte* const memory = map_pages(bytes);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % kLarge, 0u);
    EXPECT_EQ(memory[0], std::byte{0});
    EXPECT_EQ(memory[bytes - 1], std::byte{0});
    memory[bytes - 1] = std::byte{1};
    munmap(memory, bytes);
  }
}

TEST(Pages, NothingIsLeftOfThem) {
  munmap(map_pages(kLarge), kLarge);
  const size_t before = address_space();
  for (size_t i = 0; i < 100; ++i) {
    const size_t bytes = (1 + i % 7) * kLarge / 2 + i;
    munmap(map_pages(bytes), bytes);
  }
  EXPECT_EQ(address_space(), before);
}

TEST(Pages, WhatCannotBeHadIsRefused) {
  EXPECT_EQ(map_pages(SIZE_MAX), nullptr);
  EXPECT_EQ(map_pages(SIZE_MAX / 2), nullptr);
}

}  // namespace
}  // namespace samcl
