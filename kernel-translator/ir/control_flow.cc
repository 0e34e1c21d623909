#include "kernel-translator/ir/control_flow.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/CFG.h"

namespace samcl::translator {

bool is_nest_of_loops(const llvm::Function& function, const llvm::LoopInfo& loops) {
  const llvm::ReversePostOrderTraversal<const llvm::Function*> order(&function);
  return !llvm::containsIrreducibleCFG<const llvm::BasicBlock*>(order, loops);
}

}  // namespace samcl::translator
