// What the host writes, from the seed of a step; the model and the player make the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tests/differential/sequences/sequence.h"

namespace sequences {

// All 0 for seed 0.
std::vector<std::byte> random_bytes(uint64_t seed, size_t count);

// The numbers 0 to count - 1 in random order, as uints.
std::vector<std::byte> permutation(uint64_t seed, size_t count);

// Which bytes of a mapped range of `bytes` bytes the host changes: [first, second).
std::pair<size_t, size_t> changed_through_map(MapAccess access, size_t bytes);

// The host's side of a rectangle: bytes from its start to the end of its last row, and where row (y, z)
// begins.
size_t host_rectangle_bytes(const Step& step);
size_t host_row(const Step& step, size_t y, size_t z);

}  // namespace sequences
