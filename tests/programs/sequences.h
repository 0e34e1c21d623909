// What programs do that play random sequences, each of a seed of its own, until one goes wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>

// play(seed) throws where something is wrong. What main() returns.
template <typename Play>
int play_sequences(uint64_t first, size_t count, const Play& play) {
  for (uint64_t seed = first; seed < first + count; ++seed) {
    try {
      play(seed);
    } catch (const std::exception& error) {
      std::printf("sequence of seed %llu: %s\nFAIL\n", static_cast<unsigned long long>(seed), error.what());
      return 1;
    }
  }
  std::printf("%zu sequences from seed %llu\nPASS\n", count, static_cast<unsigned long long>(first));
  return 0;
}
