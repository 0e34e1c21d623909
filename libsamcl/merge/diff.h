// Making one output from several, where nobody knows what each device wrote: every device started from the
// same bytes, so what differs from them now was written there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace samcl {

// Merges the outputs of several devices into `contents`, which holds the bytes all of them started from.
// Elements (of `width` bytes: 1, 2, 4, 8 or 16) that differ on a device are taken from it, whole: bytes of
// two stores are never mixed. If several devices changed one element, the last of them wins, as any of them
// may on one device. `bytes` must be a multiple of `width`; no alignment is needed.
//
// outputs: `count` (at most 30) pointers to `bytes` bytes each.
// Returns the set of devices (bit d for outputs[d]) that changed anything.
uint32_t merge_changes(std::byte* contents, const std::byte* const* outputs, unsigned count, size_t bytes,
                       unsigned width);

}  // namespace samcl
