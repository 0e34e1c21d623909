// Copies rows of equal shape in host memory; offsets are relative to the pointers. They may overlap: rows may lie on
// overlapping memory of the program (CL_MEM_USE_HOST_PTR).
#pragma once

#include <cstddef>
#include <cstring>

#include "base/rectangle.h"

namespace samcl {

inline void copy_rows(std::byte* to, const Rectangle& target, const std::byte* from, const Rectangle& source) {
  if (source.is_run() && target.is_run()) {
    std::memmove(to + target.offset, from + source.offset, source.bytes());
    return;
  }
  source.for_each_row(
      [&](uint64_t index, Range row) { std::memmove(to + target.row(index), from + row.begin, row.size()); });
}

}  // namespace samcl
