#include "benchmarks/host/compare.h"

#include <cmath>
#include <cstdio>
#include <numeric>

#include "benchmarks/host/random.h"

namespace bench {
std::string number(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.9g", value);
  return digits;
}

std::string compare_within(size_t index, double is, double expected, double bound) {
  if (std::fabs(is - expected) <= bound) return {};
  return differs(index, is, expected) + " within " + number(bound);
}

std::vector<size_t> to_verify(size_t count, size_t most, uint64_t seed) {
  std::vector<size_t> indices(count < most ? count : most);
  if (indices.size() == count) {
    std::iota(indices.begin(), indices.end(), size_t{0});
    return indices;
  }
  Random random(seed);
  for (size_t& index : indices) index = random.next() % count;
  return indices;
}

}  // namespace bench
