// What kernels do with memory, read off their LLVM IR after inlining: which arguments they load and store
// through, how wide the stores are, and whether anything in them forbids to run parts of the NDRange apart.
// What is not understood counts as the worst.
#pragma once

#include <vector>

#include "kernel-translator/read/source_facts.h"
#include "llvm/IR/Module.h"

namespace samcl::translator {

// Fills in the memory facts of `kernels`. Changes the module (inlines all calls). split_printf: printf does not forbid
// parts; what they print comes in any order.
void study_memory_use(llvm::Module& module, std::vector<KernelFacts>& kernels, bool split_printf);

// The worst that can be said of a kernel's arguments.
void assume_all_accesses(KernelFacts& kernel);

}  // namespace samcl::translator
