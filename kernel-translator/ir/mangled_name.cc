#include "kernel-translator/ir/mangled_name.h"

#include <algorithm>

namespace samcl::translator {
namespace {

// Of the Itanium C++ ABI's letter for a type.
uint32_t element_bytes(llvm::StringRef type) {
  if (type.starts_with("Dh")) return 2;
  switch (type.empty() ? 0 : type[0]) {
    case 'c':
    case 'a':
    case 'h': return 1;
    case 's':
    case 't': return 2;
    case 'i':
    case 'j':
    case 'f': return 4;
    case 'l':
    case 'm':
    case 'd': return 8;
    default: return 0;
  }
}

}  // namespace

Pointee pointee_of(llvm::StringRef mangled) {
  llvm::StringRef rest = mangled.drop_front(std::min<size_t>(2, mangled.size()));
  unsigned length = 0;
  if (rest.consumeInteger(10, length) || length + 1 > rest.size() || rest[length] != 'P') return {};
  rest = rest.drop_front(length + 1);
  if (rest.consume_front("U3AS")) rest = rest.drop_front(1);
  while (!rest.empty() && (rest[0] == 'V' || rest[0] == 'K')) rest = rest.drop_front(1);
  unsigned lanes = 1;
  if (rest.consume_front("Dv") && (rest.consumeInteger(10, lanes) || !rest.consume_front("_"))) return {};
  return {element_bytes(rest), lanes == 3 ? 4 : lanes};
}

}  // namespace samcl::translator
