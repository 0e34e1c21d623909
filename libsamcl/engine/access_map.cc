#include "libsamcl/engine/access_map.h"

#include <algorithm>
#include <iterator>

namespace samcl::engine {
namespace {

void forget_ended_of(std::vector<NodePtr>& nodes) {
  std::erase_if(nodes, [](const NodePtr& node) { return node->ended; });
}

void add(std::vector<NodePtr>& nodes, const NodePtr& node) {
  if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
}

}  // namespace

void AccessMap::Users::forget_ended() {
  forget_ended_of(writers);
  forget_ended_of(readers);
}

void AccessMap::find_conflicts(Range range, bool write, std::vector<NodePtr>& out) {
  if (range.empty()) return;
  for (auto run = std::prev(runs_.upper_bound(range.begin)); run != runs_.end() && run->first < range.end; ++run) {
    run->second.forget_ended();
    for (const NodePtr& node : run->second.writers) out.push_back(node);
    if (!write) continue;
    for (const NodePtr& node : run->second.readers) out.push_back(node);
  }
}

void AccessMap::record(Range range, bool write, const NodePtr& node) {
  if (range.empty()) return;
  auto first = split_at(range.begin);
  auto last = split_at(range.end);
  for (auto run = first; run != last; ++run) {
    Users& users = run->second;
    users.forget_ended();
    if (!write) {
      add(users.readers, node);
      continue;
    }
    // Who waits for this node waits for all that it waited for.
    std::erase_if(users.writers, [&](const NodePtr& other) { return other->group != node->group; });
    std::erase_if(users.readers, [&](const NodePtr& other) { return other->group != node->group; });
    add(users.writers, node);
  }
  coalesce(range.begin, range.end);
  if (runs_.size() >= sweep_at_) sweep();
}

AccessMap::Map::iterator AccessMap::split_at(uint64_t position) {
  auto run = std::prev(runs_.upper_bound(position));
  if (run->first == position) return run;
  return runs_.emplace_hint(std::next(run), position, run->second);
}

void AccessMap::coalesce(uint64_t from, uint64_t to) {
  auto run = runs_.lower_bound(from);
  if (run == runs_.begin()) ++run;
  while (run != runs_.end() && run->first <= to) {
    run = run->second == std::prev(run)->second ? runs_.erase(run) : std::next(run);
  }
}

// What has ended since it was recorded keeps runs apart for nothing.
void AccessMap::sweep() {
  for (auto& [begin, users] : runs_) users.forget_ended();
  coalesce(0, UINT64_MAX);
  sweep_at_ = std::max<size_t>(1024, 2 * runs_.size());
}

}  // namespace samcl::engine
