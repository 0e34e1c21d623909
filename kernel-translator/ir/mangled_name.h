// What the mangled name of a built-in tells: its plain name, and the element type of its first parameter. Clang's IR
// has only untyped pointers.
#pragma once

#include <cstdint>
#include <string>

#include "llvm/ADT/StringRef.h"

namespace samcl::translator {

// "barrier" of "_Z7barrierj"; the name itself if it is not mangled.
std::string plain_name(llvm::StringRef name);

// A type as the Itanium C++ ABI writes it: a scalar or a vector of one kind of scalars.
struct ElementType {
  char letter = 0;       // 'i' for int; 0: not known
  uint32_t element = 0;  // bytes of a scalar; 0: not known
  unsigned lanes = 1;    // as stored: a vector of three has four

  uint64_t bytes() const { return uint64_t{element} * lanes; }
  bool is_signed() const;
  bool is_unsigned() const;
};

// Of the first parameter.
ElementType first_parameter(llvm::StringRef mangled);

// What the first parameter points to, if it is a pointer.
ElementType first_pointee(llvm::StringRef mangled);

}  // namespace samcl::translator
