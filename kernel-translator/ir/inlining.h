// Kernels in one piece: every function they call, inlined, and variables in registers where they can be.
#pragma once

#include <vector>

#include "llvm/IR/Module.h"

namespace samcl::translator {

// Calls stay where a function calls itself, or would grow beyond `most` instructions, and in all that call
// it.
void inline_all_calls(const std::vector<llvm::Function*>& kernels, size_t most = 150000);

}  // namespace samcl::translator
