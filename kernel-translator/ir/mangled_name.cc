#include "kernel-translator/ir/mangled_name.h"

#include <algorithm>

namespace samcl::translator {
namespace {

// Takes the function's name off the front; false if it is not mangled.
bool take_name(llvm::StringRef& rest, llvm::StringRef& name) {
  unsigned length = 0;
  if (!rest.consume_front("_Z") || rest.consumeInteger(10, length) || length > rest.size()) return false;
  name = rest.take_front(length);
  rest = rest.drop_front(length);
  return true;
}

llvm::StringRef parameters(llvm::StringRef mangled) {
  llvm::StringRef name;
  return take_name(mangled, name) ? mangled : llvm::StringRef();
}

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

ElementType type_at(llvm::StringRef rest) {
  unsigned lanes = 1;
  if (rest.consume_front("Dv") && (rest.consumeInteger(10, lanes) || !rest.consume_front("_"))) return {};
  return {rest.empty() ? '\0' : rest[0], element_bytes(rest), lanes == 3 ? 4 : lanes};
}

}  // namespace

std::string plain_name(llvm::StringRef name) {
  llvm::StringRef rest = name, plain;
  return take_name(rest, plain) ? plain.str() : name.str();
}

bool ElementType::is_signed() const { return llvm::StringRef("acsil").contains(letter); }
bool ElementType::is_unsigned() const { return llvm::StringRef("htjm").contains(letter); }

ElementType first_parameter(llvm::StringRef mangled) { return type_at(parameters(mangled)); }

ElementType first_pointee(llvm::StringRef mangled) {
  llvm::StringRef rest = parameters(mangled);
  if (!rest.consume_front("P")) return {};
  if (rest.consume_front("U3AS")) rest = rest.drop_front(1);
  while (rest.consume_front("V") || rest.consume_front("K") || rest.consume_front("U7_Atomic")) {
  }
  return type_at(rest);
}

}  // namespace samcl::translator
