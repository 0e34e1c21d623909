#include "analysis/makespan/worst_case.h"

#include <algorithm>
#include <deque>
#include <map>

#include "analysis/makespan/bounds.h"
#include "analysis/makespan/pause_relaxation.h"
#include "analysis/makespan/queue_relaxation.h"
#include "analysis/makespan/run_relaxation.h"
#include "analysis/makespan/slot.h"
#include "analysis/makespan/state_store.h"

namespace samcl::analysis::makespan {
namespace {

// The least of the bounds at hand on the slots that a state still takes.
class UpperBound {
 public:
  // `chain` outlives it.
  UpperBound(const Chain& chain, int warps, bool queues, bool runs) : chain_(chain) {
    if (queues) queues_ = QueueRelaxation::make(chain, warps);
    if (runs) runs_ = RunRelaxation::make(chain, warps);
  }

  Slots operator()(const Count* counts) const {
    Slots bound = last_warp_bound(chain_, counts);
    if (queues_) bound = std::min(bound, queues_->bound(chain_, counts).value_or(bound));
    if (runs_) bound = std::min(bound, runs_->bound(counts));
    return bound;
  }

 private:
  const Chain& chain_;
  std::optional<QueueRelaxation> queues_;
  std::optional<RunRelaxation> runs_;
};

constexpr int64_t kMostPlacesOfSchedule = 200'000'000;  // two bytes each, in the states of one schedule
constexpr size_t kMostBytes = size_t{1} << 30;

class Search {
 public:
  Search(const Kernel& kernel, int warps, const Effort& effort)
      : chain_(kernel),
        warps_(warps),
        start_(chain_.start(warps)),
        effort_(effort),
        bound_(chain_, warps, effort.reductions.queues, effort.reductions.runs),
        moved_(chain_.places()),
        next_(chain_.places()) {}

