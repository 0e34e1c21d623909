// What one instruction of an inlined kernel does to memory: its accesses, each with all that is known of it. What
// kernels may be split, their footprints, their waiting loops and their instruction strings are all read off these.
#pragma once

#include <string>

#include "contract/accumulation.h"
#include "kernel-translator/ir/builtins.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instruction.h"

namespace samcl::translator {

struct MemoryAccess {
  const llvm::Value* pointer = nullptr;
  bool reads = false, writes = false;
  bool is_volatile = false;
  Builtin::Ordering ordering = Builtin::Ordering::none;
  Accumulation accumulates = Accumulation::none;  // if nobody uses the instruction's result
  uint32_t store_width = 0;                       // of writes: bytes of the narrowest store

  // It is at `pointer` + `index` * `index_stride` and takes `width` bytes, which are all accessed up to `sure_width`;
  // and again `count` times, each `count_stride` bytes further. Width 0: anywhere in what the pointer leads to.
  uint64_t width = 0, sure_width = 0;
  const llvm::Value* index = nullptr;  // nullptr: 0
  uint64_t index_stride = 0;
  const llvm::Value* count = nullptr;  // nullptr: once
  uint64_t count_stride = 0;
};

// A call of a built-in on an image.
struct ImageAccess {
  Builtin::Kind kind = Builtin::Kind::computes;  // or one of image_...
  unsigned argument = 0;                         // the kernel's
  const llvm::Value* coordinates = nullptr;      // of a read or write: an int or a vector; nullptr: any pixel
};

struct MemoryEffect {
  llvm::SmallVector<MemoryAccess, 2> accesses;
  ImageAccess image;
  bool fence = false;
  bool orders = false;               // a fence of global memory, or an atomic operation that is not known to be relaxed
  std::string not_understood;        // why it may do anything besides; empty: it does not
  const Builtin* builtin = nullptr;  // that it calls, if any is known
};

MemoryEffect effect_of(const llvm::Instruction& instruction);

// How many coordinates name a pixel of an image type ("image2d_array_t": 3); 0 if that is not known. The first is
// along the row, the second says which row (or layer of a 1D array), the third which slice (or layer of a 2D array).
unsigned axes_of_image(const std::string& type_name);

}  // namespace samcl::translator
