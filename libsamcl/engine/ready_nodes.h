// Nodes that may be issued, the one that was entered first before all others: of commands that come to be ready
// together a lane then runs them in the program's order, as the driver would, and finds in the caches what one leaves
// for the next.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "libsamcl/engine/operation.h"

namespace samcl::engine {

class ReadyNodes {
 public:
  // Before more than so many are in here, for push() asks for no memory.
  void make_room(size_t nodes) {
    if (nodes > nodes_.capacity()) nodes_.reserve(std::max(nodes, 2 * nodes_.capacity()));
  }
  bool empty() const { return nodes_.empty(); }
  void push(NodePtr node) {
    nodes_.push_back(std::move(node));
    std::push_heap(nodes_.begin(), nodes_.end(), comes_later);
  }
  NodePtr pop() {
    std::pop_heap(nodes_.begin(), nodes_.end(), comes_later);
    NodePtr first = std::move(nodes_.back());
    nodes_.pop_back();
    return first;
  }

 private:
  static bool comes_later(const NodePtr& one, const NodePtr& other) { return one->number > other->number; }
  std::vector<NodePtr> nodes_;  // a heap
};

}  // namespace samcl::engine