  WorstCase run() {
    WorstCase result;
    result.bound = bound_(start_.data());
    const auto places = static_cast<int64_t>(chain_.places());
    if (result.bound * places > kMostPlacesOfSchedule) {
      result.attained = places;
      return result;
    }
    for (const bool ahead : {true, false}) search_greedily(ahead);
    for (size_t width = 1; width <= effort_.beam; width *= 4)
      for (const bool by_bound : {true, false})
        if (best_ < result.bound) search_beam(width, result.bound, by_bound);
    if (best_ < result.bound && effort_.reductions.pauses)
      result.bound = std::min(result.bound, pause_bound(chain_, warps_).value_or(result.bound));
    if (best_ < result.bound) result.bound = std::min(result.bound, visit_all(result.states));
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

  void keep_if_longer(std::vector<Counts> way) {
    if (static_cast<Slots>(way.size()) - 1 <= best_) return;
    best_ = static_cast<Slots>(way.size()) - 1;
    way_ = std::move(way);
  }

  // Each unit takes the warps that are furthest ahead, or furthest behind.
  void search_greedily(bool ahead) {
    std::vector<Counts> way = {start_};
    while (!ended(way.back())) {
      const Counts& from = way.back();
      for (size_t place = 0; place < chain_.places(); ++place)
        moved_[place] = chain_.unit_of(place) == Chain::kNoUnit ? from[place] : Count{0};
      for (size_t unit = 0; unit < chain_.units(); ++unit) {
        const std::vector<size_t>& places = chain_.places_of(unit);
        int left = chain_.capacity(unit);
        for (size_t n = 0; n < places.size() && left > 0; ++n) {
          const size_t place = places[ahead ? places.size() - 1 - n : n];
          moved_[place] = static_cast<Count>(std::min<int>(left, from[place]));
          left -= moved_[place];
        }
      }
      move(moved_, from.data(), next_.data());
      way.push_back(next_);
    }
    keep_if_longer(std::move(way));
  }

  // The states that are kept have the largest bounds, or the most work left.
  void search_beam(size_t width, Slots longest, bool by_bound) {
    struct Kept {
      Counts counts;
      size_t from;  // in the slot before
    };
    struct Candidate {
      Slots bound;
      int64_t work;  // left: for equal bounds, where less was done
      uint32_t state;
      size_t from;
    };
    const auto places = static_cast<int64_t>(chain_.places());
    if (static_cast<int64_t>(width) * longest * places > kMostPlacesOfSchedule) return;
    std::vector<std::vector<Kept>> beams = {{{start_, 0}}};
    int64_t looked_at = 0;
    while (!beams.back().empty()) {
      StateStore reached(chain_.places());
      std::vector<Candidate> candidates;
      std::optional<size_t> last;  // from which the end is reached
      for (size_t from = 0; from < beams.back().size() && looked_at < effort_.places; ++from)
        for_each_next(beams.back()[from].counts, [&] {
          looked_at += places;
          bool is_new = false;
          const uint32_t state = reached.add(next_.data(), is_new);
          if (!is_new) return;
          if (ended(next_))
            last = from;
          else
            candidates.push_back({bound_(next_.data()), work_left(next_.data()), state, from});
        });
      if (looked_at >= effort_.places) return;
      if (last && candidates.empty()) {
        std::vector<Counts> way = {Counts(chain_.places(), 0)};
        for (size_t slot = beams.size(), n = *last; slot-- > 0; n = beams[slot][n].from)
          way.push_back(beams[slot][n].counts);
        std::reverse(way.begin(), way.end());
        return keep_if_longer(std::move(way));
      }
      const size_t kept = std::min(width, candidates.size());
      std::partial_sort(candidates.begin(), candidates.begin() + static_cast<long>(kept), candidates.end(),
                        [by_bound](const Candidate& a, const Candidate& b) {
                          if (by_bound && a.bound != b.bound) return a.bound > b.bound;
                          return a.work != b.work ? a.work > b.work : a.state < b.state;
                        });
      std::vector<Kept> next;
      for (size_t n = 0; n < kept; ++n) {
        const Count* counts = reached.counts(candidates[n].state);
        next.push_back({Counts(counts, counts + chain_.places()), candidates[n].from});
      }
      beams.push_back(std::move(next));
    }
  }

  // The longest way to the end, or a bound on it where the effort or the memory did not suffice.
  Slots visit_all(size_t& visited) {
    StateStore store(chain_.places());
    std::map<int64_t, std::vector<uint32_t>, std::greater<>> layers;  // by the work left
    bool is_new = false;
    int64_t looked_at = 0;
    const auto places = static_cast<int64_t>(chain_.places());
    const uint32_t first = store.add(start_.data(), is_new);
    store.reach(first, 0, StateStore::kNone);
    layers[work_left(start_.data())] = {first};
    const auto suffices = [&] { return looked_at < effort_.places && store.bytes() < kMostBytes; };
    while (!layers.empty() && suffices()) {
      std::vector<uint32_t>& layer = layers.begin()->second;
      for (; !layer.empty() && suffices(); layer.pop_back()) {
        const uint32_t from = layer.back();
        const Counts counts(store.counts(from), store.counts(from) + chain_.places());
        const int32_t slot = store.slot(from) + 1;
        looked_at += places;
        if (slot - 1 + bound_(counts.data()) <= best_) continue;
        if (effort_.reductions.domination && dominated(store, from)) continue;
        for_each_next(counts, [&] {
          looked_at += places;
          if (slot + bound_(next_.data()) <= best_ && !ended(next_)) return;
          const uint32_t state = store.add(next_.data(), is_new);
          if (store.slot(state) >= slot) return;
          store.reach(state, slot, from);
          if (ended(next_)) return keep_if_longer(store.way_to(state));
          if (is_new) layers[work_left(next_.data())].push_back(state);
        });
      }
      if (layers.begin()->second.empty()) layers.erase(layers.begin());
    }
    visited = store.size();
    Slots bound = best_;
    for (const auto& [work, layer] : layers)
      for (const uint32_t state : layer) bound = std::max(bound, store.slot(state) + bound_(store.counts(state)));
    return bound;
  }

  // Whether a state with one more warp was reached no earlier. Whatever the fewer warps can do, they can do
  // as well while a further one only takes what they leave: that is work-conserving too, and does not end
  // before.
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
  const int warps_;
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
