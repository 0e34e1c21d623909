// Kernels in one piece: every function they call, inlined, and variables in registers where they can be.
#pragma once

#include <vector>

#include "llvm/IR/Module.h"

namespace samcl::translator {

// Calls stay where a function calls itself, or where a function would grow beyond `most` instructions.
void inline_all_calls(const std::vector<llvm::Function*>& kernels, size_t most = 100000);

}  // namespace samcl::translator
