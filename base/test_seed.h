// What a random test begins with, and how much it does.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

namespace samcl {

// Another one each time, or SAMCL_SEED's, to repeat what failed. Told at once, for tests that end by a signal.
inline uint64_t test_seed() {
  const char* given = std::getenv("SAMCL_SEED");
  const uint64_t seed = given ? std::strtoull(given, nullptr, 0) : std::random_device()();
  std::cout << "SAMCL_SEED=" << seed << std::endl;
  return seed;
}

// It, told by failures in its scope.
class TestSeed {
 public:
  operator uint64_t() const { return value_; }

 private:
  const uint64_t value_ = test_seed();
  const testing::ScopedTrace trace_{__FILE__, __LINE__, "SAMCL_SEED=" + std::to_string(value_)};
};

// How much it does: as much as usual, or what the variable says.
inline uint64_t test_number(const char* variable, uint64_t usual) {
  const char* given = std::getenv(variable);
  return given ? std::strtoull(given, nullptr, 10) : usual;
}

// How many sets it draws.
inline int64_t test_sets(int64_t usual) {
  return static_cast<int64_t>(test_number("SAMCL_SETS", static_cast<uint64_t>(usual)));
}
// And more of them, until so many jobs were simulated.
inline uint64_t test_jobs() { return test_number("SAMCL_JOBS", 0); }

}  // namespace samcl
