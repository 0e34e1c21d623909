#include "analysis/modes/priorities.h"

#include <algorithm>

#include "analysis/modes/candidates.h"

namespace samcl::analysis {
namespace {

constexpr int kRounds = 4;  // of modes and orders in turn

// The order with the task at `from` at position `to`.
PriorityOrder moved(PriorityOrder order, size_t from, size_t to) {
  const auto at = [&](size_t position) { return order.begin() + static_cast<std::ptrdiff_t>(position); };
  if (from < to)
    std::rotate(at(from), at(from + 1), at(to + 1));
  else
    std::rotate(at(to), at(from), at(from + 1));
  return order;
}

// The modes stay as they are.
class OrderSearch {
 public:
  OrderSearch(const TaskSet& set, Form form, PriorityOrder order, const Modes& modes)
      : set_(set), analysis_(set, form, order), modes_(modes), order_(std::move(order)) {
    lateness_ = lateness_of(set_, analysis_.responses(modes_));
  }

  // The best single move of the latest task up, or of a more urgent one to just below it.
  bool improve() {
    analysis_.reorder(order_);
    const size_t latest = latest_of(set_, analysis_.responses(modes_));
    const auto position = static_cast<size_t>(std::find(order_.begin(), order_.end(), latest) - order_.begin());
    const PriorityOrder before = order_;
    const Lateness start = lateness_;
    for (size_t other = 0; other < position; ++other) {
      consider(moved(before, position, other));
      consider(moved(before, other, position));
    }
    return lateness_ < start;
  }
  bool late() const { return lateness_.late > 0; }
  const PriorityOrder& order() const { return order_; }

 private:
  void consider(PriorityOrder order) {
    analysis_.reorder(order);
    const Lateness lateness = lateness_of(set_, analysis_.responses(modes_));
    if (!(lateness < lateness_)) return;
    lateness_ = lateness;
    order_ = std::move(order);
  }

  const TaskSet& set_;
  ResponseTimeAnalysis analysis_;
  const Modes& modes_;
  PriorityOrder order_;
  Lateness lateness_;
};

}  // namespace

Prioritised choose_priorities(const TaskSet& set, Form form, ModePolicy policy, PriorityOrder start) {
  Prioritised best;
  best.order = start.empty() ? priority_order(set) : std::move(start);
  best.choice = choose_modes(set, form, policy, best.order);
  int64_t analyses = best.choice.analyses;
  for (int round = 0; round < kRounds && !best.choice.schedulable; ++round) {
    OrderSearch search(set, form, best.order, best.choice.modes);
    size_t steps = 2 * set.tasks.size();
    while (search.late() && steps-- > 0 && search.improve()) {
    }
    if (search.order() == best.order) break;
    Choice choice = choose_modes(set, form, policy, search.order());
    analyses += choice.analyses;
    if (!choice.schedulable && choice.ratio >= best.choice.ratio) break;
    best = {search.order(), std::move(choice)};
  }
  best.choice.analyses = analyses;
  return best;
}

}  // namespace samcl::analysis
