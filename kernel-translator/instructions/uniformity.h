// Whether all work-items of a work-group compute the same value.
#pragma once

#include <map>

#include "llvm/IR/Instructions.h"

namespace samcl::translator {

class Uniformity {
 public:
  // Surely the same: made of the kernel's arguments, constants and ids of the work-group alone.
  bool is_uniform(const llvm::Value* value);

 private:
  bool compute(const llvm::Instruction* instruction);

  std::map<const llvm::Value*, bool> known_;
};

}  // namespace samcl::translator
