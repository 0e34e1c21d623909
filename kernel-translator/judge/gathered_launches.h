// Whether launches of a kernel could be told from the work-groups of one launch that has them all
// (rewrite/gathering.h).
#pragma once

#include "llvm/IR/Function.h"

namespace samcl::translator {

// False if the kernel, inlined, may see that its NDRange has a third dimension, or the driver might form sub-groups or
// order a sum otherwise there; or if it prints, in the order of launches.
bool may_gather(const llvm::Function& kernel);

}  // namespace samcl::translator
