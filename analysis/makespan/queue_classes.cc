#include "analysis/makespan/queue_classes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace samcl::analysis::makespan {
namespace {

class Explorer {
 public:
  Explorer(const Chain& chain, int kept, int few, size_t most_slots)
      : chain_(chain), kept_(kept), few_(few), most_slots_(most_slots) {
    for (size_t place = 0; place < chain.places(); ++place) {
      const bool last = place + 1 == chain.places();
      const MoveKind kind{chain.unit_of(place), last ? std::nullopt : std::optional(chain.unit_of(place + 1))};
      const auto known = std::find(found_.kinds.begin(), found_.kinds.end(), kind);
      found_.kind_of_place.push_back(static_cast<size_t>(known - found_.kinds.begin()));
      if (known == found_.kinds.end()) found_.kinds.push_back(kind);
    }
  }

  std::optional<QueueClasses> explore() {
    Ready first(chain_.units(), 0);
    first[chain_.unit_of(0)] = kept_;
    number(first);
    for (size_t n = 0; n < found_.classes.size(); ++n) {
      Ready taken = found_.classes[n];
      for (size_t unit = 0; unit < taken.size(); ++unit) taken[unit] = std::min(taken[unit], chain_.capacity(unit));
      std::vector<int> moves(found_.kinds.size(), 0);
      choose_moves(n, taken, 0, moves);
      if (found_.slots.size() > most_slots_) return std::nullopt;
    }
    return std::move(found_);
  }

 private:
  size_t number(const Ready& ready) {
    const auto [known, is_new] = numbers_.emplace(ready, found_.classes.size());
    if (is_new) found_.classes.push_back(ready);
    return known->second;
  }

  // What is ready at least: where only one number is cut off, the warps that the others leave.
  Ready least(Ready ready) const {
    const auto cut_off = std::find(ready.begin(), ready.end(), kept_);
    if (std::count(ready.begin(), ready.end(), kept_) == 1)
      *cut_off = std::max(kept_, few_ + 1 + kept_ - std::accumulate(ready.begin(), ready.end(), 0));
    return ready;
  }

  // All ways to spread the warps that each unit takes over the kinds of moves from `kind` on.
  void choose_moves(size_t from, Ready& taken, size_t kind, std::vector<int>& moves) {
    if (found_.slots.size() > most_slots_) return;
    if (kind == found_.kinds.size()) {
      if (std::all_of(taken.begin(), taken.end(), [](int left) { return left == 0; })) finish(from, moves);
      return;
    }
    int& left = taken[found_.kinds[kind].from];
    const int all = left;
    for (int n = 0; n <= all; ++n) {
      moves[kind] = n;
      left = all - n;
      choose_moves(from, taken, kind + 1, moves);
    }
    left = all;
    moves[kind] = 0;
  }

  void finish(size_t from, const std::vector<int>& moves) {
    Ready after = least(found_.classes[from]);
    const int warps = std::accumulate(after.begin(), after.end(), 0);
    int ended = 0;
    for (size_t kind = 0; kind < moves.size(); ++kind) {
      after[found_.kinds[kind].from] -= moves[kind];
      (found_.kinds[kind].to ? after[*found_.kinds[kind].to] : ended) += moves[kind];
    }
    const bool few_possible = std::max(warps, few_ + 1) - ended <= few_;
    std::set<Ready> classes, few;
    Ready exact(after.size());
    collect(from, after, 0, exact, classes, few);
    for (const Ready& next : classes) found_.slots.push_back({from, moves, number(next), {}});
    if (!few_possible) return;
    for (const Ready& next : few) found_.slots.push_back({from, moves, std::nullopt, next});
  }

  // What can be ready after the slot: `after`, or more where the number was cut off.
  void collect(size_t from, const Ready& after, size_t unit, Ready& exact, std::set<Ready>& classes,
               std::set<Ready>& few) const {
    if (unit < after.size()) {
      const bool more = found_.classes[from][unit] == kept_;
      for (exact[unit] = after[unit]; exact[unit] <= (more ? std::max({after[unit], kept_, few_}) : after[unit]);
           ++exact[unit])
        collect(from, after, unit + 1, exact, classes, few);
      return;
    }
    if (std::accumulate(exact.begin(), exact.end(), 0) <= few_) few.insert(exact);
    Ready cut = exact;
    for (int& count : cut) count = std::min(count, kept_);
    if (std::count(cut.begin(), cut.end(), kept_) > 0) classes.insert(cut);
  }

  const Chain& chain_;
  const int kept_, few_;
  const size_t most_slots_;
  std::map<Ready, size_t> numbers_;
  QueueClasses found_;
};

}  // namespace

std::optional<QueueClasses> queue_classes(const Chain& chain, int kept, int few, size_t most_slots) {
  return Explorer(chain, kept, few, most_slots).explore();
}

}  // namespace samcl::analysis::makespan
