#include "analysis/makespan/worst_case.h"

#include <deque>
#include <map>

#include "analysis/makespan/slot.h"
#include "analysis/makespan/state_store.h"
#include "analysis/makespan/upper_bound.h"

namespace samcl::analysis::makespan {
namespace {

class Search {
 public:
  Search(const Kernel& kernel, int warps, const Effort& effort)
      : chain_(kernel), start_(chain_.start(warps)), effort_(effort), bound_(chain_, warps, effort.relaxation),
        moved_(chain_.places()), next_(chain_.places()) {}

  WorstCase run() {
    const Slots at_most = bound_(start_.data());
    for (size_t width = 1; width <= effort_.beam && best_ < at_most; width *= 10) search_beam(width);
    WorstCase result;
    result.bound = best_ < at_most ? visit_all(result.states) : at_most;
    result.attained = best_;
    result.schedule = schedule();
    return result;
  }

 private:
  // Calls `visit` for every state that can follow, which is in next_.
  template <typename Visit>
  void for_each_next(const Counts& from, Visit visit) {
    auto step = [&] {
      move(moved_, from.data(), next_.data());
      visit();
    };
    SlotChoices<decltype(step)>(chain_, moved_, step).visit_all(from.data());
  }

  static bool ended(const Counts& counts) {
    return std::all_of(counts.begin(), counts.end(), [](Count count) { return count == 0; });
  }

  void keep_if_longer(const StateStore& store, uint32_t state, Slots slot) {
    if (slot <= best_) return;
    best_ = slot;
    way_ = store.way_to(state);
  }

  void search_beam(size_t width) {
    struct Candidate {
      Slots bound;
      Slots work;  // left: for equal bounds, where less was done
      uint32_t state;
    };
    StateStore store(chain_.places());
    bool is_new = false;
    std::vector<uint32_t> beam = {store.add(start_.data(), is_new)};
    store.reach(beam[0], 0, StateStore::kNone);
    for (int32_t slot = 1; !beam.empty() && store.size() < effort_.states; ++slot) {
      std::vector<Candidate> candidates;
      for (const uint32_t from : beam) {
        const Counts counts(store.counts(from), store.counts(from) + chain_.places());
        for_each_next(counts, [&] {
          const uint32_t state = store.add(next_.data(), is_new);
          if (store.slot(state) >= slot) return;
          store.reach(state, slot, from);
          if (ended(next_)) return keep_if_longer(store, state, slot);
          candidates.push_back({bound_(next_.data()), work_left(next_.data()), state});
        });
      }
      const size_t kept = std::min(width, candidates.size());
      std::partial_sort(candidates.begin(), candidates.begin() + static_cast<long>(kept), candidates.end(),
                        [](const Candidate& a, const Candidate& b) {
                          if (a.bound != b.bound) return a.bound > b.bound;
                          return a.work != b.work ? a.work > b.work : a.state < b.state;
                        });
      beam.clear();
      for (size_t n = 0; n < kept; ++n) beam.push_back(candidates[n].state);
    }
  }

  // The longest way to the end, or a bound on it where there were too many states.
  Slots visit_all(size_t& visited) {
    StateStore store(chain_.places());
    std::map<int64_t, std::vector<uint32_t>, std::greater<>> layers;  // by the work left
    bool is_new = false;
    const uint32_t first = store.add(start_.data(), is_new);
    store.reach(first, 0, StateStore::kNone);
    layers[work_left(start_.data())] = {first};
    while (!layers.empty() && store.size() < effort_.states) {
      const std::vector<uint32_t> layer = std::move(layers.begin()->second);
      layers.erase(layers.begin());
      for (const uint32_t from : layer) {
        const Counts counts(store.counts(from), store.counts(from) + chain_.places());
        const int32_t slot = store.slot(from) + 1;
        if (slot - 1 + bound_(counts.data()) <= best_ || dominated(store, from)) continue;
        for_each_next(counts, [&] {
          if (slot + bound_(next_.data()) <= best_ && !ended(next_)) return;
          const uint32_t state = store.add(next_.data(), is_new);
          if (store.slot(state) >= slot) return;
          store.reach(state, slot, from);
          if (ended(next_)) return keep_if_longer(store, state, slot);
          if (is_new) layers[work_left(next_.data())].push_back(state);
        });
      }
    }
    visited = store.size();
    Slots bound = best_;
    for (const auto& [work, layer] : layers)
      for (const uint32_t state : layer) bound = std::max(bound, store.slot(state) + bound_(store.counts(state)));
    return bound;
  }

  // Whether a state with one more warp was reached no earlier. Whatever the fewer warps can do, they can do as well
  // while a further one only takes what they leave: that is work-conserving too, and does not end before.
  bool dominated(const StateStore& store, uint32_t state) {
    Counts more(store.counts(state), store.counts(state) + chain_.places());
    for (size_t place = 0; place < chain_.places(); ++place) {
      ++more[place];
      const auto known = store.find_state(more.data());
      if (known && store.slot(*known) >= store.slot(state)) return true;
      --more[place];
    }
    return false;
  }

  int64_t work_left(const Count* counts) const {
    int64_t work = 0;
    for (size_t place = 0; place < chain_.places(); ++place)
      work += static_cast<int64_t>(counts[place]) * static_cast<int64_t>(chain_.places() - place);
    return work;
  }

  // The way's moves as issues of warps: at every place those that came first go first.
  Schedule schedule() const {
    std::vector<std::deque<int>> standing(chain_.places());
    for (int warp = 0; warp < start_[0]; ++warp) standing[0].push_back(warp);
    Schedule schedule;
    for (size_t slot = 0; slot + 1 < way_.size(); ++slot) {
      int moved = 0;
      std::vector<std::pair<size_t, int>> arrivals;
      for (size_t place = 0; place < chain_.places(); ++place) {
        moved += way_[slot][place] - way_[slot + 1][place];  // since all that arrived here had left the place before
        for (int n = 0; n < moved; ++n) {
          const int warp = standing[place].front();
          standing[place].pop_front();
          if (chain_.unit_of(place) != Chain::kNoUnit)
            schedule.push_back({static_cast<Slots>(slot), warp, chain_.instruction_of(place)});
          if (place + 1 < chain_.places()) arrivals.emplace_back(place + 1, warp);
        }
      }
      for (const auto& [place, warp] : arrivals) standing[place].push_back(warp);
    }
    return schedule;
  }

  const Chain chain_;
  const Counts start_;
  const Effort effort_;
  const UpperBound bound_;
  Counts moved_, next_;
  Slots best_ = 0;
  std::vector<Counts> way_;
};

}  // namespace

WorstCase worst_case(const Kernel& kernel, int warps, const Effort& effort) {
  return Search(kernel, warps, effort).run();
}

}  // namespace samcl::analysis::makespan
