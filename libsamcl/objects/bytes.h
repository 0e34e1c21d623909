// Some bytes of several memory objects, as sets.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "libsamcl/memory/storage.h"

namespace samcl {

// Some bytes of a buffer. The ranges are in order, and apart.
struct Bytes {
  Bytes(std::shared_ptr<Storage> of, std::span<const Range> which);
  std::shared_ptr<Storage> memory;
  std::vector<Range> ranges;
};

// Whether they have a byte in common.
bool overlap(std::span<const Bytes> some, std::span<const Bytes> others);
// Whether all of the first are among the others.
bool are_among(std::span<const Bytes> some, std::span<const Bytes> others);
// Puts the others among the first, of which each memory object has one.
void add(std::vector<Bytes>& to, std::span<const Bytes> others);
// The first but for the others.
std::vector<Bytes> without(std::span<const Bytes> some, std::span<const Bytes> others);
// What both have.
std::vector<Bytes> common(std::span<const Bytes> some, std::span<const Bytes> others);
// How many these are.
uint64_t size_of(std::span<const Bytes> all);

}  // namespace samcl
