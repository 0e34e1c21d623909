#include "libsamcl/runtime/gather.h"

#include <algorithm>
#include <bit>
#include <map>

namespace samcl {
namespace {

constexpr uint64_t kSpread = 8 << 20;      // a piece larger than this comes over several links
constexpr uint64_t kSpreadUnit = 4 << 10;  // shares are multiples of it

unsigned lowest(Places places) { return static_cast<unsigned>(std::countr_zero(places)); }

}  // namespace

std::vector<Step> gather(const std::shared_ptr<Storage>& storage, Range range, Traffic& traffic) {
  std::map<unsigned, std::vector<Directory::Piece>> by_device;
  for (const auto& piece : storage->pieces(range)) {
    if (piece.valid == 0 || contains(piece.valid, kHost)) continue;
    if (contains(piece.valid, kZeros)) {
      by_device[0].push_back(piece);
      continue;
    }
    Places sources = piece.valid & storage->context()->places_in_use();
    if (sources == 0 || piece.range.size() <= kSpread) sources = only(lowest(piece.valid));
    const uint64_t count = static_cast<uint64_t>(std::popcount(sources));
    const uint64_t share = ((piece.range.size() + count - 1) / count + kSpreadUnit - 1) / kSpreadUnit * kSpreadUnit;
    for (uint64_t begin = piece.range.begin; begin < piece.range.end; begin += share, sources &= sources - 1) {
      by_device[lowest(sources)].push_back({{begin, std::min(begin + share, piece.range.end)}, only(lowest(sources))});
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
