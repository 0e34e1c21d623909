#include "libsamcl/engine/access_map.h"

#include <algorithm>
#include <iterator>

namespace samcl::engine {
namespace {

using Nodes = SmallVector<NodePtr, 2>;

template <typename Which>
void erase(Nodes& nodes, Which which) {
  nodes.erase(std::remove_if(nodes.begin(), nodes.end(), which), nodes.end());
}

void forget_ended_of(Nodes& nodes) {
  erase(nodes, [](const NodePtr& node) { return node->ended; });
}

// A node's accesses are recorded one after the other. What has ended goes before more memory is taken.
void add(Nodes& nodes, const NodePtr& node) {
  if (!nodes.empty() && nodes.back() == node) return;
  if (nodes.size() == nodes.capacity()) forget_ended_of(nodes);
  nodes.push_back(node);
}

void append_open(const Nodes& nodes, NodeList& out) {
  for (const NodePtr& node : nodes) {
    if (!node->ended) out.push_back(node);
  }
}

}  // namespace

void AccessMap::Users::forget_ended() {
  forget_ended_of(writers);
  forget_ended_of(readers);
}

void AccessMap::find_conflicts(Range range, bool write, NodeList& out) {
  if (range.empty()) return;
  for (auto run = std::prev(runs_.upper_bound(range.begin)); run != runs_.end() && run->first < range.end; ++run) {
    append_open(run->second.writers, out);
    if (write) append_open(run->second.readers, out);
  }
}

void AccessMap::record(Range range, bool write, const NodePtr& node) {
  if (range.empty()) return;
  auto first = split_at(range.begin);
  auto last = split_at(range.end);
  for (auto run = first; run != last; ++run) {
    Users& users = run->second;
    if (!write) {
      add(users.readers, node);
      continue;
    }
    // Who waits for this node waits for all that it waited for.
    const auto of_another_group = [&](const NodePtr& other) { return other->group != node->group; };
    erase(users.writers, of_another_group);
    erase(users.readers, of_another_group);
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
