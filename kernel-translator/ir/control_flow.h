// The shape of a function's control flow.
#pragma once

#include "llvm/Analysis/LoopInfo.h"

namespace samcl::translator {

// Whether every cycle is a loop with one way in.
bool is_nest_of_loops(const llvm::Function& function, const llvm::LoopInfo& loops);

}  // namespace samcl::translator
