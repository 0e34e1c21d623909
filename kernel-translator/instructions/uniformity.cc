#include "kernel-translator/instructions/uniformity.h"

#include <algorithm>

#include "kernel-translator/ir/builtins.h"

namespace samcl::translator {

bool Uniformity::is_uniform(const llvm::Value* value) {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction) return true;
  // Until it is known: a value that depends on itself is a loop's, which work-items may leave at different
  // times.
  const auto [known, is_new] = known_.emplace(value, false);
  if (is_new) known_[value] = compute(instruction);
  return known_[value];
}

bool Uniformity::compute(const llvm::Instruction* instruction) {
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(instruction)) {
    const llvm::Function* callee = call->getCalledFunction();
    if (!callee) return false;
    const Builtin* builtin = builtin_of(*call);
    if (!callee->isIntrinsic() && !(builtin && builtin->uniform)) return false;
    return std::all_of(call->arg_begin(), call->arg_end(), [&](const llvm::Use& use) { return is_uniform(use.get()); });
  }
  if (llvm::isa<llvm::PHINode, llvm::LoadInst, llvm::AllocaInst, llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(
          instruction))
    return false;
  return std::all_of(instruction->op_begin(), instruction->op_end(),
                     [&](const llvm::Use& use) { return is_uniform(use.get()); });
}

}  // namespace samcl::translator
