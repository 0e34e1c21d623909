#include "libsamcl/objects/links.h"

#include <algorithm>

namespace samcl {
namespace {

constexpr uint64_t kSpread = 8 << 20;      // a piece larger than this comes over several links
constexpr uint64_t kSpreadUnit = 4 << 10;  // shares are multiples of it

}  // namespace

std::vector<Directory::Piece> spread_over_links(Range range, Places valid, Places in_use) {
  Places sources = valid & in_use & kAnyDevice;
  if (sources == 0 || range.size() <= kSpread) sources = only(lowest(valid & kAnyDevice));
  const uint64_t count = static_cast<uint64_t>(std::popcount(sources));
  const uint64_t share = ((range.size() + count - 1) / count + kSpreadUnit - 1) / kSpreadUnit * kSpreadUnit;
  std::vector<Directory::Piece> parts;
  for (uint64_t begin = range.begin; begin < range.end; begin += share, sources &= sources - 1) {
    parts.push_back({{begin, std::min(begin + share, range.end)}, only(lowest(sources))});
  }
  return parts;
}

}  // namespace samcl
