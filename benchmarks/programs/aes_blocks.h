// What AESEncrypt and AESDecrypt have in common: sizes, input, and how the result is checked.
#pragma once

#include <memory>

#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"
#include "benchmarks/reference/aes.h"

namespace bench {

class AesBlocks : public Workload {
 public:
  void add_sizes(Sizes& sizes) override {
    sizes.add("--blocks", blocks_, {.usual = 1 << 20, .small = 1009, .least = 1, .most = 1 << 26},
              "Blocks of 16 bytes");
    sizes.add("--key-bits", key_bits_, {.usual = 128, .small = 192, .least = 128, .most = 256}, "128, 192 or 256");
  }
  std::string size() const override { return std::to_string(blocks_) + " blocks, AES-" + std::to_string(key_bits_); }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(result_)); }

  // Exact: the first block against the standard's example, all or a sample against the reference.
  std::string verify() override {
    std::string wrong = compare(result_[0], example_result_);
    for (size_t at : to_verify(blocks_, kChecked, seed_ + 1)) {
      if (!wrong.empty()) break;
      wrong = compare(result_[at], encrypts_ ? aes_->encrypt(given_[at]) : aes_->decrypt(given_[at]));
      if (!wrong.empty()) wrong += " in block " + std::to_string(at);
    }
    return wrong;
  }

 protected:
  enum class Direction { kEncrypt, kDecrypt };

  explicit AesBlocks(Direction direction) : encrypts_(direction == Direction::kEncrypt) {}

  // The key of the standard's example and random blocks, but the first is the example's.
  void make_input(uint64_t seed) {
    seed_ = seed;
    const AesExample example = aes_example(key_bits_);
    aes_ = std::make_unique<Aes>(example.key);
    Random random(seed);
    given_.resize(blocks_);
    result_.resize(blocks_);
    for (Aes::Block& block : given_)
      for (uint8_t& byte : block) byte = static_cast<uint8_t>(random.next());
    given_[0] = encrypts_ ? example.plain : example.cipher;
    example_result_ = encrypts_ ? example.cipher : example.plain;
  }

  cl_uint blocks_ = 0;
  std::unique_ptr<Aes> aes_;
  std::vector<Aes::Block> given_, result_;

 private:
  static constexpr size_t kChecked = 1 << 16;  // blocks compared with the reference, if there are more

  const bool encrypts_;
  size_t key_bits_ = 0;
  uint64_t seed_ = 0;
  Aes::Block example_result_{};
};

}  // namespace bench
