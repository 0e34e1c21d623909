#include "kernel-translator/instructions/region_string.h"

#include <algorithm>

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"

namespace samcl::translator {
namespace {

// The inner loop of `around` that the block is in, or null.
const llvm::Loop* inner_loop(const llvm::LoopInfo& loops, const llvm::Loop* around, const llvm::BasicBlock* block) {
  const llvm::Loop* loop = loops.getLoopFor(block);
  while (loop && loop != around && loop->getParentLoop() != around) loop = loop->getParentLoop();
  return loop == around ? nullptr : loop;
}

class Walk {
 public:
  Walk(const RegionGraph& graph, const std::vector<Piece>& pieces) : graph_(graph), pieces_(pieces), join_(joins()) {}

  // From `at` up to `end`, which lies on every way.
  Piece between(size_t at, size_t end) {
    Piece all;
    while (at != end) {
      const RegionGraph::Node& node = graph_.nodes[at];
      all.append(pieces_[at]);
      if (node.next.size() > 1) all.append(node.uniform ? heaviest(at) : everything(at));
      at = join_[at];
    }
    return all;
  }

 private:
  Piece heaviest(size_t at) {
    Piece best;
    for (const size_t next : graph_.nodes[at].next) {
      Piece side = between(next, join_[at]);
      if (side.weight > best.weight) best = std::move(side);
    }
    return best;
  }

  // All that can be reached before the sides meet, each once, in topological order.
  Piece everything(size_t at) const {
    std::vector<bool> reached(graph_.size() + 1, false);
    for (const size_t next : graph_.nodes[at].next) reached[next] = true;
    Piece all;
    for (size_t node = at + 1; node < join_[at]; ++node) {
      if (!reached[node]) continue;
      all.append(pieces_[node]);
      for (const size_t next : graph_.nodes[node].next) reached[next] = true;
    }
    return all;
  }

  // Per node the first later one that lies on every way to the end: its immediate post-dominator.
  std::vector<size_t> joins() const {
    std::vector<size_t> join(graph_.size() + 1, graph_.size());
    for (size_t node = graph_.size(); node-- > 0;) {
      const std::vector<size_t>& next = graph_.nodes[node].next;
      size_t common = next.empty() ? graph_.size() : next.front();
      for (size_t other : next)
        while (common != other) (common < other ? common : other) = join[std::min(common, other)];
      join[node] = common;
    }
    return join;
  }

  const RegionGraph& graph_;
  const std::vector<Piece>& pieces_;
  const std::vector<size_t> join_;
};

}  // namespace

RegionGraph region_graph(const llvm::Function& function, const llvm::LoopInfo& loops, const llvm::Loop* loop,
                         const std::map<const llvm::BasicBlock*, bool>& uniform) {
  RegionGraph graph;
  std::map<const void*, size_t> number;  // of a block, or of an inner loop by its address
  std::vector<std::vector<const llvm::BasicBlock*>> members;
  const llvm::ReversePostOrderTraversal<const llvm::Function*> order(&function);
  for (const llvm::BasicBlock* block : order) {
    if (loop && !loop->contains(block)) continue;
    const llvm::Loop* inner = inner_loop(loops, loop, block);
    const void* key = inner ? static_cast<const void*>(inner) : block;
    const auto [known, is_new] = number.emplace(key, graph.size());
    if (is_new) {
      graph.nodes.push_back({inner ? nullptr : block, inner, true, {}});
      members.emplace_back();
    }
    members[known->second].push_back(block);
    if (const auto is_uniform = uniform.find(block); is_uniform != uniform.end() && !is_uniform->second)
      graph.nodes[known->second].uniform = false;
  }
  for (size_t node = 0; node < graph.size(); ++node) {
    std::vector<size_t>& next = graph.nodes[node].next;
    for (const llvm::BasicBlock* block : members[node])
      for (const llvm::BasicBlock* successor : llvm::successors(block)) {
        const bool outside = loop && (!loop->contains(successor) || successor == loop->getHeader());
        const llvm::Loop* inner = outside ? nullptr : inner_loop(loops, loop, successor);
        const size_t to = outside ? graph.size() : number.at(inner ? static_cast<const void*>(inner) : successor);
        if (to != node && std::find(next.begin(), next.end(), to) == next.end()) next.push_back(to);
      }
  }
  return graph;
}

Piece along(const RegionGraph& graph, const std::vector<Piece>& pieces) {
  return Walk(graph, pieces).between(0, graph.size());
}

}  // namespace samcl::translator
