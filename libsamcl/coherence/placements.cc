#include "libsamcl/coherence/placements.h"

#include <bit>
#include <utility>

namespace samcl {
namespace {

// Of one memory object, and in all.
constexpr size_t kMostPieces = 64, kMostObjects = 1024;

// What either says is needed; all of it on all of its devices where that is too much to keep.
std::vector<Directory::Piece> united(const Placement& one, const Placement& other) {
  Directory all(other.size);
  all.written({0, other.size}, only(kZeros));
  for (const Placement* each : {&one, &other})
    for (const auto& [range, devices] : each->needed)
      for_each_place(devices, [&all, &its_range = range](Place device) { all.copied(its_range, device); });
  std::vector<Directory::Piece> needed;
  for (Directory::Piece piece : all.pieces({0, other.size})) {
    piece.valid &= ~only(kZeros);
    if (piece.valid != 0) needed.push_back(piece);
  }
  if (needed.size() > kMostPieces) return {{{0, other.size}, one.devices | other.devices}};
  return needed;
}

}  // namespace

void Placements::begin(ByNumber known) {
  std::lock_guard lock(mutex_);
  counts_ = true;
  learns_ = known.empty();
  known_ = std::move(known);
}

std::optional<Placements::Made> Placements::made(uint64_t size) {
  std::lock_guard lock(mutex_);
  if (!counts_ || size < kLeast) return std::nullopt;
  Made made{next_++, std::nullopt};
  const auto known = known_.find(made.number);
  if (known != known_.end() && known->second.size == size && std::popcount(known->second.devices) > 1)
    made.placement = known->second;
  return made;
}

bool Placements::foresees() const {
  std::lock_guard lock(mutex_);
  return !known_.empty();
}

bool Placements::learns() const {
  std::lock_guard lock(mutex_);
  return learns_;
}

void Placements::stop_learning() {
  std::lock_guard lock(mutex_);
  learns_ = false;
}

bool Placements::learned(uint32_t number, const Placement& placement) {
  std::lock_guard lock(mutex_);
  if (!learns_ || (learned_.size() >= kMostObjects && !learned_.contains(number))) return false;
  const bool is_first = !learned_.contains(number);
  Placement& known = learned_[number];
  known.size = placement.size;
  known.needed = united(known, placement);
  known.devices |= placement.devices;
  return is_first;
}

std::optional<Placements::ByNumber> Placements::took(uint64_t whole, uint64_t placed) {
  std::lock_guard lock(mutex_);
  if (!learns_) return std::nullopt;
  learns_ = ++launches_ < kMostLaunches;
  whole_ns_ += static_cast<int64_t>(whole);
  saved_ns_ += static_cast<int64_t>(whole) - static_cast<int64_t>(placed);
  const bool paid_before = pays_;
  pays_ = saved_ns_ >= kLeastNs && saved_ns_ >= whole_ns_ / kLeastPart;
  if (!pays_ && !paid_before) return std::nullopt;
  return pays_ ? learned_ : ByNumber();
}

void Placements::took_short_time() {
  std::lock_guard lock(mutex_);
  learns_ = learns_ && ++short_ones_ < kMostShort;
}

bool Placements::give_up() {
  std::lock_guard lock(mutex_);
  return !std::exchange(gave_up_, true);
}

}  // namespace samcl
