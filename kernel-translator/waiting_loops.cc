#include "kernel-translator/waiting_loops.h"

#include <set>
#include <vector>

#include "kernel-translator/pointer_roots.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace samcl::translator {
namespace {

// What the way out of one loop depends on.
class Dependence {
 public:
  explicit Dependence(const llvm::Loop& loop) : loop_(loop) {
    llvm::SmallVector<llvm::BasicBlock*, 8> exiting;
    loop.getExitingBlocks(exiting);
    for (const llvm::BasicBlock* block : exiting) add_condition(*block);
    while (!open_.empty()) {
      const llvm::Instruction* instruction = open_.back();
      open_.pop_back();
      visit(*instruction);
    }
  }

  // Pointers to global memory that are read inside the loop on its behalf.
  const std::set<const llvm::Value*>& read() const { return read_; }

 private:
  void add(const llvm::Value* value) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (instruction && loop_.contains(instruction) && seen_.insert(instruction).second)
      open_.push_back(instruction);
  }

  void add_condition(const llvm::BasicBlock& block) {
    if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator())) {
      if (branch->isConditional()) add(branch->getCondition());
    } else if (const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(block.getTerminator())) {
      add(choice->getCondition());
    }
  }

  void read_through(const llvm::Value* pointer) {
    const Roots roots = roots_of(pointer);
    if (roots.global()) read_.insert(pointer);
    // Private or local memory: whichever store put the value there.
    const unsigned space = pointer->getType()->getPointerAddressSpace();
    if (space != kGlobal && space != kConstant && !through_memory_) {
      through_memory_ = true;
      for (const llvm::BasicBlock* block : loop_.blocks()) {
        add_condition(*block);
        for (const llvm::Instruction& each : *block)
          if (llvm::isa<llvm::StoreInst, llvm::CallBase>(each)) add(&each);
      }
    }
  }

  void visit(const llvm::Instruction& instruction) {
    for (const llvm::Value* operand : instruction.operand_values()) add(operand);
    if (llvm::isa<llvm::PHINode>(instruction))
      for (const llvm::BasicBlock* block : loop_.blocks()) add_condition(*block);
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
      read_through(load->getPointerOperand());
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      for (const llvm::Value* operand : call->args())
        if (operand->getType()->isPointerTy()) read_through(operand);
  }

  const llvm::Loop& loop_;
  std::set<const llvm::Instruction*> seen_;
  std::vector<const llvm::Instruction*> open_;
  std::set<const llvm::Value*> read_;
  bool through_memory_ = false;
};

// Whether the value may differ from one round of the loop to the next, other than by what memory holds.
bool varies(const llvm::Value* value, const llvm::Loop& loop, std::set<const llvm::Value*>& seen) {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || !loop.contains(instruction)) return false;
  if (!seen.insert(value).second) return false;
  if (llvm::isa<llvm::PHINode>(instruction)) return true;
  for (const llvm::Value* operand : instruction->operand_values())
    if (varies(operand, loop, seen)) return true;
  return false;
}

bool has_cycle_that_is_no_loop(llvm::Function& kernel, const llvm::LoopInfo& loops) {
  llvm::ReversePostOrderTraversal<llvm::Function*> order(&kernel);
  return llvm::containsIrreducibleCFG<llvm::BasicBlock*>(order, loops);
}

}  // namespace

bool may_wait(llvm::Function& kernel, bool communicates,
              const std::function<bool(const llvm::Value* pointer)>& written) {
  const llvm::DominatorTree dominators(kernel);
  const llvm::LoopInfo loops(dominators);
  if (has_cycle_that_is_no_loop(kernel, loops)) return true;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    const Dependence dependence(*loop);
    for (const llvm::Value* pointer : dependence.read()) {
      std::set<const llvm::Value*> seen;
      if (written(pointer) && (communicates || !varies(pointer, *loop, seen))) return true;
    }
  }
  return false;
}

}  // namespace samcl::translator
