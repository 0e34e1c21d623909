// Eight rows at once, whatever the processor: the compiler makes them of its own vectors.
#pragma once

#include "analysis/rta/demand.h"

namespace samcl::analysis {

using Block =
    double __attribute__((vector_size(kBlock * sizeof(double)), aligned(sizeof(double)), may_alias));

#define SAMCL_BLOCKS __attribute__((target_clones("avx512f", "avx2", "default")))
#define SAMCL_IN_BLOCKS [[gnu::always_inline]] inline

SAMCL_IN_BLOCKS const Block& block(const double* column, size_t row) {
  return *reinterpret_cast<const Block*>(column + row);
}
SAMCL_IN_BLOCKS Block& block(double* column, size_t row) {
  return *reinterpret_cast<Block*>(column + row);
}

// Adding it rounds to the nearest whole number.
inline constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52

// Least whole n with n * period >= value, for value > 0; a double or a Block.
template <typename T>
SAMCL_IN_BLOCKS T times(const T& value, const T& period, const T& rate) {
  T n = (value * rate + kRound) - kRound;
  n = n * period < value ? n + 1.0 : n;
  return (n - 1.0) * period >= value ? n - 1.0 : n;
}

template <typename T>
SAMCL_IN_BLOCKS T least(const T& a, const T& b) {
  return a < b ? a : b;
}

}  // namespace samcl::analysis
