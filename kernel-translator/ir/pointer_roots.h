// Where the pointers of a kernel come from: which of its arguments, or anywhere in global memory.
#pragma once

#include <set>
#include <string>

#include "llvm/IR/Value.h"

namespace samcl::translator {

// The address spaces of SPIR.
enum : unsigned { kPrivate = 0, kGlobal = 1, kConstant = 2, kLocal = 3, kGeneric = 4 };

// What a pointer may point into. Nothing at all: private or local memory alone.
struct Roots {
  std::set<unsigned> arguments;  // indices of the kernel's pointers to global or constant memory
  bool unknown = false;          // anything in global memory
  bool from_memory = false;      // the pointer itself was loaded from global memory

  bool global() const { return unknown || !arguments.empty(); }
};

// `pointer`: a value of an inlined kernel.
Roots roots_of(const llvm::Value* pointer);

// "barrier" of "_Z7barrierj"; the name itself if it is not mangled.
std::string plain_name(llvm::StringRef name);

// to_global() and the like, which change a pointer's address space alone.
bool changes_address_space(const std::string& builtin);

}  // namespace samcl::translator
