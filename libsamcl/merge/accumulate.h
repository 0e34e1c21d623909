// Making one output from several, where kernels only accumulate: every store is an atomic operation of one kind whose
// result nobody uses, so that the order does not matter and parts may be computed apart.
#pragma once

#include <cstddef>
#include <cstdint>

#include "contract/accumulation.h"

namespace samcl {

// Combines what several devices made of the same bytes, element by element, as if one of them had done all. contents:
// the bytes all of them started from, and the result. Elements of `width` bytes (4 or 8); what is left of `bytes` after
// the last whole one stays as it is. No alignment is needed.
//
// outputs: `count` (at most 30) pointers to `bytes` bytes each.
// Returns the set of devices (bit d for outputs[d]) that changed anything.
uint32_t combine_changes(std::byte* contents, const std::byte* const* outputs, unsigned count, size_t bytes,
                         unsigned width, Accumulation how);

}  // namespace samcl
