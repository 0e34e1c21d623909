// Eight rows at once, whatever the processor: the compiler makes them of its own vectors.
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <array>

#include "analysis/rta/demand.h"
#include "analysis/simd/clones.h"

namespace samcl::analysis {

using Block = double __attribute__((vector_size(kBlock * sizeof(double)), aligned(sizeof(double)), may_alias));

#define SAMCL_IN_BLOCKS [[gnu::always_inline]] inline

SAMCL_IN_BLOCKS const Block& block(const double* column, size_t row) {
  return *reinterpret_cast<const Block*>(column + row);
}
SAMCL_IN_BLOCKS Block& block(double* column, size_t row) { return *reinterpret_cast<Block*>(column + row); }

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

// Which of eight values are below a limit, the first as the lowest bit.
SAMCL_IN_BLOCKS unsigned below(const double* values, double limit) {
  unsigned bits = 0;
#if defined(__SSE2__)
  for (size_t pair = 0; pair < kBlock / 2; ++pair)
    bits |= static_cast<unsigned>(_mm_movemask_pd(_mm_cmplt_pd(_mm_loadu_pd(values + 2 * pair), _mm_set1_pd(limit))))
            << (2 * pair);
#else
  for (unsigned lane = 0; lane < kBlock; ++lane) bits |= values[lane] < limit ? 1u << lane : 0u;
#endif
  return bits;
}

// How many bits of a byte are set; the processor's instruction is not in every processor.
inline constexpr auto kBits = [] {
  std::array<uint8_t, 256> bits{};
  for (size_t byte = 1; byte < bits.size(); ++byte) bits[byte] = static_cast<uint8_t>(bits[byte / 2] + byte % 2);
  return bits;
}();

}  // namespace samcl::analysis
