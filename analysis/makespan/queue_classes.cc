#include "analysis/makespan/queue_classes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace samcl::analysis::makespan {
namespace {

class Explorer {
 public:
  Explorer(const Chain& chain, const Stations& stations, int kept, int few, size_t most_slots)
      : chain_(chain), stations_(stations), kept_(kept), few_(few), most_slots_(most_slots) {
    for (size_t place = 0; place < chain.places(); ++place) {
      const bool last = place + 1 == chain.places();
      const MoveKind kind{stations.of_place[place],
                          last ? std::nullopt : std::optional(stations.of_place[place + 1])};
      size_t n = 0;
      while (n < found_.kinds.size() && (found_.kinds[n].from != kind.from || found_.kinds[n].to != kind.to)) ++n;
      if (n == found_.kinds.size()) found_.kinds.push_back(kind);
      found_.kind_of_place.push_back(n);
    }
  }

  std::optional<QueueClasses> explore() {
    Ready first(stations_.count(), 0);
    first[stations_.of_place[0]] = kept_;
    number(first);
    for (size_t n = 0; n < found_.classes.size(); ++n) {
      const Ready from = found_.classes[n];
      std::vector<int> taken(chain_.units(), 0), moves(found_.kinds.size(), 0);
      for (size_t station = 0; station < from.size(); ++station) {
        const size_t unit = stations_.unit[station];
        taken[unit] = std::min(taken[unit] + from[station], chain_.capacity(unit));
      }
      Ready left = from;
      choose_moves(n, left, taken, 0, moves);
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

  // What is known to be ready at least: where only one number is cut off, the warps that the others leave.
  Ready least(const Ready& ready) const {
    Ready result = ready;
    if (std::count(ready.begin(), ready.end(), kept_) != 1) return result;
    int others = 0;
    for (const int count : ready) others += count == kept_ ? 0 : count;
    for (int& count : result)
      if (count == kept_) count = std::max(kept_, few_ + 1 - others);
    return result;
  }

  // All ways to spread each unit's `taken` warps over the kinds of moves from `kind` on; `left` at the stations.
  void choose_moves(size_t from, Ready& left, std::vector<int>& taken, size_t kind, std::vector<int>& moves) {
    if (found_.slots.size() > most_slots_) return;
    if (kind == found_.kinds.size()) {
      if (std::all_of(taken.begin(), taken.end(), [](int count) { return count == 0; })) finish(from, moves);
      return;
    }
    const size_t station = found_.kinds[kind].from;
    int& to_take = taken[stations_.unit[station]];
    const bool cut_off = found_.classes[from][station] == kept_;
    const int all = to_take, here = left[station];
    for (int n = 0; n <= (cut_off ? all : std::min(all, here)); ++n) {
      moves[kind] = n;
      to_take = all - n;
      left[station] = here - n;
      choose_moves(from, left, taken, kind + 1, moves);
    }
    to_take = all;
    left[station] = here;
    moves[kind] = 0;
  }

  void finish(size_t from, const std::vector<int>& moves) {
    Ready after = least(found_.classes[from]);
    int ended = 0;
    const int warps = std::accumulate(after.begin(), after.end(), 0);
    for (size_t kind = 0; kind < moves.size(); ++kind) {
      after[found_.kinds[kind].from] -= moves[kind];
      (found_.kinds[kind].to ? after[*found_.kinds[kind].to] : ended) += moves[kind];
    }
    if (ended > 0 && std::max(warps, few_ + 1) - ended <= few_) found_.slots.push_back({from, std::nullopt, moves});
    // Where the number was cut off there may also be more.
    std::set<Ready> possible = {Ready()};
    for (size_t station = 0; station < after.size(); ++station) {
      const int lowest = std::clamp(after[station], 0, kept_);
      const int highest = found_.classes[from][station] == kept_ ? kept_ : lowest;
      std::set<Ready> longer;
      for (const Ready& begin : possible)
        for (int count = lowest; count <= highest; ++count) {
          longer.insert(begin);
          Ready next = begin;
          next.push_back(count);
          longer.erase(begin);
          longer.insert(std::move(next));
        }
      possible = std::move(longer);
    }
    for (const Ready& next : possible)
      if (std::count(next.begin(), next.end(), kept_) > 0) found_.slots.push_back({from, number(next), moves});
  }

  const Chain& chain_;
  const Stations& stations_;
  const int kept_, few_;
  const size_t most_slots_;
  std::map<Ready, size_t> numbers_;
  QueueClasses found_;
};

}  // namespace

Stations by_unit(const Chain& chain) {
  Stations stations;
  for (size_t unit = 0; unit < chain.units(); ++unit) stations.unit.push_back(unit);
  for (size_t place = 0; place < chain.places(); ++place) stations.of_place.push_back(chain.unit_of(place));
  return stations;
}

Stations by_run(const Chain& chain) {
  Stations stations;
  for (size_t place = 0; place < chain.places(); ++place) {
    if (place == 0 || chain.unit_of(place) != chain.unit_of(place - 1)) stations.unit.push_back(chain.unit_of(place));
    stations.of_place.push_back(stations.count() - 1);
  }
  return stations;
}

std::optional<QueueClasses> queue_classes(const Chain& chain, const Stations& stations, int kept, int few,
                                          size_t most_slots) {
  return Explorer(chain, stations, kept, few, most_slots).explore();
}

}  // namespace samcl::analysis::makespan
