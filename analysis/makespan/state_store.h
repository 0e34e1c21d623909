// The states that a search has met: each once, with what is known about it.
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>

#include "analysis/makespan/chain.h"

namespace samcl::analysis::makespan {

class StateStore {
 public:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  explicit StateStore(size_t places) : places_(places), slots_(1024, kNone) {}

  size_t size() const { return from_.size(); }
  size_t bytes() const { return size() * (places_ * sizeof(Count) + 8) + slots_.size() * sizeof(uint32_t); }
  // Valid until the next state is added.
  const Count* counts(uint32_t state) const { return &counts_[state * places_]; }

  // The state's number; `is_new` where it was not known.
  uint32_t add(const Count* counts, bool& is_new) {
    if (2 * (size() + 1) > slots_.size()) grow();
    size_t at = find(counts);
    is_new = slots_[at] == kNone;
    if (is_new) {
      slots_[at] = static_cast<uint32_t>(size());
      counts_.insert(counts_.end(), counts, counts + places_);
      from_.push_back(kNone);
      slot_.push_back(-1);
    }
    return slots_[at];
  }

  std::optional<uint32_t> find_state(const Count* counts) const {
    const uint32_t state = slots_[find(counts)];
    return state == kNone ? std::nullopt : std::optional(state);
  }

  // The latest slot in which it is reached, and the state from which it then is.
  int32_t slot(uint32_t state) const { return slot_[state]; }
  uint32_t from(uint32_t state) const { return from_[state]; }
  void reach(uint32_t state, int32_t slot, uint32_t from) {
    slot_[state] = slot;
    from_[state] = from;
  }

  // The states on the way to this one, itself last.
  std::vector<Counts> way_to(uint32_t state) const {
    std::vector<Counts> way;
    for (; state != kNone; state = from_[state]) way.emplace_back(counts(state), counts(state) + places_);
    std::reverse(way.begin(), way.end());
    return way;
  }

 private:
  size_t find(const Count* counts) const {
    uint64_t hash = 0x9e3779b97f4a7c15;
    for (size_t place = 0; place < places_; ++place)
      hash = (hash ^ counts[place]) * 0xff51afd7ed558ccd, hash ^= hash >> 29;
    size_t at = hash & (slots_.size() - 1);
    while (slots_[at] != kNone && std::memcmp(this->counts(slots_[at]), counts, places_ * sizeof(Count)) != 0)
      at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  void grow() {
    const std::vector<uint32_t> old = std::move(slots_);
    slots_.assign(old.size() * 2, kNone);
    for (const uint32_t state : old)
      if (state != kNone) slots_[find(counts(state))] = state;
  }

  size_t places_;
  std::vector<Count> counts_;
  std::vector<uint32_t> from_;
  std::vector<int32_t> slot_;
  std::vector<uint32_t> slots_;  // open addressing, a power of two
};

}  // namespace samcl::analysis::makespan
