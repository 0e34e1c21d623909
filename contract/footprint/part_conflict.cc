#include "contract/footprint/part_conflict.h"

namespace samcl {
namespace {

bool conflict(const std::vector<ArgumentFootprint>& writer, const std::vector<ArgumentFootprint>& reader,
              std::span<const ArgumentPlace> places) {
  for (size_t i = 0; i < writer.size(); ++i) {
    const ByteSet& written = writer[i].surely_writes;
    if (written.empty()) continue;
    if (places.empty()) {
      if (i < reader.size() && surely_meet(written, reader[i].surely_reads)) return true;
      continue;
    }
    for (size_t j = 0; j < reader.size() && j < places.size() && i < places.size(); ++j) {
      if (!places[i].memory || places[i].memory != places[j].memory) continue;
      const auto shift = static_cast<int64_t>(places[i].start - places[j].start);
      if (surely_meet(written, reader[j].surely_reads, shift)) return true;
    }
  }
  return false;
}

ByteSet moved(ByteSet set, uint64_t by) {
  for (StridedRange& range : set.ranges) range.start += by;
  return set;
}

// No byte that `writer` may write is one that `other` may touch.
bool apart(const std::vector<ArgumentFootprint>& writer, const std::vector<ArgumentFootprint>& other,
           std::span<const ArgumentPlace> places) {
  for (size_t i = 0; i < writer.size(); ++i) {
    if (writer[i].may_write.empty() || (!places.empty() && !places[i].memory)) continue;
    const ByteSet written = moved(writer[i].may_write, places.empty() ? 0 : places[i].start);
    for (size_t j = 0; j < other.size(); ++j) {
      const bool same = places.empty() ? i == j : places[i].memory == places[j].memory;
      if (!same) continue;
      const uint64_t start = places.empty() ? 0 : places[j].start;
      const auto shares = [&](const ByteSet& set) { return !set.empty() && !disjoint(written, moved(set, start)); };
      if (shares(other[j].reads) || shares(other[j].may_write)) return false;
    }
  }
  return true;
}

}  // namespace

bool reads_what_another_writes(std::span<const std::vector<ArgumentFootprint>> parts,
                               std::span<const ArgumentPlace> places) {
  for (size_t writer = 0; writer < parts.size(); ++writer)
    for (size_t reader = 0; reader < parts.size(); ++reader)
      if (reader != writer && conflict(parts[writer], parts[reader], places)) return true;
  return false;
}

bool parts_are_apart(std::span<const std::vector<ArgumentFootprint>> parts, std::span<const ArgumentPlace> places) {
  for (size_t a = 0; a < parts.size(); ++a)
    for (size_t b = 0; b < parts.size(); ++b)
      if (a != b && !apart(parts[a], parts[b], places)) return false;
  return true;
}

}  // namespace samcl
