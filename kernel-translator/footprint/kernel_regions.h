// Under which conditions the blocks of a kernel are executed, as regions of its footprint.
#pragma once

#include <map>

#include "kernel-translator/footprint/integer_nodes.h"

namespace samcl::translator {

class KernelRegions {
 public:
  KernelRegions(const Shape& shape, IntegerNodes& nodes, footprint::SymbolicFootprint& symbolic);

  struct Place {
    footprint::Id region = 0;
    bool surely = true;  // executed wherever the region's conditions hold, not only where
  };
  const Place& of(const llvm::BasicBlock* block);

  // The part of a region where a condition holds, too.
  footprint::Id within(footprint::Id region, footprint::Id condition);

 private:
  Place compute(const llvm::BasicBlock* block);
  Place after_loops(const llvm::BasicBlock* block, const llvm::BasicBlock* above);
  Place below(const llvm::BasicBlock* block, const llvm::BasicBlock* above);
  // Rounds that are not the last one never pass it by.
  bool in_every_round(const llvm::BasicBlock* block, const llvm::Loop* loop) const;
  void describe(const llvm::Loop* loop);
  footprint::Id add(footprint::Region region);

  const Shape& shape_;
  IntegerNodes& nodes_;
  footprint::SymbolicFootprint& symbolic_;
  std::map<const llvm::BasicBlock*, Place> places_;
  std::map<std::pair<footprint::Id, footprint::Id>, footprint::Id> within_;
};

}  // namespace samcl::translator
