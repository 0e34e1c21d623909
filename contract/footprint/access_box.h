// From an address and what is known about its variables to the bytes that are touched. Pure logic.
#pragma once

#include <vector>

#include "contract/footprint/byte_set.h"
#include "contract/footprint/knowledge.h"

namespace samcl::footprint {

struct AccessBox {
  bool known = false;                // false: the address is not bounded
  std::vector<StridedRange> may;     // all bytes that may be touched; not below 0
  std::vector<StridedRange> surely;  // bytes that are touched by some work-item for sure
};

// The bytes from `offset` on, `width` of them, for every combination that `known` allows; `sure_width` of
// them are touched surely (0: none) if `known` is exact.
AccessBox access_box(const Knowledge& known, const Variables& variables, const Form& offset, uint64_t width,
                     uint64_t sure_width);

// What of `range` is in `inside`.
std::vector<StridedRange> clipped(const StridedRange& range, Range inside);

}  // namespace samcl::footprint
