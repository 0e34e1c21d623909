// Loops that run through a small array of the work-item's own (`for (i...) a[j[i]] = ...;` with a private `j`), written
// out: then each element is a variable, and where it is used as an index, that index is known.
#pragma once

#include "llvm/IR/Function.h"

namespace samcl::translator {

// Of an inlined kernel whose loops are in simple form. Loops stay that have no constant number of rounds, would grow
// beyond `most` instructions, or touch no private array of integers.
void unroll_loops_over_private_arrays(llvm::Function& kernel, unsigned most = 20000);

}  // namespace samcl::translator
