// A 64-bit hash of a program's result, to compare runs. Same bytes, same hash, on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bench {

// `seed` chains: checksum(b, checksum(a)) depends on both and on their order.
uint64_t checksum(std::span<const std::byte> bytes, uint64_t seed = 0);

}  // namespace bench
