// Where the pointers of a kernel come from: the objects that they lead into, and which of these are arguments of the
// kernel, or anywhere in global memory.
#pragma once

#include <set>

#include "llvm/IR/Value.h"

namespace samcl::translator {

// The address spaces of SPIR.
enum : unsigned { kPrivate = 0, kGlobal = 1, kConstant = 2, kLocal = 3, kGeneric = 4 };

// What a pointer leads to: kernel arguments, variables, and instructions or constants whose result could be anything.
// Offsets, casts and choices between pointers are followed.
using Bases = std::set<const llvm::Value*>;
Bases bases_of(const llvm::Value* pointer);

// What a pointer may point into. Nothing at all: private or local memory alone.
struct Roots {
  std::set<unsigned> arguments;  // indices of the kernel's pointers to global or constant memory
  bool unknown = false;          // anything in global memory
  bool from_memory = false;      // the pointer itself was loaded from global memory

  bool global() const { return unknown || !arguments.empty(); }
};

// Whether the pointer is null, or a number so small that no object has it for its address: nothing is read or written
// through it.
bool leads_nowhere(const llvm::Value* pointer);

// `pointer`: a value of an inlined kernel.
Roots roots_of(const llvm::Value* pointer);

}  // namespace samcl::translator
