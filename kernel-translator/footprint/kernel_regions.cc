#include "kernel-translator/footprint/kernel_regions.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

namespace samcl::translator {

using footprint::Condition;
using footprint::Id;
using footprint::kNone;
using footprint::Region;

Shape::Shape(llvm::Function& kernel) {
  llvm::removeUnreachableBlocks(kernel);
  dominators.recalculate(kernel);
  loops.analyze(dominators);
  llvm::AssumptionCache assumptions(kernel);
  const std::vector<llvm::Loop*> outer(loops.begin(), loops.end());
  for (llvm::Loop* loop : outer) llvm::simplifyLoop(loop, &dominators, &loops, nullptr, &assumptions, nullptr, false);
  dominators.recalculate(kernel);
  loops.releaseMemory();
  loops.analyze(dominators);
  post_dominators.recalculate(kernel);
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) loop_ids[loop] = static_cast<Id>(loop_ids.size());
}

KernelRegions::KernelRegions(const Shape& shape, IntegerNodes& nodes, footprint::SymbolicFootprint& symbolic)
    : shape_(shape), nodes_(nodes), symbolic_(symbolic) {
  symbolic_.regions.push_back({});
  symbolic_.loops.resize(shape.loop_ids.size());
  for (const auto& [loop, id] : shape.loop_ids) describe(loop);
}

void KernelRegions::describe(const llvm::Loop* loop) {
  footprint::Loop& described = symbolic_.loops[shape_.loop_ids.at(loop)];
  const llvm::BasicBlock* latch = loop->getLoopLatch();
  if (!latch) return;
  llvm::SmallVector<llvm::BasicBlock*, 8> exiting;
  loop->getExitingBlocks(exiting);
  for (const llvm::BasicBlock* block : exiting) {
    if (shape_.loops.getLoopFor(block) != loop || !shape_.dominators.dominates(block, latch)) continue;
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    if (!branch) continue;
    const bool first_stays = loop->contains(branch->getSuccessor(0));
    const Condition stay = nodes_.edge(block, branch->getSuccessor(first_stays ? 0 : 1));
    if (stay.node != kNone) described.stay.push_back(stay);
  }
  described.single_exit = exiting.size() == 1 && described.stay.size() == 1;
}

Id KernelRegions::within(Id region, Id condition) {
  const auto [at, is_new] = within_.try_emplace({region, condition}, kNone);
  if (is_new) {
    Region part;
    part.parent = region;
    part.condition = {condition, true};
    at->second = add(part);
  }
  return at->second;
}

Id KernelRegions::add(Region region) {
  symbolic_.regions.push_back(region);
  return static_cast<Id>(symbolic_.regions.size() - 1);
}

const KernelRegions::Place& KernelRegions::of(const llvm::BasicBlock* block) {
  if (const auto at = places_.find(block); at != places_.end()) return at->second;
  return places_[block] = compute(block);
}

bool KernelRegions::in_every_round(const llvm::BasicBlock* block, const llvm::Loop* loop) const {
  const llvm::BasicBlock* latch = loop->getLoopLatch();
  return latch && shape_.dominators.dominates(block, latch);
}

KernelRegions::Place KernelRegions::compute(const llvm::BasicBlock* block) {
  const auto* node = shape_.dominators.getNode(block);
  if (!node || !node->getIDom()) return {0, node != nullptr};
  const llvm::BasicBlock* above = node->getIDom()->getBlock();
  const llvm::Loop* loop = shape_.loops.getLoopFor(block);
  const llvm::Loop* loop_above = shape_.loops.getLoopFor(above);
  const bool leaves = loop_above && !loop_above->contains(block);
  Place place = leaves ? after_loops(block, above) : below(block, above);
  if (loop && loop->getHeader() == block) {
    Region entered;
    entered.parent = place.region;
    entered.loop = shape_.loop_ids.at(loop);
    place.region = add(entered);
  } else if (loop && block->getSinglePredecessor() != above && !in_every_round(block, loop)) {
    place.surely = false;
  }
  return place;
}

KernelRegions::Place KernelRegions::after_loops(const llvm::BasicBlock* block, const llvm::BasicBlock* above) {
  std::vector<const llvm::Loop*> left;  // inner ones first
  for (const llvm::Loop* loop = shape_.loops.getLoopFor(above); loop && !loop->contains(block);
       loop = loop->getParentLoop())
    left.push_back(loop);
  const llvm::BasicBlock* before = left.back()->getLoopPreheader();
  if (!before) return {0, false};
  Place place = of(before);
  place.surely = place.surely && shape_.post_dominators.dominates(block, before);
  const llvm::Loop* around = shape_.loops.getLoopFor(block);
  if (around && around->getHeader() != block && !in_every_round(block, around)) place.surely = false;
  for (size_t i = left.size(); i-- > 0;) {
    Region after;
    after.parent = place.region;
    after.loop = shape_.loop_ids.at(left[i]);
    after.left = true;
    place.region = add(after);
  }
  return place;
}

KernelRegions::Place KernelRegions::below(const llvm::BasicBlock* block, const llvm::BasicBlock* above) {
  Place place = of(above);
  if (block->getSinglePredecessor() != above) {
    place.surely = place.surely && shape_.post_dominators.dominates(block, above);
    return place;
  }
  if (above->getTerminator()->getNumSuccessors() == 1) return place;
  const Condition condition = nodes_.edge(above, block);
  if (condition.node == kNone) {
    place.surely = false;
    return place;
  }
  Region region;
  region.parent = place.region;
  region.condition = condition;
  const llvm::Loop* loop = shape_.loops.getLoopFor(block);
  if (loop && loop->getExitingBlock() == above && shape_.loops.getLoopFor(above) == loop)
    region.loop = shape_.loop_ids.at(loop);
  place.region = add(region);
  return place;
}

}  // namespace samcl::translator
