// The footprint of a kernel, read off its LLVM IR after inlining: every load and store of global memory with
// its address and the conditions under which it happens.
#pragma once

#include "contract/footprint/symbolic_footprint.h"
#include "kernel-translator/read/source_facts.h"
#include "llvm/IR/Function.h"

namespace samcl::translator {

// `kernel`: with its memory facts; what they say is touched and no access was found for counts as touched
// anywhere. Brings the function's loops into simple form, and writes out those over private arrays.
footprint::SymbolicFootprint find_footprint(llvm::Function& function, const KernelFacts& kernel);

}  // namespace samcl::translator
