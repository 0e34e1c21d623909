#include "kernel-translator/judge/waiting_loops.h"

#include <set>
#include <vector>

#include "kernel-translator/ir/control_flow.h"
#include "kernel-translator/ir/memory_effect.h"
#include "kernel-translator/ir/pointer_roots.h"
#include "kernel-translator/judge/retry_loops.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace samcl::translator {
namespace {

using Blocks = std::set<const llvm::BasicBlock*>;

// What the way out of one loop depends on.
class Dependence {
 public:
  explicit Dependence(const llvm::Loop& loop, const llvm::LoopInfo& loops) : loop_(loop), loops_(loops) {
    loop.getLoopLatches(latches_);
    llvm::SmallVector<llvm::BasicBlock*, 8> exiting;
    loop.getExitingBlocks(exiting);
    for (const llvm::BasicBlock* block : exiting) {
      add_condition(*block);
      add_deciders(*block);
    }
    while (!open_.empty()) {
      const llvm::Instruction* instruction = open_.back();
      open_.pop_back();
      visit(*instruction);
    }
  }

  // Pointers to global memory that are read inside the loop on its behalf.
  const std::set<const llvm::Value*>& read() const { return read_; }
  // One of them is volatile, or read by an atomic that others may answer: whoever changes it need not be the kernel.
  bool reads_from_outside() const { return reads_from_outside_; }

 private:
  void add(const llvm::Value* value) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (instruction && loop_.contains(instruction) && seen_.insert(instruction).second) open_.push_back(instruction);
  }

  void add_condition(const llvm::BasicBlock& block) {
    if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator())) {
      if (branch->isConditional()) add(branch->getCondition());
    } else if (const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(block.getTerminator())) {
      add(choice->getCondition());
    }
  }

  // The blocks of the loop from which `to` is reached within one round, not passing `avoided`.
  Blocks from_where(const std::vector<const llvm::BasicBlock*>& to, const llvm::BasicBlock* avoided) const {
    Blocks found;
    std::vector<const llvm::BasicBlock*> open = to;
    while (!open.empty()) {
      const llvm::BasicBlock* block = open.back();
      open.pop_back();
      if (block == avoided || !loop_.contains(block) || !found.insert(block).second || block == loop_.getHeader())
        continue;
      for (const llvm::BasicBlock* before : llvm::predecessors(block)) open.push_back(before);
    }
    return found;
  }

  // The conditions that decide whether a round comes to the block, and those that decide whether it comes to them.
  void add_deciders(const llvm::BasicBlock& block) {
    if (!decided_.insert(&block).second || &block == loop_.getHeader()) return;
    const Blocks reach = from_where({&block}, nullptr);
    const Blocks miss = from_where({latches_.begin(), latches_.end()}, &block);
    for (const llvm::BasicBlock* each : reach) {
      if (!miss.count(each)) continue;
      for (const llvm::BasicBlock* next : llvm::successors(each)) {
        const bool surely = next == &block || (next != loop_.getHeader() && reach.count(next) && !miss.count(next));
        if (!surely) continue;
        add_condition(*each);
        add_deciders(*each);
        break;
      }
    }
  }

  // Which of its values a phi takes is decided by the way to it. What an inner loop leaves behind depends on how often
  // it went round.
  void add_ways_to(const llvm::PHINode& phi) {
    const llvm::BasicBlock& block = *phi.getParent();
    if (&block == loop_.getHeader() && latches_.size() == 1) return;
    for (const llvm::BasicBlock* before : phi.blocks()) {
      if (!loop_.contains(before)) continue;
      add_condition(*before);
      add_deciders(*before);
    }
  }

  void add_inner_loops(const llvm::Instruction& instruction) {
    for (const llvm::Loop* inner = loops_.getLoopFor(instruction.getParent()); inner && inner != &loop_;
         inner = inner->getParentLoop()) {
      if (!inner_.insert(inner).second) return;
      llvm::SmallVector<llvm::BasicBlock*, 8> exiting;
      inner->getExitingBlocks(exiting);
      for (const llvm::BasicBlock* block : exiting) {
        add_condition(*block);
        add_deciders(*block);
      }
    }
  }

  void read_through(const llvm::Value* pointer, bool may_change) {
    const Roots roots = roots_of(pointer);
    if (roots.global()) read_.insert(pointer);
    reads_from_outside_ = reads_from_outside_ || (may_change && roots.global());
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
    add_inner_loops(instruction);
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) add_ways_to(*phi);
    for (const MemoryAccess& access : effect_of(instruction).accesses)
      if (access.reads) read_through(access.pointer, access.is_volatile || access.ordering == Builtin::Ordering::waits);
  }

  const llvm::Loop& loop_;
  const llvm::LoopInfo& loops_;
  llvm::SmallVector<llvm::BasicBlock*, 4> latches_;
  std::set<const llvm::Instruction*> seen_;
  std::vector<const llvm::Instruction*> open_;
  Blocks decided_;
  std::set<const llvm::Loop*> inner_;
  std::set<const llvm::Value*> read_;
  bool through_memory_ = false, reads_from_outside_ = false;
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

}  // namespace

bool may_wait(llvm::Function& kernel, bool communicates,
              const std::function<bool(const llvm::Value* pointer)>& written) {
  const llvm::DominatorTree dominators(kernel);
  const llvm::LoopInfo loops(dominators);
  if (!is_nest_of_loops(kernel, loops)) return true;
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (only_tries_again(*loop, loops)) continue;
    const Dependence dependence(*loop, loops);
    if (dependence.reads_from_outside()) return true;
    for (const llvm::Value* pointer : dependence.read()) {
      std::set<const llvm::Value*> seen;
      if (written(pointer) && (communicates || !varies(pointer, *loop, seen))) return true;
    }
  }
  return false;
}

}  // namespace samcl::translator
