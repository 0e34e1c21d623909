// Sources that only compile with literals of single precision, where a driver may give them double.
#pragma once

namespace clang {
class ASTContext;
}
namespace llvm {
class Module;
}

namespace samcl::translator {

// True if an integer or a condition is computed from floating-point constants alone: Clang would fold it, and might
// get another one than the driver.
bool depends_on_literal_precision(clang::ASTContext& tree);

// Puts calls of unknown functions in the place of all instructions that make integers and conditions of floating-point
// numbers: what is constant once functions are inlined is not folded either.
void hide_conversions_of_floats(llvm::Module& module);

}  // namespace samcl::translator
