// The directory of one virtual buffer: which bytes are valid where. Pure bookkeeping: it moves nothing and
// locks nothing; its owner (Storage) does both.
//
// Every byte has a set of places that hold its present contents. An empty set means that the contents are
// undefined (never written): any bytes will do, and nothing has to move.
#pragma once

#include <cstdint>
#include <vector>

#include "base/places.h"
#include "base/range.h"
#include "base/run_map.h"

namespace samcl {

// Set: Places, or ManyPlaces for an imagined machine.
template <typename Set>
class DirectoryOver {
 public:
  // A buffer of `size` bytes whose contents are undefined.
  explicit DirectoryOver(uint64_t size);

  // A maximal run of bytes that are valid at the same places.
  struct Piece {
    Range range;
    Set valid;
    bool operator==(const Piece&) const = default;
  };

  uint64_t size() const { return runs_.end(); }

  // All pieces of `range`, in order, clipped to it.
  std::vector<Piece> pieces(Range range) const;

  // The defined pieces of `range` that are not valid at `place`: what has to move before it is read there.
  std::vector<Piece> missing(Range range, Place place) const;

  // Bytes that missing() would list, without building the list.
  uint64_t missing_bytes(Range range, Place place) const;

  // `range` was overwritten; its contents are valid at exactly these places.
  void written(Range range, const Set& places);

  // Valid bytes of `range` were copied to `place`. Undefined bytes stay undefined.
  void copied(Range range, Place place);

  // The undefined bytes of `range` become zeros, valid at `places` (usually only(kZeros)).
  void define_as_zeros(Range range, const Set& places);

  // Forgets a place, e.g. a host copy that was freed. Bytes valid nowhere else would be lost: the caller
  // makes sure that there are none.
  void forget(Place place);

 private:
  RunMap<Set> runs_;  // where they are valid
};

using Directory = DirectoryOver<Places>;
using ImaginedDirectory = DirectoryOver<ManyPlaces>;
extern template class DirectoryOver<Places>;
extern template class DirectoryOver<ManyPlaces>;

}  // namespace samcl
