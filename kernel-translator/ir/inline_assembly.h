// Inline assembly of GPU programs: what is known to compute in registers and nothing else. It is written for one
// vendor's assembler (PTX, GCN) and never run through ours; its text is read here.
#pragma once

#include "llvm/IR/InstrTypes.h"

namespace samcl::translator {

// True if the call's assembly touches no memory and reads no special register (a work-group's number, a clock):
// every instruction is one of arithmetic, every operand one of the call's, a number, or a register that the
// assembly declares itself.
bool only_computes(const llvm::CallBase& call);

}  // namespace samcl::translator
