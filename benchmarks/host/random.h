// A small generator (SplitMix64) whose numbers are the same on every machine and library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bench {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  // 0 <= result < bound; the bias is below bound / 2^32.
  uint32_t below(uint32_t bound) { return static_cast<uint32_t>(((next() >> 32) * bound) >> 32); }

  // -1 <= result < 1, a multiple of 2^-23.
  float unit() { return static_cast<float>(static_cast<int32_t>(next() >> 40) - (1 << 23)) * 0x1p-23f; }

  std::vector<float> units(size_t count) {
    std::vector<float> made(count);
    for (float& value : made) value = unit();
    return made;
  }
  std::vector<uint32_t> words(size_t count) {
    std::vector<uint32_t> made(count);
    for (uint32_t& value : made) value = static_cast<uint32_t>(next());
    return made;
  }

 private:
  uint64_t state_;
};

}  // namespace bench
