// Random numbers that are the same on every system for the same seed (the standard library's distributions
// are not).
#pragma once

#include <cstdint>
#include <random>

namespace samcl::analysis {

class Draw {
 public:
  explicit Draw(uint64_t seed) : engine_(seed) {}

  // In [0, 1), in steps of 2^-53.
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }
  double between(double low, double high) { return low + (high - low) * unit(); }
  // low..high, each as likely; the span is small against 2^53.
  int64_t whole(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(unit() * static_cast<double>(high - low + 1));
  }
  bool chance(double probability) { return unit() < probability; }

 private:
  std::mt19937_64 engine_;  // its numbers are fixed by the standard
};

// A seed for one part of what `seed` begins: parts are independent of each other and of the order in which
// they are drawn. SplitMix64's finaliser (Steele, Lea & Flood 2014).
inline uint64_t seed_of(uint64_t seed, uint64_t part) {
  uint64_t z = seed + (part + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace samcl::analysis
