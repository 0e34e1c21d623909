#include "analysis/makespan/pause_relaxation.h"

#include <algorithm>
#include <numeric>

#include "analysis/makespan/slot.h"

namespace samcl::analysis::makespan {
namespace {

constexpr size_t kMostPauses = 4'000, kMostSteps = 60'000'000;  // pairs of states and places: a second

class Pauses {
 public:
  Pauses(const Chain& chain, size_t unit, int warps) : chain_(chain), unit_(unit), moved_(chain.places()) {
    Counts counts(chain.places(), 0);
    collect(counts, 0, warps, chain.capacity(unit) - 1);
    std::sort(pauses_.begin(), pauses_.end(), [](const State& a, const State& b) { return a.work < b.work; });
  }

  std::optional<Slots> bound(const Counts& start) {
    if (pauses_.size() > kMostPauses) return std::nullopt;
    Counts next(chain_.places());
    for (State& pause : pauses_) {
      if (pause.work == 0) continue;
      Slots most = 0;
      auto follow = [&] {
        move(moved_, pause.counts.data(), next.data());
        most = std::max(most, from(state_of(next)));
      };
      SlotChoices<decltype(follow)>(chain_, moved_, follow).visit_all(pause.counts.data());
      pause.slots = 1 + most;
      if (steps_ > kMostSteps) return std::nullopt;
    }
    return from(state_of(start));
  }

 private:
  struct State {
    Counts counts;
    std::vector<int> behind;  // warps at each place or before it
    int64_t work = 0;         // the sum of these
    Slots slots = 0;          // until the end, at most
  };

  State state_of(const Counts& counts) const {
    State state{counts, std::vector<int>(counts.size())};
    std::partial_sum(counts.begin(), counts.end(), state.behind.begin(), std::plus<int>());
    state.work = std::accumulate(state.behind.begin(), state.behind.end(), int64_t{0});
    return state;
  }

  int ready(const State& state, size_t unit) const {
    int sum = 0;
    for (const size_t place : chain_.places_of(unit)) sum += state.counts[place];
    return sum;
  }

  // All states with so many warps at most, of which so many are ready for the unit.
  void collect(Counts& counts, size_t place, int warps, int ready) {
    if (pauses_.size() > kMostPauses) return;
    if (place == counts.size()) return pauses_.push_back(state_of(counts));
    const bool own = chain_.unit_of(place) == unit_;
    for (int n = 0; n <= (own ? std::min(ready, warps) : warps); ++n) {
      counts[place] = static_cast<Count>(n);
      collect(counts, place + 1, warps - n, own ? ready - n : ready);
    }
    counts[place] = 0;
  }

  // From any state whose later pauses are known.
  Slots from(const State& state) {
    const bool pauses = ready(state, unit_) < chain_.capacity(unit_);
    Slots most = 0;
    for (const State& pause : pauses_) {
      if (pause.work > state.work) break;
      if (pauses && pause.counts != state.counts) continue;
      if (const auto slots = between(state, pause)) most = std::max(most, *slots + pause.slots);
    }
    return most;
  }

  // The slots from a state to the next pause, nothing if there cannot be such a way.
  std::optional<Slots> between(const State& state, const State& pause) {
    steps_ += chain_.places();
    for (size_t place = 0; place < chain_.places(); ++place)
      if (pause.behind[place] > state.behind[place]) return std::nullopt;
    const Slots moves = moves_of(unit_, state, pause);
    if (moves % chain_.capacity(unit_) != 0) return std::nullopt;
    const Slots slots = moves / chain_.capacity(unit_);
    for (size_t unit = 0; unit < chain_.units(); ++unit) {
      const Slots others = moves_of(unit, state, pause), most = slots * chain_.capacity(unit);
      if (others > most) return std::nullopt;
      if (others < most && ready(pause, unit) >= chain_.capacity(unit) + arrivals(unit, state, pause))
        return std::nullopt;
    }
    return slots;
  }

  Slots moves_of(size_t unit, const State& state, const State& pause) const {
    Slots moves = 0;
    for (const size_t place : chain_.places_of(unit)) moves += state.behind[place] - pause.behind[place];
    return moves;
  }

  // Who comes to the unit from elsewhere.
  int arrivals(size_t unit, const State& state, const State& pause) const {
    int sum = 0;
    for (const size_t place : chain_.places_of(unit))
      if (place > 0 && chain_.unit_of(place - 1) != unit) sum += state.behind[place - 1] - pause.behind[place - 1];
    return sum;
  }

  const Chain& chain_;
  const size_t unit_;
  Counts moved_;
  std::vector<State> pauses_;  // the one with least left to do first
  size_t steps_ = 0;
};

}  // namespace

std::optional<Slots> pause_bound(const Chain& chain, int warps) {
  std::optional<Slots> least;
  for (size_t unit = 0; unit < chain.units(); ++unit)
    if (const auto bound = Pauses(chain, unit, warps).bound(chain.start(warps)); bound && (!least || *bound < *least))
      least = bound;
  return least;
}

}  // namespace samcl::analysis::makespan
