// Parts of one launch that do not go together. Certainly not if one reads what another writes. On one device that is a
// race with an order which programs rely on (work-group 0 comes first); in parts, each on memory of its own, it never
// is seen. Where nothing is shared, they surely do. Pure logic.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "contract/footprint/footprint.h"

namespace samcl {

// Where a buffer argument lies: in which memory object, and how many bytes after its start (a sub-buffer's offset).
struct ArgumentPlace {
  const void* memory = nullptr;  // of images and buffers; nullptr: an argument of no memory, or one to leave out
  uint64_t start = 0;
};

// True only if one part surely reads a byte that another part surely writes: both whatever the data are, wherever
// the launch's numbers leave no doubt. parts: the footprints of the parts, each by argument. places: by argument;
// empty: no two arguments share memory.
bool reads_what_another_writes(std::span<const std::vector<ArgumentFootprint>> parts,
                               std::span<const ArgumentPlace> places = {});

// True only if no part touches a byte that another one may write. Arguments and places as above.
bool parts_are_apart(std::span<const std::vector<ArgumentFootprint>> parts, std::span<const ArgumentPlace> places = {});

}  // namespace samcl
