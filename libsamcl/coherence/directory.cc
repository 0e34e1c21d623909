#include "libsamcl/coherence/directory.h"

#include <algorithm>
#include <iterator>

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
DirectoryOver<Set>::DirectoryOver(uint64_t size) : size_(size), runs_{{0, Set{}}} {}

template <typename Set>
auto DirectoryOver<Set>::pieces(Range range) const -> std::vector<Piece> {
  std::vector<Piece> result;
  range = intersect(range, {0, size_});
  if (range.empty()) return result;
  for (auto run = std::prev(runs_.upper_bound(range.begin)); run != runs_.end() && run->first < range.end; ++run) {
    auto next = std::next(run);
    Range whole{run->first, next == runs_.end() ? size_ : next->first};
    result.push_back({intersect(whole, range), run->second});
  }
  return result;
}

template <typename Set>
auto DirectoryOver<Set>::missing(Range range, Place place) const -> std::vector<Piece> {
  std::vector<Piece> result = pieces(range);
  std::erase_if(result, [&](const Piece& piece) { return is_nowhere(piece.valid) || contains(piece.valid, place); });
  return result;
}

template <typename Set>
uint64_t DirectoryOver<Set>::missing_bytes(Range range, Place place) const {
  range = intersect(range, {0, size_});
  if (range.empty()) return 0;
  uint64_t bytes = 0;
  for (auto run = std::prev(runs_.upper_bound(range.begin)); run != runs_.end() && run->first < range.end; ++run) {
    if (is_nowhere(run->second) || contains(run->second, place)) continue;
    auto next = std::next(run);
    bytes += intersect({run->first, next == runs_.end() ? size_ : next->first}, range).size();
  }
  return bytes;
}

template <typename Set>
void DirectoryOver<Set>::written(Range range, const Set& places) {
  change(range, [&](Set& valid) { valid = places; });
}

template <typename Set>
void DirectoryOver<Set>::copied(Range range, Place place) {
  change(range, [&](Set& valid) {
    if (!is_nowhere(valid)) add(valid, place);
  });
}

template <typename Set>
void DirectoryOver<Set>::define_as_zeros(Range range, const Set& places) {
  change(range, [&](Set& valid) {
    if (is_nowhere(valid)) valid = places;
  });
}

template <typename Set>
void DirectoryOver<Set>::forget(Place place) {
  change({0, size_}, [&](Set& valid) { remove(valid, place); });
}

template <typename Set>
auto DirectoryOver<Set>::split_at(uint64_t position) -> typename Map::iterator {
  if (position >= size_) return runs_.end();
  auto run = std::prev(runs_.upper_bound(position));
  if (run->first == position) return run;
  return runs_.emplace_hint(std::next(run), position, run->second);
}

template <typename Set>
void DirectoryOver<Set>::coalesce(uint64_t from, uint64_t to) {
  auto run = runs_.lower_bound(from);
  if (run == runs_.begin()) ++run;
  while (run != runs_.end() && run->first <= to) {
    run = run->second == std::prev(run)->second ? runs_.erase(run) : std::next(run);
  }
}

template <typename Set>
template <typename Change>
void DirectoryOver<Set>::change(Range range, Change change_places) {
  range = intersect(range, {0, size_});
  if (range.empty()) return;
  auto first = split_at(range.begin);
  auto last = split_at(range.end);
  for (auto run = first; run != last; ++run) change_places(run->second);
  coalesce(range.begin, range.end);
}

template class DirectoryOver<Places>;
template class DirectoryOver<ManyPlaces>;

}  // namespace samcl
