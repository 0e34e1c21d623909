// What a sequence's steps must show, computed on the host. Bytes that nothing was written to are not defined, nor is
// what kernels compute from such, and the host may see anything there.
#pragma once

#include <optional>
#include <vector>

#include "tests/differential/images/sequence.h"

namespace image_sequences {

struct Bytes {
  std::vector<std::byte> values;
  std::vector<bool> defined;  // as long
};

// Per step what the host sees, rows without gaps: of reads and maps (invalidating ones, too, but nothing is defined
// there).
using Sights = std::vector<Bytes>;

// `left_out`: the number of a step that does nothing.
Sights see(const Sequence& sequence, std::optional<size_t> left_out = {});

}  // namespace image_sequences
