// What the mangled name of a built-in tells about its first parameter, if that is a pointer: Clang's IR has only
// untyped pointers.
#pragma once

#include <cstdint>

#include "llvm/ADT/StringRef.h"

namespace samcl::translator {

struct Pointee {
  uint32_t element = 0;  // bytes of an element; 0: not known
  unsigned lanes = 1;    // as stored: a vector of three has four

  uint64_t bytes() const { return uint64_t{element} * lanes; }
};

Pointee pointee_of(llvm::StringRef mangled);

}  // namespace samcl::translator
