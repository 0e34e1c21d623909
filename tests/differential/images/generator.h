// Random sequences of commands on images, from a seed: the same seed and limits always give the same sequence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/differential/images/sequence.h"

namespace image_sequences {

struct Limits {
  size_t steps = 25;          // about so many, without those that read everything at the end
  std::vector<Kind> kinds{};  // images of these only; none: of all
};

Sequence generate(uint64_t seed, const Limits& limits);

}  // namespace image_sequences
