// Loops that go round again only because another work-item has changed a word meanwhile: sums of floating-point
// numbers, minima and the like, made of compare-exchange or exchange.
#pragma once

#include "llvm/Analysis/LoopInfo.h"

namespace samcl::translator {

// True if the loop surely ends within a few rounds once no other work-item writes memory (as far as loops inside it
// end). Then it waits for nobody: when it goes round again, another work-item has got on. A lock's loop is none:
// alone, it may go round for ever.
bool only_tries_again(const llvm::Loop& loop, const llvm::LoopInfo& loops);

}  // namespace samcl::translator
