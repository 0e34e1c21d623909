// The built-ins on images: what they do to which argument of the kernel, and to which of its pixels.
#pragma once

#include <string>

#include "llvm/IR/InstrTypes.h"

namespace samcl::translator {

struct ImageCall {
  enum class Kind {
    none,   // no image is involved
    query,  // of sizes and formats
    read,
    write,
    unknown,  // an image is involved in what is not understood
  };
  Kind kind = Kind::none;
  unsigned argument = 0;                     // the kernel's; not of `unknown`
  const llvm::Value* coordinates = nullptr;  // of a read or write: an int or a vector of them; nullptr: any pixel
};

// name: the built-in's, not mangled. The kernel is inlined.
ImageCall image_call(const llvm::CallBase& call, const std::string& name);

// How many coordinates name a pixel of an image type ("image2d_array_t": 3); 0 if that is not known. The first is
// along the row, the second says which row (or layer of a 1D array), the third which slice (or layer of a 2D array).
unsigned axes_of_image(const std::string& type_name);

}  // namespace samcl::translator
