// The seed that a random test begins with: another one each time, or SAMCL_SEED's, to repeat what failed.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>

namespace samcl::analysis {

inline uint64_t test_seed() {
  const char* given = std::getenv("SAMCL_SEED");
  return given ? std::strtoull(given, nullptr, 10) : std::random_device()();
}

}  // namespace samcl::analysis
