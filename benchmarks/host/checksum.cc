#include "benchmarks/host/checksum.h"

namespace bench {
namespace {

uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9fb21c651e98df25u;
  return hash ^ (hash >> 29);
}

// Up to eight bytes, the first one lowest.
uint64_t little_endian(std::span<const std::byte> bytes) {
  uint64_t word = 0;
  for (size_t i = 0; i < bytes.size(); ++i) word |= std::to_integer<uint64_t>(bytes[i]) << (8 * i);
  return word;
}

}  // namespace

uint64_t checksum(std::span<const std::byte> bytes, uint64_t seed) {
  uint64_t hash = mix(seed ^ 0x2545f4914f6cdd1du, bytes.size());
  size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) hash = mix(hash, little_endian(bytes.subspan(at, 8)));
  if (at < bytes.size()) hash = mix(hash, little_endian(bytes.subspan(at)));
  return mix(hash, hash >> 32);
}

}  // namespace bench
