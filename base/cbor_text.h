// CBOR (RFC 8949) as it is written, one item behind the other: without values in memory, which take longer to make than
// what they say takes to write. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace samcl {

/// The caller gives as many items as each list and map was said to have: a map's key by key, each with its value.
class CborText {
 public:
  CborText& map(size_t keys) { return head(5, keys); }
  CborText& list(size_t items) { return head(4, items); }
  CborText& number(uint64_t value) { return head(0, value); }
  CborText& nothing() {
    bytes_ += '\xf6';
    return *this;
  }
  CborText& text(std::string_view value) {
    head(3, value.size());
    bytes_ += value;
    return *this;
  }

  std::string take() { return std::exchange(bytes_, {}); }

 private:
  // The kind of item, and a number in as few bytes as hold it.
  CborText& head(unsigned kind, uint64_t number) {
    const unsigned power = number < 24 ? 0 : number <= 0xff ? 1 : number <= 0xffff ? 2 : number <= 0xffffffff ? 3 : 4;
    bytes_ += static_cast<char>(kind << 5 | (power == 0 ? static_cast<unsigned>(number) : 23 + power));
    for (unsigned left = power == 0 ? 0 : 1u << (power - 1); left-- > 0;)
      bytes_ += static_cast<char>(number >> (8 * left) & 0xff);
    return *this;
  }

  std::string bytes_;
};

}  // namespace samcl
