// Loops that may wait for what another work-group stores.
#pragma once

#include <functional>

#include "llvm/IR/Function.h"

namespace samcl::translator {

// True if leaving some loop of the inlined kernel, but one that only tries an exchange again (retry_loops.h), may
// depend on a load, through registers or through private and local memory, of global memory
// - that is volatile, or read by an atomic that others may answer (Builtin::Ordering::waits), or
// - that the kernel writes (`written` says so of a pointer), where it `communicates` (uses global atomics, volatile
//   memory or fences) or the load's address stays the same while the loop runs.
// Control flow that is no nest of loops counts as waiting.
bool may_wait(llvm::Function& kernel, bool communicates,
              const std::function<bool(const llvm::Value* pointer)>& written);

}  // namespace samcl::translator
