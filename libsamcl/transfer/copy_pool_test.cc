#include "libsamcl/transfer/copy_pool.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <vector>

namespace samcl {
namespace {

std::vector<std::byte> numbered(size_t bytes) {
  std::vector<std::byte> made(bytes);
  std::mt19937 random(static_cast<unsigned>(bytes));
  for (std::byte& each : made) each = static_cast<std::byte>(random());
  return made;
}

TEST(CopyPool, RunsOfAnyLengthAndAlignment) {
  const std::vector<std::byte> from = numbered((3 << 20) + 100);
  for (const size_t bytes : {size_t{0}, size_t{1}, size_t{63}, size_t{512} << 10, (size_t{3} << 20) + 17}) {
    for (const size_t offset : {0, 1, 15}) {
      std::vector<std::byte> to(bytes + 32);
      copy_in_parallel(to.data() + offset, from.data() + 3, bytes);
      EXPECT_TRUE(std::equal(to.begin() + static_cast<ptrdiff_t>(offset),
                             to.begin() + static_cast<ptrdiff_t>(offset + bytes), from.begin() + 3))
          << bytes << " bytes at " << offset;
      EXPECT_EQ(to[offset + bytes], std::byte{0});
    }
  }
}

TEST(CopyPool, RowsKeepWhatLiesBetweenThem) {
  const Rectangle source{5, 1504, 1504 * 400, {1500, 390, 4}}, target{9, 1600, 1600 * 391, {1500, 390, 4}};
  const std::vector<std::byte> from = numbered(source.bounds().end);
  std::vector<std::byte> to(target.bounds().end + 10, std::byte{7}), expected = to;
  source.for_each_row([&](uint64_t index, Range row) {
    std::copy(from.begin() + static_cast<ptrdiff_t>(row.begin), from.begin() + static_cast<ptrdiff_t>(row.end),
              expected.begin() + static_cast<ptrdiff_t>(target.row(index)));
  });
  copy_in_parallel(to.data(), target, from.data(), source);
  EXPECT_EQ(to, expected);
}

TEST(CopyPool, SeveralThreadsAtOnce) {
  const std::vector<std::byte> from = numbered(4 << 20);
  std::vector<std::thread> threads;
  std::vector<std::vector<std::byte>> to(4, std::vector<std::byte>(from.size()));
  for (auto& mine : to) {
    threads.emplace_back([&from, &mine] {
      for (int i = 0; i < 5; ++i) copy_in_parallel(mine.data(), from.data(), from.size());
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : to) EXPECT_EQ(mine, from);
}

}  // namespace
}  // namespace samcl
