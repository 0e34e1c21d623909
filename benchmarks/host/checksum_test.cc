#include "benchmarks/host/checksum.h"

#include <gtest/gtest.h>

#include <array>
#include <string_view>

namespace bench {
namespace {

uint64_t of(std::string_view text) { return checksum(std::as_bytes(std::span(text))); }

TEST(Checksum, IsTheSameInEveryRunAndOnEveryMachine) {
  EXPECT_EQ(of(""), 11210395002580345333u);
  EXPECT_EQ(of("The same bytes."), 1771105173591735518u);
}

TEST(Checksum, DependsOnEveryByteAndTheirOrder) {
  EXPECT_NE(of("abcdefghij"), of("abcdefghik"));
  EXPECT_NE(of("abcdefghij"), of("bacdefghij"));
  EXPECT_NE(of("hgfedcba12345678"), of("12345678hgfedcba"));
}

TEST(Checksum, TrailingZerosCount) {
  const std::array<std::byte, 16> zeros{};
  EXPECT_NE(checksum(std::span(zeros).first(9)), checksum(std::span(zeros).first(10)));
}

TEST(Checksum, ChainsInOrder) {
  const std::array a{std::byte{1}}, b{std::byte{2}};
  EXPECT_NE(checksum(b, checksum(a)), checksum(a, checksum(b)));
}

}  // namespace
}  // namespace bench
