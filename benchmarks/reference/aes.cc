#include "benchmarks/reference/aes.h"

#include <bit>
#include <numeric>
#include <stdexcept>
#include <string>

namespace bench {
namespace {

using Block = Aes::Block;

[[noreturn]] void wrong_key_length(size_t bits) {
  throw std::invalid_argument("a key of " + std::to_string(bits) + " bits: expected 128, 192 or 256");
}

// Section 5.1.1: the inverse in GF(2^8), then an affine map over GF(2).
std::array<uint8_t, 256> make_s_box() {
  std::array<uint8_t, 256> box{};
  for (unsigned value = 0; value < 256; ++value) {
    unsigned inverse = 0;
    while (value != 0 && Aes::product(static_cast<uint8_t>(value), static_cast<uint8_t>(inverse)) != 1) ++inverse;
    uint8_t mapped = 0x63;
    for (int turn = 0; turn < 5; ++turn)
      mapped = static_cast<uint8_t>(mapped ^ std::rotl(static_cast<uint8_t>(inverse), turn));
    box[value] = mapped;
  }
  return box;
}

// Byte r of column c is at 4 c + r. Row r is shifted left by r columns times `direction`.
Block shift_rows(const Block& block, int direction) {
  Block shifted;
  for (int column = 0; column < 4; ++column)
    for (int row = 0; row < 4; ++row)
      shifted[static_cast<size_t>(4 * column + row)] =
          block[static_cast<size_t>(4 * ((column + direction * row) & 3) + row)];
  return shifted;
}

// Each column times the circulant matrix whose first row is given.
Block mix_columns(const Block& block, const std::array<uint8_t, 4>& first_row) {
  Block mixed{};
  for (size_t column = 0; column < 16; column += 4)
    for (size_t row = 0; row < 4; ++row)
      for (size_t i = 0; i < 4; ++i)
        mixed[column + row] ^= Aes::product(first_row[(i + 4 - row) % 4], block[column + i]);
  return mixed;
}

void substitute(Block& block, const std::array<uint8_t, 256>& box) {
  for (uint8_t& byte : block) byte = box[byte];
}

void add(Block& block, const Block& key) {
  for (size_t i = 0; i < 16; ++i) block[i] ^= key[i];
}

}  // namespace

uint8_t Aes::product(uint8_t a, uint8_t b) {
  unsigned sum = 0, shifted = a;
  for (; b != 0; b >>= 1) {
    if (b & 1) sum ^= shifted;
    shifted = shifted << 1 ^ (shifted & 0x80 ? 0x11b : 0);
  }
  return static_cast<uint8_t>(sum);
}

const std::array<uint8_t, 256>& Aes::s_box() {
  static const std::array<uint8_t, 256> box = make_s_box();
  return box;
}

const std::array<uint8_t, 256>& Aes::inverse_s_box() {
  static const std::array<uint8_t, 256> inverse = [] {
    std::array<uint8_t, 256> made{};
    for (size_t value = 0; value < 256; ++value) made[s_box()[value]] = static_cast<uint8_t>(value);
    return made;
  }();
  return inverse;
}

// Section 5.2.
Aes::Aes(std::span<const uint8_t> key) {
  if (key.size() != 16 && key.size() != 24 && key.size() != 32) wrong_key_length(8 * key.size());
  const size_t key_words = key.size() / 4, words = 4 * (key_words + 7);
  std::vector<std::array<uint8_t, 4>> expanded(words);
  uint8_t round_constant = 1;
  for (size_t i = 0; i < words; ++i) {
    if (i < key_words) {
      for (size_t b = 0; b < 4; ++b) expanded[i][b] = key[4 * i + b];
      continue;
    }
    std::array<uint8_t, 4> word = expanded[i - 1];
    if (i % key_words == 0) {
      word = {word[1], word[2], word[3], word[0]};
      for (uint8_t& byte : word) byte = s_box()[byte];
      word[0] ^= round_constant;
      round_constant = product(round_constant, 2);
    } else if (key_words > 6 && i % key_words == 4) {
      for (uint8_t& byte : word) byte = s_box()[byte];
    }
    for (size_t b = 0; b < 4; ++b) expanded[i][b] = expanded[i - key_words][b] ^ word[b];
  }
  round_keys_.resize(words / 4);
  for (size_t i = 0; i < 4 * words; ++i) round_keys_[i / 16][i % 16] = expanded[i / 4][i % 4];
}

// Section 5.1.
Block Aes::encrypt(Block block) const {
  add(block, round_keys_.front());
  for (unsigned round = 1; round <= rounds(); ++round) {
    substitute(block, s_box());
    block = shift_rows(block, 1);
    if (round < rounds()) block = mix_columns(block, {2, 3, 1, 1});
    add(block, round_keys_[round]);
  }
  return block;
}

// Section 5.3.
Block Aes::decrypt(Block block) const {
  add(block, round_keys_.back());
  for (unsigned round = rounds(); round-- > 0;) {
    block = shift_rows(block, -1);
    substitute(block, inverse_s_box());
    add(block, round_keys_[round]);
    if (round > 0) block = mix_columns(block, {14, 11, 13, 9});
  }
  return block;
}

AesExample aes_example(size_t key_bits) {
  AesExample example;
  example.key.resize(key_bits / 8);
  std::iota(example.key.begin(), example.key.end(), uint8_t{0});
  for (size_t i = 0; i < 16; ++i) example.plain[i] = static_cast<uint8_t>(0x11 * i);
  if (key_bits == 128)
    example.cipher = {0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30, 0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a};
  else if (key_bits == 192)
    example.cipher = {0xdd, 0xa9, 0x7c, 0xa4, 0x86, 0x4c, 0xdf, 0xe0, 0x6e, 0xaf, 0x70, 0xa0, 0xec, 0x0d, 0x71, 0x91};
  else if (key_bits == 256)
    example.cipher = {0x8e, 0xa2, 0xb7, 0xca, 0x51, 0x67, 0x45, 0xbf, 0xea, 0xfc, 0x49, 0x90, 0x4b, 0x49, 0x60, 0x89};
  else
    wrong_key_length(key_bits);
  return example;
}

}  // namespace bench
