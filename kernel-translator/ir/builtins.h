// What the built-in functions of OpenCL C do: the one table that every reading of a program asks.
#pragma once

#include <cstdint>

#include "contract/accumulation.h"
#include "contract/footprint/symbolic_footprint.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/InstrTypes.h"

namespace samcl::translator {

struct Builtin {
  enum class Kind : uint8_t {
    computes,   // from its operands; may give a second result through a pointer
    work_item,  // tells the work-item's place, or a size of the NDRange
    barrier,    // of a work-group
    fence,
    group,  // another function that the work-items of a group execute together
    atomic,
    vector_load,   // vloadn(index, pointer) and its like
    vector_store,  // vstoren(value, index, pointer)
    group_copy,    // async_work_group_copy(to, from, count, event) and with a stride before the event
    image_query,
    image_read,
    image_write,
    address_space,  // gives its pointer in another address space
    prints,
    pipe,
    enqueues,  // kernels, from a kernel
  };
  // On the memory that a pointer leads to.
  enum class Effect : uint8_t { none, reads, writes, updates };
  // `waits`: it is atomic, and what it finds may be another work-group's sign to go on.
  enum class Ordering : uint8_t { none, atomic, waits };

  const char* name = "";  // begins or ends with '*': of a family
  Kind kind = Kind::computes;
  Effect first = Effect::none, others = Effect::none;  // by its first pointer, and by further ones
  uint8_t element = 0;   // bytes of a scalar that it accesses; 0: as its operands' types say
  bool aligned = false;  // vectors of three lie as far apart as those of four
  Ordering ordering = Ordering::none;
  Accumulation accumulates = Accumulation::none;  // if nobody uses its result; minima and maxima of signed integers
  footprint::Op number = footprint::Op::unknown;  // of work_item: what it gives, if that has a node

  bool of_groups = false;   // depends on how the NDRange is cut into work-groups
  bool uniform = false;     // gives all work-items of a work-group the same
  bool by_offset = false;   // global_work_offset alone makes it wrong in a part of the NDRange
  bool elementary = false;  // sin, pow, sqrt: what GPUs have units of their own for
};

// nullptr: it computes from its operands and, if it has pointers, may do anything with them. `name`: not mangled.
const Builtin* find_builtin(llvm::StringRef name);

// nullptr also if the call is none of a function without a body.
const Builtin* builtin_of(const llvm::CallBase& call);

// Whether the call gives its first operand, a pointer, in another address space: to_global() and the like.
inline bool changes_address_space(const llvm::CallBase& call) {
  const Builtin* builtin = builtin_of(call);
  return builtin && builtin->kind == Builtin::Kind::address_space;
}

}  // namespace samcl::translator
