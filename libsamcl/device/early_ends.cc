#include "libsamcl/device/early_ends.h"

#include <algorithm>
#include <utility>

namespace samcl {

void EarlyEnds::add(std::shared_ptr<LateTimes> end, const engine::Node& of) {
  unheard_.push_back({std::move(end), &of});
  empty_ = false;
}

void EarlyEnds::take_back() {
  unheard_.pop_back();
  empty_ = unheard_.empty();
}

const engine::Node* EarlyEnds::hear(const LateTimes& end, uint64_t now_ns) {
  const auto its = std::ranges::find(unheard_, &end, [](const Unheard& each) { return each.end.get(); });
  if (its == unheard_.end()) return nullptr;
  const engine::Node* const of = its->of;
  last_heard_ns_ = now_ns;
  for (auto each = unheard_.begin(); each <= its; ++each) each->end->heard(now_ns);
  unheard_.erase(unheard_.begin(), its + 1);
  empty_ = unheard_.empty();
  return of;
}

bool EarlyEnds::hear_first(const engine::Node& ended, uint64_t ended_ns) {
  if (unheard_.empty() || unheard_.front().of != &ended) return false;
  unheard_.front().end->heard(std::max(ended_ns, last_heard_ns_.load()));
  unheard_.pop_front();
  empty_ = unheard_.empty();
  return true;
}

}  // namespace samcl
