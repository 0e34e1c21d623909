#include "tests/differential/sequences/contents.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "benchmarks/host/random.h"

namespace sequences {

std::vector<std::byte> random_bytes(uint64_t seed, size_t count) {
  bench::Random random(seed);
  std::vector<std::byte> made(count);
  if (seed == 0) return made;
  for (size_t at = 0; at < count; at += sizeof(uint64_t)) {
    const uint64_t word = random.next();
    std::memcpy(made.data() + at, &word, std::min(sizeof word, count - at));
  }
  return made;
}

std::vector<std::byte> permutation(uint64_t seed, size_t count) {
  bench::Random random(seed);
  std::vector<uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0u);
  for (size_t i = count; i > 1; --i) std::swap(numbers[i - 1], numbers[random.below(static_cast<uint32_t>(i))]);
  std::vector<std::byte> made(count * sizeof(uint32_t));
  std::memcpy(made.data(), numbers.data(), made.size());
  return made;
}

std::pair<size_t, size_t> changed_through_map(MapAccess access, size_t bytes) {
  switch (access) {
    case MapAccess::invalidate: return {0, bytes};
    case MapAccess::write: return {bytes / 4, bytes - bytes / 8};
    default: return {0, 0};
  }
}

size_t host_row(const Step& step, size_t y, size_t z) {
  return (step.from_origin[2] + z) * step.from_slice_pitch + (step.from_origin[1] + y) * step.from_row_pitch +
         step.from_origin[0];
}

size_t host_rectangle_bytes(const Step& step) {
  return host_row(step, step.region[1] - 1, step.region[2] - 1) + step.region[0];
}

}  // namespace sequences
