// How much of what an instruction stores is surely stored, and how narrow the stores are that a device makes of it.
#pragma once

#include <cstdint>

#include "llvm/IR/IntrinsicInst.h"

namespace samcl::translator {

// Bytes of the narrowest store when `size` bytes are stored at this alignment: 1, 2, 4, 8 or 16.
uint32_t narrowest_store(uint64_t size, uint64_t alignment);
// The same of a store: one component of a vector is stored by loading, changing and storing the whole; a device may
// store it alone.
uint32_t narrowest_store(const llvm::StoreInst& store);

// How many bytes, from the first on, are values and neither padding nor left to chance. 0 for atomic and volatile
// stores, and for types whose bytes are not known.
uint64_t surely_stored(const llvm::StoreInst& store);

// Whether all bytes that a structure's copy moves belong to fields: padding may stay as it was.
bool copies_all_bytes(const llvm::MemTransferInst& copy, uint64_t size);

}  // namespace samcl::translator
