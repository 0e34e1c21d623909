// What kernels do to integers that they only accumulate on: every store is an atomic operation of one kind whose result
// nobody uses, so that the order does not matter and parts may be computed apart.
#pragma once

#include <cstdint>

namespace samcl {

// What is done to integers of 4 or 8 bytes. Sums wrap around; increments and decrements are sums.
enum class Accumulation : uint8_t {
  none,
  add,
  bit_and,
  bit_or,
  bit_xor,
  min_signed,
  min_unsigned,
  max_signed,
  max_unsigned,
};

}  // namespace samcl
