// Where the rows of a rectangle lie, as few rectangles: what several devices have written in strips is read from each
// of them, without a stay in the host copy.
#pragma once

#include <vector>

#include "base/rectangle.h"
#include "libsamcl/coherence/directory.h"

namespace samcl {

// Rows [row, row + rows) of slices [slice, slice + slices) of a rectangle, all of which are valid at these places.
struct RowsAt {
  uint64_t row = 0, rows = 0, slice = 0, slices = 0;
  Places valid = 0;

  Rectangle of(const Rectangle& all) const { return all.part(row, rows, slice, slices); }
  bool operator==(const RowsAt&) const = default;
};

// All rows, each once. Nothing if a row is valid at no single place, or they would be more than that many. Undefined
// bytes are valid anywhere.
std::vector<RowsAt> rows_by_place(const Directory& directory, const Rectangle& rows, size_t most);

}  // namespace samcl
