// The Advanced Encryption Standard, straight from the text of FIPS-197: byte by byte, without tables for
// speed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bench {

class Aes {
 public:
  using Block = std::array<uint8_t, 16>;

  // 16, 24 or 32 bytes; throws std::invalid_argument for other lengths.
  explicit Aes(std::span<const uint8_t> key);

  Block encrypt(Block block) const;
  Block decrypt(Block block) const;

  unsigned rounds() const { return static_cast<unsigned>(round_keys_.size()) - 1; }
  // One for each round, and one before the first.
  const std::vector<Block>& round_keys() const { return round_keys_; }

  static const std::array<uint8_t, 256>& s_box();
  static const std::array<uint8_t, 256>& inverse_s_box();

  // Of polynomials over GF(2) modulo x^8 + x^4 + x^3 + x + 1.
  static uint8_t product(uint8_t a, uint8_t b);

 private:
  std::vector<Block> round_keys_;
};

// FIPS-197, Appendix C: the key is the first 16, 24 or 32 of 0, 1, 2, ...; the plaintext and what it becomes.
struct AesExample {
  std::vector<uint8_t> key;
  Aes::Block plain, cipher;
};
// For 128, 192 or 256 bits; throws std::invalid_argument for others.
AesExample aes_example(size_t key_bits);

}  // namespace bench
