#include "libsamcl/coherence/rows_by_place.h"

#include <algorithm>

namespace samcl {
namespace {

constexpr Places kAnywhere = kAnyDevice | only(kHost);

// The rows of one slice. Takes the pieces from `next` on, in which no later slice begins before the end of this one.
class Slice {
 public:
  Slice(const Rectangle& rows, uint64_t slice, const std::vector<Directory::Piece>& pieces, size_t& next)
      : rows_(rows), slice_(slice), pieces_(pieces), next_(next) {}

  // Nothing if a row is valid at no single place.
  std::vector<RowsAt> by_place() {
    std::vector<RowsAt> runs;
    for (uint64_t row = 0; row < rows_.region[1];) {
      const RowsAt run = run_from(row);
      if (run.valid == 0) return {};
      if (!runs.empty() && (runs.back().valid & run.valid) != 0) {
        runs.back().rows += run.rows;
        runs.back().valid &= run.valid;
      } else {
        runs.push_back(run);
      }
      row += run.rows;
    }
    return runs;
  }

 private:
  static Places places_of(const Directory::Piece& piece) {
    return piece.valid == 0 ? kAnywhere : piece.valid & kAnywhere;
  }

  // The row, and those behind it that lie in the same piece.
  RowsAt run_from(uint64_t row) {
    const uint64_t begin = rows_.row(slice_ * rows_.region[1] + row), end = begin + rows_.region[0];
    while (pieces_[next_].range.end <= begin) ++next_;
    Places valid = places_of(pieces_[next_]);
    const uint64_t piece_end = pieces_[next_].range.end;
    if (piece_end < end) {
      for (size_t i = next_ + 1; i < pieces_.size() && pieces_[i].range.begin < end; ++i)
        valid &= places_of(pieces_[i]);
      return {row, 1, slice_, 1, valid};
    }
    const uint64_t more = (piece_end - end) / rows_.row_pitch;
    return {row, std::min(more + 1, rows_.region[1] - row), slice_, 1, valid};
  }

  const Rectangle& rows_;
  const uint64_t slice_;
  const std::vector<Directory::Piece>& pieces_;
  size_t& next_;
};

// Whether all of the last `runs.size()` of `parts` go on in the next slice; they do then.
bool go_on(std::vector<RowsAt>& parts, const std::vector<RowsAt>& runs) {
  if (parts.size() < runs.size()) return false;
  RowsAt* const last = parts.data() + (parts.size() - runs.size());
  for (size_t i = 0; i < runs.size(); ++i) {
    const bool goes_on = last[i].row == runs[i].row && last[i].rows == runs[i].rows &&
                         last[i].slice + last[i].slices == runs[i].slice && (last[i].valid & runs[i].valid) != 0;
    if (!goes_on) return false;
  }
  for (size_t i = 0; i < runs.size(); ++i) {
    ++last[i].slices;
    last[i].valid &= runs[i].valid;
  }
  return true;
}

}  // namespace

std::vector<RowsAt> rows_by_place(const Directory& directory, const Rectangle& rows, size_t most) {
  const std::vector<Directory::Piece> pieces = directory.pieces(rows.bounds());
  std::vector<RowsAt> parts;
  size_t next = 0;
  for (uint64_t slice = 0; slice < rows.region[2]; ++slice) {
    const std::vector<RowsAt> runs = Slice(rows, slice, pieces, next).by_place();
    if (runs.empty()) return {};
    if (go_on(parts, runs)) continue;
    parts.insert(parts.end(), runs.begin(), runs.end());
    if (parts.size() > most) return {};
  }
  return parts;
}

}  // namespace samcl
