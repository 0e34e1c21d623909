#include "libsamcl/runtime/gather.h"

#include <algorithm>
#include <bit>
#include <map>

#include "libsamcl/runtime/context.h"

namespace samcl {
namespace {

constexpr uint64_t kSpread = 8 << 20;      // a piece larger than this comes over several links
constexpr uint64_t kSpreadUnit = 4 << 10;  // shares are multiples of it

unsigned lowest(Places places) { return static_cast<unsigned>(std::countr_zero(places)); }

}  // namespace

std::vector<Directory::Piece> spread_over_links(const Context& context, Range range, Places valid) {
  Places sources = valid & context.places_in_use();
  if (sources == 0 || range.size() <= kSpread) sources = only(lowest(valid));
  const uint64_t count = static_cast<uint64_t>(std::popcount(sources));
  const uint64_t share = ((range.size() + count - 1) / count + kSpreadUnit - 1) / kSpreadUnit * kSpreadUnit;
  std::vector<Directory::Piece> parts;
  for (uint64_t begin = range.begin; begin < range.end; begin += share, sources &= sources - 1) {
    parts.push_back({{begin, std::min(begin + share, range.end)}, only(lowest(sources))});
  }
  return parts;
}

std::vector<Step> gather(const std::shared_ptr<Storage>& storage, Range range, Traffic& traffic) {
  std::map<unsigned, std::vector<Directory::Piece>> by_device;
  for (const auto& piece : storage->pieces(range)) {
    if (piece.valid == 0 || contains(piece.valid, kHost)) continue;
    if (contains(piece.valid, kZeros)) {
      by_device[0].push_back(piece);
      continue;
    }
    for (const auto& part : spread_over_links(*storage->context(), piece.range, piece.valid)) {
      by_device[lowest(part.valid)].push_back(part);
    }
  }
  std::vector<Step> steps;
  for (auto& [device, pieces] : by_device) {
    steps.push_back({device, [storage, pieces = std::move(pieces), &traffic] {
                       for (const auto& piece : pieces) {
                         if (cl_int error = storage->fetch(piece, traffic); error != CL_SUCCESS) return error;
                       }
                       return CL_SUCCESS;
                     }});
  }
  return steps;
}

}  // namespace samcl
