// Loops that may wait for another work-group's stores although they use no volatile or atomic load.
#pragma once

#include <functional>

#include "llvm/IR/Function.h"

namespace samcl::translator {

// True if leaving some loop of the inlined kernel may depend on a load, through registers or through private
// and local memory, of global memory that the kernel writes (`written` says so of a pointer), and
// - `communicates` (the kernel uses global atomics, volatile memory or fences), or
// - the load's address stays the same while the loop runs,
// and the loop does not only try an exchange again (retry_loops.h).
// Control flow that is no nest of loops counts as waiting.
bool may_wait(llvm::Function& kernel, bool communicates,
              const std::function<bool(const llvm::Value* pointer)>& written);

}  // namespace samcl::translator
