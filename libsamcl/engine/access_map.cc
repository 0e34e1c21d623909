#include "libsamcl/engine/access_map.h"

#include <algorithm>

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

// A node's accesses are recorded one after the other.
void add(Nodes& nodes, const NodePtr& node) {
  if (nodes.empty() || nodes.back() != node) nodes.push_back(node);
}

// Neighbouring runs mostly have the same users.
bool is_among_last(const NodeList& nodes, const NodePtr& node) {
  constexpr size_t kLast = 4;
  return std::find(nodes.end() - static_cast<long>(std::min(kLast, nodes.size())), nodes.end(), node) != nodes.end();
}

void append_open(const Nodes& nodes, NodeList& out) {
  for (const NodePtr& node : nodes) {
    if (!node->ended && !is_among_last(out, node)) out.push_back(node);
  }
}

}  // namespace

void AccessMap::Users::forget_ended() {
  forget_ended_of(writers);
  forget_ended_of(readers);
}

void AccessMap::find_conflicts(Range range, bool write, NodeList& out) {
  runs_.visit(range, [&](Range, const Users& users) {
    append_open(users.writers, out);
    if (write) append_open(users.readers, out);
  });
}

void AccessMap::record(Range range, bool write, const NodePtr& node) {
  runs_.change(range, [&](Users& users) {
    users.forget_ended();  // it would keep runs apart for nothing
    if (!write) return add(users.readers, node);
    // Who waits for this node waits for all that it waited for.
    const auto of_another_group = [&](const NodePtr& other) { return other->group != node->group; };
    erase(users.writers, of_another_group);
    erase(users.readers, of_another_group);
    add(users.writers, node);
  });
  if (runs_.size() >= sweep_at_) sweep();
}

// The same where nothing has been recorded since.
void AccessMap::sweep() {
  runs_.change({0, UINT64_MAX}, [](Users& users) { users.forget_ended(); });
  sweep_at_ = std::max<size_t>(1024, 2 * runs_.size());
}

}  // namespace samcl::engine
