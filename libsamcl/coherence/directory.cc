#include "libsamcl/coherence/directory.h"

#include <algorithm>
#include <iterator>

namespace samcl {

Directory::Directory(uint64_t size) : size_(size), runs_{{0, Places{0}}} {}

std::vector<Directory::Piece> Directory::pieces(Range range) const {
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

std::vector<Directory::Piece> Directory::missing(Range range, Place place) const {
  std::vector<Piece> result = pieces(range);
  std::erase_if(result, [&](const Piece& piece) { return piece.valid == 0 || contains(piece.valid, place); });
  return result;
}

uint64_t Directory::missing_bytes(Range range, Place place) const {
  range = intersect(range, {0, size_});
  if (range.empty()) return 0;
  uint64_t bytes = 0;
  for (auto run = std::prev(runs_.upper_bound(range.begin)); run != runs_.end() && run->first < range.end; ++run) {
    if (run->second == 0 || contains(run->second, place)) continue;
    auto next = std::next(run);
    bytes += intersect({run->first, next == runs_.end() ? size_ : next->first}, range).size();
  }
  return bytes;
}

void Directory::written(Range range, Places places) {
  change(range, [&](Places) { return places; });
}

void Directory::copied(Range range, Place place) {
  change(range, [&](Places valid) { return valid == 0 ? valid : valid | only(place); });
}

void Directory::define_as_zeros(Range range, Places places) {
  change(range, [&](Places valid) { return valid == 0 ? places : valid; });
}

void Directory::forget(Place place) {
  change({0, size_}, [&](Places valid) { return valid & ~only(place); });
}

Directory::Map::iterator Directory::split_at(uint64_t position) {
  if (position >= size_) return runs_.end();
  auto run = std::prev(runs_.upper_bound(position));
  if (run->first == position) return run;
  return runs_.emplace_hint(std::next(run), position, run->second);
}

void Directory::coalesce(uint64_t from, uint64_t to) {
  auto run = runs_.lower_bound(from);
  if (run == runs_.begin()) ++run;
  while (run != runs_.end() && run->first <= to) {
    run = run->second == std::prev(run)->second ? runs_.erase(run) : std::next(run);
  }
}

template <typename Change>
void Directory::change(Range range, Change change_places) {
  range = intersect(range, {0, size_});
  if (range.empty()) return;
  auto first = split_at(range.begin);
  auto last = split_at(range.end);
  for (auto run = first; run != last; ++run) run->second = change_places(run->second);
  coalesce(range.begin, range.end);
}

}  // namespace samcl
