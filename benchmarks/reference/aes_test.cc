#include "benchmarks/reference/aes.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace bench {
namespace {

class AesExamples : public testing::TestWithParam<size_t> {};

TEST_P(AesExamples, OfTheStandardsAppendixC) {
  const AesExample example = aes_example(GetParam());
  const Aes aes(example.key);
  EXPECT_EQ(aes.rounds(), GetParam() / 32 + 6);
  EXPECT_EQ(aes.encrypt(example.plain), example.cipher);
  EXPECT_EQ(aes.decrypt(example.cipher), example.plain);
}

INSTANTIATE_TEST_SUITE_P(KeyBits, AesExamples, testing::Values(128, 192, 256));

// FIPS-197, Appendix B and A.1.
TEST(Aes, TheStandardsCipherExample) {
  const std::array<uint8_t, 16> key = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6,
                                       0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};
  const Aes aes(key);
  EXPECT_EQ(
      aes.encrypt({0x32, 0x43, 0xf6, 0xa8, 0x88, 0x5a, 0x30, 0x8d, 0x31, 0x31, 0x98, 0xa2, 0xe0, 0x37, 0x07, 0x34}),
      (Aes::Block{0x39, 0x25, 0x84, 0x1d, 0x02, 0xdc, 0x09, 0xfb, 0xdc, 0x11, 0x85, 0x97, 0x19, 0x6a, 0x0b, 0x32}));
  EXPECT_EQ(aes.round_keys()[10], (Aes::Block{0xd0, 0x14, 0xf9, 0xa8, 0xc9, 0xee, 0x25, 0x89, 0xe1, 0x3f, 0x0c, 0xc8,
                                              0xb6, 0x63, 0x0c, 0xa6}));
}

// FIPS-197, section 4.2.
TEST(Aes, TheStandardsProduct) {
  EXPECT_EQ(Aes::product(0x57, 0x83), 0xc1);
  EXPECT_EQ(Aes::product(0x57, 0x13), 0xfe);
}

TEST(Aes, OtherKeyLengthsAreRefused) {
  EXPECT_THROW(Aes(std::array<uint8_t, 20>{}), std::invalid_argument);
  EXPECT_THROW(aes_example(160), std::invalid_argument);
}

}  // namespace
}  // namespace bench
