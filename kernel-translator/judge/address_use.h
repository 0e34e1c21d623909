// Whether a kernel does more with addresses than to follow them. Each device has its own copy of a buffer, at its own
// address: an address that is stored, compared, hashed or printed tells on which device the kernel ran, and one that
// is loaded leads into the memory of whichever device stored it.
#pragma once

#include <string>

#include "llvm/IR/Function.h"

namespace samcl::translator {

// Why the kernel's result may depend on where its memory lies; empty: it does not. Fine are: following a pointer,
// moving it by an offset, choosing between pointers, keeping them in private or local memory as pointers, comparing
// one with null, and comparing or subtracting two into the same memory object.
std::string exposes_addresses(llvm::Function& inlined_kernel);

}  // namespace samcl::translator
