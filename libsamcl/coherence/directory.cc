#include "libsamcl/coherence/directory.h"

namespace samcl {
namespace {

bool is_nowhere(Places places) { return places == 0; }
bool is_nowhere(const ManyPlaces& places) { return places.none(); }
void remove(Places& places, Place place) { places &= ~only(place); }
void remove(ManyPlaces& places, Place place) { places -= place; }
void add(Places& places, Place place) { places |= only(place); }
void add(ManyPlaces& places, Place place) { places |= ManyPlaces(place); }

}  // namespace

template <typename Set>
DirectoryOver<Set>::DirectoryOver(uint64_t size) : runs_(Set{}, size) {}

template <typename Set>
auto DirectoryOver<Set>::pieces(Range range) const -> std::vector<Piece> {
  std::vector<Piece> result;
  runs_.visit(range, [&](Range run, const Set& valid) { result.push_back({run, valid}); });
  return result;
}

template <typename Set>
auto DirectoryOver<Set>::missing(Range range, Place place) const -> std::vector<Piece> {
  std::vector<Piece> result;
  runs_.visit(range, [&](Range run, const Set& valid) {
    if (!is_nowhere(valid) && !contains(valid, place)) result.push_back({run, valid});
  });
  return result;
}

template <typename Set>
uint64_t DirectoryOver<Set>::missing_bytes(Range range, Place place) const {
  uint64_t bytes = 0;
  runs_.visit(range, [&](Range run, const Set& valid) {
    if (!is_nowhere(valid) && !contains(valid, place)) bytes += run.size();
  });
  return bytes;
}

template <typename Set>
void DirectoryOver<Set>::written(Range range, const Set& places) {
  runs_.change(range, [&](Set& valid) { valid = places; });
}

template <typename Set>
void DirectoryOver<Set>::copied(Range range, Place place) {
  runs_.change(range, [&](Set& valid) {
    if (!is_nowhere(valid)) add(valid, place);
  });
}

template <typename Set>
void DirectoryOver<Set>::define_as_zeros(Range range, const Set& places) {
  runs_.change(range, [&](Set& valid) {
    if (is_nowhere(valid)) valid = places;
  });
}

template <typename Set>
void DirectoryOver<Set>::forget(Place place) {
  runs_.change({0, size()}, [&](Set& valid) { remove(valid, place); });
}

template class DirectoryOver<Places>;
template class DirectoryOver<ManyPlaces>;

}  // namespace samcl
