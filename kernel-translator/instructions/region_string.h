// The blocks between two points of a kernel, put one after the other as a warp executes them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "llvm/Analysis/LoopInfo.h"

namespace samcl::translator {

// A piece of an instruction string with its weight, the number of letters written out.
struct Piece {
  std::string string;
  uint64_t weight = 0;
  void append(const Piece& next) {
    string += next.string;
    weight = weight > UINT64_MAX - next.weight ? UINT64_MAX : weight + next.weight;
  }
};

// An acyclic graph: a loop's or a function's blocks, each inner loop as one node. Nodes are in topological
// order; edges lead to later nodes, or to size(): the end.
struct RegionGraph {
  struct Node {
    const llvm::BasicBlock* block = nullptr;  // or, of an inner loop,
    const llvm::Loop* loop = nullptr;
    bool uniform = true;  // all work-items of a group take the same edge
    std::vector<size_t> next;
  };
  std::vector<Node> nodes;
  size_t size() const { return nodes.size(); }
};

// `loop` or, if null, the function's blocks that are in no loop. `uniform` tells about a block that ends with
// a branch.
RegionGraph region_graph(const llvm::Function& function, const llvm::LoopInfo& loops, const llvm::Loop* loop,
                         const std::map<const llvm::BasicBlock*, bool>& uniform);

// The pieces of the nodes on the way from the first to the end: both sides of a branch that is not uniform,
// the heavier of a uniform one.
Piece along(const RegionGraph& graph, const std::vector<Piece>& pieces);

}  // namespace samcl::translator
